// What pages need beyond htmx: progress of long work, and a slider that writes its value into a field.

// Who asks and gets no answer must not take what stands in the page for it; once there is an answer, nothing is said.
const LOST = "There is no answer: the program was ended, or the connection was lost. What stands here may be old. Nothing is paid twice: load the page again, and what was paid for is there.";
const lost = (words) => {
  const box = document.getElementById("lost");
  if (box) (box.textContent = words), (box.hidden = !words);
};
document.addEventListener("htmx:sendError", () => lost(LOST));
document.addEventListener("htmx:responseError", (event) => {
  const page = new DOMParser().parseFromString(event.detail.xhr.responseText, "text/html");
  lost(page.querySelector("main p")?.textContent || LOST);
});
document.addEventListener("htmx:afterSwap", () => lost(""));
const listening = (source) => {
  source.addEventListener("error", () => lost(LOST));
  source.addEventListener("open", () => lost(""));
  return source;
};

for (const box of document.querySelectorAll("[data-events]")) {
  const source = listening(new EventSource(box.dataset.events));
  source.onmessage = (event) => {
    const state = JSON.parse(event.data);
    box.querySelector("[data-stage]").textContent = state.stage;
    const bar = box.querySelector("progress");
    state.share >= 0 ? (bar.value = state.share) : bar.removeAttribute("value");
    box.querySelector("[data-stop]").hidden = !state.stoppable;
    if (state.finished) {
      source.close();
      // A reload asks the server what came out; it leads on to the result, or says why there is none.
      location.reload();
    }
  };
}

// A piece of a page that is asked for again and again, and replaced where there is something new.
for (const box of document.querySelectorAll("[data-again]")) {
  setInterval(async () => {
    const answer = await fetch(`${box.dataset.again}?seen=${box.dataset.seen}`).catch(() => null);
    if (answer?.status !== 200 || box.contains(document.activeElement)) return;
    box.dataset.seen = answer.headers.get("x-seen");
    box.innerHTML = await answer.text();
  }, 2000);
}

// A piece of a page that the server tells news of; it is fetched anew then, not in the middle of what somebody does.
for (const box of document.querySelectorAll("[data-live]")) {
  const source = listening(new EventSource(box.dataset.live));
  source.onmessage = async () => {
    const answer = await fetch(box.dataset.piece).catch(() => null);
    if (answer?.ok && !answer.redirected) box.innerHTML = await answer.text();
  };
}

// A slider over a list of values: the field beside it holds the text that is sent, exactly as it is read.
const follow = (slider) => {
  const field = document.getElementById(slider.dataset.field);
  field.value = slider.dataset.values.split(" ")[slider.value];
  slider.setAttribute("aria-valuetext", field.value);
};
// One whose places are worked out ahead is asked for at once: the pause is for who types.
document.addEventListener("input", (event) => {
  const slider = event.target.closest("[data-now]");
  if (!slider) return;
  event.stopPropagation();
  follow(slider);
  document.body.dispatchEvent(new CustomEvent("planned"));
}, { capture: true });
document.addEventListener("input", (event) => {
  const slider = event.target.closest("[data-values]");
  if (slider) return follow(slider);
  const follower = document.querySelector(`[data-field="${CSS.escape(event.target.id || " ")}"]`);
  if (follower) {
    const values = follower.dataset.values.split(" ").map(Number);
    const wanted = Number(event.target.value);
    const nearest = values.reduce((best, value, i) => (Math.abs(value - wanted) < Math.abs(values[best] - wanted) ? i : best), 0);
    if (Number.isFinite(wanted)) follower.value = nearest;
  }
});

// A name that is pressed goes into the question, where the cursor is.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-insert]");
  if (!button) return;
  const field = document.getElementById("question");
  field.setRangeText(button.dataset.insert, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.focus();
});

// The region of a guarantee: a point on its boundary that follows a slider.
for (const box of document.querySelectorAll("[data-corners]")) {
  const corners = box.dataset.corners.split(" ").map((pair) => pair.split(",").map(Number));
  const at = ([x, y]) => `${(300 * x).toFixed(2)} ${(300 - 300 * y).toFixed(2)}`;
  const edge = corners.map(at);
  box.querySelector("[data-edge]").setAttribute("d", `M${edge.join("L")}`);
  box.querySelector("[data-area]").setAttribute("d", `M0 0L${edge.join("L")}L300 300Z`);
  const slider = box.querySelector("[data-alarm]");
  const missed = (x) => {
    const next = corners.findIndex(([corner]) => corner >= x);
    if (next <= 0) return next < 0 ? 0 : corners[0][1];
    const [[x0, y0], [x1, y1]] = [corners[next - 1], corners[next]];
    return y0 + ((y1 - y0) * (x - x0)) / (x1 - x0);
  };
  const show = () => {
    const alarm = Number(slider.value) / 100;
    const miss = missed(alarm);
    const point = box.querySelector("[data-point]");
    point.setAttribute("cx", 300 * alarm);
    point.setAttribute("cy", 300 - 300 * miss);
    const found = Math.ceil(1000 * (1 - miss) - 1e-6) / 10;
    const words = `At ${slider.value} % false alarms the best attacker finds at most ${found} % of the true cases.`;
    box.querySelector("[data-said]").textContent = words;
    slider.setAttribute("aria-valuetext", words);
  };
  slider.addEventListener("input", show);
  show();
  // The point itself can be dragged; keys move the slider, which says the same.
  const picture = box.querySelector("svg");
  const drag = (event) => {
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
    slider.value = Math.round(Math.min(1, Math.max(0, place.x / 300)) * 100);
    show();
  };
  picture.addEventListener("pointerdown", (event) => {
    picture.setPointerCapture(event.pointerId);
    drag(event);
  });
  picture.addEventListener("pointermove", (event) => picture.hasPointerCapture(event.pointerId) && drag(event));
}

// What is refused stands below its field; the field says so, and shows itself where it was folded away.
document.addEventListener("htmx:afterSettle", () => {
  for (const said of document.querySelectorAll("[data-said]")) {
    const field = document.getElementById(said.dataset.said);
    if (!field) continue;
    const wrong = said.textContent.trim() !== "";
    wrong ? field.setAttribute("aria-invalid", "true") : field.removeAttribute("aria-invalid");
    const folded = wrong && field.closest("details");
    if (folded) folded.open = true;
  }
});

// What was unfolded stays so when a new piece takes the place of the old one.
let unfolded = [];
const summaries = (within) => [...within.querySelectorAll("details > summary")];
document.addEventListener("htmx:beforeSwap", (event) => {
  unfolded = summaries(event.detail.target).filter((each) => each.parentElement.open).map((each) => each.textContent);
});
document.addEventListener("htmx:afterSettle", (event) => {
  for (const each of summaries(event.detail.elt)) if (unfolded.includes(each.textContent)) each.parentElement.open = true;
});

// A form that is made anew while somebody goes on answering: what was answered in between is not lost, but sent next.
const valuesOf = (form) => new Map([...form.elements].filter((each) => each.id).map((each) => [each.id, each.value]));
let sentValues = new Map();
let since = [];
const keeping = () => document.querySelector("form[data-keeps]");
document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.elt.closest?.("form[data-keeps]")) sentValues = valuesOf(keeping());
});
document.addEventListener("htmx:beforeSwap", (event) => {
  since = [];
  if (!event.detail.target.querySelector?.("form[data-keeps]")) return;
  since = [...valuesOf(keeping())].filter(([id, value]) => sentValues.has(id) && sentValues.get(id) !== value);
});
document.addEventListener("htmx:afterSettle", () => {
  const [late, form] = [since, keeping()];
  since = [];
  let changed = null;
  for (const [id, value] of late) {
    const field = form?.elements[id];
    if (field) (field.value = value), (changed = field);
  }
  changed?.dispatchEvent(new Event("change", { bubbles: true }));
});

// A curve over people, both axes logarithmic; drawn anew whenever htmx brings one, in the colours of the page.
function drawCurves(within) {
  for (const box of within.querySelectorAll("[data-curve]")) {
    const colours = getComputedStyle(box);
    const [ink, line, bar] = ["--ink", "--line", "--bar"].map((name) => colours.getPropertyValue(name).trim());
    const said = (value) => (Number.isInteger(Math.round(Math.log10(value) * 1e6) / 1e6) ? value : null);
    const tens = (plot, marks) => marks.map((value) => said(value));
    const axis = { grid: { stroke: line, width: 1, filter: tens }, ticks: { stroke: line, width: 1, filter: tens }, font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif" };
    const short = (value) => (value >= 1e6 ? `${value / 1e6} M` : value >= 1e3 ? `${value / 1e3} k` : `${value}`);
    const options = {
      width: box.clientWidth,
      height: 240,
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false, distr: 3, log: 10 }, y: { distr: 3, log: 10 } },
      series: [{}, { stroke: bar, width: 2, points: { show: true, size: 7, fill: bar } }],
      axes: [
        { ...axis, label: "people", stroke: ink, values: (plot, marks) => marks.map((value) => (said(value) === null ? null : short(value))) },
        { ...axis, label: "error of a share, %", stroke: ink, size: 56, values: (plot, marks) => marks.map((value) => (said(value) === null ? null : `${Number(value.toPrecision(3))}`)) },
      ],
    };
    box.replaceChildren();
    new uPlot(options, JSON.parse(box.dataset.curve), box);
  }
}
document.addEventListener("htmx:afterSettle", (event) => drawCurves(event.detail.elt));
