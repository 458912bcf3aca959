"use strict";
/* The stepper. The page's data (bot/archive/replay) are views of the game by step and viewer; nothing here knows a rule.
   What players wrote is only ever set as text. */
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const { steps, sentences, paths, values, board, viewers, seats } = data;
const el = (id) => document.getElementById(id);
const factions = Object.keys(seats);
const TURN = 0, PHASE = 1, ENTRY = 2, TOLD = 3, ALONE = 4, WENT = 5, BOARD = 6, CLAUSE = 7, BATTLE = 8, SCENE = 9;
const NOTHING = 0, ALIKE = -1, ALL_SEEING = "gm", LONG = 400, LATEST = 3, PART = 100, PACE = 1400;

/* --- views: what a viewer saw at a step ----------------------------------------------------------------------- */

class Track {
  constructor(rows, empty) {
    this.rows = rows; this.empty = empty; this.at = -1;
    this.now = new Int32Array(paths.length).fill(empty);
  }
  to(step) {
    if (step < this.at) { this.now.fill(this.empty); this.at = -1; }
    while (this.at < step) {
      const row = this.rows[++this.at];
      for (let k = 0; k < row.length; k += 2) this.now[row[k]] = row[k + 1];
    }
    return this.now;
  }
}
const tracks = data.tracks.map((rows, number) => new Track(rows, number ? ALIKE : NOTHING));

function view(viewer, step) {
  const number = viewers.indexOf(viewer);
  const open = tracks[0].to(step), mine = number > 0 ? tracks[number].to(step) : null;
  const made = [{}];
  const inside = (path) => {
    if (!made[path[0]]) {
      made[path[0]] = inside(paths[path[0]])[paths[path[0]][1]] = typeof path[1] === "number" ? [] : {};
    }
    return made[path[0]];
  };
  for (let path = 1; path < paths.length; path++) {
    const value = mine && mine[path] !== ALIKE ? mine[path] : open[path];
    if (value !== NOTHING) inside(paths[path])[paths[path][1]] = values[value];
  }
  return made[0];
}

/* --- words ---------------------------------------------------------------------------------------------------- */

const name = (word) => Object.hasOwn(data.names, word) ? data.names[word] : String(word);
const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);
const listed = (words) => words.length < 2 ? words.join("") : words.slice(0, -1).join(", ") + " and " + words.at(-1);
/* Signs that turn the direction of all that follows have no meaning in a sentence; letters keep their own direction. */
const readable = (words) => words.replace(/[\u202a-\u202e\u2066-\u2069]/g, "");
const called = (viewer) => viewer === "public" ? "the public" : name(viewer);
const phaseName = (step) => data.phases[steps[step][PHASE]][1];
const isSetup = (step) => data.phases[steps[step][PHASE]][0] === "setup";
const where = (step) => isSetup(step) ? capital(phaseName(step)) : "Turn " + steps[step][TURN] + " · " + capital(phaseName(step));

function toldTo(viewer, step) {
  const row = steps[step], number = viewers.indexOf(viewer) - 1;
  if (viewer === ALL_SEEING) return row[TOLD] || (row[ALONE] ? Object.values(row[ALONE])[0] : 0);
  return row[ALONE] && number in row[ALONE] ? row[ALONE][number] : row[TOLD];
}

/* What only some were told, for who sees everything: [who, sentence]. */
function aside(step) {
  const row = steps[step], found = new Map();
  for (const [number, sentence] of Object.entries(row[ALONE] || {})) {
    found.set(sentence, [...(found.get(sentence) || []), name(viewers[+number + 1])]);
  }
  return [...found].map(([sentence, who]) => [listed(who), sentences[sentence]]);
}

/* --- steps of four sizes -------------------------------------------------------------------------------------- */

const block = (step) => isSetup(step) ? 0 : steps[step][TURN];
const chapter = (step) => block(step) * PART + steps[step][PHASE];
const keyOf = { event: (n) => n, decision: (n) => steps[n][ENTRY], phase: chapter, turn: block };
const last = steps.length - 1;
const starts = [], lengths = [];
steps.forEach((_, n) => {
  const b = block(n);
  if (starts[b] === undefined) { starts[b] = n; lengths[b] = 0; }
  lengths[b]++;
});
const lastBlock = block(last);

/* Where a step of this size leads; the step itself where there is none. Events and decisions of which the viewer was
   told nothing are passed over; a decision is shown at its end, a phase and a turn at their beginning. */
function onward(viewer, size, from, way) {
  const key = keyOf[size];
  let n = from + way;
  if (size === "event") {
    while (n >= 0 && n <= last && !toldTo(viewer, n)) n += way;
    return n < 0 || n > last ? from : n;
  }
  if (size === "decision") {
    const before = key(from);
    let found = from;
    for (; n >= 0 && n <= last; n += way) {
      if (found !== from && key(n) !== key(found)) break;
      if ((way > 0 || key(n) !== before) && toldTo(viewer, n) && (found === from || way > 0)) found = n;
    }
    return found;
  }
  if (way > 0) {
    while (n <= last && key(n) === key(from)) n++;
    return n > last ? from : first(viewer, n, key);
  }
  let start = from;
  while (start > 0 && key(start - 1) === key(from)) start--;
  if (first(viewer, start, key) >= from) {
    if (start === 0) return Math.min(from, first(viewer, 0, key));
    start--;
    const before = key(start);
    while (start > 0 && key(start - 1) === before) start--;
  }
  return first(viewer, start, key);
}

function first(viewer, start, key) {
  for (let n = start; n <= last && key(n) === key(start); n++) if (toldTo(viewer, n)) return n;
  return start;
}

/* --- small pieces of the page --------------------------------------------------------------------------------- */

const SVG = "http://www.w3.org/2000/svg";
function made(tag, attributes, ...inner) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
  node.append(...inner);
  return node;
}
function drawn(tag, attributes, words) {
  const node = document.createElementNS(SVG, tag);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  if (words !== undefined) node.textContent = words;
  return node;
}
const discOf = (faction) => board.discs[faction] || [name(faction)[0], "#221b12", "#ffffff"];
function disc(faction) {
  const [letter, ground, ink] = discOf(faction);
  const node = made("span", { class: "disc", "aria-hidden": "true" }, letter);
  node.style.background = ground; node.style.color = ink;
  return node;
}
function who(faction, after) {
  return made("span", { class: "who" }, disc(faction), name(faction) + (after || ""));
}
function counted(forces) {
  const [ordinary, elite] = String(forces).split("+").map(Number);
  return [ordinary || 0, elite || 0];
}
function total(list) {
  const sum = [0, 0];
  for (const forces of list) { const [a, b] = counted(forces); sum[0] += a; sum[1] += b; }
  return sum[1] ? sum[0] + "+" + sum[1] : String(sum[0]);
}
const territory = (area) => area.split("/")[0];

/* --- the board ------------------------------------------------------------------------------------------------ */

const MOBILE = "hidden-mobile-stronghold";
const doorOf = (seen) => (seen.hms && seen.hms.at) || null;

/* What the viewer sees lying in an area, where the page's data say that it goes. */
function stacksOf(seen, step) {
  const [size, ...places] = data.boards[steps[step][BOARD]];
  return places.map((number) => {
    const [area, label, u, v, card, laid] = data.places[number], here = seen.forces[area] || {};
    const tokens = laid.map(([owner, x, y, width, height]) => {
      if (!owner) return { empty: true, x, y, width, height };
      if (owner === "spice") return { spice: true, words: String(seen.spice[area] || ""), x, y, width, height };
      const [letter, ground, ink] = discOf(owner), apart = owner === "bene-gesserit" && seen.coexisting.includes(territory(area));
      return { owner, words: here[owner] ? letter + " " + here[owner] : "", ground, ink, elite: counted(here[owner])[1] > 0, apart, x, y, width, height };
    }).filter((token) => token.empty || token.words);
    const says = tokens.map((token) => (token.words || "") + (token.apart ? " apart" : "")).join(", ");
    return { area, number, label: label ? label.split("\n") : [], u, v, card, tokens, size, says };
  });
}

function layers(pane) {
  pane.layers = Object.fromEntries(["held", "storm", "ways", "seats", "stacks"].map((layer) => [layer, drawn("g", {})]));
  pane.stacks = new Map();
  pane.tokens.append(...Object.values(pane.layers));
  for (const faction of factions) {
    const [x, y] = board.dots[seats[faction]], [letter, ground, ink] = discOf(faction);
    pane.layers.seats.append(drawn("circle", { class: "seat", cx: x, cy: y, r: 18, fill: ground }), drawn("text", { class: "seat-letter", x, y: y + 8, fill: ink }, letter));
  }
}

function draw(pane, seen, step, ways) {
  if (!pane.layers) layers(pane);
  const { storm, stacks, held, ways: arrows } = pane.layers;
  pane.svg.classList.toggle("wall-gone", !seen.shield_wall);
  const lowest = Math.max(988, ...stacksOf(seen, step).filter((stack) => stack.card).map(({ card }) => card[1] + card[3]));
  pane.svg.setAttribute("viewBox", "10 4 980 " + (lowest + 4));
  if (pane.storm !== seen.storm) {
    pane.storm = seen.storm;
    const printed = pane0.svg.querySelectorAll(".sector")[seen.storm - 1];
    storm.replaceChildren(drawn("path", { class: "storm", d: board.storm[seen.storm - 1] }), drawn("path", { class: "storm-lines", d: board.storm[seen.storm - 1] }),
      drawn("text", { class: "storm-number", x: printed.getAttribute("x"), y: printed.getAttribute("y") }, String(seen.storm)));
  }
  const found = stacksOf(seen, step), left = new Set(pane.stacks.keys());
  for (const stack of found) {
    left.delete(stack.area);
    const before = pane.stacks.get(stack.area);
    const fresh = pane.accent && (before ? before.says : "") !== stack.says;
    const key = [stack.number, stack.size, stack.says, fresh].join("|");
    if (before && before.key === key) continue;
    const node = drawn("g", {});
    node.append(...stackAt(stack, fresh));
    if (before) before.node.replaceWith(node); else stacks.append(node);
    pane.stacks.set(stack.area, { key, says: stack.says, node });
  }
  held.replaceChildren(...tint(seen));
  for (const area of left) { pane.stacks.get(area).node.remove(); pane.stacks.delete(area); }
  const key = JSON.stringify(ways);
  if (pane.ways !== key) {
    pane.ways = key;
    const at = new Map(found.filter((stack) => stack.tokens.length).map((stack) => [stack.area, bodyOf(stack)]));
    arrows.replaceChildren(...ways.flatMap(([faction, source, target, shipped]) => arrow(at, faction, source, target, shipped)));
  }
}

/* An area has the colour of who holds it; two colours at its border where it is contested. */
function tint(seen) {
  return Object.entries(seen.forces).flatMap(([area, here]) => {
    const ground = pane0.svg.querySelector('[data-area="' + area + '"]'), all = Object.keys(here);
    const owners = all.filter((one) => one !== "bene-gesserit" || !seen.coexisting.includes(territory(area)));
    const colours = (owners.length ? owners : all).map((one) => discOf(one)[1]), d = ground && ground.getAttribute("d");
    if (!d) return [];
    const fill = colours.length === 1 ? colours[0] : "none";
    return colours.slice(0, 2).map((colour, n) => drawn("path", { class: n ? "tint second" : "tint", d, fill, stroke: colour }));
  });
}

/* The box around the tokens of a stack, or the end of the line of a card: where arrows end. */
function bodyOf({ card, tokens }) {
  if (card) return { x: card[4], y: card[5], width: 0, height: 0 };
  const edge = (way, side, size) => Math.max(...tokens.map((token) => way * token[side] + token[size] / 2));
  const [left, right, top, bottom] = [-edge(-1, "x", "width"), edge(1, "x", "width"), -edge(-1, "y", "height"), edge(1, "y", "height")];
  return { x: (left + right) / 2, y: (top + bottom) / 2, width: right - left, height: bottom - top };
}

function stackAt(stack, fresh) {
  const found = [], { card, area, label, u, v } = stack;
  if (card) {
    const [left, top, width, height, x, y] = card, mobile = area === MOBILE;
    const near = [Math.min(Math.max(x, left), left + width), Math.min(Math.max(y, top), top + height)];
    found.push(drawn("line", { class: "leader-line" + (mobile ? " pointer" : ""), x1: near[0], y1: near[1], x2: x, y2: y }));
    found.push(drawn("circle", { class: "leader-dot", cx: x, cy: y, r: mobile ? 8 : 6 }));
    found.push(drawn("rect", { class: mobile ? "card-box mobile" : "card-box", x: left, y: top, width, height, rx: 8 }));
  }
  if (fresh && stack.tokens.length) {
    const { x, y, width, height } = card ? { x: card[0] + card[2] / 2, y: card[1] + card[3] / 2, width: card[2], height: card[3] } : bodyOf(stack);
    found.push(drawn("rect", { class: "new", x: x - width / 2 - 5, y: y - height / 2 - 5, width: width + 10, height: height + 10, rx: 16 }));
  }
  for (const token of stack.tokens) found.push(...tokenAt(token, stack.size));
  label.forEach((line, n) => found.push(drawn("text", { class: "name" + (card ? " plain" : "") + (area === MOBILE ? " on-dark" : ""), x: u, y: v + 9 + (n - (label.length - 1) / 2) * 27 }, line)));
  return found;
}

function tokenAt(token, size) {
  const { x, y, width, height } = token;
  if (token.empty) return [drawn("circle", { class: "empty", cx: x, cy: y, r: width * 0.4 })];
  if (token.spice) {
    const far = width / 2;
    return [
      drawn("polygon", { class: "token spice", points: `${x},${y - far} ${x + far},${y} ${x},${y + far} ${x - far},${y}` }),
      drawn("text", { class: "spice-count", x, y: y + size * 0.31, "font-size": size * 0.86 }, token.words),
    ];
  }
  const ring = token.elite ? height * 0.18 : 0;
  const pill = (around, css, flat = around) => drawn("rect", { class: css, x: x - (width - around) / 2, y: y - (height - flat) / 2, width: width - around, height: height - flat, rx: (height - flat) / 2, fill: token.ground });
  const found = token.elite ? [pill(0, "elite")] : [];
  found.push(pill(ring, "token"), ...(token.apart ? [pill(ring, "apart"), pill(height * 0.62, "", 6)] : []));
  found.push(drawn("text", { class: "count", x, y: y + size * 0.36, "font-size": size, fill: token.ink }, token.words));
  return found;
}

function arrow(at, faction, source, target, shipped) {
  const place = (area) => area === null ? null : at.has(area) ? [at.get(area).x, at.get(area).y] : (board.areas[area] || [500, 498]).slice(0, 2);
  const edge = ([x, y]) => { const far = Math.hypot(x - 500, y - 498) || 1; return [500 + (x - 500) / far * 455, 498 + (y - 498) / far * 455]; };
  const there = place(target), here = place(source);
  const begin = here || edge(there || [500, 40]), end = there || edge(here || [500, 40]);
  const far = Math.hypot(end[0] - begin[0], end[1] - begin[1]) || 1;
  const p = (begin[0] + end[0]) / 2 - (end[1] - begin[1]) * 0.14, q = (begin[1] + end[1]) / 2 + (end[0] - begin[0]) * 0.14;
  const box = target === null ? null : at.get(target);
  const across = Math.abs(p - end[0]) || 1, down = Math.abs(q - end[1]) || 1;
  const stop = box ? Math.min((box.width / 2 + 16) / across, (box.height / 2 + 16) / down, 0.7) : Math.min(0.45, 20 / far);
  const tip = [end[0] + (p - end[0]) * stop, end[1] + (q - end[1]) * stop];
  const turn = Math.atan2(end[1] - q, end[0] - p), colour = discOf(faction)[1];
  const d = `M${begin[0]} ${begin[1]}Q${p} ${q} ${tip[0]} ${tip[1]}`;
  const css = shipped ? "way shipped" : "way";
  const side = (bend) => `${tip[0] - 24 * Math.cos(turn + bend)},${tip[1] - 24 * Math.sin(turn + bend)}`;
  const front = [tip[0] + 8 * Math.cos(turn), tip[1] + 8 * Math.sin(turn)];
  return [
    drawn("path", { class: "way edge" + (shipped ? " shipped" : ""), d }), drawn("path", { class: css, d, stroke: colour }),
    drawn("polygon", { points: `${front[0]},${front[1]} ${side(0.5)} ${side(-0.5)}`, fill: colour, stroke: "var(--edge)", "stroke-width": 2 }),
  ];
}

/* --- the auction and the battle, as they happen ---------------------------------------------------------------- */

const BEGUN = 0, DECIDED = 2, SPENT = 3;

function sceneAt(step) {
  const acts = [];
  for (let n = step; n >= 0 && chapter(n) === chapter(step); n--) {
    const act = steps[n][SCENE];
    if (!act) continue;
    acts.unshift(act);
    if (act[0] === "card" || steps[n][BATTLE]) return acts;
  }
  return [];
}

function auction([[, number, of], ...acts]) {
  const bids = new Map();
  let sold = null;
  for (const [what, faction, amount] of acts) {
    if (what === "sold") sold = [faction, amount];
    else { const before = bids.get(faction); bids.delete(faction); bids.set(faction, what === "pass" ? { pass: true, amount: before && before.amount } : { amount: amount || "Karama" }); }
  }
  const best = Math.max(0, ...[...bids.values()].map((bid) => +bid.amount || 0));
  const row = (faction, bid) => made("li", { class: bid.pass ? "out" : bid.amount === best || bid.amount === "Karama" ? "best" : "" }, who(faction), made("b", {}, bid.pass ? (bid.amount ? bid.amount + ", then passed" : "passed") : String(bid.amount)));
  const end = sold ? [made("p", { class: "came" }, who(sold[0]), sold[1] ? " bought it for " + sold[1] + " spice." : " took it by Karama.")] : [];
  return [made("h3", {}, "Card " + number + " of " + of), made("ul", { class: "bids" }, ...[...bids].map(([faction, bid]) => row(faction, bid))), ...end];
}

const factionCalled = (words) => factions.find((faction) => name(faction) === words) || words;
function battle(acts) {
  const [place, sides, rows, about] = data.fights[acts[0][1]];
  const reached = Math.max(...acts.map((act) => act[2])), stage = reached === DECIDED && acts.at(-1)[2] === BEGUN ? SPENT : reached;
  const shown = stage === BEGUN ? [] : stage === SPENT ? rows : rows.slice(0, -1);
  const table = made("table", {}, made("thead", {}, made("tr", {}, made("td", {}), ...sides.map(([side, score, result]) =>
    made("th", { scope: "col", class: stage >= DECIDED && result === "won" ? "best" : "" }, who(factionCalled(side)), made("b", {}, stage >= DECIDED ? [score, result].filter(Boolean).join(" ") : ""))))),
    made("tbody", {}, ...shown.map(([label, ...cells]) => made("tr", {}, made("th", { scope: "row" }, label), ...cells.map((cell) => made("td", {}, cell))))));
  return [made("h3", {}, "Battle in " + place), ...(stage === BEGUN ? [made("p", {}, about)] : [table])];
}

function stage(step) {
  const acts = sceneAt(step), node = el("scene"), key = JSON.stringify(acts);
  node.hidden = !acts.length;
  node.className = acts.length && acts[0][0] === "battle" && data.fights[acts[0][1]][4] ? "high" : "";
  if (node.dataset.key === key) return;
  node.dataset.key = key;
  node.replaceChildren(...(!acts.length ? [] : acts[0][0] === "card" ? auction(acts) : battle(acts)));
}

/* --- tables and panel: only what changed is written anew ---------------------------------------------------------- */

/* What stands in a cell: words, and factions with their discs as { who, after }. */
function write(pane, node, key, parts, css) {
  const words = JSON.stringify(parts), before = pane.cells.get(key);
  pane.fresh.set(key, words);
  const wanted = (css || "") + (pane.accent && before !== words ? " ch" : "");
  if (node.className !== wanted) node.className = wanted;
  if (node.words === words) return;
  node.words = words;
  node.replaceChildren(...parts.map((part) => typeof part === "string" ? part : who(part.who, part.after)));
}

/* The rows of a body or of a list: made or taken away until there are as many, then written. */
function rowsOf(body, many, row) {
  while (body.children.length > many) body.lastChild.remove();
  while (body.children.length < many) body.append(row());
  return [...body.children];
}

function headed(table, heads, caption) {
  const words = JSON.stringify(heads);
  if (table.words !== words) {
    table.words = words;
    const head = made("tr", {}, ...heads.map((one) => made("th", { scope: "col" }, one)));
    table.replaceChildren(made("caption", { class: caption }), made("thead", {}, head), made("tbody"));
  }
  return table.tBodies[0];
}
const rowWith = (cells) => () => made("tr", {}, made("th", { scope: "row" }), ...Array.from({ length: cells }, () => made("td")));

const COLUMNS = [
  ["Spice", (seen, f) => seen.players[f].spice],
  ["Cards", (seen, f) => seen.players[f].hand_count],
  ["Board", (seen, f) => total(Object.values(seen.forces).map((here) => here[f]).filter(Boolean))],
  ["Reserve", (seen, f) => seen.players[f].reserves],
  ["Tanks", (seen, f) => seen.players[f].tanks],
  ["Leaders", (seen, f) => Object.values(seen.players[f].leaders).filter((one) => one === "ready" || one === "used").length],
];

function playersTable(pane, seen) {
  const all = COLUMNS.map(([head, of]) => [head, factions.map((f) => of(seen, f))]);
  const shown = all.filter(([, cells]) => cells.filter((one) => one !== null).length > 1 || factions.length === 1);
  const body = headed(pane.players, ["Faction", ...shown.map(([head]) => head)], "unseen");
  pane.players.caption.textContent = "The players";
  rowsOf(body, factions.length, rowWith(shown.length)).forEach((row, number) => {
    const faction = factions[number];
    write(pane, row.cells[0], "f " + faction, [{ who: faction }]);
    shown.forEach(([head, column], cell) => write(pane, row.cells[cell + 1], faction + head, [column[number] === null ? "–" : String(column[number])]));
  });
}

function placesTable(pane, seen) {
  const areas = [...Object.keys(board.areas), MOBILE].filter((area) => seen.forces[area] || seen.spice[area]);
  const body = headed(pane.places, ["Area", "Who and how many", "Spice"], "");
  write(pane, pane.places.caption, "caption", ["The board: storm in sector " + seen.storm + ", the Shield Wall " + (seen.shield_wall ? "stands" : "is gone") + (doorOf(seen) ? ", the Hidden Mobile Stronghold points at " + name(doorOf(seen)) : "")]);
  rowsOf(body, areas.length, rowWith(2)).forEach((row, number) => {
    const area = areas[number], parts = [];
    for (const [faction, forces] of Object.entries(seen.forces[area] || {})) {
      const apart = faction === "bene-gesserit" && seen.coexisting.includes(territory(area));
      if (parts.length) parts.push(", ");
      parts.push({ who: faction, after: " " + forces }, apart ? (seen.advisors.length ? " (advisors)" : " (apart)") : "");
    }
    write(pane, row.cells[0], "area " + area, [name(area)]);
    write(pane, row.cells[1], "in " + area, parts);
    write(pane, row.cells[2], "spice " + area, [seen.spice[area] ? String(seen.spice[area]) : ""]);
  });
}

function fate(leaders) {
  const dead = Object.entries(leaders).filter(([, one]) => one === "dead" || one === "face-down" || one === "captured");
  return dead.map(([leader, one]) => name(leader) + (one === "captured" ? " (captured)" : "")).join(", ");
}

function secrets(known) {
  const found = [];
  if (known.traitors && known.traitors.length) found.push("in their pay: " + listed(known.traitors.map(name)));
  if (known.prediction) found.push("predicted: " + name(known.prediction.faction) + ", turn " + known.prediction.turn);
  const held = Object.keys(known.captured || {});
  if (held.length) found.push("holds captive: " + listed(held.map(name)));
  if (typeof known.next_storm === "number") found.push("storm marker: " + known.next_storm);
  return found;
}

function panel(pane, seen) {
  const lines = [];
  const line = (key, label, words) => lines.push([key, label, words]);
  if (seen.winner.length) line("winner", "Won", listed(seen.winner.map(name)));
  const revealed = pane.viewer === ALL_SEEING ? factions : factions.includes(pane.viewer) ? [pane.viewer] : [];
  for (const faction of revealed) {
    const player = seen.players[faction], known = pane.viewer === ALL_SEEING ? seen.known[faction] : seen.known;
    const holds = player.hand.length ? player.hand.map(name).join(", ") : "no cards";
    line("hand " + faction, name(faction), [capital(holds), ...secrets(known)].join("; "));
    if (pane.viewer !== ALL_SEEING) line("spice " + faction, "Spice", player.spice + " behind the shield, reserves " + player.reserves);
  }
  if (!revealed.length) line("seen", "Seen", "What everybody at the table saw. Choose a faction to look behind its shield.");
  if (seen.alliances.length) line("alliances", "Allied", seen.alliances.map((group) => listed(group.map(name))).join("; "));
  const asked = seen.questions.map((one) => (one.faction ? name(one.faction) : "everybody") + " (" + (data.duties[one.kind] || one.kind) + (one.subject && name(one.subject) !== one.subject ? ", " + name(one.subject) : "") + ")");
  if (asked.length) line("asked", "Asked now", [...new Set(asked)].join(", "));
  const tanks = factions.map((faction) => fate(seen.players[faction].leaders)).filter(Boolean).join(", ");
  if (tanks) line("dead", "Leaders lost", tanks);
  const fought = Object.entries(seen.leaders_on_board).map(([place, leaders]) => listed(leaders.map(name)) + " in " + name(place));
  if (fought.length) line("fought", "Leaders out", fought.join("; "));
  if (seen.kwisatz_haderach) line("kh", "Kwisatz Haderach", seen.kwisatz_haderach + (seen.kwisatz_haderach === "locked" && seen.lost_in_battle ? " (" + seen.lost_in_battle + " lost in battle)" : ""));
  if (seen.discard.length) line("discard", "Discards", seen.discard.map(name).join(", "));
  const latest = (all) => (all.length > LATEST ? ["… and " + (all.length - LATEST) + " earlier", ...all.slice(-LATEST)] : all).join("\n");
  if (seen.deals.length) line("deals", "Deals", latest(seen.deals.map((deal) => "Turn " + deal.turn + ", " + listed(deal.parties.map(name)) + ": " + readable(deal.text))));
  if (seen.truths.length) line("truths", "Truthtrance", latest(seen.truths.map((truth) => readable(String(truth)))));
  const nodes = rowsOf(pane.panel, lines.length, () => made("div", {}, made("dt"), made("dd", { dir: "auto" })));
  lines.forEach(([key, label, words], number) => {
    const [term, said] = nodes[number].children;
    if (term.textContent !== label) term.textContent = label;
    write(pane, said, "panel " + key, [words]);
  });
}

/* --- panes: one viewer each ----------------------------------------------------------------------------------- */

function paneOf(letter, viewer) {
  const root = document.querySelector(".pane." + letter);
  return {
    root, viewer, title: root.querySelector("h2"), second: root.querySelector(".second"), svg: root.querySelector("svg"),
    tokens: root.querySelector(".tokens"), panel: root.querySelector(".panel"), players: root.querySelector(".players"),
    places: root.querySelector(".places"), cells: new Map(), fresh: new Map(), accent: false, shown: null, at: -1,
  };
}
const pane0 = paneOf("a", "public"), pane1 = paneOf("b", "");
let at = 0, size = "decision", revealed = false;

function show(pane, step) {
  pane.accent = pane.shown === pane.viewer && pane.at !== step;
  if (pane.shown === pane.viewer && pane.at === step) return;
  const seen = view(pane.viewer, step);
  const entry = steps[step][ENTRY], ways = [];
  for (let n = step; n >= 0 && steps[n][ENTRY] === entry && chapter(n) === chapter(step) && (n === step || size !== "event"); n--) {
    ways.unshift(...(steps[n][WENT] || []));
  }
  pane.fresh = new Map();
  draw(pane, seen, step, ways);
  panel(pane, seen);
  playersTable(pane, seen);
  placesTable(pane, seen);
  pane.cells = pane.fresh;
  pane.title.textContent = pane.viewer === "public" ? "As the public saw it" : pane.viewer === ALL_SEEING ? "Everything" : "As " + name(pane.viewer) + " saw it";
  pane.at = step; pane.shown = pane.viewer;
}

/* The sentences that belong to a step: the one of the event, or all of the decision that ends here. */
function told(viewer, step) {
  const found = [];
  for (let n = step; n >= 0 && steps[n][ENTRY] === steps[step][ENTRY] && chapter(n) === chapter(step) && (n === step || size === "decision"); n--) {
    const sentence = toldTo(viewer, n);
    if (sentence) found.unshift(n);
  }
  return found;
}

const unheard = (viewer) => viewer === ALL_SEEING ? "Nothing was told here." : capital(called(viewer)) + " heard nothing of this.";

function paragraph(words, id) {
  const node = made("p", { dir: "auto", ...(id ? { id } : {}) }, readable(words));
  if (words.length > LONG) { node.classList.add("long"); node.tabIndex = 0; node.setAttribute("role", "group"); node.setAttribute("aria-label", "A long sentence"); }
  return node;
}

function render() {
  const two = Boolean(pane1.viewer);
  document.querySelector("main").classList.toggle("two", two);
  pane1.root.hidden = !two;
  el("where").textContent = where(at);
  el("in-full").href = "turn-" + String(Math.max(1, steps[at][TURN])).padStart(2, "0") + ".html";
  const events = told(pane0.viewer, at);
  const words = events.map((n) => sentences[toldTo(pane0.viewer, n)]);
  const key = JSON.stringify(words);
  if (key !== el("told").dataset.key) {
    el("told").dataset.key = key;
    el("told").replaceChildren(...(words.length ? words : [unheard(pane0.viewer)]).map((one, number) => paragraph(one, number ? "" : "sentence")));
  }
  const asides = pane0.viewer === ALL_SEEING ? events.flatMap((n) => aside(n).filter(([, one]) => one !== sentences[toldTo(ALL_SEEING, n)]).map(([whom, one]) => "Only " + whom + " heard: " + one)) : [];
  el("asides").replaceChildren(...asides.map((one) => paragraph(one)));
  const clauses = [...new Set((events.length ? events : [at]).map((n) => steps[n][CLAUSE]).filter(Boolean))].map((n) => data.clauses[n - 1]);
  el("why").hidden = !clauses.length;
  el("clauses").textContent = clauses.map(([id]) => id).join(", ");
  el("rules").replaceChildren(...clauses.map(([id, rule]) => made("p", {}, made("b", {}, id), " ", rule)));
  show(pane0, at);
  if (two) {
    show(pane1, at);
    const heard = told(pane1.viewer, at).map((n) => readable(sentences[toldTo(pane1.viewer, n)])).join(" ");
    pane1.second.textContent = heard || unheard(pane1.viewer);
    pane1.second.classList.toggle("long", heard.length > LONG);
    if (heard.length > LONG) pane1.second.tabIndex = 0; else pane1.second.removeAttribute("tabindex");
  }
  stage(at);
  controls();
  address();
}

/* --- controls ------------------------------------------------------------------------------------------------- */

const mostBlocks = () => revealed ? lastBlock : Math.max(data.most_turns, lastBlock);
const sliderOf = (step) => block(step) * PART + Math.floor((step - starts[block(step)]) / lengths[block(step)] * PART);
function stepOf(value) {
  const b = Math.floor(value / PART);
  if (b > lastBlock || value >= (lastBlock + 1) * PART - 1) return last;
  let start = b;
  while (starts[start] === undefined) start++;
  return start === b ? starts[b] + Math.floor((value % PART) / PART * lengths[b]) : starts[start];
}

function controls() {
  const slider = el("slider");
  const most = (mostBlocks() + 1) * PART - 1;
  if (+slider.max !== most) { slider.max = most; el("most").textContent = "Turn " + mostBlocks(); turnChoices(); }
  if (stepOf(+slider.value) !== at) slider.value = at === last && revealed ? most : sliderOf(at);
  slider.setAttribute("aria-valuetext", where(at));
  el("back").disabled = onward(pane0.viewer, size, at, -1) === at;
  el("next").disabled = onward(pane0.viewer, size, at, 1) === at;
  el("back").setAttribute("aria-label", "One " + size + " back");
  el("next").setAttribute("aria-label", "One " + size + " on");
  el("as").value = pane0.viewer;
  el("beside").value = pane1.viewer;
  el("turn").value = String(block(at));
  el("phase").value = data.phases[steps[at][PHASE]][0];
  el("end").hidden = revealed;
  el("ruling").hidden = !viewers.includes(ALL_SEEING) || isSetup(at) || data.phases[steps[at][PHASE]][0] === "over";
}

function choices(select, options) {
  select.replaceChildren(...options.map(([value, words]) => made("option", { value }, words)));
}
function turnChoices() {
  choices(el("turn"), Array.from({ length: mostBlocks() + 1 }, (_, b) => [String(b), b ? String(b) : "Set-up"]));
}

function go(step) {
  at = Math.min(Math.max(step, 0), last);
  render();
}

const watching = (viewer) => viewer === "public" ? "the public" : viewer === ALL_SEEING ? "everything" : name(viewer);
choices(el("as"), viewers.map((viewer) => [viewer, watching(viewer)]));
choices(el("beside"), [["", "nobody"], ...viewers.map((viewer) => [viewer, watching(viewer)])]);
choices(el("phase"), data.phases.map(([phase, words]) => [phase, capital(words)]));
el("beside-label").hidden = viewers.length < 2;
el("cast").querySelector("ul").append(...factions.map((faction) => made("li", {}, who(faction), ": ", made("bdi", {}, readable(data.cast[faction] || "")))));
if (pane1.svg) pane1.svg.querySelector(".ground").append(...pane0.svg.querySelector(".ground").cloneNode(true).childNodes);

el("back").onclick = () => go(onward(pane0.viewer, size, at, -1));
el("next").onclick = () => go(onward(pane0.viewer, size, at, 1));
el("slider").oninput = (event) => { halt(); const step = stepOf(+event.target.value); if (step !== at) go(step); };
el("as").onchange = (event) => { pane0.viewer = event.target.value; render(); };
el("beside").onchange = (event) => { pane1.viewer = event.target.value; pane1.shown = null; render(); };
el("turn").onchange = (event) => { const b = +event.target.value; go(b > lastBlock ? last : first(pane0.viewer, stepOf(b * PART), block)); };
el("phase").onchange = (event) => {
  const wanted = data.phases.findIndex(([phase]) => phase === event.target.value), b = block(at);
  let found = starts[b];
  while (found < last && block(found) === b && steps[found][PHASE] < wanted) found++;
  go(first(pane0.viewer, found, chapter));
};
el("end").onclick = () => { revealed = true; go(last); };
for (const radio of document.querySelectorAll("[name=size]")) radio.onchange = () => { size = radio.value; pane0.shown = pane1.shown = null; render(); };
function choose(wanted) {
  size = wanted;
  document.querySelector("[name=size][value=" + wanted + "]").checked = true;
  pane0.shown = pane1.shown = null;
  render();
}

/* --- playing -------------------------------------------------------------------------------------------------- */

let timer = 0;
function halt() {
  clearTimeout(timer); timer = 0;
  el("play").textContent = "Play";
}
function play() {
  el("play").textContent = "Pause";
  timer = setTimeout(() => {
    const from = at, next = onward(pane0.viewer, size, at, 1);
    if (next === at) return halt();
    go(next);
    let battle = false;
    for (let n = from + 1; n <= next; n++) battle = battle || steps[n][BATTLE];
    if (battle && el("stop").checked) return halt();
    play();
  }, PACE / +el("speed").value);
}
el("play").onclick = () => timer ? halt() : play();

/* --- names of territories, under a mouse or a finger ------------------------------------------------------------ */

for (const pane of [pane0, pane1]) {
  const tip = pane.root.querySelector(".tip");
  const point = (event) => {
    const area = event.target.dataset && event.target.dataset.area;
    tip.hidden = !area;
    if (!area) return;
    const seen = view(pane.viewer, at), here = Object.entries(seen.forces[area] || {}).map(([faction, forces]) => name(faction) + " " + forces);
    if (seen.spice[area]) here.push(seen.spice[area] + " spice");
    tip.textContent = board.areas[area][2] + (here.length ? ": " + here.join(", ") : "");
    const frame = tip.parentNode.getBoundingClientRect(), x = event.clientX - frame.left, right = x > frame.width / 2;
    Object.assign(tip.style, { left: right ? "auto" : x + "px", right: right ? frame.width - x + "px" : "auto", top: event.clientY - frame.top - 44 + "px" });
  };
  pane.svg.addEventListener("pointermove", point);
  pane.svg.addEventListener("pointerdown", point);
  pane.svg.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") tip.hidden = true; });
}

/* --- keys: arrows on the whole page, letters and digits only while the stepper has the focus ------------------------ */

const SIZES = ["event", "decision", "phase", "turn"];
function faster(way) {
  const speed = el("speed");
  speed.selectedIndex = Math.min(Math.max(speed.selectedIndex + way, 0), speed.options.length - 1);
}
document.addEventListener("keydown", (event) => {
  const { target, key } = event, chosen = target.type === "radio" || target.type === "checkbox";
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || target.isContentEditable) return;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && (!chosen || key.startsWith("Arrow"))) return;
  const anywhere = { ArrowLeft: () => go(onward(pane0.viewer, size, at, -1)), ArrowRight: () => go(onward(pane0.viewer, size, at, 1)) };
  const inside = {
    Home: () => go(0), p: () => el("play").click(), "+": () => faster(1), "-": () => faster(-1),
    "?": () => { const more = document.querySelector(".more"); more.open = !more.open; },
  };
  const act = anywhere[key] || (el("stepper").contains(target) && (inside[key] || (SIZES[key - 1] && (() => choose(SIZES[key - 1])))));
  if (!act) return;
  event.preventDefault();
  act();
});

/* --- the address ----------------------------------------------------------------------------------------------- */

let written = 0;
const hash = () => "#s=" + at + "&v=" + pane0.viewer + (pane1.viewer ? "&w=" + pane1.viewer : "");
function address() {
  clearTimeout(written);
  written = setTimeout(() => { if (location.hash !== hash()) history.replaceState(null, "", hash()); }, 250);
}
function read() {
  const said = new URLSearchParams(location.hash.slice(1));
  const step = Number.parseInt(said.get("s"), 10);
  if (viewers.includes(said.get("v"))) pane0.viewer = said.get("v");
  if (viewers.includes(said.get("w"))) pane1.viewer = said.get("w");
  else if (said.has("v")) pane1.viewer = "";
  go(Number.isNaN(step) ? at : step);
}
addEventListener("hashchange", () => { if (location.hash.includes("=") && location.hash !== hash()) { halt(); read(); } });

/* --- what if: the position as the beginning of a ruling --------------------------------------------------------- */

function ruling(step) {
  const seen = view(ALL_SEEING, step), text = JSON.stringify, row = steps[step];
  const list = (words) => "[" + words.map(text).join(", ") + "]";
  const table = (entries) => "{ " + entries.map(([key, value]) => text(key) + " = " + text(value)).join(", ") + " }";
  const lines = [
    "# From " + data.game + ", step " + step + ". The phase begins anew from this position, and the decks are shuffled anew.",
    "title = " + text("What if: " + data.game + ", " + where(step)), "ruleset = " + text(data.ruleset), "",
  ];
  const options = Object.entries(data.options);
  if (options.length) lines.push("[options]", ...options.map(([key, value]) => key + " = " + text(value)), "");
  lines.push("[start]", "turn = " + seen.turn, "phase = " + text(seen.phase), "storm = " + seen.storm, "factions = " + list(factions),
    "dots = " + table(Object.entries(seats)), "shield_wall = " + seen.shield_wall, "worms_seen = " + seen.worms_seen);
  if (seen.next_storm !== null) lines.push("next_storm = " + seen.next_storm);
  if (seen.alliances.length) lines.push("alliances = [" + seen.alliances.map(list).join(", ") + "]");
  lines.push("treachery_discard = " + list(seen.discard), "spice_discard = [" + seen.spice_discard.map(list).join(", ") + "]");
  for (const faction of factions) {
    const player = seen.players[faction], known = seen.known[faction];
    const fallen = (fate) => Object.entries(player.leaders).filter(([, one]) => one === fate).map(([leader]) => leader);
    lines.push("", "[start.faction." + faction + "]", "spice = " + player.spice, "hand = " + list(player.hand), "traitors = " + list(known.traitors),
      "reserves = " + text(player.reserves), "tanks = " + text(player.tanks));
    const here = Object.entries(seen.forces).filter(([, forces]) => forces[faction]).map(([area, forces]) => [area, forces[faction]]);
    if (here.length) lines.push("forces = " + table(here));
    if (fallen("dead").length) lines.push("dead_leaders = " + list(fallen("dead")));
    if (fallen("face-down").length) lines.push("twice_dead = " + list(fallen("face-down")));
    if (Object.keys(known.captured).length) lines.push("captured = " + table(Object.entries(known.captured)));
    if (known.prediction) lines.push("prediction = { faction = " + text(known.prediction.faction) + ", turn = " + known.prediction.turn + " }");
    if (faction === "atreides" && seen.kwisatz_haderach !== null) lines.push("lost_in_battle = " + seen.lost_in_battle, "kwisatz_haderach = " + text(seen.kwisatz_haderach));
    if (faction === "bene-gesserit" && seen.coexisting.length) lines.push("coexisting = " + list(seen.coexisting));
  }
  const spice = Object.entries(seen.spice);
  if (spice.length) lines.push("", "[start.spice]", ...spice.map(([area, amount]) => text(area) + " = " + amount));
  return lines.join("\n") + "\n";
}
el("ruling").onclick = () => {
  const link = made("a", { download: data.game + "-step-" + at + ".toml", href: URL.createObjectURL(new Blob([ruling(at)], { type: "application/toml" })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};

/* For whoever wants to look into it, and for tests. */
window.mentat = { view, ruling, go, last, at: () => at, steps: steps.length };
turnChoices();
el("stepper").hidden = false;
read();
})();
