"""Posts for forums: the blocks of a report in the dialects that forums read, and cut into posts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from bot.reports.forum.brackets import BBCODE, BGG
from bot.reports.forum.dialect import Dialect
from bot.reports.forum.markdown import MARKDOWN
from bot.reports.forum.plain_text import TEXT

Format = Literal["bbcode", "bgg", "markdown", "text"]

DIALECTS: Mapping[Format, Dialect] = {"bbcode": BBCODE, "bgg": BGG, "markdown": MARKDOWN, "text": TEXT}
"""Every dialect by the name that the command line knows it by."""

__all__ = ["DIALECTS", "Dialect", "Format"]
