"""What processes do to a ledger's file behind its back: fork, copy, unlink, swap, link, move. Never a wrong receipt.

SQLite's own locks are POSIX locks: they are not inherited by a child, and end when their holder closes any descriptor
of the file. Each program here ran over its budget, or lost charges, while safety hung on them.
"""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import banister as bn
from banister.accounting.receipt import Receipt
from banister.errors import LedgerFault

REPLACE = bn.Neighbours.REPLACE
PROLOGUE = """
import os, shutil, subprocess, sys
import banister as bn
path, REPLACE = sys.argv[1], bn.Neighbours.REPLACE

def charge(ledger, epsilon):
    try:
        ledger.charge(bn.Guarantee(epsilon), label="x", neighbours=REPLACE).use()
        os.write(1, f"granted {epsilon}\\n".encode())
    except (bn.BanisterError, OSError) as error:
        os.write(1, f"refused {type(error).__name__}\\n".encode())

def other(epsilon):
    program = OTHER + f"charge(bn.Ledger.open(path), '{epsilon}')"
    subprocess.run([sys.executable, "-c", program, path], check=True)
"""


def outcome(path: Path, program: str) -> tuple[str, float]:
    """What a program of its own printed, and how much epsilon was granted in all."""
    text = f"OTHER = {PROLOGUE!r}\n" + PROLOGUE + program
    done = subprocess.run([sys.executable, "-c", text, str(path)], capture_output=True, text=True, timeout=60)
    assert not done.stderr, done.stderr
    granted = [float(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("granted")]
    return done.stdout, sum(granted)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "a.ledger"
    make(place).close()
    return place


def make(path: Path) -> bn.Ledger:
    return bn.Ledger.create(path, budget=bn.Guarantee(1), neighbours=REPLACE, questions=bn.AsYouGo())


def charge(ledger: bn.Ledger, epsilon: str = "0.1") -> Receipt:
    return ledger.charge(bn.Guarantee(epsilon), label="x", neighbours=REPLACE)


def check(path: Path, granted: float) -> None:
    """Everything that was granted stands in the ledger, and it is within the budget."""
    with bn.Ledger.open(path) as ledger:
        ledger.verify()
        assert granted <= 1 + 1e-9
        assert float(1 - ledger.remaining().largest_epsilon) >= granted - 1e-9


def test_a_daemon_whose_parent_left_shares_the_budget_with_everybody(path: Path) -> None:
    """Was 1.8 granted of 1: nobody held the parent's locks any more, and the next to close deleted the log."""
    said, granted = outcome(
        path,
        """
ledger = bn.Ledger.open(path)
if os.fork():
    os._exit(0)
charge(ledger, "0.1"); other("0.1"); charge(ledger, "0.8"); other("0.8")
""",
    )
    assert granted == pytest.approx(1.0), said
    check(path, granted)


@pytest.mark.parametrize(
    "reading",
    ["open(path, 'rb').read(16)", "shutil.copy(path, path + '.bak')", "shutil.copy(path + '-shm', path + '.s')"],
)
def test_reading_the_file_in_the_process_that_holds_it_changes_nothing(path: Path, reading: str) -> None:
    """Was 1.7 granted of 1: closing any descriptor of a file ends all of a process's POSIX locks on it."""
    said, granted = outcome(
        path,
        f"""
ledger = bn.Ledger.open(path)
charge(ledger, "0.1"); {reading}; other("0.1")
for _ in range(7):
    charge(ledger, "0.1")
other("0.8")
""",
    )
    assert granted == pytest.approx(0.9), said
    check(path, granted)


def test_a_daemon_that_exits_overwrites_nobodys_charges(path: Path) -> None:
    """Was: its exit folded a log that nobody else could find into the file, over the charges of others."""
    said, granted = outcome(
        path,
        """
ledger = bn.Ledger.open(path)
if os.fork():
    os._exit(0)
for _ in range(3):
    charge(ledger, "0.01"); other("0.01"); charge(ledger, "0.01")
other("0.01"); other("0.01")
sys.exit(0)
""",
    )
    assert granted == pytest.approx(0.11), said
    check(path, granted)


@pytest.mark.parametrize(
    ("leaving", "first"),
    [
        ("sys.exit(0)", "ledger.close()"),
        ("sys.exit(0)", "open(path, 'rb').close()"),
        ("os.closerange(3, 256)", "pass"),
        ("ledger.close()", "ledger.close()"),
    ],
)
def test_a_child_that_leaves_takes_nobodys_charges_with_it(path: Path, leaving: str, first: str) -> None:
    """Was: the child's exit folded its stale log into the file, over ten charges of another process."""
    said, granted = outcome(
        path,
        f"""
ledger = bn.Ledger.open(path)
charge(ledger, "0.01")
ready, go = os.pipe()
child = os.fork()
if child == 0:
    os.close(go)
    os.read(ready, 1)
    {leaving}
    sys.exit(0)
os.close(ready)
{first}
other("0.01"); other("0.01")
os.close(go)
os.waitpid(child, 0)
other("0.5")
""",
    )
    assert granted == pytest.approx(0.53), said
    check(path, granted)


def test_a_child_charges_by_a_connection_of_its_own_also_after_closing_every_descriptor(path: Path) -> None:
    said, granted = outcome(
        path,
        """
ledger = bn.Ledger.open(path)
charge(ledger, "0.1")
if os.fork() == 0:
    if os.fork() == 0:
        os.setsid()
        os.closerange(3, 256)
        files = [open(path + f".{n}", "w+b") for n in range(12)]
        for _ in range(3):
            charge(ledger, "0.1")
        other("0.1")
        assert all(os.fstat(one.fileno()).st_size == 0 for one in files)
        sys.exit(0)
    os._exit(0)
os.wait()
charge(ledger, "0.1")
ledger.close()
""",
    )
    assert granted == pytest.approx(0.6), said
    check(path, granted)


def test_a_fork_that_python_is_not_told_of_is_refused_aloud(path: Path) -> None:
    """The C library's own fork runs none of Python's hooks; the page that the kernel wipes tells the child."""
    said, granted = outcome(
        path,
        """
import ctypes
ledger = bn.Ledger.open(path)
charge(ledger, "0.1")
if ctypes.CDLL(None).fork() == 0:
    os.getpid = lambda number=os.getppid(): number  # As if the number had been given out again.
    charge(ledger, "0.1")
    try:
        print("read", ledger.remaining().charges, flush=True)
    except bn.errors.LedgerUnreachable:
        print("not read either", flush=True)
    sys.exit(0)
os.wait()
charge(ledger, "0.1"); other("0.1")
""",
    )
    child = ["refused LedgerUnreachable", "not read either"]
    assert said.splitlines() == ["granted 0.1", *child, "granted 0.1", "granted 0.1"]
    check(path, granted)


def test_a_fork_while_threads_charge_harms_nobody(path: Path) -> None:
    said, granted = outcome(
        path,
        """
import threading
ledger = bn.Ledger.open(path)
threads = [threading.Thread(target=lambda: [charge(ledger, "0.001") for _ in range(30)]) for _ in range(2)]
for thread in threads:
    thread.start()
children = []
for _ in range(10):
    child = os.fork()
    if child == 0:
        charge(ledger, "0.001")
        sys.stdout.flush(); os._exit(0)
    children.append(child)
for child in children:
    os.waitpid(child, 0)
for thread in threads:
    thread.join()
""",
    )
    assert said.count("granted") == 70, said
    check(path, granted)


def test_a_process_that_closes_our_descriptors_is_refused_aloud(path: Path) -> None:
    said, granted = outcome(
        path,
        """
ledger = bn.Ledger.open(path)
charge(ledger, "0.1")
os.closerange(3, 256)
files = [open(path + f".{n}", "w+b") for n in range(12)]
charge(ledger, "0.1")
os._exit(0)
""",
    )
    assert "refused Ledger" in said
    check(path, granted)


ODD = {
    "unlinked": lambda path: path.unlink(),
    "moved": lambda path: path.rename(path.with_name("b.ledger")),
    "swapped for a copy": lambda path: swap(path),
    "linked under a second name": lambda path: os.link(path, path.with_name("b.ledger")),
    "log unlinked": lambda path: log(path).unlink(),
    "log swapped": lambda path: swap(log(path)),
    "log's index unlinked": lambda path: path.with_name(path.name + "-shm").unlink(),
    "replaced by a folder": lambda path: (path.unlink(), path.mkdir()),
}


def log(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def swap(path: Path) -> None:
    copy = path.with_name("copy")
    shutil.copy(path, copy)
    copy.replace(path)


@pytest.mark.parametrize("kind", ODD)
def test_no_receipt_from_a_file_that_is_not_the_ledger_any_more(path: Path, kind: str) -> None:
    with bn.Ledger.open(path) as ledger:
        charge(ledger)
        ODD[kind](path)
        for _ in range(2):
            with pytest.raises(LedgerFault, match=r"the ledger that was opened"):
                charge(ledger)


@pytest.mark.parametrize("kind", ["moved", "linked under a second name"])
def test_a_ledger_that_is_held_under_another_name_is_refused(path: Path, kind: str) -> None:
    """Its newest charges lie in the other name's log: whoever opens it without them would grant them again."""
    with bn.Ledger.open(path) as ledger:
        charge(ledger, "0.9")
        ODD[kind](path)
        with pytest.raises(LedgerFault, match=r"another name|2 names"):
            bn.Ledger.open(path.with_name("b.ledger"))
        assert not path.with_name("b.ledger-wal").exists()


@pytest.mark.parametrize("state", ["a copy of now", "an older one"])
def test_a_copy_in_the_ledgers_place_does_not_get_its_log(path: Path, state: str) -> None:
    """Was: the copy's last user folded the true log into the copy, and deleted it."""
    copy = path.with_name("copy")
    shutil.copy(path, copy)
    with bn.Ledger.open(path) as ledger:
        charge(ledger, "0.5")
        if state == "a copy of now":
            shutil.copy(path, copy)
        path.rename(path.with_name("true"))
        copy.rename(path)
        with pytest.raises(LedgerFault, match="the log beside it belongs to that file"):
            bn.Ledger.open(path)
        path.with_name("true").replace(path)
        charge(ledger, "0.1")
    with bn.Ledger.open(path) as ledger:
        assert ledger.verify()[0] == 2


def test_whoever_opened_an_impostor_deletes_nobodys_log(path: Path) -> None:
    """SQLite deletes the log by its name: while the impostor was open, the true one came back under it."""
    names = [path.with_name(path.name + ending) for ending in ("", "-wal", "-shm")]
    copy = path.read_bytes()
    with bn.Ledger.open(path) as ledger:
        charge(ledger, "0.5")
        for name in names:
            name.rename(name.with_name("true-" + name.name))
        path.write_bytes(copy)
        impostor = bn.Ledger.open(path)
        for name in reversed(names):
            name.with_name("true-" + name.name).replace(name)
        impostor.close()
        charge(ledger, "0.1")
    with bn.Ledger.open(path) as ledger:
        assert ledger.verify()[0] == 2


@pytest.mark.parametrize("kind", ["log unlinked", "log's index unlinked"])
def test_what_was_charged_outlives_a_log_that_was_deleted(path: Path, kind: str) -> None:
    """Was: whoever had it open refused from then on, and took the charges along when it left."""
    with bn.Ledger.open(path) as ledger, bn.Ledger.open(path) as second:
        charge(ledger, "0.5")
        charge(second, "0.1")
        ODD[kind](path)
        with pytest.raises(LedgerFault, match="the ledger that was opened"):
            charge(ledger)
        with pytest.raises(LedgerFault):
            bn.Ledger.open(path, wait_seconds=0.1)
    with bn.Ledger.open(path) as ledger:
        assert ledger.verify()[0] == 2
        charge(ledger)
    assert [found.name for found in path.parent.iterdir()] == ["a.ledger"]


def test_a_program_that_never_closes_leaves_one_file(path: Path) -> None:
    said, granted = outcome(path, "ledger = bn.Ledger.open(path)\ncharge(ledger, '0.1')\n")
    assert said == "granted 0.1\n"
    assert [found.name for found in path.parent.iterdir()] == ["a.ledger"]
    check(path, granted)


def test_a_ledger_that_is_dropped_lets_go_and_harms_nobody(path: Path) -> None:
    with bn.Ledger.open(path) as ledger:
        for _ in range(3):
            charge(bn.Ledger.open(path))
            charge(ledger)
    assert [found.name for found in path.parent.iterdir()] == ["a.ledger"]
    with bn.Ledger.open(path) as ledger:
        assert ledger.verify()[0] == 6


def test_threads_that_open_and_close_their_own_do_not_disturb_each_other(path: Path) -> None:
    """What one of them opens in the same instant is not taken for SQLite's, and may be closed again."""

    def use(epsilon: str) -> None:
        for _ in range(12):
            with bn.Ledger.open(path) as ledger:
                charge(ledger, epsilon)
                path.read_bytes()
                charge(ledger, epsilon)

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(use, "0.001") for _ in range(4)]:
            done.result()
    with bn.Ledger.open(path) as ledger:
        assert ledger.verify()[0] == 96
    assert [found.name for found in path.parent.iterdir()] == ["a.ledger"]


def test_descriptors_that_were_closed_and_opened_for_something_else_are_not_written_to(path: Path) -> None:
    """SQLite writes by number. Only its own are closed here; ours are whole, and would see nothing odd."""
    said, granted = outcome(
        path,
        """
opened = []
ledger = bn.Ledger.open(path)
charge(ledger, "0.1")
lent = ledger._store._hold._lent
assert len(lent) == 2, lent
for number in lent:
    os.close(number)
    opened.append(os.open(path + f".{number}", os.O_RDWR | os.O_CREAT))
assert set(opened) == set(lent)
charge(ledger, "0.1")
ledger.close()
assert all(os.path.getsize(path + f".{number}") == 0 for number in lent)
""",
    )
    assert said.splitlines() == ["granted 0.1", "refused LedgerUnreachable"]
    check(path, granted)


def test_a_second_name_that_is_taken_away_again_does_no_harm(path: Path) -> None:
    with bn.Ledger.open(path) as ledger:
        os.link(path, path.with_name("b.ledger"))
        with pytest.raises(LedgerFault, match="2 names"):
            charge(ledger)
        path.with_name("b.ledger").unlink()
        charge(ledger)
        assert ledger.verify()[0] == 1


def test_an_older_state_put_back_in_place_is_seen_by_whoever_saw_more(path: Path) -> None:
    older = path.read_bytes()
    with bn.Ledger.open(path) as ledger:
        charge(ledger)
    with bn.Ledger.open(path) as ledger:
        assert ledger.remaining().charges == 1
        path.write_bytes(older)
        log(path).write_bytes(b"")
        with bn.Ledger.open(path) as fooled:  # It never saw more; only a witness could tell it.
            charge(fooled)
        with pytest.raises(LedgerFault, match="line 1 any more, which this process saw"):
            charge(ledger)


def test_a_ledger_behind_a_symbolic_link_works(path: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    link = tmp_path / "folder" / "link.ledger"
    link.symlink_to(path)
    with bn.Ledger.open(link) as one, bn.Ledger.open(path) as two:
        charge(one)
        charge(two)
        assert one.remaining().charges == 2
    make(tmp_path / "other.ledger").close()
    with bn.Ledger.open(link) as one:
        link.unlink()
        link.symlink_to(tmp_path / "other.ledger")
        with pytest.raises(LedgerFault, match="the ledger"):
            charge(one)


@pytest.mark.parametrize("mask", [0o002, 0o022, 0o077])
def test_files_are_made_with_the_users_umask(tmp_path: Path, mask: int) -> None:
    old = os.umask(mask)
    try:
        with make(tmp_path / "m.ledger") as ledger:
            charge(ledger)
            modes = {found.stat().st_mode & 0o777 for found in tmp_path.iterdir()}
    finally:
        os.umask(old)
    assert modes == {0o666 & ~mask}


@pytest.mark.parametrize("name", ["a.ledger", "lab[1].ledger", "*.ledger", "?"])
def test_what_a_killed_creation_left_behind_does_not_stop_anybody(tmp_path: Path, name: str) -> None:
    """A kill between giving the file its name and taking the draft's away leaves two names for it. A name is no
    pattern: 'lab[1].ledger' was refused for ever."""
    path = tmp_path / name
    make(path).close()
    os.link(path, path.with_name(f".{name}.77.88.new"))
    with bn.Ledger.open(path) as ledger:
        charge(ledger)
    assert [found.name for found in path.parent.iterdir()] == [name]
