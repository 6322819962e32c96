# Two commands do all set-up: `make demo` and `make test`. They need Python 3.11 or newer with pip, and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core
READY := $(VENV)/.ready
PIP := $(PYTHON) -m pip --python $(BIN)/python install --quiet --disable-pip-version-check
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

.PHONY: demo page test wide servers lint types docs lock bench drill clean

demo: $(CORE)
	$(BIN)/recollect demo

# The page on the demo's data, until Ctrl-C.
page: $(CORE)
	$(BIN)/recollect demo --serve

test: $(READY) servers lint types
	@echo "tests keep their data in temporary folders and take them away; nothing of yours is touched"
	$(BIN)/python -m pytest -n 2

# The same with everything tried as often as it should be before a release.
wide: export RECOLLECT_TEST_WIDE = 1
wide: test

# The tests run on a real MariaDB beside SQLite and PostgreSQL, and walk the page in a real browser; PostgreSQL comes as a
# wheel, MariaDB and Chromium from Debian. Only the programs are installed, no service is started.
servers:
	@PATH="$$PATH:/usr/sbin"; command -v mariadbd >/dev/null && command -v mariadb-install-db >/dev/null && \
	  command -v my_print_defaults >/dev/null || { $(SUDO) apt-get update -qq && \
	  $(SUDO) apt-get install -y -qq --no-install-recommends mariadb-server-core mariadb-client-core >/dev/null; }
	@command -v chromium >/dev/null || { $(SUDO) apt-get update -qq && \
	  $(SUDO) apt-get install -y -qq --no-install-recommends chromium fonts-liberation >/dev/null; }

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo

types: $(READY)
	$(BIN)/mypy

# Reference pages that are generated from the code; `make test` fails when they are out of date.
docs: $(READY)
	$(BIN)/python -m recollect.serve.reference docs

bench: $(READY)
	$(BIN)/recollect bench speed

drill: $(READY)
	$(BIN)/python -m bench.drill

# What the library needs, and no more: a demo does not wait for linters and servers.
$(CORE): requirements/core.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Recollect needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv --without-pip $(VENV)
	$(PIP) --require-hashes -r requirements/core.lock
	$(PIP) --no-build-isolation --no-deps -e .
	@touch $(CORE)

$(READY): $(CORE) requirements/dev.lock
	$(PIP) --require-hashes -r requirements/dev.lock
	@touch $(READY)

# Renew the locked versions; needs pip-tools. core.lock is the part of dev.lock that core.in asks for.
lock:
	cd requirements && pip-compile --quiet --upgrade --generate-hashes --allow-unsafe --strip-extras --no-header \
	  --no-emit-index-url --no-emit-find-links --no-emit-trusted-host -o dev.lock dev.in
	cd requirements && pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras --no-header --no-annotate \
	  --no-emit-index-url --no-emit-find-links --no-emit-trusted-host -c dev.lock -o core.lock core.in

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
