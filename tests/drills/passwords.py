"""Passwords that are changed while a team's server is killed: whatever the moment, no session outlives its own."""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress

LOST = (urllib.error.URLError, ConnectionError, TimeoutError, OSError, ValueError)
"""What who asks may see when the server dies: no answer, half of one, or a refusal to connect."""


class Passwords:
    """What an account's password may be, as somebody outside knows it, and which sessions must have ended."""

    def __init__(self, name: str, password: str) -> None:
        self.name = name
        self.ended: list[str] = []
        self.cut_off = 0
        self._may_be = [password]
        self._open = ""
        self._changes = 0

    def again_and_again(self, address: str, due: Callable[[], bool]) -> Callable[[], None]:
        """Change it whenever that is due, while the server lives; what is given back ends that."""
        ended = threading.Event()

        def changing() -> None:
            while not ended.wait(0.01):
                if due():
                    with suppress(*LOST):
                        self.change(address)

        thread = threading.Thread(target=changing)
        thread.start()

        def end() -> None:
            ended.set()
            thread.join()

        return end

    def change(self, address: str) -> None:
        """Sign in and change the password; what was cut off before is looked into first."""
        session = self.settle(address)
        self._changes += 1
        old, new = self._may_be[0], f"the long password number {self._changes}"
        self._may_be, self._open = [old, new], session
        try:
            self._post(address, "/api/password", {"old": old, "new": new}, session)
        except urllib.error.HTTPError:  # An answer all the same, so nothing is in doubt: it was refused.
            self._may_be, self._open = [old], ""
            raise
        self._may_be, self._open = [new], ""
        self.ended.append(session)

    def settle(self, address: str) -> str:
        """A session, and by its password whether a change that was cut off took place."""
        for password in reversed(self._may_be):
            try:
                session = str(self._post(address, "/api/sign-in", {"name": self.name, "password": password})["secret"])
            except urllib.error.HTTPError as error:
                if error.code not in (401, 422):
                    raise
                continue
            if self._open:
                self.cut_off += 1
                if password != self._may_be[0]:
                    self.ended.append(self._open)
            self._may_be, self._open = [password], ""
            return session
        raise AssertionError("neither the old nor the new password holds")

    def _post(self, address: str, path: str, body: dict[str, str], session: str = "") -> dict[str, object]:
        headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {session}"} if session else {})
        sent = urllib.request.Request(address + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(sent, timeout=60) as answer:
            found: dict[str, object] = json.loads(answer.read())
        return found
