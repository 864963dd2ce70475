// A spread as a movie: who holds the message at each step, and whom the adversary suspects. Drawn on a canvas in the
// colours of the page; it does not start by itself where motion is not wanted, and a slider shows any step.

const still = matchMedia("(prefers-reduced-motion: reduce)");

async function play(box) {
  const scene = await (await fetch(box.dataset.movie)).json();
  const canvas = box.querySelector("canvas");
  const pen = canvas.getContext("2d");
  const [slider, button, said] = ["input", "button", "[data-said-step]"].map((name) => box.querySelector(name));
  const at = new Map(scene.nodes.map((node) => [node.id, node]));
  let ink, line, bar, bad, paper, soft;
  const size = canvas.width;
  const x = (node) => size / 2 + node.x * size * 0.46;
  const y = (node) => size / 2 + node.y * size * 0.46;
  let step = 0;
  let on = !still.matches;
  slider.max = scene.frames.length - 1;

  function dot(node, radius, fill, share, ring) {
    pen.beginPath();
    pen.arc(x(node), y(node), radius, 0, 7);
    pen.fillStyle = paper;
    pen.fill();
    pen.globalAlpha = share;
    pen.fillStyle = fill;
    pen.fill();
    pen.globalAlpha = 1;
    if (ring) {
      pen.lineWidth = size / 180;
      pen.strokeStyle = ring;
      pen.stroke();
    }
  }

  function draw() {
    const colours = getComputedStyle(box); // Anew each time: it may have become dark meanwhile.
    [ink, line, bar, bad, paper, soft] = ["--ink", "--line", "--bar", "--bad", "--paper", "--soft"].map((name) => colours.getPropertyValue(name).trim());
    const frame = scene.frames[step];
    const here = scene.nodes.filter((node) => node.t <= frame.step);
    pen.clearRect(0, 0, size, size);
    pen.strokeStyle = soft;
    pen.lineWidth = size / 500;
    for (const node of here) {
      if (node.p < 0) continue;
      pen.beginPath();
      pen.moveTo(x(node), y(node));
      pen.lineTo(x(at.get(node.p)), y(at.get(node.p)));
      pen.stroke();
    }
    const top = Math.max(1e-9, ...Object.values(frame.belief));
    const radius = size / (here.length > 600 ? 220 : here.length > 150 ? 150 : 90);
    for (const node of here) {
      const belief = (frame.belief[node.id] || 0) / top;
      dot(node, radius, belief ? bad : line, belief ? 0.15 + 0.85 * belief : 1, node.id === frame.source ? bar : null);
    }
    const author = at.get(scene.author);
    dot(author, radius * 0.6, ink, 1, ink);
    const chance = frame.detection === null ? "is not known at this step" : `is right with a chance of ${(100 * frame.detection).toFixed(1)} %`;
    said.textContent = `Step ${frame.step}: ${here.length} ${here.length === 1 ? "holder" : "holders"}. The adversary’s best guess ${chance}.`;
    slider.value = step;
    slider.setAttribute("aria-valuetext", said.textContent);
    button.textContent = on ? "Pause" : "Play";
  }

  slider.addEventListener("input", () => {
    on = false;
    step = Number(slider.value);
    draw();
  });
  button.addEventListener("click", () => {
    on = !on;
    draw();
  });
  const clock = setInterval(() => {
    if (!box.isConnected) return clearInterval(clock);
    if (!on) return;
    step = (step + 1) % scene.frames.length;
    draw();
  }, 900);
  draw();
}

const begin = (within) => {
  for (const box of within.querySelectorAll("[data-movie]:not([data-begun])")) {
    box.dataset.begun = "yes";
    play(box);
  }
};
document.addEventListener("htmx:afterSettle", (event) => begin(event.detail.elt));
begin(document);
