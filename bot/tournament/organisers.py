"""Words between entrants and organisers, and what organisers write by mail.

What an entrant writes that is neither a line nor chatter goes to the directors and clerks who do not play with them,
with the entrant's name and without their address; an answer goes back the same way. A question has a number, which
stands in the subject, so that an answer finds it whatever a mail program makes of the rest. An answer may also be a
line: `answer 17: yes, you can`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.games.open_games import Session
from bot.games.seat_mail import make_harmless
from bot.language.command_lines import without_courtesy
from bot.render.blocks import Block, Buttons, Paragraph, Row, Rows, Verdict
from bot.store import acts, people, tournament_rounds, tournaments
from bot.store.acts import CLERKS, GrantedRight
from bot.store.database import Connection
from bot.store.tournaments import Entrant, Paper, Tournament
from bot.tournament.desk import By, log_act
from bot.tournament.letters import Letter, buttons, own_tables, tell, tell_one_organiser
from bot.wording import say

MOST_WORDS = 4_000  # characters of a question or an answer
MOST_OF_PROTEST = 200  # characters of them in a proposed line
FEWEST_WORDS = 4  # shorter lines are a greeting, thanks or a name
_ANSWER = re.compile(r"\s*answer\s+(?P<number>[0-9]{1,9})\s*[:,.]?\s*(?P<text>.*)", re.IGNORECASE | re.DOTALL)
_SUBJECT = re.compile(r"\bquestion (?P<number>[0-9]{1,9})\b", re.IGNORECASE)


def for_organisers(lines: Sequence[str]) -> str:
    """Return what people should read of these lines, "" where they are chatter: greetings, thanks, names."""
    said = [line.strip() for line in lines if line.strip()]
    asked = [without_courtesy(line)[0] for line in said]
    worth = any("?" in line or len(line.split()) >= FEWEST_WORDS for line in asked)
    return "\n".join(said)[:MOST_WORDS] if worth else ""


def pass_on(session: Session, tournament: Tournament, entrant: Entrant, words: str, *, proved: bool = True) -> None:
    """Send an entrant's words to the directors and clerks. Not ``proved``: they came without the entrant's token."""
    words = _harmless(session, words)
    state: tournaments.PaperState = "answered" if _THANKS.search(words) and "?" not in words else "open"
    number = tournaments.add_paper(
        session.conn, Paper(tournament.id, entrant.number, "words", words, session.now, state=state)
    )
    subject = say("tournament.words.subject", number=number, who=entrant.public_name)
    told = [say("tournament.words.asked", who=entrant.public_name, title=tournament.title)]
    told += [] if proved else [say("tournament.words.unproved")]
    for who in _readers(session.conn, tournament, entrant):
        blocks: list[Block] = [Rows((Row(entrant.handle, tuple(words.splitlines())),))]
        ready = buttons(session.settings, tournament.id, who.token if who else "", [f"answer {number}: "])
        blocks += [Buttons(ready), Paragraph(say("tournament.words.how", number=number), "small")]
        tell_one_organiser(session, tournament, who, Letter(subject, told, f"words.{number}", blocks=blocks))


_CONTESTS = re.compile(
    r"\b(?:appeal|complain(?:t|ts)?|contest|dispute|object(?:ion)?|protest)\b"
    r"|\bresult\b.{0,40}(?:\b(?:wrong|mistake|incorrect)\b|(?:\bnot|n't)(?: be)? (?:right|correct)\b)"
    r"|\b(?:wrong|incorrect) result\b",
    re.IGNORECASE,
)


def way_to_protest(session: Session, tournament: Tournament, entrant: Entrant, words: str) -> list[Block]:
    """Say how to protest, where words contest a result of their writer that may still change."""
    results = tournament_rounds.newest_results(session.conn, tournament.id)
    own = {
        (held.round, held.table)
        for held in tournament_rounds.tenures_of(session.conn, tournament.id)
        if held.entrant == entrant.number
    }
    tables = [f"{at[0]}.{at[1]}" for at in sorted(own) if at in results and results[at].state == "provisional"]
    if not tables or not _CONTESTS.search(words):
        return []
    said = " ".join(words.split())[:MOST_OF_PROTEST]
    lines = tuple(f"protest {table}: {said}" for table in tables)
    ready = buttons(session.settings, tournament.id, entrant.token, lines)
    hint = say("tournament-answer.protest", tables=tables)
    return [Verdict(said, say("verdict.asked"), "plain", (hint,), lines, buttons=ready)]


_THANKS = re.compile(r"^\W*(?:many |so )?thank", re.IGNORECASE | re.MULTILINE)


def _harmless(session: Session, words: str) -> str:
    return "\n".join(make_harmless(line, session.settings.mentat.address) for line in words.splitlines())[:MOST_WORDS]


def _readers(conn: Connection, tournament: Tournament, writer: Entrant) -> list[GrantedRight | None]:
    """Return who reads what an entrant writes: nobody who plays or played with them, and not the writer. Where nobody
    is left, the game master (None) does."""
    theirs = {
        (held.round, held.table)
        for held in tournament_rounds.tenures_of(conn, tournament.id)
        if held.entrant == writer.number
    }
    found: list[GrantedRight | None] = [
        who
        for who in acts.rights_of(conn, tournament_id=tournament.id)
        if who.right in CLERKS
        and who.right != "deputy"
        and writer.address not in people.known_as(conn, who.address)
        and not theirs & own_tables(conn, tournament, who)
    ]
    return found or [None]


def read_answer(subject: str, lines: Sequence[str]) -> tuple[int, str] | None:
    """Return the number of the question that an organiser's mail answers, and the answer; None for any other mail."""
    text = "\n".join(line.strip() for line in lines).strip()
    if line := _ANSWER.fullmatch(text):
        return int(line["number"]), line["text"].strip()
    named = _SUBJECT.search(subject)
    return (int(named["number"]), text) if named and text else None


def answer_question(session: Session, tournament: Tournament, by: GrantedRight, number: int, answer: str) -> str:
    """Send an organiser's answer to the entrant who asked; return what to tell the organiser."""
    every = tournaments.papers_of(session.conn, tournament.id, "words", state=None)
    asked = next((paper for paper in every if paper.id == number), None)
    if asked is None or by.right not in CLERKS:
        return say("tournament.words.no-question", number=number)
    if not answer:
        return say("tournament.words.empty", number=number)
    everybody = tournaments.entrants_of(session.conn, tournament.id)
    entrant = next(each for each in everybody if each.number == asked.entrant)
    tournaments.set_paper_state(session.conn, asked.id, "answered")
    answer = _harmless(session, answer)
    asked_before = asked.words.replace("\n", " ")[:200]
    blocks: list[Block] = [Paragraph(line) for line in answer.splitlines() if line]
    blocks.append(Paragraph(say("tournament.words.you-asked", words=asked_before), "small"))
    subject = say("tournament.words.answer-subject", title=tournament.title)
    told = [say("tournament.words.answer", title=tournament.title)]
    tell(session, entrant, Letter(subject, told, f"words.{number}.{session.now:%Y%m%d%H%M%S}", blocks=blocks))
    log_act(session, tournament.id, "answer", f"a question of {entrant.handle}", By(by.address, by.right))
    return say("tournament.words.answered", who=entrant.public_name)
