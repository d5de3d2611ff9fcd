# Everything here works on a fresh Debian or Raspberry Pi OS with python3, python3-venv and make.
.DEFAULT_GOAL := help
.PHONY: help demo test test-of check bench kicad image vm-test soak pictures words clauses firmware lock audit deb dist release prepared debian-packages broker fetched types-of-product types-of-tests

PYTHON ?= python3
BIN := .venv/bin
# More than processors: much of the time a test waits for another program. Each imports all tests, which costs ten seconds.
# At most 16: each takes its memory, and a container is told of processors that it may not use.
WORKERS ?= $(shell n=$$(getconf _NPROCESSORS_ONLN); [ $$n -lt 8 ] || n=8; expr 2 \* $$n)
DEMO ?= --tables 4 --rounds 3 --speed 600 --once
TABLE_PICTURES := assigned,choice,new-game,play,play-face-to-face,play-no-judge,extension,finding,panel-finding,panel-reasons,panel-transcripts,panel-settings,stopped,finished,transcript,card-setup,eye-setup
LOCKED = printf 'babel>=2.14\nsetuptools>=77\n' | $(BIN)/uv pip compile pyproject.toml - --universal --python-version 3.11 --generate-hashes \
    --quiet --upgrade --no-annotate --no-emit-index-url --custom-compile-command "make lock"
PYTEST = $(BIN)/python tests/helpers/leave_nothing.py $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -rs

# uv brings parts in a fraction of pip's time; where it is not to be had, or finds none, pip does it and says what is wrong.
INSTALL = install() { $(BIN)/uv pip install --quiet --python $(BIN)/python "$$@" 2>/dev/null || \
    $(BIN)/python -m pip install --quiet --disable-pip-version-check "$$@"; }; install

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## /make \1@/p' Makefile | sort | awk -F@ '{ printf "%-16s %s\n", $$1, $$2 }'

demo: .venv/installed .venv/mosquitto-there ## play a whole room on this machine: hub, tables, real recorded games
	$(BIN)/flagfall-demo $(DEMO)

test: prepared ## run all tests but those of the night (eight minutes on two processors) and those of `make check`
	$(PYTEST) -m "not tree"

test-of: prepared ## run everything in one folder, the night's tests too (FOLDER=tests/hub/record)
	$(PYTEST) --long $(FOLDER)

check: .venv/installed-for-tests debian-packages ## style, types, boards, imports, and that pages and documented commands are true
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@$(MAKE) --no-print-directory -j 2 types-of-product types-of-tests
	PYTHONPATH=packaging $(BIN)/lint-imports --no-cache
	$(BIN)/python tools/clauses.py --check --require-tests
	$(BIN)/python tools/law.py --check
	$(BIN)/python tools/acts.py --check
	$(BIN)/python tools/catalogues.py --check
	$(BIN)/python tools/glossary.py --check
	$(BIN)/python tools/addresses.py --check
	$(BIN)/python tools/readable.py
	$(BIN)/python hardware/generate.py --check
	$(BIN)/python hardware/settling.py
	$(BIN)/python -m pytest tests/house -m tree

types-of-product:
	$(BIN)/mypy
	$(BIN)/mypy hardware
	$(BIN)/mypy tools

types-of-tests:
	$(BIN)/mypy --config-file tests/mypy.ini

bench: .venv/installed-for-benches prepared ## measure everything, print the figures, write docs/benchmarks.md
	$(BIN)/python -m benchmarks --write

image: .venv/installed-for-images ## make the image of a card for Raspberry Pi 3, 4 and 5 in dist, as root (IMAGE="--arch amd64": its twin for a PC)
	PYTHONPATH=packaging $(BIN)/python -m image.build $(IMAGE)

vm-test: prepared .venv/installed-for-images ## run the card under a real kernel, in QEMU (root; an hour)
	$(BIN)/python -m pytest tests/machine --long -m long -rs

soak: prepared ## run everything, the night's tests too: the gate of a release
	-PYTHONPATH=packaging $(BIN)/python -m image.needs
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check atheris
	$(PYTEST) --long --ignore tests/machine

pictures: prepared ## take each picture of docs/pictures anew, and all screens of the table into the folder pictures
	mkdir -p pictures docs/pictures
	$(BIN)/python tools/screen_pictures.py pictures
	$(BIN)/python tools/screen_pictures.py docs/pictures --only $(TABLE_PICTURES)
	$(BIN)/python tools/public_pictures.py docs/pictures
	$(BIN)/python tools/moving_picture.py docs/pictures/flagfall.gif
	$(BIN)/python tools/console_pictures.py docs/pictures

words: .venv/installed-for-tests ## find the texts in code and templates, bring every catalogue up to them, and compile it
	$(BIN)/python tools/catalogues.py

deb: .venv/installed ## make Debian packages of table, hub and venue in dist, for amd64 and arm64 (DEB="table --arch arm64": one)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "babel>=2.14" "setuptools>=77" uv
	PYTHONPATH=packaging $(BIN)/python -m deb.build $(DEB)

dist: .venv/installed-for-tests ## make the wheel and the source archive in dist, and check both
	$(BIN)/python -m pip install --quiet --disable-pip-version-check twine check-wheel-contents
	rm -f dist/flagfall-*.whl dist/flagfall-*.tar.gz
	$(BIN)/python -m build --outdir dist
	$(BIN)/twine check --strict dist/flagfall-*.whl dist/flagfall-*.tar.gz
	$(BIN)/check-wheel-contents dist/flagfall-*.whl

release: .venv/installed-for-tests .venv/installed-for-images ## make everything that a person downloads in dist/release, as root (RELEASE=--rehearsal: before addresses are known)
	@sh .ci/debian-packages lintian:lintian
	$(BIN)/python -m pip install --quiet --disable-pip-version-check twine
	PYTHONPATH=packaging $(BIN)/python -m release.build $(RELEASE)

kicad: .venv/installed-for-tests ## let KiCad's own rules look at strip, centre board and schematics (kicad-cli of KiCad 8 or newer)
	$(BIN)/python hardware/kicad_rules.py

clauses: .venv/installed ## write docs/clauses.md again from docs/clauses.csv and the tests' marks
	$(BIN)/python tools/clauses.py

firmware: .venv/installed ## make build/flagfall-board.uf2, the file to drag onto the board's Pico
	$(BIN)/python hardware/pico/image.py

lock: .venv/installed ## look for the newest parts, and write them with their hashes into packaging/requirements*.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(LOCKED) --extra demo --extra eye --extra redis -o packaging/requirements.lock
	$(LOCKED) --extra table -o packaging/requirements-table.lock
	$(LOCKED) --extra hub --extra check --extra redis -o packaging/requirements-hub.lock

audit: .venv/installed ## look for known faults in the locked parts; a part that cannot be looked up counts as a failure
	$(BIN)/python -m pip install --quiet --disable-pip-version-check pip-audit
	$(BIN)/pip-audit --strict --require-hashes --disable-pip -r packaging/requirements.lock

# Each stamp is made once, and again when the list of parts changes; a venv that was begun and not finished has no pip. Tests build the wheel with the venv's own setuptools.
.venv/installed: pyproject.toml $(wildcard flagfall/base/locale/*/LC_MESSAGES/*.po)
	$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv
	-@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(INSTALL) --compile --editable '.[demo]'
	touch $@

.venv/installed-for-tests: .venv/installed pyproject.toml
	@$(INSTALL) --editable '.[test]'
	touch $@

# The hub's broker: a program of the system's, or one unpacked into the venv.
.venv/mosquitto-there: .venv/installed
	@sh systemd/mosquitto.sh .venv
	@touch $@

.venv/installed-for-images: .venv/installed pyproject.toml
	PYTHONPATH=packaging $(BIN)/python -m image.needs
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "babel>=2.14" "setuptools>=77" uv
	touch $@

# What people would use instead; what cannot be installed is left out by name.
.venv/installed-for-benches: .venv/installed-for-tests pyproject.toml
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	touch $@

# What tests use that is no part: programs of Debian, and what tests/helpers/prepared.py fetches into the venv.
prepared:
	@$(MAKE) -s -j 3 .venv/compiled fetched broker

debian-packages:
	@sh .ci/debian-packages

broker: .venv/installed debian-packages
	-@sh systemd/mosquitto.sh .venv

fetched: .venv/installed-for-tests
	@$(BIN)/python tests/helpers/prepared.py

# Tests and parts are compiled by one, not by every worker, while Debian's packages come.
.venv/compiled: .venv/installed-for-tests
	-@$(BIN)/python -m pytest --collect-only >/dev/null # what cannot be collected is told by the tests
	@touch $@
