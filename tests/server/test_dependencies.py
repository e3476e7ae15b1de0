"""The dependencies of handlers are resolved without creating a task for each of them."""

from litestar.routes import HTTPRoute

from hegemon.server.app import register_routes


def test_the_dependencies_of_a_request_are_resolved_sequentially():
    routes = [route for route in register_routes().routes if isinstance(route, HTTPRoute)]
    batches = [
        batch
        for route in routes
        for _, model in route.route_handler_map.values()
        for batch in model.dependency_batches
    ]
    assert len(batches) > len(routes)
    assert all(len(batch) == 1 for batch in batches)
