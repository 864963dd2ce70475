"""Mutants of a team's server: who is let in, what is charged, and who says yes."""

from tests.mutants.mutant import Mutant

_TEAM = ("tests/apps/team/test_team.py",)

MUTANTS = (
    Mutant(
        name="team-key-of-nobody",
        file="apps/team/desk.py",
        old='return f"team/{self.account}/{self.key}"',
        new='return f"team/{self.key}"',
        tests=_TEAM,
    ),
    Mutant(
        name="team-second-owner-decides-too",
        file="apps/team/desk.py",
        old="\"WHERE account = ? AND key = ? AND state = 'waiting'\"",
        new='"WHERE account = ? AND key = ?"',
        tests=_TEAM,
    ),
    Mutant(
        name="team-sessions-outlive-a-password",
        file="apps/team/people.py",
        old="            self._end(connection, member.name, (SESSION, CODE))\n",
        new="",
        tests=_TEAM,
    ),
    Mutant(
        name="team-revoked-is-let-in",
        file="apps/team/people.py",
        old="        if revoked:\n",
        new="        if False:\n",
        tests=_TEAM,
    ),
    Mutant(
        name="team-sessions-never-end",
        file="apps/team/people.py",
        old="        if ends <= clock.now():\n",
        new="        if False:\n",
        tests=_TEAM,
    ),
    Mutant(
        name="team-analyst-sees-others",
        file="apps/team/desk.py",
        old="        if member.role is Role.ANALYST and account != member.name:\n",
        new="        if False:\n",
        tests=_TEAM,
    ),
    Mutant(
        name="team-everybody-decides",
        file="apps/team/desk.py",
        old="        must_be(owner, Role.OWNER)\n        state, words",
        new="        state, words",
        tests=_TEAM,
    ),
)
