// What pages need beyond htmx: progress of long work, and a slider that writes its value into a field.

for (const box of document.querySelectorAll("[data-events]")) {
  const source = new EventSource(box.dataset.events);
  source.onmessage = (event) => {
    const state = JSON.parse(event.data);
    box.querySelector("[data-stage]").textContent = state.stage;
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

// A slider over a list of values: the field beside it holds the text that is sent, exactly as it is read.
document.addEventListener("input", (event) => {
  const slider = event.target.closest("[data-values]");
  if (slider) {
    const field = document.getElementById(slider.dataset.field);
    field.value = slider.dataset.values.split(" ")[slider.value];
    slider.setAttribute("aria-valuetext", field.value);
    return;
  }
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
}

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
