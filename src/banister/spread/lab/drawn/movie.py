"""An animation of a spread as one HTML file without any outside request."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from banister.errors import BadValue
from banister.files import folder, whole_text
from banister.show.page import Drawing, Legend, page_text

MOST = 4000
"""Holders beyond which the drawing would be a blot."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One step: the virtual source (-1 without one), the belief about each suspect, the chance of a right guess."""

    step: int
    source: int
    belief: dict[int, float]
    detection: float


@dataclass(frozen=True, slots=True)
class Movie:
    """A spread to be drawn."""

    title: str
    nodes: Sequence[int]
    parents: Sequence[int]
    times: Sequence[int]
    names: Sequence[str]
    author: int
    frames: Sequence[Frame]


def write_movie(movie: Movie, path: Path) -> None:
    """Write the page."""
    if path.suffix not in (".html", ".htm"):
        raise BadValue(f"The animation '{path.name}' must end in .html.")
    scene = scene_of(movie)
    script = SCRIPT.replace("__SCENE__", json.dumps(scene).replace("<", "\\u003c"))
    folder(path.parent)
    whole_text(path, page_text(movie.title, [Drawing(STAGE), KEY], style=STYLE, script=script))


def scene_of(movie: Movie) -> dict[str, object]:
    """All that a page needs to draw it: who holds the message since when, from whom, and the beliefs at each step."""
    if len(movie.nodes) > MOST:
        raise BadValue(f"{len(movie.nodes):,} holders are too many to draw; {MOST:,} at most. Take fewer steps.")
    places = layout(movie)
    return {
        "nodes": [
            {"x": round(places[v][0], 4), "y": round(places[v][1], 4), "t": t, "p": p, "n": name, "id": v}
            for v, p, t, name in zip(movie.nodes, movie.parents, movie.times, movie.names, strict=True)
        ],
        "author": movie.author,
        "frames": [
            {
                "step": frame.step,
                "source": frame.source,
                "belief": {str(v): p for v, p in frame.belief.items()},
                "detection": None if math.isnan(frame.detection) else frame.detection,
            }
            for frame in movie.frames
        ],
    }


def layout(movie: Movie) -> dict[int, tuple[float, float]]:
    """A radial drawing of the tree around the last virtual source (or the author): each branch gets an angle by its
    number of leaves."""
    last = movie.frames[-1].source if movie.frames else -1
    root = last if last >= 0 else movie.author
    near: dict[int, list[int]] = {v: [] for v in movie.nodes}
    for v, p in zip(movie.nodes, movie.parents, strict=True):
        if p >= 0:
            near[v].append(p)
            near[p].append(v)
    order, parent = [root], {root: -1}
    for v in order:
        for w in near[v]:
            if w != parent[v]:
                parent[w] = v
                order.append(w)
    leaves = dict.fromkeys(order, 0)
    for v in reversed(order):
        leaves[v] = leaves[v] or 1
        if parent[v] >= 0:
            leaves[parent[v]] += leaves[v]
    wedge, depth = {root: (0.0, 2 * math.pi)}, {root: 0}
    for v in order:
        begin, end = wedge[v]
        share = (end - begin) / leaves[v]
        for w in near[v]:
            if w != parent[v]:
                wedge[w], depth[w] = (begin, begin + share * leaves[w]), depth[v] + 1
                begin += share * leaves[w]
    most = max(depth.values()) or 1
    middle = {v: (wedge[v][0] + wedge[v][1]) / 2 for v in order}
    return {v: (depth[v] / most * math.cos(middle[v]), depth[v] / most * math.sin(middle[v])) for v in order}


STYLE = """
canvas { width: 100%; aspect-ratio: 1; background: #fff; border: 1px solid var(--line); border-radius: 8px; }
.controls { display: flex; gap: 12px; align-items: center; margin: 10px 0; } .controls input { flex: 1; }
.controls button { font: inherit; padding: 4px 14px; } .key svg { border-radius: 50%; }
body { max-width: 47rem; }
"""
STAGE = (
    '<canvas id="c" width="1400" height="1400"></canvas><div class="controls"><button id="go">Pause</button>'
    '<input id="s" type="range" min="0" aria-label="step"></div><p id="say" aria-live="polite"></p>'
)
KEY = Legend(
    "",
    (
        ("#16a34a", "author"),
        ("#2563eb", "virtual source"),
        ("#dc2626", "suspected (darker: more)"),
        ("#cbd5e0", "holder, not suspected"),
    ),
)
SCRIPT = """
const scene=__SCENE__,c=document.getElementById("c"),x=c.getContext("2d"),s=document.getElementById("s");
const at=new Map(scene.nodes.map(n=>[n.id,n]));s.max=scene.frames.length-1;let k=0,on=true;
const px=n=>700+n.x*640,py=n=>700+n.y*640;
function dot(n,r,fill,ring){x.beginPath();x.arc(px(n),py(n),r,0,7);x.fillStyle=fill;x.fill();
if(ring){x.lineWidth=6;x.strokeStyle=ring;x.stroke()}}
function draw(){const f=scene.frames[k],here=scene.nodes.filter(n=>n.t<=f.step);x.clearRect(0,0,1400,1400);
x.strokeStyle="#a0aec0";x.lineWidth=2;for(const n of here)if(n.p>=0){const p=at.get(n.p);x.beginPath();
x.moveTo(px(n),py(n));x.lineTo(px(p),py(p));x.stroke()}
const top=Math.max(1e-9,...Object.values(f.belief)),r=here.length>600?6:here.length>150?9:14;
for(const n of here){const b=(f.belief[n.id]||0)/top;dot(n,r,b?`rgba(220,38,38,${0.15+0.85*b})`:"#cbd5e0",
n.id===f.source?"#2563eb":null)}const a=at.get(scene.author);dot(a,r*.55,"#16a34a","#16a34a");
const d=f.detection===null?"not known at odd steps on this graph":(100*f.detection).toFixed(1)+" %";
const say=`Step ${f.step}: ${here.length} holders. Chance that the best guess is right: ${d}.`;
document.getElementById("say").textContent=say;
s.value=k}
s.oninput=()=>{on=false;document.getElementById("go").textContent="Play";k=+s.value;draw()};
document.getElementById("go").onclick=e=>{on=!on;e.target.textContent=on?"Pause":"Play"};
setInterval(()=>{if(on){k=(k+1)%scene.frames.length;draw()}},900);draw();
"""
