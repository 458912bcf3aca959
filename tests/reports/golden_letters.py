"""One letter of each kind, from a position made by hand, as it should read: the files in ``golden/``.

``python -m tests.reports.golden_letters`` writes them anew when words were changed on purpose: look at what changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from bot.render import letters
from bot.render.material import News, PressReceived, RecordHead, Rendering, Revelation
from tests.reports.positions import BEFORE, HARKONNEN, LINES, TURN, VIEW

GOLDEN = Path(__file__).parent / "golden"
WON = News(4, "mentat", "game-won", {"how": "strongholds", "instead_of": [], "winners": ["guild", "atreides"]}, {})
REVEALED = Revelation(
    hands={"guild": ["Shield", "Karama"], "atreides": [], "emperor": ["Lasgun"], "harkonnen": ["Crysknife"]},
    traitors={"guild": ["Bashar"], "harkonnen": ["Gurney Halleck", "Bashar"]}, captives={"harkonnen": ["Burseg"]},
    prediction={"faction": "fremen", "turn": 5},
)  # fmt: skip
OVER = replace(
    HARKONNEN, wanted=(), seed="spice", view={**VIEW, "phase": "over", "winner": ["guild", "atreides"]},
    background=(*TURN[-1:], WON), revealed=REVEALED,
    record=RecordHead("1a2b3c4d5e6f7a8b" * 4, "sietch-12.jsonl.gz", "7f" * 32),
)  # fmt: skip
PUBLIC = replace(
    HARKONNEN, reader=replace(HARKONNEN.reader, viewer="public", name="", reply_to=""), wanted=(), held=(),
    form_code="", secrets={}, news=TURN, background=BEFORE, record=RecordHead("0123456789abcdef" * 4),
)  # fmt: skip
PASSED = PressReceived("fremen", "Shall we ally?\n\nStilgar", 2, ("guild",), answerable=True)

WRITTEN: Mapping[str, Callable[[], Rendering]] = {
    "setup": lambda: letters.setup_letter(HARKONNEN),
    "report": lambda: letters.private_report(HARKONNEN),
    "reply": lambda: letters.reply_to_orders(HARKONNEN, LINES, ["The attached file map.pdf was not read."]),
    "answered": lambda: letters.reply_to_orders(replace(HARKONNEN, wanted=()), LINES[1:2], ()),
    "reminder": lambda: letters.reminder(HARKONNEN),
    "summary": lambda: letters.public_summary(PUBLIC),
    "end": lambda: letters.end_of_game(OVER),
    "notice": lambda: letters.notice(HARKONNEN, "taken back to turn 3", ["The game was taken back.", "A slip."]),
    "press": lambda: letters.press(
        HARKONNEN, PressReceived("fremen", "Shall we ally?\n\nStilgar", 2, ("guild",), answerable=True)
    ),
}

POSTS: Mapping[str, Callable[[], str]] = {
    "summary.md": lambda: letters.summary_markdown(PUBLIC),
}


def as_file(rendered: Rendering) -> str:
    """A letter as it lies in a file."""
    return f"Subject: {rendered.subject}\n\n{rendered.text}"


if __name__ == "__main__":
    for kind, letter in WRITTEN.items():
        (GOLDEN / f"{kind}.txt").write_text(as_file(letter()), encoding="utf-8")
    for file, post in POSTS.items():
        (GOLDEN / file).write_text(post(), encoding="utf-8")
