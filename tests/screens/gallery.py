"""The pages that people see most, in four looks: letters made by hand, and an archive with one game and one
tournament."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from msgspec import structs

from bot.archive import site
from bot.archive.games import Step, play_steps
from bot.archive.site import Offered
from bot.render import letters
from bot.render.material import AnswerWanted, Auction, Position, Rendering
from bot.wording import deadline, say
from tests.archive.finished import finished
from tests.competition.published_example import example
from tests.reports.every_letter import OVER, PUBLIC
from tests.reports.positions import DUE, HARKONNEN, LINES
from tests.reports.test_bounds import RACE
from tests.reports.test_first_letter import first

BID = structs.replace(
    HARKONNEN,
    news=HARKONNEN.news[:-1],
    auction=Auction((("emperor", 2), ("atreides", 1)), ("guild",)),
    wanted=(
        AnswerWanted(
            "bid", "", {"number": 3, "of": 4, "top": 2, "top_bidder": "emperor", "means": 7}, DUE, "pass",
            ("pass", "bid 3", "bid 4", "bid 6", "pass all", "bid up to 6"),
        ),
    ),
)  # fmt: skip
ENDED = structs.replace(PUBLIC, race=RACE[:4], view={**PUBLIC.view, "turn": 4})
OTHER_GAME = structs.replace(HARKONNEN, game_id="cup-2-1", reader=structs.replace(HARKONNEN.reader, viewer="guild"))


def _first() -> Position:
    position = first("wbc-2018", "bene-gesserit")
    return structs.replace(position, wanted=tuple(structs.replace(each, choices=()) for each in position.wanted))


def _pictured(rendered: Rendering, position: Position) -> str:
    # Put the board picture into the letter itself, where a mail program shows it from the attachment.
    shown = letters.with_picture(rendered, position)
    return shown.html.replace("cid:board", f"data:image/png;base64,{base64.b64encode(shown.picture or b'').decode()}")


LETTERS: Mapping[str, Callable[[], str]] = {
    "question": lambda: letters.private_report(BID).html,
    "refused": lambda: letters.reply_to_orders(structs.replace(HARKONNEN, news=()), LINES, ()).html,
    "round": lambda: _pictured(letters.private_report(structs.replace(HARKONNEN, news=(), ended=ENDED)), ENDED),
    "first": lambda: letters.setup_letter(_first()).html,
    "last": lambda: _pictured(letters.end_of_game(structs.replace(OVER, ended=ENDED)), OVER),
    "digest": lambda: (
        letters.digest_of_games(
            (BID, OTHER_GAME),
            "cup",
            say("tournament-digest.headline", title="The Arrakeen Cup", games=2),
            (say("tournament-digest.first", by=deadline(DUE, HARKONNEN.now, HARKONNEN.reader.zone)),),
        ).html
    ),
}


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive with one game and one tournament, in a folder."""

    root: Path
    steps: tuple[Step, ...]

    @classmethod
    def made(cls, root: Path) -> Archive:
        game = replace(finished("wbc-2018"), ended=date(2026, 5, 5))
        event = example()
        built = site.build(
            root, [Offered(game.id, "1", lambda: game)], (), None, [Offered("arrakeen", "1", lambda: event)]
        )
        assert built.problems == ()
        return cls(root, tuple(play_steps(game, "archive")))

    def page(self, name: str) -> str:
        game = f"{self.root.as_uri()}/game/wbc-2018-archive"
        return {
            "front": f"{self.root.as_uri()}/index.html",
            "game": f"{game}/index.html",
            "auction": f"{game}/replay.html#s={self._step('card-sold')}&v=public",
            "battle": f"{game}/replay.html#s={self._step('battle-won')}&v=public",
            "event": f"{self.root.as_uri()}/tournament/arrakeen/index.html",
        }[name]

    def _step(self, kind: str) -> int:
        return next(step.number for step in self.steps if step.event and step.event.kind == kind)


PAGES = ("front", "game", "auction", "battle", "event")
SCREENS = (*LETTERS, *PAGES)
