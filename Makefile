# Two commands: `make run` does the main job, `make test` runs all that continuous integration runs.
# Both set up everything they need in .venv, from requirements.lock.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
JOBS   ?= 2

.PHONY: run test check quick format lint types unit doctest readme docs bench drill wildfire-drill vectors mutants smoke lock clean setup browser shots reference house api papers

run: $(READY)
	rm -rf build/health
	$(BIN)/banister demo build/health
	$(BIN)/banister budget build/health/health.toml --create
	$(BIN)/banister plan build/health/health.toml build/health/questions.sql --epsilon 0.3
	$(BIN)/banister release build/health/health.toml build/health/questions.sql --epsilon 0.3 \
	  --out build/health/answers.parquet --report build/health/answers.html
	@echo "The same in a browser: $(BIN)/banister studio build/health/health.toml"

test: $(READY) lint types unit doctest docs smoke

check: test

quick: $(READY)
	$(BIN)/pytest -n $(JOBS) -m "not slow"

setup: $(READY)

$(READY): requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode --require-hashes -r requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable .
	touch $(READY)

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

# Pictures of the studio's main pages in build/shots, to be looked at.
shots: browser
	$(BIN)/python -m tests.apps.studio.shots build/shots

unit: $(READY) browser
	$(BIN)/pytest -n $(JOBS)

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
	$(BIN)/python -m tests.drills.questions --engine duckdb --cases $(CASES)
	$(BIN)/python -m tests.drills.questions --engine duckdb --engine postgres --cases $$(( $(CASES) / 10 ))
	$(BIN)/python -m tests.drills.questions --engine duckdb --engine spark --cases $$(( $(CASES) / 100 ))
	$(BIN)/python -m tests.drills.foreign --inputs $(INPUTS)
	$(BIN)/python -m tests.drills.collect $(KILLS)

# The messenger: fuzzed frames, 30 processes under bad conditions, and what one link shows; about an hour.
wildfire-drill: $(READY)
	$(BIN)/python -m tests.drills.wildfire frames --count 1000000
	$(BIN)/python -m tests.drills.wildfire crowd --nodes 30 --posts 400
	$(BIN)/python -m tests.drills.wildfire gaps --ticks 10000

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
	build/smoke/bin/banister studio 2>&1 | grep -q "banister\[web\]"
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

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache
