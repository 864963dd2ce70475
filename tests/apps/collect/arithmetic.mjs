// Draws with every operation of the client watched: node --expose-internals arithmetic.mjs client.mjs < documents.json
// Each arithmetic operator of the source becomes a call that sees its operands. Whole numbers that a double holds exactly
// (places in an array, counters) are told apart from the rest, which would be floating point.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
const acorn = createRequire(import.meta.url)("internal/deps/acorn/acorn/dist/acorn");
const source = readFileSync(process.argv[2], "utf8");
const WATCHED = new Set(["+", "-", "*", "/", "%", "**"]);

function emit(node) {
  const inside = [];
  for (const value of Object.values(node)) for (const one of Array.isArray(value) ? value : [value]) if (one && typeof one.type === "string") inside.push(one);
  if (node.type === "BinaryExpression" && WATCHED.has(node.operator)) return `__op("${node.operator}", ${emit(node.left)}, ${emit(node.right)})`;
  if (node.type === "AssignmentExpression" && node.left.type === "Identifier" && WATCHED.has(node.operator.slice(0, -1))) return `${node.left.name} = __op("${node.operator.slice(0, -1)}", ${node.left.name}, ${emit(node.right)})`;
  if (node.type === "Property" && node.shorthand) return source.slice(node.start, node.end);
  inside.sort((a, b) => a.start - b.start);
  let made = "", at = node.start;
  for (const one of inside) { made += source.slice(at, one.start) + emit(one); at = one.end; }
  return made + source.slice(at, node.end);
}

const seen = { whole: 0, exact: 0, floating: 0, functions: 0 };
let drawing = false;
const RUN = { "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => a / b, "%": (a, b) => a % b, "**": (a, b) => a ** b };
globalThis.__op = (name, a, b) => {
  const found = RUN[name](a, b);
  if (drawing && typeof found !== "string") {
    if (typeof found === "bigint") seen.whole++;
    else if (name !== "/" && name !== "**" && [a, b, found].every(Number.isSafeInteger)) seen.exact++;
    else seen.floating++;
  }
  return found;
};
globalThis.__math = new Proxy(Math, { get(target, name) { if (drawing) seen.functions++; return target[name]; } });
const made = "const Math = __math;\n" + emit(acorn.parse(source, { ecmaVersion: "latest", sourceType: "module" }));
const client = await import("data:text/javascript;base64," + Buffer.from(made).toString("base64"));
const bits = new client.Bits(), drawn = [];
for (const document of JSON.parse(readFileSync(0, "utf8"))) {
  const channel = client.channelOf(document);
  drawing = true;
  for (let i = 0; i < 200; i++) drawn.push(channel.draw(i % document.labels.length, bits));
  drawing = false;
}
console.log(JSON.stringify({ ...seen, draws: drawn.length, kinds: drawn.every(y => typeof y === "bigint" || typeof y === "string") }));
