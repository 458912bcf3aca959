"""Arbiters decide by mail: who is asked about a table, what they are shown, and how their verdicts are counted.

Two whom the table does not concern are asked, each alone, with what everybody may know of the table. Nobody learns how
one of them answered before the other has. Equal verdicts decide; if they differ, a third is asked, and two of three
decide. Where they differ and nobody is left to ask, or the time is over, there is no verdict. A director cannot answer
for an arbiter, and is asked only where there is none whom the table does not concern. Where there is one person to ask,
their verdict is called that of one.

A question is a paper of nobody's, and so is each arbiter's verdict: the first line of its words has the number of the
question and the arbiter's address, the second the verdict, and the rest the reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Literal

from bot.competition.outcomes import MOST_WINNERS
from bot.games.open_games import Session
from bot.games.seat_mail import make_harmless
from bot.language.names import FACTION_NAMES, Found
from bot.render import letters as rendered
from bot.render.blocks import Block, Buttons, Heading, Paragraph
from bot.store import acts, games, publication, tournaments
from bot.store.acts import GrantedRight, Right
from bot.store.database import Connection
from bot.store.tournament_rounds import RoundTable
from bot.store.tournaments import Paper, Tournament
from bot.tournament import desk
from bot.tournament.letters import Letter, buttons, tell_one_organiser
from bot.wording import say
from bot.wording.filters import name
from rules.components import Faction, as_faction

FIRST_ANSWER = timedelta(hours=72)
THIRD_ANSWER = timedelta(hours=48)
MOST_REASON = 500  # characters

Kind = Literal["dismiss", "winner", "replay", "concerned"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """An arbiter's verdict. ``winners``: who has won, if that is the verdict."""

    kind: Kind
    winners: tuple[Faction, ...] = ()
    reason: str = ""

    @property
    def words(self) -> str:
        return " ".join((self.kind, *self.winners))


@dataclass(frozen=True, slots=True)
class Decided:
    """The outcome of a question: the verdict, or ``why`` there is none, and how many of how many gave it."""

    question: Paper
    verdict: Verdict | None
    count: int = 0
    of: int = 0
    alone: str = "one arbiter"
    why: str = ""

    @property
    def protest(self) -> int:
        """The number of the protest that was decided, 0 for a running game."""
        return int(self.question.words.split()[1]) if self.question.words.startswith("protest ") else 0

    @property
    def by(self) -> str:
        if self.verdict is None:
            return f"nobody, as {self.why}"
        if self.of == 1:
            return self.alone
        return "two arbiters" if self.count == self.of == 2 else f"two of {self.of} arbiters"


# --- asking ----------------------------------------------------------------------------------------------------------


def ask_arbiters(session: Session, tournament: Tournament, table: RoundTable, about: str, told: Sequence[str]) -> bool:
    """Ask two arbiters about a table; return whether there is anybody to ask. ``about`` says which matter it is:
    "protest 17", or "table" for a game that is still going on."""
    free = _free_to_judge(session.conn, tournament, table)
    if not free:
        return False
    paper = Paper(tournament.id, 0, "question", about, session.now, table.round, table.number)
    question = replace(paper, id=tournaments.add_paper(session.conn, paper))
    for who in free[:2]:
        _ask(session, tournament, question, who, told)
    return True


def _free_to_judge(conn: Connection, tournament: Tournament, table: RoundTable) -> list[GrantedRight]:
    """Return the arbiters whom a table does not concern, or where there is none, the directors."""
    return _unconcerned(conn, tournament, table, "arbiter") or _unconcerned(conn, tournament, table, "director")[:1]


def _unconcerned(conn: Connection, tournament: Tournament, table: RoundTable, right: Right) -> list[GrantedRight]:
    every = [who for who in acts.rights_of(conn, tournament_id=tournament.id) if who.right == right]
    return [who for who in every if desk.is_unconcerned(conn, table, who.address)]


def _ask(session: Session, tournament: Tournament, question: Paper, who: GrantedRight, told: Sequence[str]) -> None:
    number, time = question.id, FIRST_ANSWER if question.at == session.now else THIRD_ANSWER
    words, until = f"{number} {who.address}", session.now + time
    tournaments.add_paper(
        session.conn,
        Paper(tournament.id, 0, "verdict", words, session.now, question.round, question.table, until),
    )
    table = desk.find_table(session.conn, tournament.id, f"{question.round}.{question.table}")
    factions = _factions_at(session.conn, table)
    lines = [f"verdict {number} dismiss", *(f"verdict {number} winner {faction}" for faction in factions)]
    lines += [f"verdict {number} replay", f"verdict {number} concerned"]
    blocks: list[Block] = [
        Paragraph(say("tournament.arbiter.how", hours=time // timedelta(hours=1), number=number)),
        Buttons(buttons(session.settings, tournament.id, who.token, lines)),
        *_public_board(session, table),
    ]
    subject = say("tournament.arbiter.subject", number=number, table=desk.table_name(table))
    tell_one_organiser(session, tournament, who, Letter(subject, told, f"verdict.{number}", blocks=blocks))


def _public_board(session: Session, table: RoundTable) -> list[Block]:
    """Return the board and the events of the last turn as everybody may see them."""
    if not table.game_id:
        return []
    game = session.games.table(session.conn, table.game_id)
    happened = games.events_of_turn(session.conn, table.game_id, game.play.state.turn)
    position = session.writer.position(game, "public", happened)
    return [Heading(say("tournament.arbiter.board", turn=game.play.state.turn)), *rendered.public_board(position)]


def _factions_at(conn: Connection, table: RoundTable) -> list[Faction]:
    return sorted(as_faction(held.faction) for held, _ in desk.seat_holders(conn, table) if held.faction)


# --- answers ---------------------------------------------------------------------------------------------------------

_LINE = re.compile(r"\s*verdict\s+(?P<number>[0-9]{1,9})\b[\s:,]*(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_SUBJECT = re.compile(r"\bverdict (?P<number>[0-9]{1,9})\b", re.IGNORECASE)
_DENIED = re.compile(r"\bnot\b|n['’]t\b|\bnever\b", re.IGNORECASE)
_MEANS: dict[Kind, re.Pattern[str]] = {
    "dismiss": re.compile(
        r"\b(?:dismiss(?:ed)?|reject(?:ed)?|no grounds?|(?:let|leave) it(?: stand)?|stands|stays)\b",
        re.IGNORECASE,
    ),
    "replay": re.compile(r"\b(?:replay(?:ed)?|play(?:ed)? (?:it )?again)\b", re.IGNORECASE),
    "concerned": re.compile(r"\b(?:concerned|involved|conflict of interest|biased)\b", re.IGNORECASE),
    "winner": re.compile(
        r"\b(?:winners?|wins?|won|victory|should have (?:it|won)|goes to|belongs to|give it to)\b", re.IGNORECASE
    ),
}


def read_verdict(subject: str, lines: Sequence[str]) -> tuple[int, Verdict | None] | None:
    """Return the number of the question that a mail answers and the verdict, None for words that say none or several;
    None for any other mail."""
    text = "\n".join(line.strip() for line in lines).strip()
    named = _LINE.fullmatch(text) or _SUBJECT.search(subject)
    if named is None:
        return None
    text = _LINE.sub(r"\g<rest>", text, count=1) if _LINE.fullmatch(text) else text
    return int(named["number"]), verdict_in(text)


def verdict_in(text: str) -> Verdict | None:
    """Read a verdict in an arbiter's own words.

    >>> verdict_in("No ground."), verdict_in("Guild should have it, by the storm.").words
    (Verdict(kind='dismiss', winners=(), reason='No ground.'), 'winner guild')
    >>> verdict_in("Guild should not have it"), verdict_in("Guild should have won instead of Fremen")
    (None, None)
    """
    said = [kind for kind, pattern in _MEANS.items() if any(pattern.search(part) for part in _sentences(text))]
    if len(said) != 1:
        return None
    reason = " ".join(text.split())[:MOST_REASON]
    if said[0] != "winner":
        return Verdict(said[0], (), reason)
    winning = [part for part in _sentences(text) if _MEANS["winner"].search(part)]
    named = {found for part in winning if (found := _winners_in(part)) is not None}
    return Verdict("winner", named.pop(), reason) if len(named) == 1 and () not in named else None


def _sentences(text: str) -> list[str]:
    """Return the parts of a text that neither ask nor deny anything."""
    parts = re.findall(r"[^.;!?\n]+[.;!?\n]*", text)
    return [part.strip(" .;!\n") for part in parts if "?" not in part and not _DENIED.search(part) and part.strip()]


_PHRASE = _MEANS["winner"].pattern
_PAIR = r"@\S+ (?:and|&|\+) (?:the )?@\S+"
_BESIDE = re.compile(
    rf"(?:{_PAIR}) (?:both )?(?:have |has )?(?:{_PHRASE})|(?:{_PHRASE}) (?:: |are |the |to )*(?:{_PAIR})", re.IGNORECASE
)
_ROW = re.compile(r"winners?(?: :)?(?: ,| and)*(?: @\S+(?: ,| and)*)+", re.IGNORECASE)
"""Winners and nothing else: `winner atreides emperor`, as the buttons write it."""


def _winners_in(sentence: str) -> tuple[Faction, ...] | None:
    """Return the one faction of a sentence, or the two that stand together beside the winning phrase; None where it
    names no faction, and () where it is unclear which of several has won."""
    marked, named = _mark_factions(sentence)
    if len(named) > 1 and not _ROW.fullmatch(marked):
        beside = _BESIDE.search(marked)
        if beside is None or len(named) > beside[0].count("@"):
            return ()
    return tuple(sorted(named)) or None


def _mark_factions(sentence: str) -> tuple[str, set[Faction]]:
    """Return the words of a sentence, with an @ before each faction, and its factions."""
    marked, found = list[str](), set[Faction]()
    for word in re.findall(r"[A-Za-z-]+|[^A-Za-z\s-]", sentence):
        known = FACTION_NAMES.whole(word)
        match = FACTION_NAMES.find(known) if known else None
        if isinstance(match, Found):
            found.add(match.value)
            word = f"@{match.value}"
        if not marked or word != marked[-1]:  # "Bene Gesserit" is one faction
            marked.append(word)
    return " ".join(marked), found


def take_verdict(
    session: Session, tournament: Tournament, who: GrantedRight, number: int, verdict: Verdict | None
) -> tuple[str, Decided | None]:
    """Note an arbiter's verdict. Return what to tell them, and the decision if there is one now."""
    conn = session.conn
    question = find_question(conn, tournament.id, number)
    own = next((each for each in _papers(conn, tournament.id, number) if _arbiter(each) == who.address), None)
    if question is None or own is None:
        return say("tournament.arbiter.not-asked", number=number), None
    if question.state != "open":
        return say("tournament.arbiter.decided-before", number=number), None
    table = desk.find_table(conn, tournament.id, f"{question.round}.{question.table}")
    possible = verdict is not None and set(verdict.winners) <= set(_factions_at(conn, table))
    if verdict is None or not possible or len(verdict.winners) > MOST_WINNERS:
        return say("tournament.arbiter.unclear", number=number, factions=_factions_at(conn, table)), None
    reason = make_harmless(verdict.reason, session.settings.mentat.address)
    tournaments.set_paper_state(conn, own.id, "answered", f"{number} {who.address}\n{verdict.words}\n{reason}")
    told = say("tournament.arbiter.noted", number=number, kind=verdict.kind, winners=list(map(name, verdict.winners)))
    return told, _count(session, tournament, table, question)


def find_question(conn: Connection, tournament_id: str, number: int) -> Paper | None:
    every = tournaments.papers_of(conn, tournament_id, "question", state=None)
    return next((paper for paper in every if paper.id == number), None)


def end_questions(conn: Connection, table: RoundTable, about: str = "") -> None:
    """End the open questions about a table, or one of them: it was decided otherwise."""
    for paper in tournaments.papers_of(conn, table.tournament_id, "question"):
        if (paper.round, paper.table) == table.place and about in ("", paper.words):
            _end(conn, paper)


def questions_overdue(conn: Connection, tournament_id: str, papers: Sequence[Paper]) -> list[Paper]:
    """Return the open questions to which one of these verdicts, whose time is over, has not come."""
    numbers = {_question(paper) for paper in papers}
    return [paper for paper in tournaments.papers_of(conn, tournament_id, "question") if paper.id in numbers]


def count_overdue(session: Session, tournament: Tournament, question: Paper) -> Decided | None:
    """Count without those whose time is over."""
    for paper in _papers(session.conn, tournament.id, question.id):
        if paper.state == "open" and paper.until is not None and paper.until <= session.now:
            tournaments.set_paper_state(session.conn, paper.id, "gone")
    table = desk.find_table(session.conn, tournament.id, f"{question.round}.{question.table}")
    return _count(session, tournament, table, question)


def _count(session: Session, tournament: Tournament, table: RoundTable, question: Paper) -> Decided | None:
    conn = session.conn
    every = _papers(conn, tournament.id, question.id)
    judged = [paper for paper in every if (verdict := _verdict(paper)) is None or verdict.kind != "concerned"]
    given = [verdict for paper in judged if (verdict := _verdict(paper))]
    counted = Counter(verdict.words for verdict in given)
    most, votes = counted.most_common(1)[0] if counted else ("", 0)
    if votes >= 2:
        agreed = [verdict for verdict in given if verdict.words == most]
        reasons = " / ".join(dict.fromkeys(verdict.reason for verdict in agreed))
        _end(conn, question)
        return Decided(question, Verdict(agreed[0].kind, agreed[0].winners, reasons), votes, len(given))
    waiting = sum(paper.state == "open" for paper in every)
    asked = {_arbiter(paper) for paper in every}
    free = _free_to_judge(conn, tournament, table) if judged else _unconcerned(conn, tournament, table, "director")[:1]
    left = [who for who in free if who.address not in asked]
    differ = len(given) == 2
    if left and not (differ and waiting) and len(given) + waiting < (3 if differ else 2):
        told = [say("tournament.arbiter.third", table=desk.table_name(table))] if differ else []
        told += question_in_words(session, question)
        _ask(session, tournament, question, left[0], told)
        return None
    if waiting:
        return None
    _end(conn, question)
    if len(given) == len(judged) == 1:
        granted = acts.right_of(conn, _arbiter(judged[0]), tournament_id=tournament.id)
        alone = "the director" if granted is not None and granted.right == "director" else "one arbiter"
        return Decided(question, given[0], 1, 1, alone)
    return Decided(question, None, why=_why_undecided(judged, given))


def _why_undecided(judged: Sequence[Paper], given: Sequence[Verdict]) -> str:
    if not judged:
        return "the table concerns everybody who was asked"
    if len(given) > 1:
        return "the arbiters differed"
    return f"{'only one' if given else 'no'} verdict came in time"


def question_in_words(session: Session, question: Paper) -> list[str]:
    if not question.words.startswith("protest "):
        return [say("tournament.arbiter.table", table=f"{question.round}.{question.table}")]
    number = int(question.words.split()[1])
    every = tournaments.papers_of(session.conn, question.tournament_id, "protest", state=None)
    filed = next(paper for paper in every if paper.id == number)
    tournament = tournaments.find_tournament(session.conn, question.tournament_id)
    about = f"{question.round}.{question.table}"
    return protest_in_words(tournament, tournaments.handle(filed.entrant), about, filed.words)


def protest_in_words(tournament: Tournament, handle: str, table: str, text: str) -> list[str]:
    who = "" if publication.played_unknown(tournament) else handle
    return [say("tournament.protest.filed", handle=who, table=table, text=text)]


def _end(conn: Connection, question: Paper) -> None:
    tournaments.set_paper_state(conn, question.id, "answered")
    for paper in _papers(conn, question.tournament_id, question.id):
        if paper.state == "open":
            tournaments.set_paper_state(conn, paper.id, "gone")


def _papers(conn: Connection, tournament_id: str, number: int) -> list[Paper]:
    every = tournaments.papers_of(conn, tournament_id, "verdict", state=None)
    return [paper for paper in every if _question(paper) == number]


def _question(paper: Paper) -> int:
    return int(paper.words.partition(" ")[0])


def _arbiter(paper: Paper) -> str:
    return paper.words.partition("\n")[0].partition(" ")[2]


def _verdict(paper: Paper) -> Verdict | None:
    _, _, said = paper.words.partition("\n")
    if paper.state != "answered" or not said:
        return None
    words, _, reason = said.partition("\n")
    kind, *winners = words.split()
    return Verdict(kind, tuple(map(as_faction, winners)), reason)  # type: ignore[arg-type]  # it was written so
