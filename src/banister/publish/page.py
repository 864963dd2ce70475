"""The fidelity report as one HTML page that needs nothing else: bars before and after, error bars, plain words."""

from collections.abc import Sequence
from html import escape

from banister.publish.fidelity import Fidelity, Marginal

BARS_LIMIT = 24
_STYLE = """
:root{--ink:#1c2733;--soft:#5b6b7b;--line:#dde4ea;--before:#9db2c7;--after:#1f6f8b;--bad:#b3452c}
*{box-sizing:border-box}
body{font:16px/1.55 system-ui,sans-serif;color:var(--ink);margin:0 auto;max-width:60rem;padding:2rem 1.25rem 4rem}
h1{font-size:1.7rem;margin:0 0 .3rem}h2{font-size:1.2rem;margin:2.4rem 0 .6rem}h3{font-size:1rem;margin:0 0 .4rem}
p{max-width:44rem}.soft{color:var(--soft)}
.secret{border:2px solid var(--bad);border-radius:.5rem;padding:.7rem 1rem;margin:1.2rem 0;max-width:none}
.secret b{color:var(--bad)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(25rem,1fr));gap:1.2rem}
.card{border:1px solid var(--line);border-radius:.5rem;padding:1rem}
table{border-collapse:collapse;width:100%;font-size:.94rem}
th,td{text-align:left;padding:.35rem .6rem;border-bottom:1px solid var(--line)}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
.key span{display:inline-block;width:.8rem;height:.8rem;border-radius:.15rem;margin:0 .3rem 0 1rem}
svg text{font:12px system-ui,sans-serif;fill:var(--ink)}
@media(max-width:30rem){.cards{grid-template-columns:1fr}}
"""

Facts = Sequence[tuple[str, str]]


def fidelity_page(fidelity: Fidelity, *, title: str, facts: Facts, cost: Facts, meaning: str) -> str:
    """The whole page. `facts` say what was done, `cost` what the ledger says, `meaning` what the guarantee means."""
    one, two = (fidelity.mean_variation(m) for m in (fidelity.one_way, fidelity.two_way))
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="soft">How close the published copy is to the {fidelity.records:,} records it was made of.</p>',
        '<p class="secret"><b>For the owner of the table only.</b> This page shows true counts next to published ones, '
        "and nothing protects them here. The published copy is safe to share; this page is not.</p>",
        f"<p>On average a single column is off by <b>{one:.2%}</b> of the records and a pair of columns by "
        f"<b>{two:.2%}</b>: so many records would have to be changed to turn one into the other.</p>",
        "<h2>What the guarantee means</h2>",
        f"<p>{escape(meaning)}</p>",
        "<h2>What was done</h2>",
        _facts(facts),
        "<h2>What it cost</h2>",
        _facts(cost),
        "<h2>Farthest off</h2>",
        _worst(fidelity.worst(6)),
        *_alternatives(fidelity),
        "<h2>Column by column</h2>",
        '<p class="key soft">Records in each group:<span style="background:var(--before)"></span>before'
        '<span style="background:var(--after)"></span>published, with the range in which 95 of 100 releases would be '
        "before repair.</p>",
        f'<div class="cards">{"".join(_card(m) for m in fidelity.one_way)}</div>',
    ]
    if fidelity.two_way:
        parts += ["<h2>Pairs of columns</h2>", _pairs(fidelity.two_way)]
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        f'content="width=device-width"><title>{escape(title)}</title><style>{_STYLE}</style></head>\n'
        f"<body>\n{body}\n</body></html>\n"
    )


def _facts(facts: Facts) -> str:
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in facts)
    return f"<table>{rows}</table>"


def _worst(marginals: Sequence[Marginal]) -> str:
    rows = []
    for marginal in marginals:
        label, before, after = marginal.worst()
        rows.append(
            f"<tr><td>{escape(marginal.name)}</td><td class=n>{marginal.variation:.2%}</td><td>{escape(label)}</td>"
            f"<td class=n>{before:,}</td><td class=n>{after:,}</td></tr>"
        )
    head = "<th>columns<th class=n>off by<th>group farthest off<th class=n>before<th class=n>published"
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def _alternatives(fidelity: Fidelity) -> list[str]:
    if len(fidelity.alternatives) < 2:
        return []
    ours = fidelity.alternatives[0][1]
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td class=n>{error:,.6g}</td><td class=n>{error / (ours or 1):.3f}</td></tr>"
        for name, error in fidelity.alternatives
    )
    return [
        "<h2>Other ways at the same guarantee</h2>",
        "<p>Expected sum of all errors in all groups of records, before repair, and how many times ours it is.</p>",
        f"<table><tr><th>mechanism<th class=n>error in records<th class=n>times</tr>{rows}</table>",
    ]


def _card(marginal: Marginal) -> str:
    name, off = escape(marginal.name), marginal.variation
    return f'<div class="card"><h3>{name} <span class="soft">off by {off:.2%}</span></h3>{_bars(marginal)}</div>'


def _bars(marginal: Marginal) -> str:
    """Two bars a group, drawn as SVG; where there are too many groups, the largest ones."""
    order = sorted(range(marginal.before.size), key=lambda i: -int(max(marginal.before[i], marginal.after[i])))
    shown = sorted(order[:BARS_LIMIT])
    bar = 1.96 * (marginal.deviation or 0.0)
    most = max((max(int(marginal.before[i]), int(marginal.after[i]) + bar) for i in shown), default=1) or 1
    height, left, width = 30, 130, 230
    rows = []
    for row, i in enumerate(shown):
        before, after, y = int(marginal.before[i]), int(marginal.after[i]), row * height + 4
        scale = width / most
        label = marginal.attributes[0].label(i)
        label = label if len(label) <= 18 else f"{label[:17]}…"
        low, high = max(after - bar, 0) * scale, (after + bar) * scale
        rows.append(
            f'<text x="{left - 8}" y="{y + 15}" text-anchor="end">{escape(label)}</text>'
            f'<rect x="{left}" y="{y}" width="{before * scale:.1f}" height="10" fill="var(--before)"/>'
            f'<rect x="{left}" y="{y + 11}" width="{after * scale:.1f}" height="10" fill="var(--after)"/>'
            f'<path d="M{left + low:.1f} {y + 16}H{left + high:.1f}M{left + low:.1f} {y + 12}v8M{left + high:.1f} '
            f'{y + 12}v8" stroke="var(--ink)" fill="none"/>'
            f'<text x="{left + max(before * scale, high) + 6:.1f}" y="{y + 15}">{after:,}</text>'
        )
    more = marginal.before.size - len(shown)
    note = f'<p class="soft">and {more} smaller groups</p>' if more else ""
    size = len(shown) * height + 4
    return f'<svg viewBox="0 0 440 {size}" width="100%" role="img">{"".join(rows)}</svg>{note}'


def _pairs(marginals: Sequence[Marginal]) -> str:
    rows = []
    for m in sorted(marginals, key=lambda m: -m.variation):
        bar = f'<div style="background:var(--after);height:.6rem;width:{min(m.variation * 300, 100):.1f}%"></div>'
        deviation = "" if m.deviation is None else f"± {1.96 * m.deviation:,.3g}"
        rows.append(
            f"<tr><td>{escape(m.name)}</td><td class=n>{m.before.size:,}</td><td class=n>{deviation}</td>"
            f"<td class=n>{m.variation:.2%}</td><td style='width:30%'>{bar}</td></tr>"
        )
    head = "<th>columns<th class=n>groups<th class=n>one group<th class=n>off by<th>"
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"
