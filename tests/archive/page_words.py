"""A page as lines: an element or some words a line, without the style that all pages have."""

from __future__ import annotations

import re

_STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)
_PROGRAM = re.compile(r"<script>.*?</script>", re.DOTALL)


def lines_of(page: bytes) -> str:
    """What is in the file of a page, so that a difference can be read. Programs and styles are shown by nothing."""
    text = _PROGRAM.sub("<script/>", _STYLE.sub("<style/>", page.decode()))
    return re.sub(r"(?<=>)\s*(?=<)", "\n", text.replace("\r\n", "\n")).strip()
