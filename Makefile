# Every target does whatever set-up it needs. See CONTRIBUTING.md.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: $(VENV)/.done page-if-possible ## Make .venv with everything pinned, and the page where Node is there

$(VENV)/.done: requirements/dev.txt requirements/uv.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Headwater needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1). Set PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
	  { echo "Python's venv is missing: install it (on Debian: apt-get install python3-venv)"; exit 1; }
	@echo "Setting up $(VENV) …"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install -q --require-hashes -r requirements/uv.txt -r requirements/dev.txt
	@VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install -q --no-deps --no-build-isolation -e .
	@touch $@

# The page is built into the package. A server without it works, and says how to get it.
PAGE := headwater/page/index.html
PAGE_SOURCES := $(shell find web/src web/public web/index.html web/package.json web/vite.config.ts -type f)

page: $(PAGE) ## Build the web page (needs Node 20.19 or newer)

$(PAGE): web/node_modules/.done $(PAGE_SOURCES)
	@echo "Building the page …"
	@cd web && npm run -s build -- --logLevel warn

# As the lock says. Not `npm ci`: it refuses a lock without the parts for other systems, which not every registry has.
web/node_modules/.done: web/package-lock.json
	@node -e 'const [a, b] = process.versions.node.split("."); process.exit(+(a * 100 + +b < 2019))' || \
	  { echo "The page needs Node 20.19 or newer (on Debian: apt-get install nodejs npm)"; exit 1; }
	@cd web && npm install --no-save --silent
	@touch $@

page-if-possible:
	@if command -v node npm > /dev/null; then \
	  $(MAKE) -s page || echo "The page could not be built. Everything else works without it; make page says more."; fi

page-check: $(VENV)/.done web/node_modules/.done ## Format, lint, types and unit tests of the page
	@cd web && npm run -s check && npm run -s test -- --silent --reporter=dot
	@cd web && npm run -s types:check

# Beside the rest, so that nobody has to download Spark who only wants the server.
setup-lab: $(VENV)/.lab-done ## Add Spark and Kafka's client to .venv (400 MB)

$(VENV)/.lab-done: $(VENV)/.done requirements/lab.txt
	@VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install -q --require-hashes -r requirements/lab.txt
	@touch $@

# Before Spark is downloaded.
java-there: $(VENV)/.done
	@$(BIN)/python -m headwater.lab.requirements

lab: java-there connect setup-lab ## Start Kafka, Connect, a registry, S3, an Iceberg catalog and Headwater (needs Java 17+, Maven)
	@$(BIN)/headwater lab up

demo: setup java-there connect setup-lab ## The lab with the orders pipeline on Spark and its lineage (OPTIONS="--rate 1000")
	@$(BIN)/headwater lab up --pipeline $(OPTIONS)

demo-check: setup java-there connect setup-lab ## The same from nothing to its end, checked: data, graph, runs; ends by itself
	@$(BIN)/python -m tests.demo

test: setup chromium page ## All tests but those that need Java and Maven (installs Chromium where it may)
	@$(BIN)/python -m tests.suites unit integration browser

test-long: setup ## The tests with generated examples, ten times as many of them, other ones each time
	@EXAMPLES=10 $(BIN)/pytest tests/unit tests/contract tests/integration/test_fuzz_http.py tests/integration/test_schemathesis.py

# Everything that CI checks, several suites at a time; all set-up comes first, so that no suite waits for another's.
ci: setup java-there connect $(VENV)/.spark $(VENV)/.connect chromium page web/node_modules/.done
	@$(BIN)/python -m tests.suites

chromium:
	@command -v chromium chromium-browser google-chrome > /dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
	    echo "Installing Chromium …"; apt-get update -q > /dev/null && apt-get install -y -q chromium > /dev/null; \
	  else echo "The tests of the page need Chromium (on Debian: apt-get install chromium)"; exit 1; fi; }

test-unit: setup ## The tests that start nothing
	@$(BIN)/pytest tests/unit tests/contract tests/scenarios

test-lab: connect setup-lab ## The tests of the whole lab with the pipeline (needs Java 17+, Maven; 600 MB of downloads at first)
	@$(BIN)/pytest tests/lab

test-pipeline: setup-lab ## The tests of the orders pipeline with real services (needs Java 17+, Maven)
	@$(BIN)/pytest tests/pipeline

test-connect: connect $(VENV)/.connect chromium page ## The tests of the Connect watcher with real workers and PostgreSQL (needs Java 17+, Maven, PostgreSQL)
	@$(BIN)/pytest tests/connect

# With pyarrow, to read what the S3 sink has written.
$(VENV)/.connect: $(VENV)/.lab-done tests/connect/pom.xml requirements/spark.txt
	@VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install -q --require-hashes -r requirements/spark.txt
	@mvn -q -B -f tests/connect/pom.xml package -Dplugins=$(abspath $(VENV))/connect-plugins
	@touch $@

# Built into the package, as the page is. The build runs their unit tests.
PLUGINS := headwater/lab/plugins
CONNECT_SOURCES := $(shell find connect -name target -prune -o -type f -print)

connect: $(PLUGINS)/.done ## Build and test the plugins for Kafka Connect (needs Java 17+, Maven)

$(PLUGINS)/.done: $(CONNECT_SOURCES)
	@{ test -x "$${JAVA_HOME:-}/bin/javac" || command -v javac; } > /dev/null && command -v mvn > /dev/null || \
	  { echo "The plugins need a JDK 17 and Maven (on Debian: apt-get install openjdk-17-jdk-headless maven)"; exit 1; }
	@echo "Building the plugins for Kafka Connect …"
	@rm -rf $(PLUGINS)
	@mvn -q -B -f connect/pom.xml package -Dplugins=$(abspath $(PLUGINS))
	@touch $@

test-spark: $(VENV)/.spark $(VENV)/.lab-done ## The tests of headwater.spark (needs Java 17 and Maven; 0.5 GB of downloads)
	@$(BIN)/pytest tests/spark

# Spark goes into the same .venv, but only for those who test with it.
$(VENV)/.spark: $(VENV)/.done requirements/spark.txt tests/spark/pom.xml
	@command -v java mvn > /dev/null || \
	  { echo "Spark's tests need Java 17 and Maven (on Debian: apt-get install openjdk-17-jdk-headless maven)"; exit 1; }
	@echo "Setting up Spark in $(VENV) …"
	@VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install -q --require-hashes -r requirements/spark.txt
	@mvn -q -B -f tests/spark/pom.xml org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
	  -DoutputDirectory=$(abspath $(VENV))/spark-jars
	@touch $@

check: setup ## Formatting, lint, types, layers
	@$(BIN)/ruff format --check -q . && $(BIN)/ruff check -q .
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-cache > $(VENV)/imports.txt || { cat $(VENV)/imports.txt; exit 1; }
	@echo "format, lint, types and layers are fine"

format: setup ## Format the code
	@$(BIN)/ruff format -q . && $(BIN)/ruff check -q --fix .

bench: setup ## Measure; prints one table (BENCH=large for the larger set)
	@$(BIN)/python -m bench

bench-connect: connect $(VENV)/.connect ## Measure the Connect transform (JMH, a real worker) and the lab's connectors (needs Java 17+, Maven)
	@mvn -q -B -f connect/pom.xml -pl smt test-compile org.apache.maven.plugins:maven-dependency-plugin:2.10:build-classpath \
	  -Dmdep.outputFile=$(abspath $(VENV))/smt-classpath
	@java -Dorg.slf4j.simpleLogger.defaultLogLevel=off \
	  -cp connect/smt/target/classes:connect/smt/target/test-classes:$$(cat $(VENV)/smt-classpath) \
	  org.openjdk.jmh.Main SmtBenchmark -f 1 -wi 3 -w 1 -i 5 -r 1 -prof gc -jvmArgs "-Xmx256m -Dorg.slf4j.simpleLogger.defaultLogLevel=off" \
	  | grep -E '^Benchmark |SmtBenchmark.[A-Za-z]+(:.?gc.alloc.rate.norm)? +avgt'
	@$(BIN)/python -m bench.connect_smt
	@$(BIN)/python -m bench.connectors

bench-spark: $(VENV)/.spark $(VENV)/.lab-done ## Measure what capture costs a Spark application (needs Java 17, Maven)
	@$(BIN)/python -m bench.spark_capture

conformance: setup ## Compare with the JSON Schemas in SPEC=…/openlineage-spec
	@test -n "$(SPEC)" || { echo "say where the spec is: make conformance SPEC=path/to/openlineage-spec"; exit 1; }
	@$(BIN)/python -m tests.conformance $(SPEC)

fuzz: ## Fuzz the decoder for a minute (SECONDS_TO_FUZZ=…)
	@$(MAKE) -s setup
	@VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install -q --require-hashes -r requirements/fuzz.txt
	@$(BIN)/python -m bench.fuzz -max_total_time=$${SECONDS_TO_FUZZ:-60} -rss_limit_mb=4096

lock: ## Pin requirements/*.txt anew
	@$(MAKE) -s setup
	@for set in uv server dev lab spark fuzz; do \
	  echo "requirements/$$set.txt"; \
	  $(BIN)/uv pip compile -q --generate-hashes --universal --python-version 3.11 --no-emit-index-url --no-annotate \
	    --custom-compile-command "make lock" requirements/$$set.in -o requirements/$$set.txt; done

lock-jars: setup ## Write the checksums of what headwater/lab/pom.xml names anew
	@$(BIN)/python -m headwater.lab.jars headwater/lab/jars.sha256

.PHONY: help setup page chromium page-if-possible page-check setup-lab java-there lab test-lab test-pipeline test-spark lock-jars demo demo-check test test-unit check format bench conformance fuzz lock test-long ci test-connect bench-connect bench-spark connect
