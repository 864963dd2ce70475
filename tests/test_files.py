"""The one writer of files: whole or not at all, with the right readers, under any name that the system allows."""

import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from banister.errors import BadValue
from banister.files import Access, check_target, folder, new_text, whole, whole_bytes, whole_text


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=[0o022, 0o077, 0o002, 0o000])
def mask(request: pytest.FixtureRequest) -> Iterator[int]:
    wanted: int = request.param
    before = os.umask(wanted)
    yield wanted
    os.umask(before)


def test_a_new_file_has_what_the_mask_leaves(tmp_path: Path, mask: int) -> None:
    whole_text(tmp_path / "a.txt", "a")
    new_text(tmp_path / "b.txt", "b")
    (tmp_path / "c.txt").write_text("c")
    assert mode(tmp_path / "a.txt") == mode(tmp_path / "b.txt") == mode(tmp_path / "c.txt") == 0o666 & ~mask


def test_a_private_file_is_the_owners_whatever_the_mask_and_whatever_was_there(tmp_path: Path, mask: int) -> None:
    (tmp_path / "old").write_text("public")
    (tmp_path / "old").chmod(0o666)
    whole_text(tmp_path / "old", "secret", access=Access.OWNER)
    whole_text(tmp_path / "fresh", "secret", access=Access.OWNER)
    new_text(tmp_path / "new", "secret", access=Access.OWNER)
    assert {mode(tmp_path / name) for name in ("old", "fresh", "new")} == {0o600}
    assert mode(folder(tmp_path / "room", access=Access.OWNER)) == 0o700


def test_a_private_file_is_never_readable_by_others_not_even_while_it_is_written(tmp_path: Path, mask: int) -> None:
    seen: list[int] = []
    whole(tmp_path / "a", lambda draft: seen.append(mode(draft)), access=Access.OWNER)
    assert seen == [0o600]


def test_a_private_file_stays_so_when_its_writer_makes_the_draft_anew(tmp_path: Path, mask: int) -> None:
    def write(draft: Path) -> None:
        draft.unlink()
        draft.write_text("secret")

    whole(tmp_path / "a", write, access=Access.OWNER)
    assert mode(tmp_path / "a") == 0o600


def test_a_file_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    (tmp_path / "a").chmod(0o640)
    whole_text(tmp_path / "a", "new")
    assert (mode(tmp_path / "a"), (tmp_path / "a").read_text()) == (0o640, "new")


@pytest.mark.parametrize("suffix", [".csv", "." + "é" * 100, ""])
def test_names_up_to_the_limit_work_and_longer_ones_are_refused_early(tmp_path: Path, suffix: str) -> None:
    most = os.pathconf(tmp_path, "PC_NAME_MAX")
    room = most - len(suffix.encode())
    for length in (1, 252 - len(suffix.encode()), room):
        path = tmp_path / ("x" * length + suffix)
        whole_text(path, "here")
        assert path.read_text() == "here"
    long = tmp_path / ("x" * (room + 1) + suffix)
    for write in (lambda: check_target(long), lambda: whole_text(long, ""), lambda: new_text(long, "")):
        with pytest.raises(BadValue, match=f"a name may have {most} bytes at most"):
            write()


def test_a_writer_that_fails_leaves_what_was_there_and_no_draft(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")

    def half(draft: Path) -> None:
        draft.write_text("half")
        raise RuntimeError

    def full(draft: Path) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(RuntimeError):
        whole(path, half)
    with pytest.raises(BadValue, match=r"'.*a' could not be written: No space left on device\."):
        whole(path, full)
    assert os.listdir(tmp_path) == ["a"]
    assert path.read_text() == "old"


def test_all_is_on_disk_before_the_name_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []
    sync, move = os.fsync, Path.replace

    def synced(handle: int) -> None:
        steps.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else f"file of {os.fstat(handle).st_size}")
        sync(handle)

    def moved(self: Path, target: Path) -> Path:
        steps.append("move")
        return move(self, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", moved)
    whole_bytes(tmp_path / "a", b"12345")
    assert steps == ["file of 5", "move", "folder"]


@pytest.mark.parametrize("number", [5, 22])
def test_a_disk_that_fails_is_said_and_a_folder_that_cannot_be_waited_for_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    sync = os.fsync

    def synced(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(number, os.strerror(number))
        sync(handle)

    monkeypatch.setattr(os, "fsync", synced)
    if number == 5:
        with pytest.raises(BadValue, match="could not be written: Input/output error"):
            whole_text(tmp_path / "a", "a")
    else:
        whole_text(tmp_path / "a", "a")


def test_a_symbolic_link_stays_and_the_file_it_leads_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "real").write_text("old")
    (tmp_path / "link").symlink_to(Path("far") / "real")
    (tmp_path / "dangling").symlink_to(Path("far") / "later")
    whole_text(tmp_path / "link", "new")
    whole_text(tmp_path / "dangling", "made")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "dangling").is_symlink()
    assert (tmp_path / "far" / "real").read_text() == "new"
    assert (tmp_path / "far" / "later").read_text() == "made"
    assert sorted(os.listdir(tmp_path / "far")) == ["later", "real"]


def test_places_that_cannot_be_written_are_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "round").symlink_to("round")
    (tmp_path / "nowhere").symlink_to(Path("none") / "file")
    os.mkfifo(tmp_path / "pipe")
    for name, reason in {
        "round": "leads round in a circle",
        "nowhere": "its folder is not there",
        "none/file": "its folder is not there",
        "pipe": "a device or a pipe",
        ".": "it is a folder",
    }.items():
        for write in (check_target, lambda path: whole_text(path, "")):
            with pytest.raises(BadValue, match=reason):
                write(tmp_path / name)
    with pytest.raises(BadValue, match=r"must end in \.csv or \.parquet"):
        check_target(tmp_path / "a.txt", (".csv", ".parquet"))
    (tmp_path / "file").write_text("")
    with pytest.raises(BadValue, match=r"cannot be made: .*Choose another folder"):
        folder(tmp_path / "file" / "inner")


def test_of_many_that_make_a_new_file_at_once_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    for place in ("links", "no links"):
        if place == "no links":
            monkeypatch.setattr(os, "link", no_links)
        target = folder(tmp_path / place) / "a"
        made: list[int] = []
        ready = threading.Barrier(8)

        def attempt(number: int, target: Path = target, made: list[int] = made, ready: object = ready) -> None:
            assert isinstance(ready, threading.Barrier)
            ready.wait()
            try:
                new_text(target, str(number))
            except FileExistsError:
                return
            made.append(number)

        threads = [threading.Thread(target=attempt, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(made) == 1
        assert target.read_text() == str(made[0])
        assert os.listdir(target.parent) == ["a"]


def test_a_draft_outlives_the_clean_up_of_a_thread_that_moved_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved, began, ended = threading.Event(), threading.Event(), threading.Event()

    def wait_after_the_move(place: Path) -> None:
        if place == tmp_path and not moved.is_set():
            moved.set()
            assert began.wait(30)

    def slowly(draft: Path) -> None:
        draft.write_text("second")
        began.set()
        assert ended.wait(30)

    def first() -> None:
        whole_text(tmp_path / "a", "first")
        ended.set()

    monkeypatch.setattr("banister.files._sync", wait_after_the_move)
    thread = threading.Thread(target=first)
    thread.start()
    assert moved.wait(30)
    whole(tmp_path / "b", slowly)
    thread.join()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "first", "b": "second"}


def test_a_link_counts_as_a_file_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("elsewhere")
    with pytest.raises(FileExistsError):
        new_text(tmp_path / "link", "x")
    assert not (tmp_path / "elsewhere").exists()
