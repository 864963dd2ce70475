import { open, Person, send, levelText, text, fraction, add, Refusal, able } from "./client.mjs";
// The page to answer at. Nothing here draws or decides; texts of the campaign are only ever set as text.
const at = id => document.getElementById(id);
const make = (tag, words = "", more = {}, ...inner) => { const made = Object.assign(document.createElement(tag), more); if (words !== "") made.textContent = words; made.append(...inner); return made; };
const say = (words, bad = false) => { at("state").textContent = words; at("state").className = bad ? "refusal" : "soft"; };
const person = new Person(localStorage);
const held = at("campaign"), address = held ? held.dataset.address : location.origin, named = held ? held.dataset.name : location.pathname.split("/")[2];
const share = part => part > .995 ? "nearly always" : part < .005 ? "almost never" : `${Math.round(100 * part)} times in 100`;

// What one answer makes likely in a round, in numbers for the eye only: what is drawn never passes here.
const decay = level => Math.exp(-(([a, b = 1]) => a / b)(level.split("/").map(Number)));
function lawOf(question, x, second) {
  const law = firstOf(question, x);
  if (!law || !second) return law;
  const e = decay(second), keep = 1 / (1 + (law.length - 1) * e);   // Blurred again by the second step.
  return law.map(part => keep * (e + (1 - e) * part));
}
function firstOf(question, x) {
  const e = decay(question.epsilon), { kind, fields, labels } = question, k = labels.length;
  if (kind === "matrix") { const cells = fields.cell_of ?? labels.map((_, i) => i); return fields.weights[cells[x]].map(w => Number(w) / 2 ** 62); }
  if (kind === "randomized-response") { const cells = fields.cell_of ?? labels.map((_, i) => i), c = Math.max(...cells) + 1; return Array.from({ length: c }, (_, y) => (y === cells[x] ? 1 : e) / (1 + (c - 1) * e)); }
  return null;
}
function reportName(question, y) {
  const cells = question.fields.cell_of;
  if (question.kind === "randomized-response") { const inside = question.labels.filter((_, x) => (cells ? cells[x] : x) === y); return inside.length > 3 ? `group ${y + 1}` : inside.join(" or "); }
  const rows = question.fields.weights, top = rows.map(row => Number(row[y])), most = Math.max(...top), inside = question.labels.filter((_, x) => top[cells ? cells[x] : x] > most * .999);
  return inside.length <= 3 ? inside.join(" or ") : `report ${y + 1}`;
}
function bar(part) { const inner = make("span"); inner.style.width = `${100 * part}%`; return make("span", "", { className: "bar", ariaHidden: "true" }, inner); }
function picture(question, x, second) {
  const law = lawOf(question, x, second), label = question.labels[x];
  if (!law || law.length > 24) return [make("p", `Your report is one of very many. Each is at most ${Math.exp(Number(levelText(question.epsilon))).toFixed(2)} times as likely with “${label}” as with any other answer.`, { className: "soft" })];
  const best = law.indexOf(Math.max(...law)), list = make("ul", "", { className: "law" });
  law.forEach((part, y) => list.append(make("li", "", {}, make("span", reportName(question, y)), bar(part), make("span", part > 0 && part < .01 ? "< 1 %" : `${(100 * part).toFixed(0)} %`, { className: "n" }))));
  return [make("p", `If you say “${label}”, they see “${reportName(question, best)}” ${share(law[best])}:`, { className: "soft" }), list];
}
const most = epsilon => { const c = epsilon / -Math.expm1(-epsilon); return Math.ceil(1000 * (c - 1 - Math.log(c)) / Math.LN2 + .001) / 1000; };
const guess = epsilon => Math.ceil(1000 / (1 + Math.exp(-epsilon)) + .001) / 10;

function ledger() {
  const all = person.all, rows = Object.values(all.ledger), box = make("details", "", {}, make("summary", "What you have given away, to whom"));
  if (!rows.length) box.append(make("p", "Nothing yet, from this browser."));
  else {
    const body = make("tbody");
    for (const one of rows) body.append(make("tr", "", {}, make("td", one.title), make("td", one.asked_by), make("td", one.epsilon === "0" ? "nothing more: a kept report" : levelText(one.epsilon), { className: "num" })));
    const [a, b] = person.given;
    box.append(make("table", "", {}, make("thead", "", {}, make("tr", "", {}, make("th", "question"), make("th", "asked by"), make("th", "epsilon", { className: "num" }))), body), make("p", `All together at most epsilon ${levelText(`${a}/${b}`)}${person.givenDelta[0] ? `, delta ${levelText(person.givenDelta.join("/"))}` : ""}.`));
  }
  box.append(make("p", "The answers of relatives and housemates speak about you too, and are not counted here."));
  const field = make("input", "", { type: "text", id: "ceiling", value: all.ceiling, inputMode: "decimal" });
  field.addEventListener("change", () => { try { person.setCeiling(field.value); say("Your ceiling is kept."); } catch (error) { say(error.message, true); } });
  const out = make("button", "Save a copy of your kept answers", { type: "button", className: "quiet" });
  out.addEventListener("click", () => { const link = make("a", "", { href: URL.createObjectURL(new Blob([JSON.stringify(person.all)], { type: "application/json" })), download: "my-answers.json" }); link.click(); URL.revokeObjectURL(link.href); });
  const back = make("input", "", { type: "file", id: "copy", accept: ".json" });
  back.addEventListener("change", async () => { try { person.restore(await back.files[0].text()); say("Your kept answers are here again. Load the page again to go on with them."); } catch (error) { say(error.message, true); } });
  box.append(make("p", "", {}, make("label", "Refuse whatever brings all of it above epsilon ", { htmlFor: "ceiling" }), field), make("p", "Kept answers live in this browser alone. Where they are lost, a second answer adds to what the first one gave away.", { className: "soft" }), out, make("p", "", {}, make("label", "Bring back a copy ", { htmlFor: "copy" }), back));
  return box;
}
function learns(campaign) {
  const box = make("details", "", {}, make("summary", "What who learns"));
  box.append(make("p", "The collector sees your report and the hour, not your answer. With each report comes your network address, which is not written down, but this you cannot check from here."),
    make("p", "The network sees that you speak with the collector, when, and how much. Other people see the estimates and nothing of you."),
    make("p", held ? "You opened this page from a file: compare its hash with the published one." : "This page is the collector's code: who serves it could serve another. To be sure, save it as one file, compare its hash with one that was published elsewhere, and open it from your disk."));
  if (!held) box.append(make("p", "", {}, make("a", "The page as one file", { href: `/a/${campaign.name}/saved.html`, download: "answer.html" })));
  campaign.channels.forEach(({ outputs }, q) => {
    const people = BigInt(campaign.body.people), shared = Number(people / outputs), of = campaign.channels.length > 1 ? ` to question ${q + 1}` : "";
    const alone = shared ? `If ${people} people answer, about ${shared.toLocaleString("en")} share a report${of}.` : `There are more reports${of} than the ${people} people who are asked, so yours may be like nobody else's. It tells no more for that.`;
    box.append(make("p", campaign.body.repeat === "once" && !campaign.takes[q] ? `${alone} So that two askers cannot recognise you by it, no other campaign gets the same; a fresh report adds.` : alone, { className: "soft" }));
  });
  box.append(make("p", campaign.body.keeps), make("p", `Signed by ${campaign.key}. Name ${campaign.name}.`, { className: "soft" }));
  return box;
}
function show(campaign) {
  const { body } = campaign, box = at("asked"), total = Number(levelText(body.epsilon));
  at("title").textContent = body.title; document.title = body.title;
  const free = person.cost(campaign)[0] === 0n && !person.all.ledger[campaign.name];
  const rounds = { once: "Asked again, the same report is sent, which adds nothing.", permanent: `You are asked ${body.rounds} times. Your report is drawn once and kept, so all rounds together give away no more than that.`,
    memoised: `You are asked ${body.rounds} times. One report is kept for each value, and blurred again each time. While your value stays, all of them give away at most epsilon ${levelText(text(campaign.body.questions.map(q => fraction(q.epsilon)).reduce(add)))}; who sees all rounds can see that something changed.`, fresh: `You are asked ${body.rounds} times, and each time adds.` }[body.repeat];
  const form = make("form");
  form.append(make("p", `Asked by: ${body.asked_by}. Until ${body.until}.`, { className: "lead" }), ...(body.about ? [make("p", body.about)] : []),
    make("p", free ? "Your kept report is sent: it costs nothing more." : `All rounds together: epsilon ${levelText(body.epsilon)}. Whoever guesses between two answers at even odds is right ${Math.min(100, guess(total))} times in 100 at most, and no report of the first round tells more than ${most(body.share === "one" ? total : body.questions.reduce((sum, q) => sum + Number(levelText(q.epsilon)), 0))} bit.`), ...(campaign.delta[0] ? [make("p", `And with a chance of delta ${levelText(text(campaign.delta))} a report may tell more than that, up to everything.`, { className: "refusal" })] : []),
    make("p", `${rounds} Answers of relatives and housemates speak about you too.${body.share === "one" ? " Chance picks one of the questions, here, and only that one is answered." : ""}`, { className: "soft" }));
  const runs = (body.numbers ?? []).map(run => ({ ...run, end: run.first + run.times, exact: ([a, b = 1]) => a / b }));
  const numbered = (run, words) => { const [low, high] = [run.least, run.most].map(one => run.exact(one.split("/").map(Number))); return Math.min(run.classes - 1, Math.max(0, Math.floor((Number(words) - low) / (high - low) * run.classes))); };
  for (const run of runs) {
    const group = make("fieldset", "", {}, make("legend", body.questions[run.first].question.replace(/, 00:00$/, "")));
    const field = make("textarea", "", { name: `n${run.first}`, rows: 6, ariaLabel: `${run.times} numbers`, spellcheck: false });
    group.append(make("p", run.times > 1 ? `${run.times} numbers${run.unit ? ` in ${run.unit}` : ""}, from ${body.questions[run.first].question.split(", ").pop()} to ${body.questions[run.end - 1].question.split(", ").pop()}, with spaces between. Each counts as one of ${run.classes} classes.` : `One number${run.unit ? ` in ${run.unit}` : ""}. It counts as one of ${run.classes} classes.`, { className: "soft" }), field); form.append(group);
  }
  const chosen = q => {
    const run = runs.find(one => one.first <= q && q < one.end);
    if (!run) { const one = form.elements[`q${q}`].value; return one === "" ? NaN : Number(one); }
    const words = form.elements[`n${run.first}`].value.trim().split(/[\s;]+/);
    if (words.length !== run.times || !words.every(one => /^[-+]?\d+([.]\d+)?$/.test(one))) throw new Refusal(`${run.times} numbers are asked for, such as 0.4; ${words[0] ? words.length : 0} were given or some are no numbers. Nothing was drawn.`);
    return numbered(run, words[q - run.first]);
  };
  body.questions.forEach((question, q) => {
    if (runs.some(one => one.first <= q && q < one.end)) return;
    const group = make("fieldset", "", {}, make("legend", question.question || body.title)), drawn = make("div");
    if (question.labels.length > 12) {
      const list = make("select", "", { name: `q${q}`, ariaLabel: question.question }); list.append(make("option", "Choose…", { value: "" }), ...question.labels.map((label, x) => make("option", label, { value: x })));
      list.addEventListener("change", () => drawn.replaceChildren(...(list.value === "" ? [] : picture(question, Number(list.value), body.second)))); group.append(list);
    } else question.labels.forEach((label, x) => {
      const input = make("input", "", { type: "radio", name: `q${q}`, value: x }); input.addEventListener("change", () => drawn.replaceChildren(...picture(question, x, body.second)));
      group.append(make("label", "", { className: "choice" }, input, make("span", label)));
    });
    group.append(drawn); form.append(group);
  });
  const button = make("button", "Draw my report"); form.append(button);
  const next = () => { for (let round = 0; round < body.rounds; round++) if (!person.all.ledger[campaign.name]?.rounds.includes(round)) return round; return body.rounds; };
  const deliver = async round => {
    try {
      const state = await send(person, campaign.name, round, address);
      if (state === "sent") { say(`Sent and counted. Thank you.${next() < body.rounds ? ` Round ${next() + 1} of ${body.rounds} comes next.` : ""}`); finish(); }
      else say("The collector cannot be reached. Your report is kept here and sent when it can be; it stays the same.");
    } catch (error) { say(error.message, true); }
  };
  const finish = () => { if (next() >= body.rounds) { form.replaceChildren(make("p", "You have answered. Asked again, nothing new is drawn.")); } else form.reset(); box.replaceChildren(form, ledger(), learns(campaign)); };
  form.addEventListener("submit", event => {
    event.preventDefault();
    try {
      const answers = body.questions.map((_, q) => chosen(q)), round = next(), wire = person.answer(campaign, answers, round);
      const yes = make("button", "Send it"), sent = make("section", "", {}, make("h2", "This is all that is sent"), make("pre", wire, { id: "wire", tabIndex: 0 }), make("p", "A key that names this request alone, and the report. Asked again, the same report is sent.", { className: "soft" }), yes);
      form.replaceChildren(sent); box.replaceChildren(form, ledger(), learns(campaign)); say("Drawn on your machine, and kept there. Nothing has been sent yet.");
      yes.addEventListener("click", event => { event.preventDefault(); yes.disabled = true; deliver(round).finally(() => { yes.disabled = false; }); });
      yes.focus();
    } catch (error) { say(error.message, true); at("state").scrollIntoView({ block: "center" }); if (!(error instanceof Refusal)) throw error; }
  });
  box.replaceChildren(form, ledger(), learns(campaign));
  say(navigator.onLine ? "Signature, hashes and levels were checked on your machine." : "You are offline. You can answer; it is sent later.");
  if (next() >= body.rounds) finish();
  const waiting = Object.keys(person.all.waiting).find(mark => mark.startsWith(campaign.name));
  if (waiting) deliver(Number(waiting.split("/")[1]));
  addEventListener("online", () => { const mark = Object.keys(person.all.waiting).find(one => one.startsWith(campaign.name)); if (mark) deliver(Number(mark.split("/")[1])); });
}
try {
  able();
  if (!held && "serviceWorker" in navigator) navigator.serviceWorker.register("/a/worker.js", { scope: "/a/" }).catch(() => {});
  const file = held ? held.content.textContent : await fetch(`/a/${named}/campaign`).then(answer => answer.ok ? answer.text() : Promise.reject(new Refusal("No campaign of this name is asked here.")), () => Promise.reject(new Refusal("The campaign cannot be loaded. Open the page once while you are online.")));
  show(await open(file, named));
} catch (error) { say(error instanceof Refusal ? error.message : `The page failed (${error.name}). Nothing was sent.`, true); if (!(error instanceof Refusal)) throw error; }
