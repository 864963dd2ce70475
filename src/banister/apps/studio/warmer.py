"""Planning ahead: the other places of the slider, while nobody asks for anything."""

import threading
from contextlib import suppress
from dataclasses import replace

from banister.apps.studio.workbench import AskForm, Workbench
from banister.apps.web.site import Site
from banister.errors import BanisterError


class Warmer:
    """Plans the other places of the slider while nobody asks for anything, so that it moves without waiting."""

    PATIENCE_SECONDS = 0.25

    def __init__(self, site: Site, bench: Workbench) -> None:
        self._site = site
        self._bench = bench
        self._turn = 0
        self._lock = threading.Lock()
        self._moved = threading.Event()

    def begins(self) -> None:
        """Somebody asks: whoever is planning ahead steps back."""
        with self._lock:
            self._turn += 1
        self._moved.set()

    def after(self, asked: AskForm) -> None:
        """Plan ahead from here, in a thread of its own, until somebody asks again."""
        with self._lock:
            turn = self._turn
        self._moved.clear()
        threading.Thread(target=self._ahead, args=(asked, turn), daemon=True).start()

    def _ahead(self, asked: AskForm, turn: int) -> None:
        steps = list(self._bench.steps())
        here = steps.index(asked.epsilon) if asked.epsilon in steps else len(steps) // 2
        for place in sorted(range(len(steps)), key=lambda step: abs(step - here)):
            if self._moved.wait(0 if place != here else self.PATIENCE_SECONDS) or turn != self._turn:
                return
            with suppress(BanisterError), self._site.mathematics:  # Who moves there is told why it cannot be.
                self._bench.budget(self._bench.look(replace(asked, epsilon=steps[place])))
