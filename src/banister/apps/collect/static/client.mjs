// banister collect: answer a campaign from a browser. Every draw is exact: bits from WebCrypto, arithmetic on BigInt.
// Everything is checked before a bit is drawn: signature, hashes, levels, the person's ceiling. Sent is what was drawn.
export const FORMAT = "banister-campaign/1", STORE = "banister-collect";
const WHATEVER = "-1";   // Under it stands the one report that is sent whatever is said: the true answer is not kept beside it.
export class Refusal extends Error {}
const refuse = words => { throw new Refusal(words); };
const unknown = () => refuse("The campaign has a channel that this page does not know. Do not answer it.");
const whole = (n, least, most) => Number.isSafeInteger(n) && n >= least && n <= most;
export const bytes = text => new TextEncoder().encode(text);
export const hex = data => [...new Uint8Array(data)].map(b => b.toString(16).padStart(2, "0")).join("");
export const raw = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
const sha256 = async text => hex(await crypto.subtle.digest("SHA-256", bytes(text)));

export function able() {
  if (typeof BigInt !== "function") refuse("This browser has no exact whole numbers (BigInt), so it cannot answer privately. Nothing was sent. Use a newer one.");
  if (!globalThis.crypto?.subtle) refuse("This browser offers no cryptography here: open the page over https, or from your own disk. Nothing was sent.");
}

// Texts as Python writes them in JSON: ASCII alone, so that both hash the same bytes.
const quoted = text => JSON.stringify(text).replace(/[^ -~]/g, c => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
export const canonical = v => typeof v === "string" ? quoted(v) : Array.isArray(v) ? "[" + v.map(canonical).join(",") + "]"
  : v && typeof v === "object" ? "{" + Object.keys(v).sort().map(k => quoted(k) + ":" + canonical(v[k])).join(",") + "}" : JSON.stringify(v);
const asked = ({ format, kind, epsilon, delta, fields, labels, question, asked_by }) => ({ format, kind, epsilon, delta, fields, labels, question, asked_by });
export const hashOf = document => sha256(canonical(asked(document)));
export const matterOf = document => { const { asked_by, ...rest } = asked(document); return sha256(canonical(rest)); };

// Fractions: [numerator, denominator].
export function fraction(text) {
  const found = /^(\d{1,400})(?:\/([1-9]\d{0,400}))?$/.exec(text);
  return found ? [BigInt(found[1]), BigInt(found[2] ?? "1")] : refuse("The campaign has a level that cannot be read. Do not answer it.");
}
const gcd = (a, b) => { while (b) [a, b] = [b, a % b]; return a; };
export const add = ([a, b], [c, d]) => { const n = a * d + c * b, m = b * d, g = gcd(n, m) || 1n; return [n / g, m / g]; };
const times = ([a, b], k) => [a * BigInt(k), b];
export const above = ([a, b], [c, d]) => a * d > c * b;
export const text = ([a, b]) => b === 1n ? `${a}` : `${a}/${b}`;
const larger = (a, b) => above(a, b) ? a : b;
export const readLevel = words => {                     // What a person types: 2, 1.5 or 3/2.
  const found = /^(\d{1,9})\.(\d{1,9})$/.exec(words.trim());
  return found ? [BigInt(found[1] + found[2]), 10n ** BigInt(found[2].length)] : fraction(words.trim());
};
export const levelText = level => { const [a, b] = fraction(level), up = (a * 10000n + b - 1n) / b; return `${up / 10000n}.${String(up % 10000n).padStart(4, "0")}`.replace(/\.?0+$/, ""); };

// Bits, and exact draws from them.
export class Bits {
  constructor() { this.pool = new Uint8Array(1024); this.at = 1024; }
  byte() { if (this.at === 1024) { crypto.getRandomValues(this.pool); this.at = 0; } const b = this.pool[this.at]; this.pool[this.at++] = 0; return b; }
  word(size) { let x = 0n; for (let k = 0; k < size; k += 8) x = x << 8n | BigInt(this.byte()); return x; }
}
export function below(n, bits) {                         // A whole number from 0 to n - 1, all equally likely.
  if (n === 1n) return 0n;
  const size = n.toString(2).length + 7 >> 3 << 3, top = (1n << BigInt(size)) / n * n;
  for (;;) { const x = bits.word(size); if (x < top) return x % n; }
}
export function expMinus([a, b], size) {                 // Whole numbers below and above e^(-a/b) · 2^size: a series, halved and squared.
  if (a === 0n) return [1n << BigInt(size), 1n << BigInt(size)];
  let h = 0n; while (a > b << h) h++;
  const g = BigInt(size) + 16n + 2n * h, one = 1n << g;
  let low = one, high = one, term = one, k = 0n;
  for (;;) {
    k++;
    const next = term * a / ((b << h) * k), more = next + 2n;
    if (k & 1n) { low -= more; high -= next; } else { low += next; high += more; }
    term = more;
    if (next === 0n) { low -= 8n * k + 8n; high += 8n * k + 8n; break; }   // A term is at most 4 too large.
  }
  for (let i = 0n; i < h; i++) { low = low * low >> g; high = (high * high >> g) + 1n; }
  const s = g - BigInt(size);
  return [low >> s, (high >> s) + 1n];
}
export const tosser = (a, b, epsilon) => {                      // Heads with chance a/(a + b e^-epsilon).
  const known = new Map();
  const bounds = n => {
    if (!known.has(n)) {
      const m = BigInt(n + 32), [low, high] = expMinus(epsilon, n + 32), one = 1n << m;
      known.set(n, [(a * one << BigInt(n)) / (a * one + b * high), (a * one << BigInt(n)) / (a * one + b * low) + 1n]);
    }
    return known.get(n);
  };
  return bits => { let x = 0n; for (let n = 64; ; n += 64) { x = x << 64n | bits.word(64); const [low, high] = bounds(n); if (x < low) return true; if (x >= high) return false; } };
};

// Channels: how many reports there are, the exact draw, and whether the level is what is claimed.
// Whoever asks may have written the fields by hand, so each is held to what its kind allows.
const cellsOf = (fields, k) => (fields.cell_of ?? Array.from({ length: k }, (_, x) => x)).map(BigInt);
const most = cells => cells.reduce((a, b) => a > b ? a : b);
const few = (k, d) => { let found = 1n; for (let i = 0n; i < d; i++) { found = found * (k - i) / (i + 1n); if (found > 1n << 53n) return false; } return true; };
function response(k, epsilon, cells = cellsOf({}, k)) {
  const count = most(cells) + 1n, keep = tosser(1n, count - 1n, epsilon);
  return { outputs: count, draw(x, bits) {
    const cell = cells[x];
    if (count === 1n || keep(bits)) return cell;
    const other = below(count - 1n, bits);
    return other >= cell ? other + 1n : other;
  } };
}
function prime(n) { for (let p = n; ; p++) { let d = 2n; while (d * d <= p && p % d) d++; if (d * d > p) return p; } }
const choose = (n, m) => { let found = 1n; for (let i = 0n; i < m; i++) found = found * (n - i) / (i + 1n); return found; };
const POLYNOMIALS = { 2: 3n, 4: 7n, 8: 11n, 16: 19n, 32: 37n, 64: 67n, 128: 131n, 256: 283n };
export const BASES = [2, 3, 4, 5, 7, 8, 11, 13, 16, 23, 32, 47, 64, 128, 256];
const KINDS = {
  "randomized-response"(fields, epsilon, k) {
    const cells = fields.cell_of;                        // Cells have the numbers from 0, without gaps.
    if (cells && new Set(cells).size !== most(cells) + 1) unknown();
    return response(k, epsilon, cellsOf(fields, k));
  },
  "subset-selection"({ size }, epsilon, k) {
    const p = prime(BigInt(k));
    if (!whole(size, 1, Number(p) - 1)) unknown();
    const d = BigInt(size), keep = tosser(d, p - d, epsilon);
    return { outputs: p * (p - 1n), draw(x, bits) {
      const place = keep(bits) ? below(d, bits) : d + below(p - d, bits), slope = 1n + below(p - 1n, bits);
      return (slope - 1n) * p + ((place - slope * BigInt(x)) % p + p) % p;
    } };
  },
  "every-set"({ size }, epsilon, categories) {           // A set x1 < x2 < … is the number Σ C(xi, i).
    if (!whole(size, 1, categories - 1) || !few(BigInt(categories), BigInt(Math.min(size, categories >> 1)))) unknown();
    const k = BigInt(categories), d = BigInt(size), keep = tosser(d, k - d, epsilon);
    return { outputs: choose(k, d), draw(x, bits) {
      const own = BigInt(x), holds = keep(bits), count = holds ? d - 1n : d, set = holds ? [own] : [];
      let left = below(choose(k - 1n, count), bits), y = k - 2n;
      for (let i = count; i > 0n; i--) { while (choose(y, i) > left) y--; left -= choose(y, i); set.push(y >= own ? y + 1n : y); }
      return set.sort((a, b) => a < b ? -1 : 1).reduce((sum, member, i) => sum + choose(member, BigInt(i + 1)), 0n);
    } };
  },
  "unary-encoding"(fields, epsilon, k) {
    const rest = tosser(1n, 1n, epsilon), length = (k + 63 >> 6) * 8;
    return { outputs: 1n << BigInt(k), packed: true, draw(x, bits) {
      const row = new Uint8Array(length);
      for (let y = 0; y < k; y++) if (y === x ? bits.byte() & 1 : !rest(bits)) row[y >> 3] |= 128 >> (y & 7);
      return hex(row);
    } };
  },
  "hadamard-response"({ base }, epsilon, k) {
    if (!BASES.includes(base)) unknown();
    const q = BigInt(base), width = BigInt(q.toString(2).length - 1), polynomial = POLYNOMIALS[base];
    let length = 1n; while ((q ** length - 1n) / (q - 1n) < BigInt(k)) length++;
    const digit = (v, j) => v / q ** j % q, whole = f => { let found = 0n; for (let j = 0n; j < length; j++) found = f(found, j); return found; };
    const multiply = (a, b) => { let found = 0n; while (b) { if (b & 1n) found ^= a; a <<= 1n; if (a & q) a ^= polynomial; b >>= 1n; } return found; };
    const product = polynomial ? (one, other) => whole((sum, j) => sum ^ multiply(digit(one, j), digit(other, j)))
      : (one, other) => whole((sum, j) => (sum + digit(one, j) * digit(other, j)) % q);
    const moved = polynomial ? (v, lead, from, to) => v ^ (from ^ to) << lead * width
      : (v, lead, from, to) => v + ((digit(v, lead) + to - from + q) % q - digit(v, lead)) * q ** lead;
    const keep = tosser(1n, q - 1n, epsilon), outputs = q ** length;
    return { outputs, draw(x, bits) {
      let place = BigInt(x), lead = 0n; while (place >= q ** lead) place -= q ** lead++;
      const direction = q ** lead + place, vector = below(outputs, bits), wanted = keep(bits) ? 0n : 1n + below(q - 1n, bits);
      return moved(vector, lead, product(direction, vector), wanted);
    } };
  },
  matrix({ weights, cell_of }, epsilon, k, delta) {
    const rows = weights.map(row => row.map(BigInt)), cells = cellsOf({ cell_of }, k), one = 1n << 62n, [, high] = expMinus(epsilon, 256), scale = 1n << 256n;
    if (!rows.every(row => row.length === rows[0].length && row.every(w => w >= 0n) && row.reduce((a, b) => a + b, 0n) === one) || most(cells) >= BigInt(rows.length)) refuse("The channel's rows do not add up. Do not answer it.");
    // Private when the sum of what exceeds e^epsilon times the other row is at most delta, for every two rows.
    for (const p of rows) for (const q of rows) {
      let over = 0n; p.forEach((w, y) => { const excess = w * high - q[y] * scale; if (excess > 0n) over += excess; });
      if (over * delta[1] > delta[0] * one * high) refuse("The channel is weaker than the campaign says. Do not answer it.");
    }
    return { outputs: BigInt(rows[0].length), rows, draw(x, bits) { let u = bits.word(64) >> 2n; const row = rows[Number(cells[x])]; for (let y = 0n; ; y++) { if (u < row[Number(y)]) return y; u -= row[Number(y)]; } } };
  },
};
export function channelOf(document) {
  const { kind, fields, labels } = document, k = labels?.length, epsilon = fraction(document.epsilon), delta = fraction(document.delta);
  const size = fields?.categories ?? fields?.cell_of?.length ?? fields?.weights?.length;
  if (!Object.hasOwn(KINDS, kind) || size !== k || !whole(k, 2, 1 << 20) || !Array.isArray(labels) || !labels.every(label => typeof label === "string")) unknown();
  if (fields.cell_of && !(Array.isArray(fields.cell_of) && fields.cell_of.length === k && fields.cell_of.every(cell => whole(cell, 0, k - 1)))) unknown();
  if (delta[0] > delta[1]) unknown();
  if (kind !== "matrix" && delta[0]) refuse("The channel is weaker than the campaign says. Do not answer it.");
  return KINDS[kind](fields, epsilon, k, delta);
}

// A campaign: its text as it was signed, and the name that the link carries.
export async function open(file, name) {
  able();
  const lines = file.split("\n"), changed = "The campaign was changed after it was signed, or is another than the link names. Do not answer it; nothing was sent.";
  if (lines.length !== 3 || lines[2]) refuse("This is not a campaign file. Nothing was sent.");
  const found = await sha256(lines[0]);
  if (name && found !== name) refuse(changed);
  let body, seal, holds = false;
  try { body = JSON.parse(lines[0]); seal = JSON.parse(lines[1]); } catch { refuse(changed); }
  let key;
  try { key = await crypto.subtle.importKey("raw", raw(seal.key.replace("ed25519:", "")), "Ed25519", false, ["verify"]); }
  catch (error) { refuse(error.name === "NotSupportedError" ? "This browser cannot check Ed25519 signatures. Nothing was sent. Use a newer one, or `banister collect answer`." : changed); }
  try { holds = await crypto.subtle.verify("Ed25519", key, raw(seal.signature), bytes(lines[0])); } catch { holds = false; }
  if (!holds) refuse(changed);
  if (body?.format !== FORMAT) refuse("The campaign is of another version than this page. Nothing was sent.");
  const strange = () => refuse("The campaign asks in a way that this page does not know. Nothing was sent.");
  if (!Array.isArray(body.questions) || !whole(body.questions.length, 1, 64) || !whole(body.rounds, 1, 1e6) || !whole(body.people, 1, 1e10)) strange();
  if (!["title", "asked_by", "about", "keeps", "until"].every(name => typeof body[name] === "string")) strange();
  const channels = [], matters = [];
  for (const question of body.questions) {
    if (question.format !== "banister-channel/2" || await hashOf(question) !== question.hash) refuse(changed);
    channels.push(channelOf(question)); matters.push(await matterOf(question));
  }
  const second = body.second ? fraction(body.second) : null, kept = body.repeat === "permanent" || body.repeat === "memoised";
  if (!["once", "permanent", "memoised", "fresh"].includes(body.repeat) || !["all", "one"].includes(body.share)) strange();
  // Answers given once are asked for once; in a second round chance could pick another question; only what is kept is blurred again.
  if (body.rounds > 1 && (body.repeat === "once" || body.share === "one") || second && (!kept || channels.some(channel => channel.packed || channel.outputs > 4096n))) strange();
  if (body.repeat === "memoised" && !second) refuse("Memoised answers without a second step would tell when something changed, for certain. Do not answer it.");
  if (kept && !second && channels.some(channel => 20n * channel.outputs > BigInt(body.people))) refuse("A kept report would be a name tag: fewer than twenty people share one. Do not answer it.");
  const rounds = BigInt(body.rounds), charges = body.questions.map(question => { const level = fraction(question.epsilon);
    return body.repeat === "fresh" ? times(level, rounds) : body.repeat === "memoised" ? (rounds === 1n && above(second, level) ? level : times(second, rounds)) : level; });
  const total = body.share === "one" ? charges.reduce(larger) : charges.reduce(add);
  const deltas = body.questions.map(question => times(fraction(question.delta), body.repeat === "fresh" ? rounds : 1n)), delta = body.share === "one" ? deltas.reduce(larger) : deltas.reduce(add);
  if (kept && deltas.some(([a]) => a)) refuse("Kept answers through a channel with delta have no stated loss. Do not answer it.");
  // What another campaign drew may be sent here blurred again, or where enough people share it: else it is a name tag.
  const takes = channels.map(channel => body.repeat === "permanent" || body.repeat === "once" && 20n * channel.outputs <= BigInt(body.people));
  const same = (one, stated) => text(add(one, [0n, 1n])) === text(add(fraction(stated), [0n, 1n]));
  if (!same(total, body.epsilon) || !same(delta, body.delta)) refuse("The campaign states another level than its channels have. Do not answer it.");
  const steps = channels.map(channel => second ? response(Number(channel.outputs), second) : null);
  return { name: found, body, key: seal.key, channels, matters, charges, total, deltas, delta, steps, takes };
}

// The person's own store: what is kept, what was given to whom, what still has to be sent, and the ceiling.
export class Person {
  constructor(storage) { this.storage = storage; }
  get all() {
    const kept = this.storage.getItem(STORE);
    if (!kept) return { format: "banister-person/1", ledger: {}, kept: {}, waiting: {}, ceiling: "" };
    try { return JSON.parse(kept); } catch { return refuse("The store of this browser cannot be read. Restore an exported copy: a second answer would add. Nothing was sent."); }
  }
  save(all) { try { this.storage.setItem(STORE, JSON.stringify(all)); } catch { refuse("This browser has no room left to keep your answer, so nothing was drawn or sent."); } }
  get given() { return Object.values(this.all.ledger).map(one => fraction(one.epsilon)).reduce(add, [0n, 1n]); }
  get givenDelta() { return Object.values(this.all.ledger).map(one => fraction(one.delta ?? "0")).reduce(add, [0n, 1n]); }
  restore(copy) {                                        // An exported copy; what this browser has given since stays.
    let found; try { found = JSON.parse(copy); } catch { found = null; }
    if (found?.format !== "banister-person/1" || !["ledger", "kept", "waiting"].every(name => found[name] && typeof found[name] === "object")) refuse("This is no copy of kept answers as this page writes it. Nothing was changed.");
    const all = this.all;
    for (const [name, one] of Object.entries(found.ledger)) {   // Answered here and there, both drew, and both count.
      fraction(one.epsilon); fraction(one.delta ?? "0");
      const here = all.ledger[name]; all.ledger[here && here.drawn !== one.drawn ? `${name}/${one.drawn}` : name] ??= one;
    }
    all.waiting = { ...found.waiting, ...all.waiting }; all.kept = { ...all.kept, ...found.kept };
    all.ceiling ||= String(found.ceiling ?? ""); this.save(all);
  }
  setCeiling(words) { const all = this.all; if (words) readLevel(words); all.ceiling = words.trim(); this.save(all); }
  cost(campaign, whole = campaign.total, parts = campaign.charges) {
    const all = this.all, { body } = campaign;
    if (all.ledger[campaign.name]) return [0n, 1n];
    if (body.share === "one") return whole;
    // A memoised report was paid for as it passes the second step.
    return parts.filter((_, q) => !(campaign.takes[q] && all.kept[campaign.matters[q]]?.[WHATEVER] !== undefined)).reduce(add, [0n, 1n]);
  }
  answer(campaign, answers, round = 0, bits = new Bits()) {
    const { body, name } = campaign; let all = this.all;
    if (round >= body.rounds) refuse("All rounds of this campaign are answered.");
    if (answers.length !== body.questions.length || !answers.every((x, q) => Number.isInteger(x) && x >= 0 && x < body.questions[q].labels.length)) refuse("Choose an answer to every question.");
    if (body.after && all.ledger[body.after]) refuse("This is the second wave of a campaign whose first wave you answered. It is for other people. Nothing was drawn.");
    const mark = `${name}/${round}`;
    const before = all.waiting[mark] ?? all.refused?.[mark];   // A second draw would add, also after a refusal.
    if (before) { all.waiting[mark] = before; this.save(all); return before; }
    if (all.ledger[name]?.rounds.includes(round)) refuse("You have answered this already. A second answer would give away more.");
    const cost = this.cost(campaign), after = add(this.given, cost);
    if (all.ceiling && above(after, readLevel(all.ceiling))) refuse(`With this answer all that you gave away would be epsilon ${levelText(text(after))}, above your own ceiling of ${all.ceiling}. Nothing was drawn.`);
    const delta = this.cost(campaign, campaign.delta, campaign.deltas);
    if (all.ceiling && delta[0]) refuse("With delta a report may, rarely, tell everything, and your own ceiling allows none. Nothing was drawn.");
    if (!all.ledger[name]) { all.ledger[name] = { title: body.title, asked_by: body.asked_by, epsilon: text(cost), delta: text(add(delta, [0n, 1n])), drawn: hex(crypto.getRandomValues(new Uint8Array(8))), rounds: [] }; this.save(all); all = this.all; }
    const places = body.share === "one" ? [Number(below(BigInt(answers.length), bits))] : answers.map((_, q) => q), reports = {};
    for (const q of places) reports[q] = [this.drawn(all, campaign, q, answers[q], bits)];
    const key = hex(crypto.getRandomValues(new Uint8Array(16)));
    all.waiting[mark] = JSON.stringify({ key, reports });
    this.save(all);                                      // Kept before it is sent.
    return all.waiting[mark];
  }
  drawn(all, { body, channels, matters, steps, takes }, q, x, bits) {
    const channel = channels[q], plain = y => channel.packed ? y : Number(y);
    if (body.repeat === "fresh") return plain(channel.draw(x, bits));
    const kept = all.kept[matters[q]] ??= {}, named = body.repeat === "memoised" ? x : WHATEVER;
    if (body.repeat === "once" && !takes[q] && kept[named] !== undefined) return plain(channel.draw(x, bits));   // Paid for, and not kept.
    kept[named] ??= plain(channel.draw(x, bits));
    return steps[q] ? Number(steps[q].draw(kept[named], bits)) : kept[named];
  }
  taken(name, round) { const all = this.all; delete all.waiting[`${name}/${round}`]; all.ledger[name].rounds.push(round); this.save(all); }
  gone(name, round) { const all = this.all, mark = `${name}/${round}`; all.refused = { ...all.refused, [mark]: all.waiting[mark] }; delete all.waiting[mark]; this.save(all); }
}

// Send what waits. A collector that cannot be reached is asked again later, with the same bytes.
export async function send(person, name, round, address) {
  const body = person.all.waiting[`${name}/${round}`];
  if (!body) return "sent";
  let answer;
  try { answer = await fetch(`${address}/c/${name}/reports`, { method: "POST", body, credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer" }); }
  catch { return "waits"; }
  if (answer.status === 204) { person.taken(name, round); return "sent"; }
  if (answer.status === 429 || answer.status >= 500) return "waits";
  person.gone(name, round);
  return refuse((await answer.json().catch(() => ({}))).refused ?? "The collector does not take this report.");
}
