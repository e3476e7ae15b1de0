"""The pages: routes, views, templates."""
