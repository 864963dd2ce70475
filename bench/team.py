"""Twenty analysts at one server: plans and releases a second, and both at once. `python -m bench.team`.

No plan is asked for twice, so that each is made; five plans are asked for one release where both are asked at once.

The server is a process of its own with two workers, on the demo table; every answer is charged and on disk. Where
others use the machine, too, the rate says little: the processor time that the server takes for a request says how many
two cores would carry.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

import banister as bn
from banister.apps.team.people import Role, TeamPeople
from banister.apps.team.settings import TeamSettings
from banister.apps.team.store import TeamStore
from banister.apps.web.serve import take_port
from banister.release.demo import write_demo

ANALYSTS = [f"analyst-{place}" for place in range(20)]
QUESTIONS = [f"SELECT plan, COUNT(*) AS n FROM data WHERE visits > {least} GROUP BY plan" for least in range(8)]
MIXED = 6
"""Of so many requests at once one is a release, as 10 releases a second are to 50 plans."""
SECONDS = 15


def ask(address: str, key: str, path: str, body: dict[str, object]) -> dict[str, object]:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{address}/api{path}", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=120) as answer:
        found: dict[str, object] = json.loads(answer.read())
    return found


def processor_seconds(parent: int) -> float:
    """What a server and its workers have computed so far."""
    total = 0.0
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            found = place.read_text().rpartition(")")[2].split()
        except OSError:  # It ended while we looked.
            continue
        if parent in (int(place.parent.name), int(found[1])):
            total += (int(found[11]) + int(found[12])) / os.sysconf("SC_CLK_TCK")
    return total


def load(address: str, keys: dict[str, str], *, every: int, analysts: int) -> tuple[float, int]:
    """Requests a second, and how many there were; raises where one fails. One of `every` is a release; none if 0."""
    done, end = [0] * analysts, time.monotonic() + SECONDS
    failed: list[Exception] = []

    def work(place: int) -> None:
        name, turn = ANALYSTS[place], 0
        while time.monotonic() < end and not failed:
            level = f"0.0001{every}{analysts:02}{place:02}{turn:05}"  # Never the same twice.
            body: dict[str, object] = {"question": QUESTIONS[turn % len(QUESTIONS)], "epsilon": level}
            releases = every > 0 and (turn + place) % every == 0
            if releases:
                body |= {"key": f"{every}-{analysts}-{turn}"}
            try:
                found = ask(address, keys[name], "/release" if releases else "/plan", body)
                assert not releases or found["state"] == "answered", found
            except Exception as error:  # Whatever it is, it is shown at the end.
                failed.append(error)
            turn += 1
            done[place] += 1

    threads = [threading.Thread(target=work, args=(place,)) for place in range(analysts)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return sum(done) / (time.monotonic() - began), sum(done)


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_demo(folder)
        taken = take_port(0)
        port = taken.getsockname()[1]
        taken.close()
        text = (
            f'[team]\nschema = "health.toml"\nlisten = "127.0.0.1:{port}"\nworkers = 2\nrequests_a_minute = 9999999\n'
        )
        (folder / "team.toml").write_text(text, encoding="utf-8")
        settings = TeamSettings.of_file(folder / "team.toml")
        people = TeamPeople(TeamStore(settings.store, make=True), session_hours=1)
        keys = {}
        for name in ANALYSTS:
            keys[name] = people.make_key(people.recover(people.add(name, Role.ANALYST), "four words in a row"), "bench")
        level = bn.Guarantee(1, "1e-6")
        with bn.open(settings.schema).create_ledger() as ledger:
            ledger.state_shares([bn.accounting.BudgetShare(guarantee=level, analyst=name) for name in ANALYSTS], by="o")
        program = [
            sys.executable,
            "-c",
            "from banister.apps.cli import main; main()",
            "serve",
            str(folder / "team.toml"),
        ]
        server = subprocess.Popen(program, stdout=subprocess.DEVNULL)
        address = f"http://127.0.0.1:{port}"
        try:
            for _ in range(600):
                try:
                    ask(address, keys[ANALYSTS[0]], "/plan", {"question": QUESTIONS[0], "epsilon": "0.0001"})
                    break
                except OSError:
                    time.sleep(0.1)
            for every, what in ((0, "plans"), (1, "releases"), (MIXED, "both, five plans a release")):
                alone, _ = load(address, keys, every=every, analysts=1)
                before = processor_seconds(server.pid)
                many, done = load(address, keys, every=every, analysts=20)
                each = (processor_seconds(server.pid) - before) / done
                print(
                    f"{what}: {many:.1f} a second by 20 analysts, {alone:.1f} by one; ratio {many / alone:.2f}. "
                    f"{1000 * each:.1f} ms of processor each: two cores would carry {2 / each:.0f} a second."
                )
        finally:
            server.terminate()
            server.wait()
        with bn.Ledger.open(folder / "health.ledger") as ledger:
            print(
                f"verified: {ledger.verify()[0]} lines; fullest share {max(float(s.used) for s in ledger.shares()):.3f}"
            )


if __name__ == "__main__":
    main()
