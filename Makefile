# Everything that is run here is run through `make`, by people and by CI alike. `make help` lists it.
PYTHON ?= python3
BIN := .venv/bin
NODE_PACKAGES := tests/node/node_modules/.package-lock.json
ARGS ?=
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

DATA ?= $(CLARIFY_DATA)/claims
.PHONY: help demo test lint bench calibrate run node crash soak stress clean

help: ## list the targets
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

.venv/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; name one: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv .venv
	@touch $@

.venv/installed: .venv/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --editable .
	@touch $@

.venv/installed-dev: .venv/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --editable '.[slack,teams,llm,mcp,dev]'
	@touch $@ .venv/installed

$(NODE_PACKAGES): tests/node/package.json tests/node/package-lock.json
	@if command -v npm >/dev/null; then cd tests/node && npm ci && touch node_modules/.package-lock.json; \
	else echo 'no npm: the tests marked node are skipped; install Node 20 or newer with npm for them'; fi

demo: .venv/installed ## play the main job on a sample handbook; ARGS=--once for the terminal alone
	@$(BIN)/clarify-bot demo $(ARGS)

run: .venv/installed ## serve what clarify-bot.toml describes
	@$(BIN)/clarify-bot run $(ARGS)

lint: .venv/installed-dev ## style, types, architecture, dependencies
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry .

node: $(NODE_PACKAGES) ## install the npm packages that some tests need

test: lint node ## everything that CI runs
	$(BIN)/pytest -n auto --dist worksteal $(ARGS)

crash: .venv/installed-dev ## kill bots at every moment, whatever else happens to them
	CLARIFY_EVERY_MOMENT=1 $(BIN)/pytest -n auto --dist worksteal tests/e2e/test_crash.py $(ARGS)

bench: .venv/installed-dev ## ratios, measured in one run
	$(BIN)/python -m benchmarks $(ARGS)

calibrate: .venv/installed ## fit the matcher to labelled pairs; DATA=their folder
	@$(BIN)/clarify-bot eval calibrate --data '$(DATA)' $(ARGS)

soak: .venv/installed-dev ## a thousand cards and taps through a Slack and a Teams that fail as the real ones do
	$(BIN)/python -m benchmarks.soak $(ARGS)

stress: .venv/installed-dev ## writers, sweepers and readers in several processes on one database
	$(BIN)/python -m benchmarks.stress $(ARGS)

clean: ## remove what make made
	rm -rf .venv .demo .looks tests/node/node_modules
