# Everything runs in a local .venv, made on the first call and reused after.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# One torch thread per process: on few cores more threads are slower.
export OMP_NUM_THREADS := 1
export TOKENIZERS_PARALLELISM := false

.PHONY: help demo test test-slow lint docs audit bench clean
.DEFAULT_GOAL := help

help:  ## List the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(VENV)/.installed: setup.cfg pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -c constraints.txt torch
	$(BIN)/python -m pip install --quiet -c constraints.txt -e ".[dev,ray]"
	@touch $@

demo: $(VENV)/.installed  ## Train on the embedded sample, package the pipeline, print what it finds, write a report and a review page
	@mkdir -p training
	@echo "Hiding 80 % of the entities of the sample, and training on the rest: first with"
	@echo "adak_ner, then as a plain CRF. About three minutes on two cores. Details are in"
	@echo "training/demo.log"
	@$(BIN)/python -m spacy project run train > training/demo.log || (cat training/demo.log; exit 1)
	@sed -n '/What was hidden, and what was found/,$$p' training/demo.log

test: lint  ## Run ruff, mypy and the tests, warnings as errors
	$(BIN)/python -m pytest -q

test-slow: $(VENV)/.installed  ## Run the long series: kills, full disks, other processes
	$(BIN)/python -m pytest -q -m slow

lint: $(VENV)/.installed  ## Run ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/.installed  ## Build the documentation as a site of static pages in site/
	$(BIN)/python -m scripts.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "Open site/index.html"

audit: $(VENV)/.installed  ## Look up known vulnerabilities of what the tests run with
	$(BIN)/python -m pip install --quiet pip-audit
	$(BIN)/pip-audit

$(VENV)/.bench: $(VENV)/.installed benchmarks/requirements.txt
	$(BIN)/python -m pip install --quiet -c constraints.txt --no-deps -r benchmarks/requirements.txt
	@touch $@

# Texts and encoders: make bench BENCH="--en sentences.txt --en-encoder FOLDER"
bench: $(VENV)/.bench  ## Run the benchmarks that fit in ten minutes, write benchmarks/RESULTS.md
	$(BIN)/python -m benchmarks $(BENCH)

clean:  ## Remove the virtual environment and everything built
	rm -rf $(VENV) build dist site *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
