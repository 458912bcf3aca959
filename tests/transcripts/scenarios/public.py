"""What is read in posts of a forum, and in the lines of mails about tournaments."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from bot.channels.channel import Dialect
from bot.forum.own_lines import Cover, own_lines
from bot.forum.posts import read_post
from bot.tournament.mail_lines import FORMS, read_line
from tests.forum.test_forgeries import (
    HONEST,
    HONEST_MARKDOWN,
    HTML,
    LOOSE,
    MAIL,
    MARKUP,
    PIECES,
    SAID,
    TAG_PIECES,
    TAGS,
    by_lot,
)
from tests.transcripts.scenario import scenario
from tests.transcripts.transcript import Piece

POSTS = 250
LINES = """
enter cup|ENTER Cup.|Enter cup as Ann|enter cup as Ann Lee, standby|enter cup standby as Ann|enter cup, standby
join summer-cup.26 as standby|register cup named Bob!|enter|enter as Ann|enter standby|enter cup with Ann|enter cup as
enter cup as standby|enter cup Ann|enter -cup|confirm|Confirm ABCDEFGHIJKLMNOP.|confirm “abc”|confirm #a|confirm a-b
confirm code: k7qx|confirm 123456789012345678901234567890123|*confirm*|- confirm|_withdraw_|withdraw|leave cup
Withdraw from cup, keep|withdraw leave|withdraw cup keep|withdraw cup now|withdraw from|withdraw cup!|withdraw 7 leave
standings cup|Standings?|ranking of cup.|standings of the cup|tables|draw cup|seating|status|status cup|help|commands
help me please|preferences guild, fremen = atreides, *|prefer guild|preferences|preferences at table 1.2: guild
preferences with guild|bid atreides 3 guild 2.5|bid 1/3 atreides 3|bid 1.3|worths guild 2|bid|keep guild
keep at table 2.1: Bene Gesserit|keep 2.1, guild|keep table 2 guild|keep|trade E003 paying 2|swap with E003 paying 2
swap|accept|Accept!|yes|yes please|yes, with pleasure|accept the seat|decline|no, thanks|no|no way|sorry
protest 1/3: They shipped twice.|protest against table 1.3 they shipped|protest cup-r1-t01: x|protest 3: x|protest 1.3
protest|protest 1.3:|protest table 12345.1 x|vote agreed guild|vote yes guild and fremen|vote for guild + emperor
vote 1.2 agreed guild|vote at table 1.2: no|vote no|vote against|vote play on|vote agreed|vote guild|vote agreed choam
vote agreed atreides bene gesserit|vote agreed bene gesserit guild, guild|vote agreed gild|vote yes: har|vote agreed ,
name Annie|name me Annie|name hidden|name none.|name|name  |awake 8-22|awake 8-22 Europe/Berlin|awake 8:30 to 22h15
awake from 24 until 8|awake 8-8|awake 25-3|awake 8:61-9|hours 8 - 22 Berlin!|awake late|connected E003|awake 0-24
connected E003: we share a flat|connected with bob@example.org, brother|connection to <BOB@example.org>|connected bob
connected E12|connected|ready|Ready!|not ready|not ready.|not ready now|ready now|stnadings|standngs cup|enetr cup
confrim abc|hlep|hello|Thank you!|as you wish|we are all very glad to be in this tournament of yours|ok|E003|bib guild 3
prefrences guild|votte no|trad E003|redy|withdrw|protst 1.3 x|kep guild|nmae Ann|awke 8-22|statu|tabels|> enter cup
* enter cup|1. enter cup as Ann|  enter   cup   as   Ann
"""


def _marks(raw: str, dialect: Dialect) -> str:
    found = " ".join(f"{'+' if sure else '?'}{line.strip()!r}" for line, sure in own_lines(raw, dialect))
    acts = " ".join(f"{line.kind}:{line.text}" for line in read_post(raw, dialect))
    return f"{raw!r}\n  {found}\n  {acts}"


@scenario
def posts_by_lot(folder: Path) -> Iterator[Piece]:
    """Posts made of tags and marks by lot: which lines are their writer's own, and what counts."""
    lot = random.Random(12)
    for dialect in Dialect:
        pieces = PIECES if dialect == Dialect.MARKDOWN else TAG_PIECES
        others = TAG_PIECES if dialect == Dialect.MARKDOWN else PIECES
        made = [by_lot(lot, pieces if number % 4 else (*pieces, *others)) for number in range(POSTS)]
        for first in range(0, POSTS, 25):
            yield Piece(
                f"{dialect.value} {first}", "\n".join(_marks(post, dialect) for post in made[first : first + 25])
            )
    yield Piece("covers", " ".join(f"{cover.name} {cover.value}" for cover in Cover))


@scenario
def posts_of_forgers(folder: Path) -> Iterator[Piece]:
    """Posts in which somebody else seems to say something, and honest ones."""
    for posts in (HTML, MARKUP, TAGS, LOOSE, MAIL, SAID, HONEST, HONEST_MARKDOWN):
        for name, post in dict(posts).items():
            raw = post if isinstance(post, str) else str(post)
            yield Piece(str(name), "\n".join(f"{dialect.value}: {_marks(raw, dialect)}" for dialect in Dialect))


@scenario
def lines_about_tournaments(folder: Path) -> Iterator[Piece]:
    """What is read in lines of mails about tournaments, in many spellings."""
    said = [line for row in LINES.strip().split("\n") for line in row.split("|")]
    yield Piece("lines", "\n".join(f"{line}\n  {read_line(line)}" for line in [*said, *FORMS.values()]))
