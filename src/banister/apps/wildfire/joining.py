"""How two nodes become linked: an invitation is made, used, and answered."""

import asyncio
import contextlib
from typing import TYPE_CHECKING

from banister import keys
from banister.apps.wildfire.identity import LinkKey, fingerprint, link_context
from banister.apps.wildfire.introductions import Introduction
from banister.apps.wildfire.invitation import Invitation
from banister.apps.wildfire.pairing import PAIRING_BYTES, padded, pair, paired, unpadded
from banister.apps.wildfire.relay import MARK
from banister.apps.wildfire.roads.ways import opened
from banister.apps.wildfire.store import Invited
from banister.errors import BadValue

if TYPE_CHECKING:
    from banister.apps.wildfire.node import Node

PATIENCE_SECONDS = 30


class Joining:
    """Invitations of one node, given and taken."""

    def __init__(self, node: "Node") -> None:
        self._node, self._store = node, node.store
        self.tasks: dict[bytes, asyncio.Task[None]] = {}
        """What waits for an answer; ended with the node."""

    def invite(self, *, now: float, seconds: int, friend: str) -> Invitation:
        """A new invitation, for one person."""
        own, secret = LinkKey.generate(), bytes.fromhex(keys.nonce() + keys.nonce())
        name, expires = bytes.fromhex(keys.nonce()), int(now) + seconds
        self._store.add_invitation(Invited(name, own, secret, expires, False, friend))
        self._node.refresh()
        relay = self._node.relay
        host, port = (MARK + relay[0], relay[1]) if relay else self._node.reached
        return Invitation(name, secret, fingerprint(own.certificate), expires, host, port)

    async def use(self, invitation: Invitation, *, friend: str) -> None:
        """Answer an invitation: hand over a key of one's own, and knock from then on until she has accepted."""
        own = LinkKey.generate()
        try:
            theirs, answer = await asyncio.wait_for(self._pair(invitation, own), PATIENCE_SECONDS)
        except (OSError, asyncio.IncompleteReadError, TimeoutError):
            raise BadValue(
                f"Nobody opened at {invitation.host}:{invitation.port}: she is not there now, or the invitation was "
                "used or has expired. Try again while she is there, or ask for a new one."
            ) from None
        if answer.get("refusal"):
            raise BadValue(str(answer["refusal"])[:300])
        self._store.add_friend(
            name=friend,
            own=own,
            theirs=theirs,
            secret=invitation.secret,
            state="friend",
            host=invitation.host,
            port=invitation.port,
        )
        self._node.refresh()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Somebody uses an invitation of ours."""
        asked = unpadded(await reader.readexactly(PAIRING_BYTES))
        writer.write(padded(paired(self._store, asked, wall=self._node.clock.wall())))
        self._node.refresh()
        await writer.drain()
        await asyncio.sleep(0.2)

    def join_later(self, agreed: Introduction) -> None:
        """Use the invitation that came of an introduction, in a task of its own; what fails is tried again later."""
        self.tasks[agreed.id] = asyncio.create_task(self._join(agreed))

    async def _join(self, agreed: Introduction) -> None:
        invitation = Invitation.read(agreed.line)
        if all(friend.secret != invitation.secret for friend in self._store.friends()):
            with contextlib.suppress(BadValue):
                await self.use(invitation, friend=self._node.introductions.called(agreed))
        if any(friend.secret == invitation.secret for friend in self._store.friends()):
            self._node.introductions.joined(agreed)
        self.tasks.pop(agreed.id, None)

    async def _pair(self, invitation: Invitation, own: LinkKey) -> tuple[bytes, dict[str, object]]:
        context = link_context(own, None, server=False)
        way = await opened(
            invitation.host,
            invitation.port,
            invitation.secret,
            context,
            keep=self._node.keep,
            socks=self._node.onion.socks,
        )
        return await pair(*way, invitation, own)
