# Two commands do everything: `make book` and `make test`. Each sets up what it needs.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TOOLS := $(VENV)/.tools
BOOK := _build/html/.built
SOURCES := $(shell find book lib widgets -type f -not -path '*/node_modules/*' -not -path '*/dist/*' \
  -not -path '*/__pycache__/*' -not -path '*/.ipynb_checkpoints/*' 2>/dev/null) _config.yml _toc.yml
PORT ?= 8000
WORKERS ?= 2
# Tensors are small here: more threads only wait for each other.
export OMP_NUM_THREADS ?= 1
# Freed memory is kept: glibc would give each large tensor's back, and have the next one's zeroed anew.
export MALLOC_MMAP_THRESHOLD_ ?= 4000000000
export MALLOC_TRIM_THRESHOLD_ ?= 4000000000
# Modules are compiled once, whatever the machine's own wish: hundreds of processes import them.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help book test lint lab serve bench statements hunt tables page outputs myst package films guides clean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Packages by the hashes of their files; then torch, whose builds differ, and this one.
LOCKED = $(BIN)/python -m pip install --quiet --require-hashes --no-deps --requirement
PLAIN = $(BIN)/python -m pip install --quiet --no-build-isolation --constraint constraints.txt --editable
# The JavaScript of the figures, if it is missing or has changed.
BUNDLE = $(BIN)/python -c 'from widgets import bundle; bundle.ensure()'

$(READY): pyproject.toml constraints.txt .ci/book.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(LOCKED) .ci/book.txt
	$(PLAIN) '.[book]'
	@touch $@

$(TOOLS): $(READY) .ci/test.txt
	$(LOCKED) .ci/test.txt
	$(PLAIN) '.[book,lab,cluster,test]'
	@touch $@

$(BOOK): $(READY) $(SOURCES)
	$(BIN)/python -m book build
	@touch $@

book: $(BOOK) ## build the book and say where it is
	@echo "The book is at $(CURDIR)/_build/html/index.html"

lint: $(TOOLS) ## ruff, mypy and codespell, on notebooks too; tsc and eslint on JavaScript
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/nbqa mypy book
	$(BIN)/codespell
	$(BIN)/pytest -q --no-header tests/book/test_prose.py
	$(BIN)/python -c 'from widgets import bundle; bundle.lint()'

test: lint $(BOOK) ## lint, unit, property, notebook, kernel and browser tests (CHANGED=1: only of what has changed)
	@$(BIN)/python -m book.publish.chromium
	$(BIN)/pytest -n $(WORKERS) --no-loadscope-reorder --nbval --nbval-sanitize-with tests/book/sanitize.cfg \
	  $(if $(CHANGED),--changed) tests book

lab: $(TOOLS) ## JupyterLab on the book
	@$(BUNDLE)
	$(BIN)/jupyter lab --notebook-dir=book $(if $(filter 0,$(shell id -u)),--allow-root)

serve: $(BOOK) ## the book on localhost (PORT=8000): what you change is built, and shown in the open page
	$(BIN)/python -m book serve $(PORT)

bench: $(TOOLS) $(BOOK) ## speed and memory, as ratios within one run (COMMANDS=1: of these commands, an hour)
	@$(BIN)/python -m book.publish.chromium
	$(BIN)/python -m tests.bench $(if $(COMMANDS),commands)

statements: $(READY) ## examine the statements whose code has changed, and renew the table that the pages print
	$(BIN)/python -m book statements --renew

hunt: $(TOOLS) ## hunt for contradictions in the statements whose code has changed: hours for all
	$(BIN)/python -m book hunt 40 --renew --seconds 60 --workers 2
	$(BIN)/python -m book beyond --renew

tables: statements ## make the stored tables anew whose code has changed: hours, and it goes on where it was stopped
	$(BIN)/python -m book sweep

page: $(READY) ## lay out a new page: make page PAPER=recall PAGE=my_page
	@$(BUNDLE)
	@$(BIN)/python -m book new $(PAPER) $(PAGE)

myst: $(READY) ## what the book loses as MyST, from which Jupyter Book 2 builds
	@$(BIN)/python -m tests.myst

outputs: export JUPYTER_DEFAULT_PROVISIONER_NAME = warm
outputs: $(READY) ## run every notebook and store its outputs, for nbval to compare
	@$(BUNDLE)
	$(BIN)/jupyter nbconvert --to notebook --inplace --execute \
	  --ExecutePreprocessor.store_widget_state=False --ExecutePreprocessor.record_timing=False $$(find book -name '*.ipynb' -not -path '*/.*')

package: $(READY) ## build the wheels and the sdists that others install: _build/package
	rm -rf _build/package && mkdir -p _build/package
	$(BIN)/python widgets/release/press.py _build/package
	@ls -l _build/package

films: $(TOOLS) $(BOOK) ## a short film of each demo: _build/films (DEMOS=recall/saddle: of these)
	$(LOCKED) .ci/film.txt
	@$(BIN)/python -m book.publish.chromium
	$(BIN)/python -m book films $(DEMOS)

guides: $(TOOLS) $(BOOK) ## a lecturer's guide for each lesson, as PDF: _build/guides
	@$(BIN)/python -m book.publish.chromium
	$(BIN)/python -m book guides

clean: ## remove what was built, keep what was installed
	rm -rf _build widgets/dist
