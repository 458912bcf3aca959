"""How a reader wants the board drawn: for a phone or with all names, on light paper or dark; and how large it is."""

from __future__ import annotations

from dataclasses import dataclass

from bot.reports.ground import Shade


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large things are drawn, in the drawing's units: letters on discs, discs, codes, numbers of sectors, the
    legend, lines; how wide a row of tokens may be; and how many pixels the picture has across."""

    token: float
    disc: float
    code: float
    sector: float
    legend: float
    arrow: float
    row: float
    pixels: int


@dataclass(frozen=True, slots=True)
class Look:
    """How a reader wants the board: with ``all_names``, ``dark``; or for a ``page`` that knows both shades."""

    all_names: bool = False
    dark: bool = False
    page: bool = False

    @classmethod
    def of(cls, text: str) -> Look:
        """From the words that are kept of it.

        >>> Look.of("names dark"), Look.of("")
        (Look(all_names=True, dark=True, page=False), Look(all_names=False, dark=False, page=False))
        """
        return cls("names" in text.split(), "dark" in text.split())

    def but(self, text: str) -> Look:
        """The same but for what these words say: ``names`` or ``codes``, ``dark`` or ``light``."""
        said = text.split()
        names_, dark = "names" in said, "dark" in said
        return Look(names_ or (self.all_names and "codes" not in said), dark or (self.dark and "light" not in said))

    @property
    def words(self) -> str:
        """What is kept of it.

        >>> Look.of("names").but("dark").words
        'names dark'
        """
        return " ".join(word for word, wanted in (("names", self.all_names), ("dark", self.dark)) if wanted)

    @property
    def shade(self) -> Shade:
        return "page" if self.page else "dark" if self.dark else "light"

    @property
    def sizes(self) -> Sizes:
        return WITH_NAMES if self.all_names else PHONE


PHONE = Sizes(token=34, disc=52, code=31, sector=27, legend=31, arrow=6, row=215, pixels=700)
WITH_NAMES = Sizes(token=20, disc=32, code=0, sector=16, legend=18, arrow=4, row=150, pixels=800)
USUAL = Look()
ON_A_PAGE = Look(page=True)
