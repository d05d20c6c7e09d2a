# Two commands to begin with: `make demo` and `make test`. Everything lives in .venv; nothing else is touched.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Parallel test processes. Each embeds and queries, so more than there are cores only makes them wait.
JOBS ?= 2

.PHONY: demo serve test test-all check clean

$(BIN)/oam: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: hnswlib >/dev/null 2>&1 \
	  || echo "hnswlib has no wheel for this machine: exact vector search is used instead"

# The sample knowledge base: builds it and shows what it can do.
demo: $(BIN)/oam
	$(BIN)/oam demo demo-kb

# Answers HTTP on http://127.0.0.1:8765 from the sample knowledge base.
serve: $(BIN)/oam
	test -d demo-kb || $(BIN)/oam demo demo-kb >/dev/null
	$(BIN)/oam --kb demo-kb serve

$(VENV)/.test: $(BIN)/oam pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .[test]
	touch $@

$(VENV)/.check: $(BIN)/oam pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .[test,check]
	touch $@

test: $(VENV)/.test
	$(BIN)/python -m pytest -m "not slow" -n $(JOBS) --dist loadgroup --cov --cov-fail-under=85

# Everything, the slow suites included: tens of minutes.
test-all: $(VENV)/.test
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup

check: $(VENV)/.check
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

clean:
	rm -rf $(VENV) demo-kb build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .coverage*
