"""The Python that does what a member's page does, from her own machine; and the command, where the server is."""

from typing import TYPE_CHECKING

from banister.apps.studio.same import Same

if TYPE_CHECKING:
    from banister.apps.team.desk import TeamRequest

CLIENT = {
    "budget": 'print(table.remaining())\nprint(*table.shares(), sep="\\n")',
    "shares": "from banister.accounting import BudgetShare, Opening\n\n"
    'year = Opening(start="2026-01", months=12)\n'
    'share = bn.Guarantee("0.5", "5e-7")\n'
    'table.share_out([BudgetShare(guarantee=share, analyst="ana", opens=year)])',
    "requests": "for request in table.requests():\n"
    '    print(request["account"], request["key"], request["state"], request["price"])',
    "charges": "for charge in table.charges():\n"
    '    print(charge["at"], charge["analyst"], charge["price"], charge["allowed"])',
    "log": 'for line in table.log():\n    print(line["at"], line["who"], line["what"], line["status"])',
    "people": 'print(table.add_member("ben", "analyst"))',
    "me": 'print(table.make_key("nightly report"))',
}
HTTP = {
    "budget": ("GET", "/budget", ""),
    "shares": ("PUT", "/shares", '{"shares": [{"analyst": "ana", "epsilon": "0.5", "delta": "5e-7"}]}'),
    "requests": ("GET", "/requests", ""),
    "charges": ("GET", "/history", ""),
    "log": ("GET", "/log", ""),
    "people": ("POST", "/accounts", '{"name": "ben", "role": "analyst"}'),
    "me": ("POST", "/keys", '{"label": "nightly report"}'),
}


def same_page(name: str, origin: str) -> Same:
    """How to do without a page what it does."""
    method, path, body = HTTP[name]
    return _same(origin, method, path, body, CLIENT[name])


def same_decision(found: "TeamRequest", origin: str) -> Same:
    """How to say yes or no to a request."""
    path = f"/requests/{found.account}/{found.key}/decision"
    python = f"table.decide({found.account!r}, {found.key!r}, allow=True)"
    return _same(origin, "POST", path, '{"allow": true}', python)


def _same(origin: str, method: str, path: str, body: str, python: str) -> Same:
    sent = f" \\\n  --json '{body}'" if body else ""
    verb = "" if method == "GET" else f" -X {method}"
    return Same(
        command=f'curl{verb} -H "Authorization: Bearer $KEY" \\\n  {origin}/api{path.replace(" ", "%20")}{sent}',
        python=f"import banister as bn\n\ntable = bn.connect({origin!r}, key=key)\n{python}",
    )
