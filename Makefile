# Hegemon: all commands. `make` lists them.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
# 1.5 workers per core, because some tests wait for a browser or a clock.
WORKERS = $(shell $(BIN)/python -c 'import os; print(3 * (os.cpu_count() or 1) // 2 or 1)')
PIP    := $(BIN)/python -m pip --quiet --disable-pip-version-check
UV     := .venv-lock/bin/uv pip compile --quiet --universal --python-version 3.11 --no-strip-extras \
          --generate-hashes --no-annotate --custom-compile-command "make lock"

.DEFAULT_GOAL := help
.PHONY: help play test quick mutants chaos chromium gettext postgresql check docs dist bench lock audit clean
.DELETE_ON_ERROR:

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-6s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

play: $(VENV)/.runtime ## play in the browser, against bots
	@$(BIN)/hegemon serve --open

test: check | chromium gettext postgresql ## check, then all tests with coverage
	@echo "pytest"
	@$(BIN)/pytest --numprocesses $(WORKERS) --dist worksteal --cov --cov-report= --coverage-thresholds

quick: $(VENV)/.dev ## the fast tests, without coverage: about two minutes
	@$(BIN)/pytest --numprocesses auto --dist worksteal -m "not slow and not scenario and not security"

mutants: $(VENV)/.dev ## mutation testing: within an hour on two cores
	@$(BIN)/python tests/mutants/run.py

chaos: $(VENV)/.dev | postgresql ## ten minutes of faults against three workers on PostgreSQL
	@$(BIN)/python benchmarks/chaos --minutes 10

# $(call need,COMMAND,PACKAGE,MESSAGE): install the package as root on Debian, otherwise print the message and fail.
define need
	@command -v $(1) >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && echo "installing $(2)" \
	  && apt-get -qq update && apt-get -qq install --yes --no-install-recommends $(2) >/dev/null; } \
	  || { echo "$(3) (on Debian: $(2))." >&2; exit 1; }
endef

chromium:
	$(call need,chromium,chromium chromium-headless-shell,The browser tests need Chromium)

gettext:
	$(call need,msgfmt,gettext,The tests of the translations need msgfmt)

postgresql:
	$(call need,$(firstword $(wildcard /usr/lib/postgresql/*/bin/initdb) initdb),postgresql,The tests with PostgreSQL need its server)

check: $(VENV)/.dev ## style, types and import directions
	@echo "ruff check" && $(BIN)/ruff check --quiet .
	@echo "ruff format" && $(BIN)/ruff format --quiet --check .
	@echo "mypy" && $(BIN)/mypy --no-error-summary
	@echo "lint-imports" && $(BIN)/lint-imports --no-logo

docs: $(VENV)/.dev ## build the documentation into site/
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict && echo "site/index.html"

dist: $(VENV)/.dev ## build and check the wheel and the sdist, with a bill of materials, into dist/
	@rm -rf dist
	@$(BIN)/python -m hatchling build
	@$(BIN)/twine check --strict dist/*
	@$(BIN)/python scripts/sbom.py > dist/hegemon.cdx.json && echo "dist/hegemon.cdx.json"

bench: $(VENV)/.runtime ## decisions per second on this machine
	@$(BIN)/hegemon bench

lock: .venv-lock/bin/uv ## update all dependencies and pin them with their hashes
	@$(UV) --upgrade --extra dev pyproject.toml requirements/build.in --output-file requirements/dev.txt
	@$(UV) --upgrade --extra server --constraints requirements/dev.txt pyproject.toml requirements/build.in --output-file requirements/runtime.txt

audit: ## check the pinned dependencies for known vulnerabilities
	@$(PYTHON) scripts/audit.py

clean: ## restore the state of a fresh clone
	@rm -rf $(VENV) .venv-lock .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache \
	  .import_linter_cache build dist mutants site
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
	@find src -name '*.mo' -delete

# One virtual environment: .runtime marks the dependencies for playing, .dev adds the development tools.

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Hegemon needs Python 3.11 or newer; " + sys.executable + " is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12 $(MAKECMDGOALS)")'
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "Python's venv module is missing (on Debian: the package python3-venv)." >&2; exit 1; }

$(VENV)/.runtime: requirements/runtime.txt pyproject.toml | $(BIN)/python
	@echo "installing into $(VENV) (once; about a minute)"
	@$(PIP) install --require-hashes --requirement requirements/runtime.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: requirements/dev.txt pyproject.toml | $(BIN)/python
	@echo "installing into $(VENV) (once; a minute or two)"
	@$(PIP) install --require-hashes --requirement requirements/dev.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@ $(VENV)/.runtime

.venv-lock/bin/uv:
	@$(PYTHON) -m venv .venv-lock
	@.venv-lock/bin/python -m pip --quiet --disable-pip-version-check install uv
