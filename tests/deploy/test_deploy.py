"""The files in `deploy`: they match the server, and everything that needs no container is tested."""

import json
import re
import shutil
import ssl
import subprocess
import threading
import time
from http.client import HTTPException, HTTPSConnection
from pathlib import Path

import pytest
import yaml
from ports import free_port
from server_process import server_process
from waiting import WAIT_TIMEOUT

from hegemon.cli.app import app
from hegemon.server.runner import check_url, database_url

DEPLOY = Path(__file__).parents[2] / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
CONTAINERFILE = (DEPLOY / "Containerfile").read_text()
UNIT = (DEPLOY / "hegemon.service").read_text()


def options_of_serve():
    command = next(each for each in app.registered_commands if each.callback.__name__ == "serve")
    names = {name.replace("_", "-") for name in command.callback.__annotations__}
    return {f"--{name}" for name in names}


# ---------------------------------------------------------------- containers


@pytest.mark.parametrize("name", ["hegemon", "postgres", "proxy"])
def test_no_container_can_write_its_root_or_gain_privileges(name):
    service = COMPOSE["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service.get("cap_add", []) == (["NET_BIND_SERVICE"] if name == "proxy" else [])
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["restart"] == "unless-stopped"
    assert {"mem_limit", "pids_limit", "tmpfs"} <= service.keys()
    assert "privileged" not in service


def test_only_the_proxy_can_be_reached_and_the_database_has_no_network():
    services = COMPOSE["services"]
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    assert services["postgres"]["network_mode"] == "none"
    assert services["postgres"]["command"][-1] == "listen_addresses="
    (network,) = COMPOSE["networks"]["front"]["ipam"]["config"]
    assert services["hegemon"]["environment"]["FORWARDED_ALLOW_IPS"] == network["subnet"]
    assert not re.search("PASSWORD|SECRET|TOKEN", (DEPLOY / "compose.yaml").read_text())


def test_every_volume_is_declared_and_the_server_writes_only_to_volumes():
    mounted = {
        volume.split(":")[0] for service in COMPOSE["services"].values() for volume in service["volumes"]
    }
    assert mounted - {"./Caddyfile"} == COMPOSE["volumes"].keys()
    targets = {volume.split(":")[1] for volume in COMPOSE["services"]["hegemon"]["volumes"]}
    for folder in json.loads(re.search(r"^VOLUME (.*)$", CONTAINERFILE, re.MULTILINE)[1]):
        assert folder in targets
    assert re.search("HEGEMON_CACHE=(.*)$", CONTAINERFILE, re.MULTILINE)[1] in targets


def test_containers_pass_options_that_the_server_has():
    command = COMPOSE["services"]["hegemon"]["command"]
    assert command[0] == "serve"
    assert {option.partition("=")[0] for option in command[1:]} <= options_of_serve()
    started = json.loads(re.search(r"^CMD (\[\"serve.*)$", CONTAINERFILE, re.MULTILINE)[1])
    assert {option for option in started if option.startswith("--")} <= options_of_serve()
    (place,) = [option.partition("=")[2] for option in command if option.startswith("--database")]
    check_url(database_url(place))


def test_the_image_runs_without_root_and_checks_its_health():
    assert re.search(r"^USER 10001:10001$", CONTAINERFILE, re.MULTILINE)
    assert re.search(r"^HEALTHCHECK .*\n.*/health", CONTAINERFILE, re.MULTILINE)
    images = re.findall(r"^FROM (\S+)", CONTAINERFILE, re.MULTILINE)
    images += [service["image"] for service in COMPOSE["services"].values()]
    assert set(images) == {"python:3.12-slim", "hegemon", "postgres:17", "caddy:2"}
    for source in re.findall(r"^COPY (?!--from)(.*) \S+$", CONTAINERFILE, re.MULTILINE):
        for name in source.split():
            assert (DEPLOY.parent / name).exists(), name
    for name in ("hegemon", "postgres"):
        assert COMPOSE["services"][name]["healthcheck"]["test"][0] == "CMD"


def test_the_image_gets_the_postgresql_driver_from_the_lock_file():
    (script,) = re.findall(r"sed -n '(.*?)' requirements/dev.txt", CONTAINERFILE)
    lock = DEPLOY.parent / "requirements" / "dev.txt"
    printed = subprocess.run(
        ["sed", "-n", script, str(lock)], capture_output=True, text=True, check=True
    ).stdout
    lines = printed.splitlines()
    assert re.fullmatch(r"asyncpg==[\d.]+ \\", lines[0])
    assert all("--hash=sha256:" in line for line in lines[1:])
    assert not lines[-1].endswith("\\")


# ---------------------------------------------------------------- systemd


def test_the_service_is_confined_and_passes_options_that_the_server_has():
    settings = dict(line.split("=", 1) for line in UNIT.splitlines() if re.match(r"\w+=", line))
    for name in ("NoNewPrivileges", "DynamicUser", "ProtectHome", "PrivateTmp", "PrivateDevices"):
        assert settings[name] == "yes"
    assert settings["ProtectSystem"] == "strict"
    assert "MemoryDenyWriteExecute" not in settings, "compiled bots could not run"
    options = set(re.findall(r"(--[a-z-]+)", settings["ExecStart"]))
    assert options <= options_of_serve()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_understands_the_units(tmp_path):
    names = ("hegemon.service", "hegemon-backup.service", "hegemon-backup.timer")
    for name in names:  # the program need not exist
        (tmp_path / name).write_text(
            (DEPLOY / name).read_text().replace("/opt/hegemon/bin/hegemon", "/bin/true")
        )
    command = ["systemd-analyze", "verify", "--man=no", *(str(tmp_path / name) for name in names)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    ours = [line for line in done.stderr.splitlines() if str(tmp_path) in line]
    assert (done.returncode, ours) == (0, []), done.stderr


# ---------------------------------------------------------------- the proxy


@pytest.fixture
def proxy(tmp_path):
    """A server behind Caddy with the configuration in `deploy`; yields a function that connects to it over TLS."""
    if shutil.which("caddy") is None:
        pytest.skip("Caddy is not installed")
    with server_process(tmp_path) as server:
        port, plain = free_port(), free_port()
        environment = {
            "HOME": str(tmp_path),
            "XDG_DATA_HOME": str(tmp_path),
            "XDG_CONFIG_HOME": str(tmp_path),
            "HEGEMON_SITE": "localhost",
            "HEGEMON_UPSTREAM": server.address.removeprefix("http://"),
            "HEGEMON_HTTPS_PORT": str(port),
            "HEGEMON_HTTP_PORT": str(plain),
        }
        command = [
            shutil.which("caddy"),
            "run",
            "--adapter",
            "caddyfile",
            "--config",
            str(DEPLOY / "Caddyfile"),
        ]
        with (tmp_path / "caddy.log").open("wb") as log:
            process = subprocess.Popen(command, env=environment, stderr=log, stdout=log)
        authority = tmp_path / "caddy" / "pki" / "authorities" / "local" / "root.crt"

        def connect():
            deadline = time.monotonic() + WAIT_TIMEOUT
            while True:  # until Caddy has created its certificate
                try:
                    trusted = ssl.create_default_context(cafile=str(authority))
                    connection = HTTPSConnection("localhost", port, context=trusted, timeout=WAIT_TIMEOUT)
                    connection.connect()
                    return connection
                except (OSError, HTTPException):
                    assert process.poll() is None, (tmp_path / "caddy.log").read_text()
                    assert time.monotonic() < deadline, (tmp_path / "caddy.log").read_text()
                    time.sleep(0.05)

        connect.server = server
        try:
            yield connect
        finally:
            process.kill()
            process.wait()


def ask(connection, method, path, body=None, **headers):
    text = json.dumps(body) if body is not None else None
    connection.request(method, path, text, {"content-type": "application/json"} | headers)
    answer = connection.getresponse()
    return answer, answer.read()


@pytest.mark.slow
def test_a_table_is_followed_through_the_proxy_and_nothing_private_is_exposed(proxy):
    connection = proxy()
    answer, _ = ask(connection, "GET", "/ready")
    assert answer.status == 200
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    answer, _ = ask(connection, "GET", "/rules", traceparent=f"00-{trace}-00f067aa0ba902b7-01")
    assert (answer.status, answer.headers["X-Request-Id"]) == (200, trace)
    assert "default-src" in answer.headers["Content-Security-Policy"]
    assert ask(connection, "GET", "/metrics")[0].status == 404

    answer, body = ask(connection, "POST", "/api/games", {"seats": [{"name": "Ada"}, {}]})
    table = json.loads(body)
    tokens = {"authorization": f"Bearer {table['seats'][0]['token']}"}
    path = f"/api/games/{table['game']}"
    streaming = proxy()
    streaming.request("GET", f"{path}/stream", headers=tokens)
    stream = streaming.getresponse()
    assert stream.headers["content-type"].startswith("text/event-stream")
    _, body = ask(connection, "GET", path, **tokens)
    state = json.loads(body)
    move = {"choice": state["choices"][0]["choice"], "version": 0, "idempotency_key": "key"}
    answer, body = ask(connection, "POST", f"{path}/moves", move, **tokens)
    assert (answer.status, json.loads(body)) == (200, {"version": 1})
    deadline = time.monotonic() + WAIT_TIMEOUT
    # The stream does not end, so a buffering proxy would send nothing.
    while not re.match(rb'data: \{"version": ?1,', line := stream.readline()):
        assert line, "the stream has ended"
        assert time.monotonic() < deadline, "only heartbeats arrive"
    streaming.close()
    connection.close()


@pytest.mark.slow
def test_requests_wait_while_the_server_restarts(proxy):
    connection, results = proxy(), []
    proxy.server.kill()
    asking = threading.Thread(target=lambda: results.append(ask(connection, "GET", "/rules")[0].status))
    asking.start()
    proxy.server.start()
    asking.join(WAIT_TIMEOUT)
    assert results == [200]
    connection.close()
