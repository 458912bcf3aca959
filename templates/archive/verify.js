// Checks a record line by line: the chain, the seed, the salts and the draws (check.py does the same).
"use strict";
const words = JSON.parse(document.getElementById("words").textContent);
const found = document.getElementById("found");
const utf8 = new TextEncoder();
const NOTHING = new Uint8Array(0);

function say(key, ...facts) {
  return words[key].replace(/%([1-9])/g, (_, number) => facts[number - 1]);
}

class Wrong extends Error {
  constructor(line, why) { super(say("wrong-line", line, why)); }
}

function hex(bytes) {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function sha256(bytes) {
  return hex(await crypto.subtle.digest("SHA-256", bytes));
}

function rowsOf(bytes) {
  const rows = [];
  let start = 0;
  for (let place = bytes.indexOf(10); place >= 0; place = bytes.indexOf(10, start)) {
    rows.push(bytes.subarray(start, place));
    start = place + 1;
  }
  if (start < bytes.length) rows.push(bytes.subarray(start));
  return rows;
}

async function check(rows, told) {
  const heads = [await sha256(NOTHING)];
  const lines = [];
  for (let number = 1; number <= rows.length; number++) {
    let line;
    try {
      line = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(rows[number - 1]));
    } catch {
      throw new Wrong(number, say("json"));
    }
    if (line === null || typeof line !== "object" || (number === 1 && line.t !== "head")) throw new Wrong(number, say("first"));
    if (line.prev !== heads[number - 1]) throw new Wrong(number, say("chain", heads[number - 1], number - 1, line.prev));
    heads.push(await sha256(rows[number - 1]));
    lines.push(line);
  }
  const last = lines.length;
  if (!last || lines[last - 1].t !== "end" || typeof lines[last - 1].seed !== "string") throw new Wrong(last, say("cut"));
  const row = new TextDecoder().decode(rows[last - 1]).replace(/"sum":"[0-9a-f]*"/, '"sum":""');
  if (lines[last - 1].sum !== await sha256(utf8.encode(row))) throw new Wrong(last, say("changed"));
  const seed = utf8.encode(lines[last - 1].seed);
  if (lines[0].commitment !== await sha256(seed)) throw new Wrong(1, say("promised"));
  const draws = await checkSeed(lines, seed);
  const shown = [say("holds", lines[0].game, last, draws, heads[last].slice(0, 16))];
  if (told) {
    const place = heads.findIndex((head, number) => number && head.startsWith(told));
    shown.push(place < 0 ? say("no-head", told) : say("with-head", place));
  }
  return shown;
}

async function checkSeed(lines, seed) {
  const key = await crypto.subtle.importKey("raw", seed, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const hmac = (text) => crypto.subtle.sign("HMAC", key, utf8.encode(text));
  let draws = 0;
  for (let number = 0; number < lines.length; number++) {
    const line = lines[number];
    const salt = hex(await hmac(`salt#${number}`)).slice(0, 32);
    if (line.salt !== salt) throw new Wrong(number + 1, say("salt", salt));
    if (line.t !== "draw") continue;
    const drawn = new DataView(await hmac(line.label)).getBigUint64(0) % BigInt(line.size);
    if (drawn !== BigInt(line.got)) throw new Wrong(number + 1, say("draw", drawn, line.label, line.got));
    draws++;
  }
  return draws;
}

async function show(reading) {
  found.className = "";
  found.textContent = say("working");
  let told;
  try {
    told = await check(await reading(), document.getElementById("head").value.trim().toLowerCase());
    found.className = "holds";
  } catch (error) {
    told = [error.message];
    found.className = "wrong";
  }
  found.replaceChildren(...told.map((sentence) => {
    const paragraph = document.createElement("p");
    paragraph.className = "lead";
    paragraph.textContent = sentence;
    return paragraph;
  }));
}

async function unpacked(bytes) {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    try {
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    } catch {
      throw new Error(say("unpacked"));
    }
  }
  return rowsOf(bytes);
}

const own = document.getElementById("own");
if (own) {
  const packed = () => Uint8Array.from(atob(document.getElementById("record").textContent), (sign) => sign.charCodeAt(0));
  own.addEventListener("click", () => show(() => unpacked(packed())));
}
const file = document.getElementById("file");
file.addEventListener("change", () => { if (file.files.length) show(async () => unpacked(new Uint8Array(await file.files[0].arrayBuffer()))); });
