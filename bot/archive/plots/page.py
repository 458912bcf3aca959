"""`plots.html` of a finished game."""

from __future__ import annotations

from bot.archive.given import Finished
from bot.archive.plots.figures import Figures
from bot.archive.plots.plots import plots
from bot.archive.rendering import Link, Page, render
from bot.archive.steps import Step
from bot.wording.sentences import say
from bot.wording.spoken import speaking

PLOTS = "plots.html"


class PlotsPage:
    """Sees the steps of a finished game, and then gives its page of plots."""

    def __init__(self, game: Finished) -> None:
        self._game = game
        self.figures = Figures(game)

    def see(self, step: Step) -> None:
        """The next step."""
        self.figures.see(step)

    def files(self) -> dict[str, bytes]:
        """The page by its path in the folder of the game."""
        figures = self.figures
        with speaking(figures.rules.edition):
            about = {"game": self._game.id, "ruleset": figures.rules.name}
            page = Page(
                title=say("plots.title", winners=figures.winners, turn=figures.turns, **about)
                if figures.winners
                else say("plots.title-open", **about),
                heading=say("plots.heading"),
                root="../../",
                below=say("plots.below", turns=figures.turns, hidden=not figures.everything, **about),
                way=(Link(say("page.games"), "../../index.html"), Link(self._game.id, "index.html")),
            )
            return {PLOTS: render("archive/plots.html.j2", page, plots=plots(figures), numbers=say("plots.numbers"))}
