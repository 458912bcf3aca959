"""The arbiters' decisions by mail: who is asked about a table, what they see, and how their verdicts are counted.

The other players at the table are told about a protest first, and each may reply in one mail. Then two uninvolved
arbiters are asked separately. They see the protest, the replies and all public facts about the table. Neither learns
the other's verdict before giving their own. If the two verdicts agree, they decide. If they differ, a third arbiter is
asked, and two equal verdicts out of three decide. If the verdicts differ and there is nobody left to ask, or if time
runs out, there is no verdict. A director cannot answer in an arbiter's place, and is asked only if every arbiter is
involved. If only one person can be asked, that person's verdict decides; the announcement then says that one arbiter,
or the director, decided.

An arbiter is involved in a table if they sit or have sat there, are kept apart from one of its players, or observe its
game with all secrets visible. An arbiter who plays in the event is also involved if a different verdict would change
their rank.

A question is stored as a paper without an entrant, open for replies until its deadline. Each arbiter's verdict is also
such a paper. Its first line holds the number of the question, the arbiter's address, and a mark if the arbiter was
reminded. Its second line holds the verdict, after a "?" until the arbiter has confirmed it. The remaining lines hold
the reason. A reply is a paper of the entrant; it holds the number of the protest and the entrant's words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Literal

from msgspec import structs

from bot.competition.outcomes import MOST_WINNERS
from bot.games.letter_writer import Matter
from bot.games.open_games import Session
from bot.games.seat_mail import make_harmless
from bot.language.moves import agrees
from bot.language.names import FACTION_NAMES, Found
from bot.render import letters as rendered
from bot.render.blocks import Block, Button, Buttons, Heading, Paragraph, Row, Rows
from bot.store import acts, games, tournament_rounds, tournaments
from bot.store.acts import GrantedRight, Right
from bot.store.database import Connection
from bot.store.tournament_rounds import RoundTable
from bot.store.tournaments import Entrant, Paper, Tournament
from bot.table.table import Table
from bot.tournament import desk, results
from bot.tournament.letters import Letter, buttons, tell_one_organiser
from bot.tournament.progress import current_standings
from bot.wording import say
from bot.wording.filters import name
from rules.chapters.victory import needed, strongholds_held
from rules.components import Faction, as_faction

FIRST_ANSWER = timedelta(hours=72)
THIRD_ANSWER = timedelta(hours=48)
REMINDED = timedelta(hours=24)
"""The time before an arbiter's deadline at which Mentat sends a reminder."""
MOST_REASON = 500  # characters
MOST_REPLY = 4_000

Kind = Literal["dismiss", "winner", "replay", "concerned", "yes", "uphold"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """An arbiter's verdict. ``winners`` are the factions that it declares winners, if any. If ``sure`` is false, the
    verdict was read from free text and must be confirmed first; the kind ``yes`` confirms it. The kind ``uphold`` alone
    decides nothing, because it does not say what should happen to the result."""

    kind: Kind
    winners: tuple[Faction, ...] = ()
    reason: str = ""
    sure: bool = True

    @property
    def words(self) -> str:
        return " ".join((self.kind, *self.winners))


@dataclass(frozen=True, slots=True)
class Decided:
    question: Paper
    verdict: Verdict | None
    count: int = 0
    of: int = 0
    alone: str = "one arbiter"
    why: str = ""

    @property
    def protest(self) -> int:
        return int(self.question.words.split()[1]) if self.question.words.startswith("protest ") else 0

    @property
    def by(self) -> str:
        if self.of == 1:
            return self.alone
        return "two arbiters" if self.count == self.of == 2 else f"two of {self.of} arbiters"


# --- replies to a protest --------------------------------------------------------------------------------------------

_PROTEST = re.compile(r"\bprotest (?P<place>[0-9]{1,9}) about table (?P<table>[0-9]{1,4}\.[0-9]{1,5})", re.IGNORECASE)


def read_reply(conn: Connection, entrant: Entrant, subject: str, lines: Sequence[str]) -> tuple[Paper, str] | None:
    """If a mail replies to a protest, return the paper that asked the entrant for the reply, and the text of the reply.
    Return None for any other mail."""
    named = _PROTEST.search(subject)
    if named is None:
        return None
    every = tournaments.papers_of(conn, entrant.tournament_id, "reply", state=None)
    here = [paper for paper in every if f"{paper.round}.{paper.table}" == named["table"]]
    own = [paper for paper in here if paper.entrant == entrant.number]
    found = [paper for paper in own if results.place_of_protest(conn, paper, _question(paper)) == int(named["place"])]
    return (found[0], "\n".join(line.strip() for line in lines).strip()) if found else None


def take_reply(session: Session, tournament: Tournament, paper: Paper, words: str) -> str:
    """Store a reply to a protest and return the answer to its writer. Once all have replied, ask the arbiters."""
    number, table = _question(paper), f"{paper.round}.{paper.table}"
    if paper.state == "gone":
        return say("tournament.reply.too-late", table=table)
    if not words:
        return say("tournament.reply.empty", table=table)
    said = [make_harmless(line, session.settings.mentat.address) for line in words[:MOST_REPLY].splitlines()]
    tournaments.set_paper_state(session.conn, paper.id, "answered", "\n".join([str(number), *said]))
    if all(each.state != "open" for each in _replies(session.conn, tournament.id, number)):
        about = f"protest {number}"
        for question in tournaments.papers_of(session.conn, tournament.id, "question"):
            if question.words == about and question.until is not None:
                ask_after_replies(session, tournament, question)
    return say("tournament.reply.noted", table=table)


def _replies(conn: Connection, tournament_id: str, protest: int) -> list[Paper]:
    every = tournaments.papers_of(conn, tournament_id, "reply", state=None)
    return [paper for paper in every if _question(paper) == protest]


def ask_after_replies(session: Session, tournament: Tournament, question: Paper) -> None:
    """Ask the arbiters about a protest after the time for replies is over. Without arbiters, ask the organisers."""
    for paper in _replies(session.conn, tournament.id, int(question.words.split()[1])):
        if paper.state == "open":
            tournaments.set_paper_state(session.conn, paper.id, "gone")
    table = desk.find_table(session.conn, tournament.id, f"{question.round}.{question.table}")
    tournaments.postpone_paper(session.conn, question, None)
    question = replace(question, until=None)
    if _ask_first(session, tournament, table, question, ()):
        return
    results.end_question(session.conn, question)
    number = int(question.words.split()[1])
    subject = say("tournament.protest.subject", table=desk.table_name(table))
    told = [*question_in_words(session, question), *_replies_in_words(session.conn, table, number)]
    named = desk.table_name(table)
    told.append(say("tournament.protest.advice", table=named, number=number))
    lines = [f"{tournament.id}: {each}: WHY" for each in (f"dismiss {number}", f"void {named} replay", f"void {named}")]
    cause = f"tournament.{tournament.id}.protest.{number}"
    session.writer.tell_master_of(Matter("", "", subject, told, lines, cause))


def _replies_in_words(conn: Connection, table: RoundTable, protest: int) -> list[str]:
    plays = {held.entrant: held.faction for held in reversed(_tenures(conn, table)) if held.entrant and held.faction}
    every = [paper for paper in _replies(conn, table.tournament_id, protest) if paper.state == "answered"]
    found = [(plays.get(paper.entrant, ""), paper.words.partition("\n")[2]) for paper in every]
    if not found:
        return [say("tournament.reply.none")]
    return [say("tournament.reply.one", faction=faction, text=" ".join(text.split())) for faction, text in found]


def _tenures(conn: Connection, table: RoundTable) -> list[tournament_rounds.Tenure]:
    return tournament_rounds.tenures_of(conn, table.tournament_id, table.round, table.number)


# --- asking ----------------------------------------------------------------------------------------------------------


def ask_arbiters(session: Session, tournament: Tournament, table: RoundTable, why: str) -> bool:
    question = Paper(tournament.id, 0, "question", "table", session.now, table.round, table.number)
    if not _free_to_judge(session, tournament, table):
        return False
    question = replace(question, id=tournaments.add_paper(session.conn, question))
    return _ask_first(session, tournament, table, question, [say("tournament.arbiter.proposed", why=why)])


def _ask_first(
    session: Session, tournament: Tournament, table: RoundTable, question: Paper, told: Sequence[str]
) -> bool:
    free = _free_to_judge(session, tournament, table)
    for who in free[:2]:
        _ask(session, tournament, question, who, [*question_in_words(session, question), *told])
    return bool(free)


def _free_to_judge(session: Session, tournament: Tournament, table: RoundTable) -> list[GrantedRight]:
    return (
        _unconcerned(session, tournament, table, "arbiter") or _unconcerned(session, tournament, table, "director")[:1]
    )


def _unconcerned(session: Session, tournament: Tournament, table: RoundTable, right: Right) -> list[GrantedRight]:
    every = [who for who in acts.rights_of(session.conn, tournament_id=tournament.id) if who.right == right]
    free = [who for who in every if desk.is_unconcerned(session.conn, table, who.address)]
    return [who for who in free if not _gains_by_verdict(session, tournament, table, who.address)]


def _gains_by_verdict(session: Session, tournament: Tournament, table: RoundTable, address: str) -> bool:
    own = desk.entrant_behind(session.conn, session.settings, tournament.id, address)
    if own is None or not table.game_id:
        return False
    kept = tournament_rounds.newest_results(session.conn, tournament.id).get(table.place)
    now = kept.outcome if kept else results.outcome_of_game(session.conn, table, session.now)
    possible = [structs.replace(now, kind="void", winners=()), *([now] if now.winners else [])]
    possible += [structs.replace(now, kind="adjudicated", winners=side, how="") for side in _sides(session, table)]
    places = set[int]()
    for outcome in possible:
        found = current_standings(session.conn, tournament, instead=outcome)
        places |= {row.rank for row in found if row.entrant == own.handle}
    return len(places) > 1


def _game(session: Session, table: RoundTable) -> Table:
    return session.games.table(session.conn, table.game_id)


def _sides(session: Session, table: RoundTable) -> list[tuple[Faction, ...]]:
    if not table.game_id:
        return []
    state = _game(session, table).play.state
    return sorted({tuple(sorted(state.ally_group(faction))) for faction in _factions_at(session.conn, table)})


def _ask(session: Session, tournament: Tournament, question: Paper, who: GrantedRight, told: Sequence[str]) -> None:
    number, before = question.id, _papers(session.conn, tournament.id, question.id)
    time = FIRST_ANSWER if all(paper.at == session.now for paper in before) else THIRD_ANSWER
    words, reminder = f"{number} {who.address}", session.now + time - REMINDED
    tournaments.add_paper(
        session.conn,
        Paper(tournament.id, 0, "verdict", words, session.now, question.round, question.table, reminder),
    )
    table = desk.find_table(session.conn, tournament.id, f"{question.round}.{question.table}")
    blocks: list[Block] = [
        Paragraph(say("tournament.arbiter.how", hours=time // timedelta(hours=1), number=number)),
        Buttons(_answers(session, tournament, table, question, who)),
        Rows(_facts(session, table, question)),
        *_public_board(session, table),
    ]
    subject = say("tournament.arbiter.subject", number=number, table=desk.table_name(table))
    tell_one_organiser(session, tournament, who, Letter(subject, told, f"verdict.{number}", blocks=blocks))


def _answers(
    session: Session, tournament: Tournament, table: RoundTable, question: Paper, who: GrantedRight
) -> tuple[Button, ...]:
    number = question.id
    sides = _sides(session, table) or [(faction,) for faction in _factions_at(session.conn, table)]
    upheld = [f"verdict {number} uphold"] if question.words.startswith("protest ") else []
    lines = [f"verdict {number} dismiss", *upheld, *(f"verdict {number} winner {' '.join(side)}" for side in sides)]
    lines += [f"verdict {number} replay", f"verdict {number} concerned"]
    return buttons(session.settings, tournament.id, who.token, lines)


def _facts(session: Session, table: RoundTable, question: Paper) -> tuple[Row, ...]:
    conn, found = session.conn, list[Row]()
    if question.words.startswith("protest "):
        replies = _replies_in_words(conn, table, int(question.words.split()[1]))
        found.append(Row(say("tournament.arbiter.replies"), tuple(replies)))
    kept = tournament_rounds.newest_results(conn, table.tournament_id).get(table.place)
    won = say("tournament.arbiter.no-result") if kept is None else results.result_told(kept)
    found.append(Row(say("tournament.arbiter.result"), (won,)))
    if table.game_id:
        game = _game(session, table).play.game
        held = strongholds_held(game)
        sides = [
            say(
                "tournament.arbiter.side",
                side=list(map(name, side)),
                held=len({place for member in side for place in held[member]}),
                needed=needed(game, side),
            )
            for side in _sides(session, table)
        ]
        rule = say("tournament.arbiter.rule", ruleset=game.rules.title)
        found.append(Row(say("tournament.arbiter.rules"), (rule, *sides)))
    return tuple(found)


def _public_board(session: Session, table: RoundTable) -> list[Block]:
    if not table.game_id:
        return []
    game = _game(session, table)
    turn = game.play.state.turn
    happened = games.events_of_turn(session.conn, table.game_id, turn)
    position = session.writer.position(game, "public", happened)
    found = [Heading(say("tournament.arbiter.board", turn=turn)), *rendered.public_board(position)]
    for before in range(turn - 1, 0, -1):
        happened = games.events_of_turn(session.conn, table.game_id, before)
        heading = say("tournament.arbiter.log", turn=before)
        found += rendered.public_log(session.writer.position(game, "public", happened), heading)
    return found


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
_UPHELD = re.compile(
    r"(?!.*\b(?:result|outcome|decision)\b).*\b(?:uphold|upheld|sustain(?:ed)?|justified|protest is right)\b",
    re.IGNORECASE,
)


def read_verdict(subject: str, lines: Sequence[str]) -> tuple[int, Verdict | None] | None:
    """Return the number of the question that a mail answers, and its verdict. The verdict is None if the text contains
    no verdict or more than one. Return None if the mail does not answer such a question."""
    text = "\n".join(line.strip() for line in lines).strip()
    named = _LINE.fullmatch(text) or _SUBJECT.search(subject)
    if named is None:
        return None
    text = _LINE.sub(r"\g<rest>", text, count=1) if _LINE.fullmatch(text) else text
    return int(named["number"]), verdict_in(text)


def verdict_in(text: str) -> Verdict | None:
    """Parse a verdict in an arbiter's own words.

    >>> verdict_in("No ground."), verdict_in("Guild should have it, by the storm.").words
    (Verdict(kind='dismiss', winners=(), reason='No ground.', sure=True), 'winner guild')
    >>> verdict_in("Guild should not have it"), verdict_in("Guild should have won instead of Fremen")
    (None, None)
    """
    if agrees(text):
        return Verdict("yes")
    said = [kind for kind, pattern in _MEANS.items() if any(pattern.search(part) for part in _sentences(text))]
    if not said and any(_UPHELD.match(part) for part in _sentences(text)):
        return Verdict("uphold")
    if len(said) != 1:
        return None
    reason = " ".join(text.split())[:MOST_REASON]
    if said[0] != "winner":
        return Verdict(said[0], (), reason)
    winning = [part for part in _sentences(text) if _MEANS["winner"].search(part)]
    named = {found for part in winning if (found := _winners_in(part)) is not None}
    if len(named) != 1 or () in named:
        return None
    sure = bool(_ROW.fullmatch(_mark_factions(text.strip(" .!\n"))[0]))
    return Verdict("winner", named.pop(), "" if sure else reason, sure)


def _sentences(text: str) -> list[str]:
    parts = re.findall(r"[^.;!?\n]+[.;!?\n]*", text)
    return [part.strip(" .;!\n") for part in parts if "?" not in part and not _DENIED.search(part) and part.strip()]


_PHRASE = _MEANS["winner"].pattern
_PAIR = r"@\S+ (?:and|&|\+) (?:the )?@\S+"
_BESIDE = re.compile(
    rf"(?:{_PAIR}) (?:both )?(?:have |has )?(?:{_PHRASE})|(?:{_PHRASE}) (?:: |are |the |to )*(?:{_PAIR})", re.IGNORECASE
)
_ROW = re.compile(r"winners?(?: :)?(?: ,| and)*(?: @\S+(?: ,| and)*)+", re.IGNORECASE)
"""A line that names only winners, as the buttons write it: `winner atreides emperor`."""


def _winners_in(sentence: str) -> tuple[Faction, ...] | None:
    """Return the winners according to a sentence: one faction, or two named next to the word for winning. Return None
    if the sentence names no faction. Return () if it names several and it is unclear which of them won."""
    marked, named = _mark_factions(sentence)
    if len(named) > 1 and not _ROW.fullmatch(marked):
        beside = _BESIDE.search(marked)
        if beside is None or len(named) > beside[0].count("@"):
            return ()
    return tuple(sorted(named)) or None


def _mark_factions(sentence: str) -> tuple[str, set[Faction]]:
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
    conn = session.conn
    question = find_question(conn, tournament.id, number)
    own = next((each for each in _papers(conn, tournament.id, number) if _arbiter(each) == who.address), None)
    if question is None or own is None:
        return say("tournament.arbiter.not-asked", number=number), None
    if question.state != "open":
        return say("tournament.arbiter.decided-before", number=number), None
    table = desk.find_table(conn, tournament.id, f"{question.round}.{question.table}")
    head, waiting = own.words.partition("\n")[0], _waits_for_yes(own)
    if verdict is not None and verdict.kind == "yes":
        verdict = waiting
    upheld = verdict is not None and verdict.kind == "uphold"
    possible = not upheld and verdict is not None and set(verdict.winners) <= set(_factions_at(conn, table))
    if verdict is None or not possible or len(verdict.winners) > MOST_WINNERS:
        if waiting is not None:
            tournaments.set_paper_state(conn, own.id, own.state, head)
        asks = "what-follows" if upheld and question.words.startswith("protest ") else "unclear"
        return say(f"tournament.arbiter.{asks}", number=number, factions=_factions_at(conn, table)), None
    reason = make_harmless(verdict.reason, session.settings.mentat.address)
    winners = list(map(name, verdict.winners))
    if not verdict.sure:
        tournaments.set_paper_state(conn, own.id, "open", f"{head}\n?{verdict.words}\n{reason}")
        return say("tournament.arbiter.yes", number=number, winners=winners), None
    tournaments.set_paper_state(conn, own.id, "answered", f"{head}\n{verdict.words}\n{reason}")
    told = say("tournament.arbiter.noted", number=number, kind=verdict.kind, winners=winners)
    return told, _count(session, tournament, table, question)


def find_question(conn: Connection, tournament_id: str, number: int) -> Paper | None:
    every = tournaments.papers_of(conn, tournament_id, "question", state=None)
    return next((paper for paper in every if paper.id == number), None)


def questions_overdue(conn: Connection, tournament_id: str, papers: Sequence[Paper]) -> list[Paper]:
    numbers = {_question(paper) for paper in papers}
    return [paper for paper in tournaments.papers_of(conn, tournament_id, "question") if paper.id in numbers]


def count_overdue(session: Session, tournament: Tournament, question: Paper) -> Decided | None:
    """Remind the arbiters who have not answered yet. After an arbiter's deadline, count the verdicts without theirs,
    and return the decision if there is one."""
    ended = False
    for paper in _papers(session.conn, tournament.id, question.id):
        if paper.state != "open" or paper.until is None or paper.until > session.now:
            continue
        if not _is_reminded(paper):
            _remind(session, tournament, question, paper)
        else:
            tournaments.set_paper_state(session.conn, paper.id, "gone")
            ended = True
    table = desk.find_table(session.conn, tournament.id, f"{question.round}.{question.table}")
    return _count(session, tournament, table, question) if ended else None


def _remind(session: Session, tournament: Tournament, question: Paper, paper: Paper) -> None:
    head, _, said = paper.words.partition("\n")
    tournaments.set_paper_state(session.conn, paper.id, "open", f"{head} reminded\n{said}".strip())
    tournaments.postpone_paper(session.conn, paper, session.now + REMINDED)
    every = acts.rights_of(session.conn, tournament_id=tournament.id)
    who = next((each for each in every if each.address == _arbiter(paper)), None)
    if who is None:
        return
    table = desk.find_table(session.conn, tournament.id, f"{question.round}.{question.table}")
    told = [say("tournament.arbiter.reminded", table=desk.table_name(table), hours=REMINDED // timedelta(hours=1))]
    if waits := _waits_for_yes(paper):
        told.append(say("tournament.arbiter.yes", number=question.id, winners=list(map(name, waits.winners))))
    blocks: list[Block] = [Buttons(_answers(session, tournament, table, question, who))]
    subject = say("tournament.arbiter.subject", number=question.id, table=desk.table_name(table))
    told += question_in_words(session, question)
    tell_one_organiser(session, tournament, who, Letter(subject, told, f"verdict.{question.id}.again", blocks=blocks))


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
        results.end_question(conn, question)
        return Decided(question, Verdict(agreed[0].kind, agreed[0].winners, reasons), votes, len(given))
    waiting = sum(paper.state == "open" for paper in every)
    asked = {_arbiter(paper) for paper in every}
    free = (
        _free_to_judge(session, tournament, table)
        if judged
        else _unconcerned(session, tournament, table, "director")[:1]
    )
    left = [who for who in free if who.address not in asked]
    differ = len(given) == 2
    if left and not (differ and waiting) and len(given) + waiting < (3 if differ else 2):
        told = [say("tournament.arbiter.third", table=desk.table_name(table))] if differ else []
        told += question_in_words(session, question)
        _ask(session, tournament, question, left[0], told)
        return None
    if waiting:
        return None
    results.end_question(conn, question)
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
    return results.protest_in_words(tournament, filed)


def _papers(conn: Connection, tournament_id: str, number: int) -> list[Paper]:
    every = tournaments.papers_of(conn, tournament_id, "verdict", state=None)
    return [paper for paper in every if _question(paper) == number]


def _question(paper: Paper) -> int:
    return int(paper.words.split(maxsplit=1)[0])


def _arbiter(paper: Paper) -> str:
    return paper.words.split(maxsplit=2)[1]


def _is_reminded(paper: Paper) -> bool:
    return paper.words.partition("\n")[0].endswith(" reminded")


def _verdict(paper: Paper) -> Verdict | None:
    _, _, said = paper.words.partition("\n")
    return _written(said) if paper.state == "answered" and said else None


def _waits_for_yes(paper: Paper) -> Verdict | None:
    _, _, said = paper.words.partition("\n")
    return _written(said[1:]) if said.startswith("?") else None


def _written(said: str) -> Verdict:
    words, _, reason = said.partition("\n")
    kind, *winners = words.split()
    return Verdict(kind, tuple(map(as_faction, winners)), reason)  # type: ignore[arg-type]  # it was stored like that
