// Read a page as a person sees it: its blocks from top to bottom, what kind each is, which part of the width it takes,
// and whether it stands on another ground than the page. Nothing here depends on words, or on how tall they are.
(() => {
  const channel = c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  function ground(element) {
    for (let each = element; each; each = each.parentElement) {
      const behind = getComputedStyle(each).backgroundColor.match(/[\d.]+/g).map(Number);
      if (behind.length < 4 || behind[3] > 0) return light(behind);
    }
    return matchMedia("(prefers-color-scheme: dark)").matches ? 0 : 1;
  }
  const differ = (one, other) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05) > 1.9;
  function isHidden(element, box) {
    return box.width < 2 || box.height < 2 || box.right < 0 || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  }
  const NAMES = { IMG: "picture", SVG: "picture", FIGURE: "picture", SELECT: "list to choose from", BUTTON: "button",
    SUMMARY: "fold", FORM: "form", BLOCKQUOTE: "quote", PRE: "code" };
  const FIELDS = { range: "slider", radio: "choice", checkbox: "tick" };
  const HOLDS_BLOCKS = "h1, h2, h3, h4, p, table, ul, ol, dl, img, svg, button, select, input, figure, section, a.button, details, .field";
  function kindOf(element, style) {
    const tag = element.tagName.toUpperCase(), inline = style.display.startsWith("inline");
    if (/^H[1-4]$/.test(tag)) return `heading ${tag[1]}`;
    if (tag === "INPUT") return FIELDS[element.type] || "field";
    if (NAMES[tag]) return NAMES[tag];
    if (element.matches(".field")) return "tile";
    if (element.matches("a.button, .buttons a")) return "button";
    if (element.matches(".board, [role=img]")) return "picture";
    if (tag === "LABEL" && element.querySelector("[type=radio]")) return "choice";
    if (tag === "TABLE" && element.getAttribute("role") !== "presentation") {
      const columns = Math.max(...[...element.rows].map(row => row.cells.length));
      return element.matches(".strip") ? "strip of tiles" : `table, ${columns} columns`;
    }
    if (tag === "UL" || tag === "OL") {
      const links = element.querySelectorAll(":scope > li > a:first-child").length;
      const cards = element.matches(".cards");
      return cards ? "" : links && links === element.children.length ? "links" : "list";
    }
    if (tag === "DL") return "labels and values";
    if (tag === "A") return element.querySelector(HOLDS_BLOCKS) ? "" : "link";
    if (!element.querySelector(HOLDS_BLOCKS) && element.innerText && element.innerText.trim()) {
      const alone = element.children.length && [...element.childNodes].every(node => node.nodeType !== 3 || !node.data.trim());
      const apart = [...element.children].some(each => !getComputedStyle(each).display.startsWith("inline"));
      return alone && apart && !element.matches("td, th") ? "" : alone && element.querySelector(":scope > a") ? "links" : "text";
    }
    return "";
  }
  const leaves = [];
  function walk(element) {
    const box = element.getBoundingClientRect(), style = getComputedStyle(element);
    if (element.tagName === "SCRIPT" || element.tagName === "STYLE" || isHidden(element, box)) {
      if (style.display !== "contents" && element.tagName !== "BODY") return;
    }
    const kind = kindOf(element, style);
    if (kind) leaves.push({ kind, box, ground: ground(element) });
    else if (/flex|grid/.test(style.display)) parts(element).sort(asSeen).forEach(walk);
    else [...element.children].forEach(walk);
  }
  const parts = element => [...element.children].flatMap(each => getComputedStyle(each).display === "contents" ? parts(each) : each);
  function asSeen(one, other) {
    const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
    return a.left >= b.right - 1 || b.left >= a.right - 1 ? a.left - b.left : a.top - b.top;
  }
  walk(document.body);
  const wide = document.documentElement.clientWidth, page = ground(document.querySelector(".card, main") || document.body);
  const rows = [];
  for (const leaf of leaves) {
    const last = rows[rows.length - 1];
    const beside = last && last.every(one => leaf.box.left >= one.box.right - 1 && leaf.box.top < one.box.bottom - 2);
    if (beside) last.push(leaf); else rows.push([leaf]);
  }
  const part = x => Math.max(0, Math.min(12, Math.round(12 * x / wide)));
  const lines = rows.map(row => {
    const from = part(row[0].box.left), to = part(row[row.length - 1].box.right);
    const bar = row.every(one => one.kind.startsWith("link")) ? "·· links ···" : "·".repeat(from) + "█".repeat(Math.max(1, to - from)) + "·".repeat(12 - Math.max(from + 1, to));
    return bar + "  " + row.map(one => one.kind + (differ(one.ground, page) && one.kind !== "tile" ? ", filled" : "")).join(" | ");
  });
  const said = [];
  for (const line of lines) {
    const last = said[said.length - 1];
    if (last === line) said[said.length - 1] = line + " …";
    else if (last !== line + " …") said.push(line);  // how many texts follow each other depends on what happened
  }
  return { ground: page < 0.25 ? "dark" : "light", blocks: said.join("\n") };
})()
