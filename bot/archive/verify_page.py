"""What lets an outsider check a game: `verify.html` in the browser, `check.py` with Python alone, the schema."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

from markupsafe import Markup

from bot.archive.given import Finished
from bot.archive.rendering import Link, Page, render
from bot.archive.steps import head_of
from bot.record.schema import published
from bot.resources import template_source
from bot.wording.sentences import phrases, say

PLACE = "verify.html"


def verify_page(game: Finished) -> bytes:
    """The page that checks a record in the browser, without a network. It holds the record of this game, where the
    policy publishes it, and reads any other that is chosen."""
    packed = base64.b64encode(gzip.compress(game.record, mtime=0)).decode() if game.policy.ended == "full" else ""
    page = Page(
        title=say("verify.title", game=game.id),
        heading=say("verify.heading"),
        below=say("verify.below", game=game.id, ruleset=head_of(game).ruleset),
        root="../../",
        way=(Link(say("page.games"), "../../index.html"), Link(game.id, "index.html")),
        scripts="inline",
    )
    return render(
        "archive/verify.html.j2", page, game=game.id, record=packed,
        words=_inline({key: say(f"verify-found.{key}") for key in phrases("verify-found")}),
        script=Markup(template_source("archive/verify.js")),
    )  # fmt: skip


def _inline(value: Any) -> Markup:
    """A value as JSON inside a page: no sign in it can end the script that it stands in."""
    return Markup(json.dumps(value, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c"))


def check_files() -> dict[str, bytes]:
    """What lies once in an archive for all its games: the program of some lines, and the schema of a record."""
    return {"check.py": template_source("archive/check.py.txt").encode(), "schema/game-1.json": published()}
