# Two commands: `make run` does the main job, `make test` runs all that continuous integration runs.
# Both set up what they need in .venv: `make run` from requirements-run.lock (about 250 MB), everything else from
# requirements.lock, which holds the same versions and the rest.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
RUNS   := $(VENV)/.runs
JOBS   ?= 2
# Tests wait for servers, browsers and Java as often as they compute, so there is a process more than there are cores.
PYTEST := $(BIN)/pytest -n $$(( $(JOBS) + 1 )) --dist load

.PHONY: run test aside check quick format lint types unit long doctest readme docs bench drill server-drill wildfire-drill vectors mutants audit smoke lock clean setup browser shots reference house api papers

run: $(RUNS)
	rm -rf build/health
	$(BIN)/banister demo build/health
	$(BIN)/banister budget build/health/health.toml --create
	$(BIN)/banister plan build/health/health.toml build/health/questions.sql --epsilon 0.3
	$(BIN)/banister release build/health/health.toml build/health/questions.sql --epsilon 0.3 \
	  --out build/health/answers.parquet --report build/health/answers.html
	@echo "The same in a browser: make setup, then $(BIN)/banister studio build/health/health.toml"

# What needs few seconds of waiting runs beside the tests, which wait for much.
test: $(READY) browser
	$(MAKE) --no-print-directory --jobs=2 unit aside

aside: $(READY)
	for each in lint types doctest docs smoke; do $(MAKE) --no-print-directory -j1 $$each || exit 1; done

check: test

quick: $(READY)
	$(PYTEST) -m "not slow"

setup: $(READY)

UV := $(BIN)/uv pip install --quiet --python $(BIN)/python

$(BIN)/uv:
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv

$(RUNS): requirements-run.lock pyproject.toml | $(BIN)/uv
	$(UV) --require-hashes -r requirements-run.lock
	$(UV) --no-deps --editable .
	touch $(RUNS)

$(READY): requirements.lock pyproject.toml | $(BIN)/uv
	$(UV) --compile-bytecode --require-hashes -r requirements.lock
	$(UV) --no-deps --editable .
	touch $(RUNS) $(READY)

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(READY)
	$(BIN)/mypy

# A browser for the tests of pages; where there is none, one is fetched without root into build/browser.
browser: $(READY)
	$(BIN)/python -m tests.browser

# Pictures of the pages of the studio and of a team in build/shots, to be looked at.
shots: browser
	$(BIN)/python -m tests.apps.studio.shots build/shots
	$(BIN)/python -m tests.apps.team.shots build/shots

unit: $(READY) browser
	$(PYTEST)

# The same tests with all the runs, draws and cases that they can take; some hours.
long: $(READY) browser
	BANISTER_LONG=1 $(PYTEST)

doctest: $(READY)
	$(BIN)/pytest --doctest-modules src/banister

docs: $(READY)
	$(BIN)/sphinx-build -W -q -b html docs build/docs

bench: $(READY)
	$(BIN)/python -m bench $(if $(PEERS),--peers)

# Long runs that look for what no test foresees; EVENTS=100000 CASES=100000 INPUTS=1000000 for a night.
EVENTS ?= 10000
CASES  ?= 10000
INPUTS ?= 10000
KILLS ?= 1000
drill: $(READY)
	$(BIN)/python -m tests.drills.ledger --events $(EVENTS)
	$(BIN)/python -m tests.drills.matrix
	$(BIN)/python -m tests.drills.noise --cases $(CASES)
	$(BIN)/python -m tests.drills.questions --engine duckdb --cases $(CASES)
	$(BIN)/python -m tests.drills.questions --engine duckdb --engine postgres --cases $$(( $(CASES) / 10 ))
	$(BIN)/python -m tests.drills.questions --engine duckdb --engine spark --cases $$(( $(CASES) / 100 ))
	$(BIN)/python -m tests.drills.spark --on workers
	$(BIN)/python -m tests.drills.foreign --inputs $(INPUTS)
	$(BIN)/python -m tests.drills.collect $(KILLS)

# Servers that are killed with signal 9 while they are asked: the studio, and a team on a file and on PostgreSQL.
REQUESTS ?= 10000
server-drill: $(READY)
	$(BIN)/python -m tests.drills.studio --requests $(REQUESTS) --between 60
	$(BIN)/python -m tests.drills.team --requests $(REQUESTS)
	$(BIN)/python -m tests.drills.team --requests $(REQUESTS) --postgres

# The messenger: fuzzed frames, 30 processes under bad conditions, and what one link shows; about an hour.
wildfire-drill: $(READY)
	$(BIN)/python -m tests.drills.wildfire frames --count 10000000
	$(BIN)/python -m tests.drills.wildfire crowd --nodes 30 --posts 400
	$(BIN)/python -m tests.drills.wildfire flood --nodes 20 --posts 150
	$(BIN)/python -m tests.drills.wildfire gaps --ticks 10000
	$(BIN)/python -m tests.drills.wildfire kills --count 1000
	$(BIN)/python -m tests.drills.wildfire nat
	$(BIN)/python -m tests.drills.wildfire lan
	$(BIN)/python -m tests.drills.wildfire tor

# Attack everything of ours: noises, channels, payments of a release. DRAWS=10000000 for a night.
DRAWS ?= 1000000
audit: $(READY)
	$(BIN)/python -m tests.audit.house --draws $(DRAWS)

vectors: $(READY)
	$(BIN)/python -m tests.vectors.make

# Errors put into copies of the package on purpose; every one must be noticed. ONLY=word runs those of that name or file.
mutants: $(READY)
	$(BIN)/python -m tests.mutants --jobs $(JOBS) $(ONLY)

# The command reference is made from the program; a test notices when it is stale.
reference: $(READY)
	$(BIN)/python docs/reference.py

# The map of the house is made from the code; a test notices when it is stale.
house: $(READY)
	$(BIN)/python docs/house.py

# The pages on the source documents are made from tables; a test runs their lines and notices when they are stale.
papers: $(READY)
	$(BIN)/python docs/papers.py

# The pages of the doors are made from the doors; a test notices when they are stale.
api: $(READY)
	$(BIN)/python docs/api.py

# The built package alone, in an empty environment, without development tools.
smoke: $(READY)
	rm -rf build/smoke dist
	$(BIN)/uv build --quiet --wheel --out-dir dist --python $(BIN)/python
	$(BIN)/python -m venv build/smoke
	$(BIN)/uv pip install --quiet --python build/smoke/bin/python dist/*.whl
	build/smoke/bin/banister --help > /dev/null
	build/smoke/bin/banister studio 2>&1 | grep -qF "pip install '.[web]'"
	build/smoke/bin/banister noise --epsilon 1 --sensitivity 1 > /dev/null
	build/smoke/bin/banister demo build/smoke/health > /dev/null
	build/smoke/bin/banister budget build/smoke/health/health.toml --create > /dev/null
	build/smoke/bin/banister release build/smoke/health/health.toml build/smoke/health/questions.sql --epsilon 1/2 \
	  --out build/smoke/health/answers.csv --report build/smoke/health/answers.html > /dev/null
	$(BIN)/uv pip install --quiet --python build/smoke/bin/python "$$(echo dist/*.whl)[web]"
	cd build/smoke && bin/python -c "from banister.apps.studio.site import studio; from banister.apps.web.gate import Place; \
	  studio(Place.loopback(1), 'health/health.toml').page('open.html', here='', title='', path='', refusal='')"

# The lock file holds versions and hashes, and no addresses.
lock: $(READY)
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --all-extras --group dev pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --group run -c requirements.lock -o requirements-run.lock

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache
