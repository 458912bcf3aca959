"""Tests for the layout of every kind of letter in Chromium: on phone and desktop, in light and dark.

The browser is started once and lays out each letter in its own frame. Without Chromium the tests are skipped.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.archive.browser import needs_arial
from tests.reports.every_letter import KINDS

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (on Debian the package chromium)")

MEASURE = """
const words = /[\\p{L}\\p{N}_'’]+/gu;
const channel = c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
const colour = text => text.match(/[\\d.]+/g).map(Number);
const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
function ground(element) {
  for (let each = element; each; each = each.parentElement) {
    const behind = colour(getComputedStyle(each).backgroundColor);
    if (behind.length < 4 || behind[3] > 0) return behind;
  }
  return [255, 255, 255];
}
function contrast(element) {
  const [one, other] = [light(colour(getComputedStyle(element).color)), light(ground(element))];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}
function lines(range) {
  return new Set([...range.getClientRects()].filter(r => r.width > 0).map(r => Math.round(r.top))).size;
}
function read(page, look) {
  const found = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  const range = page.createRange();
  let count = 0;
  while (found.nextNode()) {
    range.selectNodeContents(found.currentNode);
    if (!found.currentNode.data.trim() || !range.getClientRects().length) continue;
    count++;
    look(found.currentNode, found.currentNode.parentElement, range);
  }
  return count;
}
function said(node) {
  return node.data.trim().slice(0, 30);
}
function broken(page, width) {
  const faults = [];
  const wide = page.documentElement.scrollWidth;
  if (wide > width) faults.push(`it is ${wide} wide`);
  read(page, (node, at, range) => {
    const style = getComputedStyle(at);
    if (parseFloat(style.fontSize) < 13) faults.push(`small: ${said(node)}`);
    const column = at.closest('th, td') && at.closest('table').getAttribute('role') == null;
    if ((style.whiteSpace == 'nowrap' || (column && style.textAlign == 'right')) && lines(range) > 1)
      faults.push(`wrapped: ${said(node)}`);
    for (const word of node.data.matchAll(words)) {
      if (word[0].length > 30) continue;
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (lines(range) > 1) faults.push(`broken: ${word[0]}`);
    }
  });
  for (const link of page.querySelectorAll('a')) {
    const height = link.getBoundingClientRect().height;
    if (height < 44) faults.push(`a target ${height} high: ${link.textContent}`);
  }
  return faults;
}
function pale(page) {
  const faults = [];
  read(page, (node, at) => {
    if (contrast(at) < 4.5) faults.push(`contrast ${contrast(at).toFixed(1)}: ${said(node)}`);
  });
  return faults;
}
(async () => {
  const found = [];
  for (const letter of JSON.parse(document.getElementById('letters').textContent)) {
    const frame = document.createElement('iframe');
    frame.style = 'border:0;height:600px;width:390px';
    frame.srcdoc = letter.html;
    const loaded = new Promise(done => frame.onload = done);
    document.body.append(frame);
    await loaded;
    const page = frame.contentDocument;
    const note = (look, faults) => found.push({name: letter.name, look, faults, read: read(page, () => {}),
      card: getComputedStyle(page.querySelector('.card')).backgroundColor});
    for (const width of [390, 1000])
      for (const scheme of ['light', 'dark']) {
        frame.style.width = `${width}px`;
        frame.style.colorScheme = scheme;
        note(`${scheme} ${width}`, [...broken(page, width), ...pale(page)]);
      }
    frame.style.width = '390px';
    frame.style.colorScheme = 'light';
    page.querySelector('style').remove();
    note('bare 390', [...broken(page, 390), ...pale(page)]);
    frame.remove();
  }
  const out = document.createElement('pre');
  out.id = 'found';
  out.textContent = JSON.stringify(found);
  document.body.append(out);
})();
"""


FAULTY = (
    "<style></style><body style='margin:0'><div class='card' style='width:1200px;background:#fff;color:#999'>"
    "<a href='x' style='font-size:9px'>tiny</a>"
    "<table><tr><td style='max-width:20px;overflow-wrap:anywhere'>Harkonnen</td></tr></table>"
    "<table><tr><td style='text-align:right;width:10px'>10 5</td></tr></table></div>"
)
"""A page with every fault, to show that the measurements find them."""


def measured(folder: Path) -> list[dict[str, Any]]:
    """Return Chromium's measurements of each letter: at each width, in light and dark, and without its style sheet."""
    pages = [{"name": name, "html": letter().html} for name, letter in KINDS.items()]
    written = json.dumps([*pages, {"name": "faulty", "html": FAULTY}])
    page = folder / "letters.html"
    data = written.replace("<", "\\u003c")
    page.write_text(
        f'<!doctype html><meta charset="utf-8"><body><script type="application/json" id="letters">{data}</script>'
        f"<script>{MEASURE}</script>",
        encoding="utf-8",
    )
    assert CHROMIUM
    run = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
         f"--user-data-dir={folder / 'profile'}", "--window-size=1100,800", "--virtual-time-budget=60000",
         "--dump-dom", page.as_uri()],
        capture_output=True, timeout=60, check=True, text=True,
    )  # fmt: skip
    result = re.search(r'<pre id="found">(.*?)</pre>', run.stdout, re.DOTALL)
    assert result, run.stderr[-2000:]
    found: list[dict[str, Any]] = json.loads(html.unescape(result[1]))
    return found


@needs_arial
@needs_chromium
def test_no_letter_breaks_a_word_or_runs_out_of_a_telephone_and_each_can_be_read_in_the_dark(tmp_path: Path) -> None:
    everything = measured(tmp_path)
    told = " ".join(fault for each in everything if each["name"] == "faulty" for fault in each["faults"])
    assert all(
        fault in told for fault in ("wide", "small: tiny", "wrapped: 10 5", "broken: Harkonnen", "contrast", "high")
    )
    found = [each for each in everything if each["name"] != "faulty"]
    assert len(found) == 5 * len(KINDS)
    assert all(each["read"] > 1 for each in found)
    assert {each["card"] for each in found if "dark" in each["look"]} == {"rgb(33, 28, 21)"}
    assert {each["card"] for each in found if "dark" not in each["look"]} == {"rgb(255, 253, 248)"}
    faults = {f"{each['name']}, {each['look']}": each["faults"] for each in found if each["faults"]}
    assert faults == {}


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_in_a_letter_is_fetched_or_run(kind: str) -> None:
    page = KINDS[kind]().html
    parsed = LexborHTMLParser(page)
    assert not parsed.css("script, link, iframe, object, embed, form, input, base")
    assert {image.attributes["src"] for image in parsed.css("img")} <= {"cid:board"}
    assert not re.search(r"url\(|@import|@font-face", page)
    links = [link.attributes["href"] or "" for link in parsed.css("a")]
    assert all(link.startswith(("mailto:", "https://dune.example.org/")) for link in links)


def test_a_faction_stands_beside_its_disc_wherever_it_is_named() -> None:
    """The letter on the disc is the initial of the name; only names that players wrote have no disc."""
    for name in ("report", "summary", "end", "crowded report"):
        page = LexborHTMLParser(KINDS[name]().html)
        for chip in page.css(".chip"):
            assert chip.parent is not None
            assert chip.parent.text(deep=True).lstrip("(").startswith(f"{chip.text()}\xa0{chip.text()}")
    assert not LexborHTMLParser(KINDS["press"]().html).css(".rule .chip")
