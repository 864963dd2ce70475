"""The messenger without a browser: one line in, a few lines out."""

import shlex
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from banister.apps.wildfire.figures import LEAST_FRIENDS, figures
from banister.apps.wildfire.limit import minutes_an_hour
from banister.apps.wildfire.messenger import Messenger, Proposed
from banister.errors import BadValue, BanisterError

HELP = """\
post TEXT       write a post (post! TEXT although you have few friends)
picture FILE TEXT
                a post with a picture, made small and stripped (picture! although you have few friends)
reply N TEXT    answer post N of the feed (reply! although you have few friends)
feed            what is here, the newest first
approve N       found worth reading; its bringer may bring more
hide N          do not show it any more
invite NAME     a line for one person, whom you call so
join LINE NAME  use a line that somebody gave you
friends         who they are, and whether they are here
accept N        a friend who used your invitation (compare the safety number)
remove N        end a friendship, or decline one; block N keeps it closed
introduce N M   offer friends N and M to each other
introductions   what was offered, and by whom
agree N         become a friend of who was offered, if she agrees too
decline N       say nothing to an offer; nobody is told. Or take back your own
figure          what a spy would find out
limit GB        let the node send and receive so much a month, and no more; 0 for no limit
discover on     look for friends on the local network (discover off; discover alone says how it is)
wait SECONDS    do nothing for a while
quit            end"""


STRANGE = (
    "Another key than hers answers where she was. Somebody else is there, or she made her node anew: ask her by voice. "
    "If it is she, remove her and use a new invitation."
)


class Talk:
    """A conversation by lines."""

    def __init__(self, messenger: Messenger, say: Callable[[str], None]) -> None:
        self.messenger, self.say = messenger, say

    def run(self, lines: Iterable[str]) -> None:
        """Until `quit`, or the end of the lines."""
        for line in lines:
            word, _, rest = line.strip().partition(" ")
            if word in ("quit", "exit"):
                return
            if word:
                try:
                    self._do(word, rest.strip())
                except BanisterError as error:
                    self.say(str(error))
                    continue
                if trouble := self.messenger.trouble():
                    self.say(trouble)

    def _do(self, word: str, rest: str) -> None:
        messenger = self.messenger
        verbs: dict[str, Callable[[], object]] = {
            "help": lambda: self.say(HELP),
            "post": lambda: self._posted(messenger.post(rest)),
            "post!": lambda: self._posted(messenger.post(rest, although_few=True)),
            "picture": lambda: self._picture(rest, few=False),
            "picture!": lambda: self._picture(rest, few=True),
            "reply": lambda: self._reply(rest, few=False),
            "reply!": lambda: self._reply(rest, few=True),
            "feed": self._feed,
            "approve": lambda: messenger.approve(self._post(rest)),
            "hide": lambda: messenger.mute(self._post(rest)),
            "invite": lambda: self.say(messenger.invite(friend=rest)),
            "join": lambda: self._join(rest),
            "friends": self._friends,
            "accept": lambda: messenger.accept(_number(rest)),
            "remove": lambda: messenger.remove(_number(rest)),
            "block": lambda: messenger.block(_number(rest)),
            "introduce": lambda: self._introduce(rest),
            "introductions": self._introductions,
            "agree": lambda: messenger.agree(*self._proposed(rest)),
            "decline": lambda: messenger.decline(*self._proposed(rest)),
            "figure": lambda: say_figures(messenger.here(), self.say),
            "limit": lambda: self._limit(rest),
            "discover": lambda: self._discover(rest),
            "wait": lambda: time.sleep(min(_number(rest), 3600)),
        }
        if word not in verbs:
            raise BadValue(f"'{word[:20]}' is no command. Write help to see all.")
        verbs[word]()

    def _posted(self, _: str) -> None:
        self.say("Taken. It leaves with the next ticks, like everybody's.")

    def _picture(self, rest: str, *, few: bool) -> None:
        path, _, words = rest.partition(" ")
        try:
            file = Path(path).expanduser().read_bytes()
        except OSError:
            raise BadValue(f"'{path[:80]}' cannot be read. Give the path of a picture, without blanks.") from None
        self._posted(self.messenger.post(words, file=file, although_few=few))

    def _reply(self, rest: str, *, few: bool) -> None:
        number, _, words = rest.partition(" ")
        self._posted(self.messenger.post(words, reply_to=self._post(number), although_few=few))

    def _feed(self) -> None:
        shown = self.messenger.feed()
        if not any(not post.muted for post in shown):
            self.say("Nothing yet.")
        places = {post.name: place for place, post in enumerate(shown, 1)}
        for place, post in enumerate(shown, 1):
            if not post.muted:
                reply = f" (to {places[post.reply_to]})" if post.reply_to in places else ""
                self.say(
                    f"{place:>3}{reply} {'+ ' if post.approved else ''}{post.words}"
                    f"{' [picture]' if post.picture else ''}"
                )

    def _post(self, number: str) -> str:
        shown, place = self.messenger.feed(), _number(number)
        if not 1 <= place <= len(shown):
            raise BadValue(f"There is no post {place}. Write feed to see them.")
        return shown[place - 1].name

    def _join(self, rest: str) -> None:
        try:
            words = shlex.split(rest)
        except ValueError:
            words = rest.split()
        self.messenger.join(words[0] if words else "", friend=" ".join(words[1:]))
        self.say("Asked. The link comes up when she accepts.")

    def _friends(self) -> None:
        for friend in self.messenger.friends():
            self.say(f"{friend.link:>3} {friend.name}: {friend.state}; safety number {friend.safety}")
            if friend.state == "strange":
                self.say(f"    {STRANGE}")
        if not self.messenger.friends():
            self.say("None yet. Write invite, and give the line to somebody.")

    def _limit(self, rest: str) -> None:
        self.messenger.set_limit(rest)
        node = self.messenger.node
        minutes = minutes_an_hour(node.limit.gigabytes, node.tick_seconds, max(self.messenger.confirmed(), 1))
        self.say(f"With the friends that you have links are up {minutes:.0f} minutes in each hour.")

    def _discover(self, rest: str) -> None:
        if rest not in ("on", "off", ""):
            raise BadValue(f"'{rest[:20]}' must be on or off.")
        if rest:
            self.messenger.discover(wanted=rest == "on")
        self.say(self.messenger.nearby())

    def _introduce(self, rest: str) -> None:
        one, _, other = rest.partition(" ")
        self.messenger.introduce(_number(one), _number(other.strip()))
        self.say("Offered to both. They become friends if both agree; neither learns of a no.")

    def _introductions(self) -> None:
        shown = self.messenger.introductions()
        for place, each in enumerate(shown, 1):
            self.say(f"{place:>3} {proposal_words(each)}")
        if not shown:
            self.say("None.")

    def _proposed(self, number: str) -> tuple[str, int]:
        shown, place = self.messenger.introductions(), _number(number)
        if not 1 <= place <= len(shown):
            raise BadValue(f"There is no introduction {place}. Write introductions to see them.")
        return shown[place - 1].name, shown[place - 1].link


def proposal_words(each: Proposed) -> str:
    """An introduction in a sentence."""
    if each.mine:
        return f"You offered {each.who} and {each.whom} to each other; it waits until both agree"
    more = {"offered": "", "agreed": "; you agreed", "joining": "; both agreed, the link comes up when she is there"}
    return f"{each.who} would introduce you to {each.whom}{more[each.state]}"


def say_figures(friends: int, say: Callable[[str], None]) -> None:
    """What the page shows before one posts."""
    found = figures(friends)
    if not found:
        say(f"{friends} here: with fewer than {LEAST_FRIENDS} friends whoever gets your post knows it is yours.")
    for figure in found:
        say(figure.words())


def _number(text: str) -> int:
    if not text.isdecimal():
        raise BadValue(f"'{text[:20]}' must be a whole number.")
    return int(text)
