import { Bits, Refusal, able, above, add, below, bytes, canonical, fraction, hex, levelText, raw, readLevel, text, tosser } from "../a/client.mjs";
// A party answers a meeting from a browser. What is behind # in the link, the key and the bit never leave the machine in clear.
const PLAN = "banister-meeting/2", ANSWER = "banister-answer/1", ROLL = "banister-roll/1", NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const refuse = words => { throw new Refusal(words); };
const sha = async data => new Uint8Array(await crypto.subtle.digest("SHA-256", data));
const hashed = async words => hex(await sha(bytes(words)));
const joined = (...parts) => Uint8Array.from(parts.flatMap(part => [...part]));
const base64 = data => btoa(String.fromCharCode(...new Uint8Array(data)));

// The party's own store: keys that scripts can use and never read, what was begun, what was seen, who asked before.
const wait = request => new Promise((done, failed) => { request.onsuccess = () => done(request.result); request.onerror = () => failed(request.error); });
export class Home {
  static async open() {
    const asked = indexedDB.open("banister-parties", 1);
    asked.onupgradeneeded = () => { for (const name of ["keys", "records", "seen", "organisers", "ceiling"]) asked.result.createObjectStore(name); };
    try { return new Home(await wait(asked)); } catch { return refuse("This browser keeps nothing here, so an answer could be drawn twice. Nothing was drawn; leave private browsing, or use the command."); }
  }
  constructor(base) { this.base = base; }
  read(name, key) { return wait(this.base.transaction(name).objectStore(name).get(key)); }
  all(name) { return wait(this.base.transaction(name).objectStore(name).getAll()); }
  async write(name, key, value, how = "put") {
    const turn = this.base.transaction(name, "readwrite", { durability: "strict" }), ended = new Promise((done, failed) => { turn.oncomplete = done; turn.onabort = turn.onerror = () => failed(turn.error); });
    turn.objectStore(name)[how](value, key);
    await ended;                                          // On disk, or refused.
  }
  async key(party) {
    if (!NAME.test(party)) refuse("A party's name has 1 to 64 letters, digits, dots, hyphens or underscores, and starts with a letter or digit.");
    const found = await this.read("keys", party);
    if (found) return found;
    let pair;
    try { pair = await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]); }
    catch { refuse("This browser cannot sign by Ed25519. Use a newer one, or `banister parties key`."); }
    const made = { party, pair, public: "ed25519:" + base64(await crypto.subtle.exportKey("raw", pair.publicKey)) };
    try { await this.write("keys", party, made, "add"); } catch { return this.read("keys", party); }  // Another tab was first.
    return made;
  }
  async given() {
    const some = await this.all("records");
    return { answers: some.length, epsilon: some.map(one => fraction(one.epsilon)).reduce(add, [0n, 1n]), delta: some.map(one => fraction(one.delta)).reduce(add, [0n, 1n]) };
  }
}

// The room: boxes of a few sizes under a key that the relay does not have.
export class Room {
  static async of(link) {
    const found = /\/m\/([0-9a-f]{64})#([A-Za-z0-9_-]{43})$/.exec(link), wrong = "This is no link to a room: it has /m/ and the room's name, then # and its secret. Copy it whole.";
    if (!found) refuse(wrong);
    const secret = raw(found[2].replaceAll("-", "+").replaceAll("_", "/") + "="), name = hex(await sha(joined(bytes("banister-room/1 name"), secret)));
    if (name !== found[1]) refuse(wrong);
    const key = await crypto.subtle.importKey("raw", await sha(joined(bytes("banister-room/1 key"), secret)), "AES-GCM", false, ["encrypt", "decrypt"]);
    return Object.assign(new Room(), { name, key });
  }
  async seal({ name, words }) {
    const content = bytes(canonical({ name, text: words })), iv = crypto.getRandomValues(new Uint8Array(12));
    let size = 4096; while (size < content.length + 4) size *= 2;
    const plain = new Uint8Array(size); new DataView(plain.buffer).setUint32(0, content.length); plain.set(content, 4);
    return joined(iv, new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: bytes(this.name) }, this.key, plain)));
  }
  async unseal(box) {
    try {
      const plain = await crypto.subtle.decrypt({ name: "AES-GCM", iv: box.slice(0, 12), additionalData: bytes(this.name) }, this.key, box.slice(12));
      const found = JSON.parse(new TextDecoder().decode(plain.slice(4, 4 + new DataView(plain).getUint32(0))));
      if (!NAME.test(found.name) || typeof found.text !== "string") return null;
      let body = {}; try { body = JSON.parse(found.text) ?? {}; } catch { body = {}; }
      return { name: found.name, words: found.text, hash: await hashed(found.text), body };
    } catch { return null; }                              // Not of this room.
  }
  async ask(more, body) {
    let answer;
    try { answer = await fetch(`/m/${this.name}${more}`, { method: body ? "POST" : "GET", body, credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer" }); }
    catch { refuse("The relay cannot be reached. What was drawn is kept here; load the page again later."); }
    if (!answer.ok) refuse((await answer.json().catch(() => ({}))).refused ?? `The relay answered ${answer.status}.`);
    return answer;
  }
  async take() {
    const found = new Map(); let after = 0, more = true;
    while (more) {
      const answer = await (await this.ask(`?after=${after}`)).json();
      for (const box of answer.boxes) { const paper = await this.unseal(raw(box)); if (paper) found.set(`${paper.name}/${paper.hash}`, paper); }
      more = answer.after > after; after = answer.after;
    }
    return [...found.values()];
  }
}

async function signed(body, key) {
  const { signature, ...rest } = body;
  if (typeof signature !== "string" || !/^ed25519:[A-Za-z0-9+/]{43}=$/.test(key ?? "")) return false;
  try { return await crypto.subtle.verify("Ed25519", await crypto.subtle.importKey("raw", raw(key.slice(8)), "Ed25519", false, ["verify"]), raw(signature.replace("ed25519:", "")), bytes(canonical(rest))); }
  catch { return false; }
}
export async function planOf(papers) {
  const found = new Map();
  for (const { body } of papers) if (Array.isArray(body.parties) && body.organiser && await signed(body, body.organiser.key)) { const { signature, ...rest } = body; found.set(await hashed(canonical(rest)), rest); }
  if (found.size > 1) refuse("The room holds two plans, so it is not clear which one is asked. Begin a new meeting.");
  if (!found.size) refuse("There is no plan here that its organiser signed. Do not answer.");
  const [[hash, plan]] = found;
  if (plan.format !== PLAN) refuse("This meeting has an agenda of more than one bit, or is of another version: answer it by `banister parties`, with the same link.");
  return { ...plan, hash };
}
const members = plan => new Map([...plan.parties.map(one => [one.name, one.key]), [plan.organiser.name, plan.organiser.key]]);
async function rolls(room, papers, keys) {
  const found = [];
  for (const paper of papers) {
    const { body } = paper;
    if (body.format === ROLL && body.room === room.name && keys.has(body.party) && Number.isInteger(body.number) && Array.isArray(body.papers) && await signed(body, keys.get(body.party))) found.push(paper);
  }
  return found.sort((a, b) => a.body.number - b.body.number);
}
const plainOf = papers => papers.filter(paper => paper.body.format !== ROLL);
export async function nextRoll(room, papers, party, pair, publicKey) {
  const last = (await rolls(room, papers, new Map([[party, publicKey]]))).at(-1);
  const body = { format: ROLL, room: room.name, party, number: (last?.body.number ?? 0) + 1, before: last?.hash ?? "", papers: [...new Set(plainOf(papers).map(paper => paper.hash))].sort() };
  return { name: `roll-${party}-${body.number}.json`.slice(-64).replace(/^[-.]+/, ""), words: JSON.stringify({ ...body, signature: await sign(pair, body) }) + "\n" };
}
const sign = async (pair, body) => base64(await crypto.subtle.sign("Ed25519", pair.privateKey, bytes(canonical(body))));
export async function view(room, papers, plan, seen) {   // What the relay gave beside every roll, and beside what was seen here before.
  const given = new Set(papers.map(paper => paper.hash)), plain = plainOf(papers).map(paper => paper.hash), keys = members(plan), all = await rolls(room, papers, keys);
  const amiss = seen.filter(one => !given.has(one)).map(one => `The relay does not give a paper that was here before (${one.slice(0, 12)}).`), agreed = [], silent = [];
  for (const who of [...keys.keys()].sort()) {
    const own = all.filter(paper => paper.body.party === who), listed = new Set(own.flatMap(paper => paper.body.papers));
    const gap = own.findIndex((paper, place) => paper.body.number !== place + 1 || paper.body.before !== (own[place - 1]?.hash ?? ""));
    if (gap >= 0) amiss.push(`Roll ${gap + 1} of '${who}' is kept from us, or '${who}' signed two.`);
    for (const one of [...listed].sort()) if (!plain.includes(one)) amiss.push(`'${who}' saw a paper that the relay keeps from us (${one.slice(0, 12)}).`);
    (own.length && plain.every(one => own.at(-1).body.papers.includes(one)) ? agreed : silent).push(who);
  }
  return { amiss, agreed, silent };
}
export function respond({ epsilon, delta }, bit, bits = new Bits()) {  // Exactly the chances of the level; both coins are always tossed.
  const [a, b] = fraction(delta), sure = below(b, bits) < a, kept = tosser(1n, 1n, fraction(epsilon))(bits);
  return sure ? 2 + bit : kept ? bit : 1 - bit;
}

// An answer: begun on disk, drawn once, signed, kept, and only then sent.
export async function answer(home, room, plan, member, key, bit) {
  const place = `${plan.hash}/${member.name}`, met = await home.read("organisers", plan.organiser.name), ceiling = await home.read("ceiling", "all"), given = await home.given();
  if (key.public !== member.key) refuse(`The plan has another key for '${member.name}' than this browser. Tell whoever made the plan; nothing was drawn.`);
  if (met && met !== plan.organiser.key) refuse(`'${plan.organiser.name}' asked with another key before. Make sure who asks; nothing was drawn.`);
  if (bit !== 0 && bit !== 1) refuse("Choose yes or no. Nothing was drawn.");
  if (ceiling && above(add(given.epsilon, fraction(member.epsilon)), readLevel(ceiling))) refuse(`With this answer all that you gave away in meetings would be above your own ceiling of ${ceiling}. Nothing was drawn.`);
  if (ceiling && fraction(member.delta)[0]) refuse("With delta an answer may, rarely, tell everything, and your own ceiling allows none. Nothing was drawn.");
  await home.write("organisers", plan.organiser.name, plan.organiser.key);
  try { await home.write("records", place, { plan: plan.hash, party: member.name, epsilon: member.epsilon, delta: member.delta }, "add"); }
  catch { refuse("This plan was begun here before, in another tab, say. A second answer would give away more; nothing was drawn."); }
  const body = { format: ANSWER, plan: plan.hash, party: member.name, symbol: respond(member, bit) };
  const words = JSON.stringify({ ...body, signature: await sign(key.pair, body) }, null, 1) + "\n", box = await room.seal({ name: `${member.name}.json`.slice(-64), words });
  await home.write("records", place, { plan: plan.hash, party: member.name, epsilon: member.epsilon, delta: member.delta, words, box });
  return words;
}
export async function visit(home, room, plan, party, key) {  // Send what waits, take everything, sign a roll of what was seen.
  const record = await home.read("records", `${plan.hash}/${party}`), seen = await home.read("seen", room.name) ?? [];
  if (record?.box) await room.ask("", record.box);       // The same box: the relay keeps it once.
  let papers = await room.take(), found = await view(room, papers, plan, seen);
  if (!found.agreed.includes(party)) { const roll = await nextRoll(room, papers, party, key.pair, key.public), box = await room.seal(roll); await room.ask("", box); papers.push(await room.unseal(box)); found = await view(room, papers, plan, seen); }
  await home.write("seen", room.name, [...new Set([...seen, ...papers.map(paper => paper.hash)])]);
  return found;
}

// The page.
const at = id => document.getElementById(id);
const make = (tag, words = "", more = {}, ...inner) => { const made = Object.assign(document.createElement(tag), more); if (words !== "") made.textContent = words; made.append(...inner); return made; };
const say = (words, bad = false) => { at("state").textContent = words; at("state").className = bad ? "refusal" : "soft"; };
const careful = work => async event => { event?.preventDefault(); try { await work(); } catch (error) { say(error instanceof Refusal ? error.message : `This page failed (${error.name}). Nothing more was sent.`, true); } };
function keyForm(home, names, then) {
  const name = make("input", "", { id: "party", className: "line", autocomplete: "off", spellcheck: false }), line = make("p", "", { id: "line" }), form = make("form", "", {},
    make("label", "Your name in the plan, e.g. clinic-3", { htmlFor: "party", className: "above" }), name, make("button", "Make my key"), line);
  form.addEventListener("submit", careful(async () => {
    const made = await home.key(name.value.trim());
    line.replaceChildren(make("span", "Give this line to whoever makes the plan: "), make("code", `${made.party} ${made.public}`));
    say("The key stays in this browser, where scripts can use it and not read it. Clear the browser's data and it is gone: then the plan needs a new key.");
    if (then) await then();
  }));
  return [make("p", names ? `This browser has no key of a party of the plan (${names}).` : "A party signs its answers by a key that the plan names. Make yours here, once.", { className: "lead" }), form];
}
function asks(home, room, plan, member, key, given) {
  const e = Math.exp(-(([a, b = 1]) => a / b)(member.epsilon.split("/").map(Number))), often = Math.round(100 / (1 + e)), box = make("form");
  const ceiling = make("input", "", { id: "ceiling", className: "line", inputMode: "decimal", autocomplete: "off" });
  const choose = make("fieldset", "", {}, make("legend", plan.title || "Your bit"));
  for (const [value, words] of [["1", "yes"], ["0", "no"]]) choose.append(make("label", "", { className: "choice" }, make("input", "", { type: "radio", name: "bit", value }), make("span", words)));
  box.append(choose, make("p", `Whichever you choose, the others hear it ${often} times in 100, and the opposite otherwise${fraction(member.delta)[0] ? `; with the chance ${member.delta} they hear it for certain` : ""}. One answer at epsilon ${levelText(member.epsilon)}; ${given.answers ? `in ${given.answers} meetings this browser has given away epsilon ${levelText(text(given.epsilon))} so far` : "the first from this browser"}.`, { className: "soft" }),
    make("label", "Your own ceiling", { htmlFor: "ceiling", className: "above" }), ceiling, make("p", "All that your answers in meetings may ever give away, as an epsilon such as 3. Empty: no ceiling.", { className: "soft" }), make("button", "Draw, sign and send my answer"));
  home.read("ceiling", "all").then(found => { ceiling.value = found ?? ""; });
  box.addEventListener("submit", careful(async () => {
    if (ceiling.value.trim()) { readLevel(ceiling.value); await home.write("ceiling", "all", ceiling.value.trim()); }
    const words = await answer(home, room, plan, member, key, Number(new FormData(box).get("bit") ?? NaN));
    await show(home, room, plan, member, key, words);
  }));
  return box;
}
async function show(home, room, plan, member, key, words) {
  at("asked").replaceChildren(make("h2", "Your answer, as it was signed"), make("pre", words.trim(), { id: "wire", tabIndex: 0 }), make("h2", "What the relay gives"), make("ul", "", { id: "rolls" }), make("button", "Look again", { id: "again", type: "button" }));
  const look = careful(async () => {
    const found = await visit(home, room, plan, member.name, key), lines = [...found.amiss];
    if (found.agreed.length) lines.push(`Signed that they saw all papers that are here: ${found.agreed.join(", ")}.`);
    if (found.silent.length) lines.push(`Not yet heard of: ${found.silent.join(", ")}. Wait for their rolls before anybody decides.`);
    else if (!found.amiss.length) lines.push("All have seen the same papers: nothing was dropped.");
    at("rolls").replaceChildren(...lines.map(line => make("li", line)));
    say(found.amiss.length ? "Something is amiss: see below, and tell the others." : "Your answer is at the relay, sealed.", found.amiss.length > 0);
  });
  at("again").addEventListener("click", look);
  await look();
}
async function begin() {
  able();
  const home = await Home.open();
  if (!location.hash && /^\/m\/?$/.test(location.pathname)) { at("title").textContent = "A key for meetings"; say(""); at("asked").replaceChildren(...keyForm(home, "")); return; }
  const room = await Room.of(location.href), plan = await planOf(await room.take());
  at("title").textContent = plan.title || "A joint decision";
  const keys = await home.all("keys"), mine = plan.parties.find(one => keys.some(key => key.public === one.key)), facts = make("dl", "", { className: "facts" });
  for (const [name, value] of [["asked by", plan.organiser.name], ["decided", `${plan.function} of ${plan.parties.length} bits`], ["parties", plan.parties.map(one => one.name).join(", ")], ["plan", plan.hash.slice(0, 16)]]) facts.append(make("dt", name), make("dd", value));
  say("The plan is signed by who asks. The relay can read none of this.");
  if (!mine) { at("asked").replaceChildren(facts, ...keyForm(home, plan.parties.map(one => one.name).join(", "), null)); return; }
  const key = keys.find(one => one.public === mine.key), record = await home.read("records", `${plan.hash}/${mine.name}`);
  if (record?.words) return show(home, room, plan, mine, key, record.words);
  if (record) refuse("This plan was begun here, and the browser ended before its answer was kept. A second answer would give away more, so you count as silent.");
  at("asked").replaceChildren(facts, asks(home, room, plan, mine, key, await home.given()));
}
if (typeof document !== "undefined") careful(begin)();
