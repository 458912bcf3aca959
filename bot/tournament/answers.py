"""What is answered to mail about tournaments: to entrants a letter with what became of each line; to everybody else as
little as is known of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from bot.clock.instants import stamp
from bot.games.open_games import OpenGames
from bot.reports.document import Ask, Block, Paragraph, Verdict
from bot.store.database import Connection
from bot.store.tournaments import entrants, rights, tournaments
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.rights import Granted
from bot.store.tournaments.tournaments import Tournament
from bot.tournament import entrant_lines, views
from bot.tournament.answered import Answered
from bot.tournament.given_names import display_name
from bot.tournament.letters import Letter, buttons, tell, tell_one_organiser, tell_stranger
from bot.tournament.mail_commands import Line, Show
from bot.tournament.mail_lines import FORMS
from bot.wording.sentences import say

MOST_SHOWN = 160  # characters of a line that is answered
MOST_NAMED = 5  # tournaments that a stranger is told of


def answer(
    conn: Connection, open_games: OpenGames, tournament: Tournament, entrant: Entrant,
    lines: Sequence[tuple[str, Line]], key: str, now: datetime, message_id: str = "",
) -> int:  # fmt: skip
    """Carry out the lines of an entrant and answer them in one letter; how many were taken."""
    verdicts: list[Block] = []
    below: list[Block] = []
    taken = 0
    for text, line in lines:
        done = entrant_lines.carry_out(conn, open_games, tournament, entrant, line, now)
        verdicts.append(_verdict(open_games, tournament, entrant, text, done))
        taken += done.status == "done"
        entrant = entrants.find(conn, tournament.id, entrant.handle) or entrant
    read = [line for _, line in lines if isinstance(line, Show)]
    for what in dict.fromkeys(line.what for line in read):
        below += views.shown_to(conn, tournament, entrant, what, now)
    if not lines:
        below = [Paragraph(say("tournament-answer.nothing")), *views.shown_to(conn, tournament, entrant, "help", now)]
    if lines and len(read) == len(lines):  # they only wanted to see something
        subject, blocks = say("tournament-answer.shown-subject", what=[line.what for line in read]), below
    else:
        subject = say("tournament-answer.subject", taken=taken, lines=len(lines))
        blocks = [*verdicts, *below]
    tell(conn, open_games.writer, entrant, now, Letter(subject, (), f"answer.{key}", blocks=blocks, answers=message_id))
    return taken


def _verdict(
    open_games: OpenGames, tournament: Tournament, entrant: Entrant, text: str, done: Answered
) -> Verdict:  # fmt: skip
    tone: Literal["good", "bad", "plain"] = "good" if done.status == "done" else "bad"
    line = text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
    complete = [each for each in done.suggestions if each == each.lower()]
    ready = buttons(open_games.settings, tournament.id, entrant.token, complete)
    return Verdict(line, say(f"verdict.{done.status}"), tone, (done.text,), done.suggestions, buttons=ready)


def in_already(conn: Connection, open_games: OpenGames, entrant: Entrant, now: datetime) -> None:
    """They are in: to the address on file."""
    who = display_name(entrant.handle, entrant.name)
    told = [say("tournament-answer.in", who=who), say(f"tournament-state.{entrant.state}")]
    letter = Letter(say("tournament-answer.in-subject"), told, f"in.{stamp(now)}", ready=("status", "withdraw"))
    tell(conn, open_games.writer, entrant, now, letter)


def not_again(conn: Connection, open_games: OpenGames, entrant: Entrant, now: datetime) -> None:
    """They cannot enter: to the address on file."""
    told = [say("tournament-answer.not-again"), say(f"tournament-state.{entrant.state}")]
    letter = Letter(say("tournament-answer.not-again-subject"), told, f"no.{stamp(now)}")
    tell(conn, open_games.writer, entrant, now, letter)


def organiser_plays(
    conn: Connection, open_games: OpenGames, tournament: Tournament, address: str, now: datetime
) -> None:
    """An organiser who wants to enter cannot, to the address on file."""
    granted = rights.of_person(conn, tournament.id, address)
    told = [say("tournament-refused.organiser", id=tournament.id)]
    subject = say("tournament-answer.not-again-subject")
    tell_one_organiser(conn, open_games.writer, tournament, granted, now, Letter(subject, told, f"plays.{stamp(now)}"))


def ask_for_token(
    conn: Connection, open_games: OpenGames, tournament: Tournament, entrant: Entrant, lines: Sequence[str],
    now: datetime,
) -> None:  # fmt: skip
    """Lines came that would change something, without the entrant's own token: to the address on file, which brings
    it back with the answer."""
    ready = [line[:MOST_SHOWN] for line in lines[:3] if line.strip()]
    told = [say("tournament-answer.token"), say("tournament-answer.token-not-you")]
    letter = Letter(say("tournament-answer.token-subject"), told, f"token.{stamp(now)}", ready=ready)
    tell(conn, open_games.writer, entrant, now, letter)


def neutral(conn: Connection, open_games: OpenGames, address: str, now: datetime, message_id: str) -> None:
    """The same words whether there is no such tournament, they are not invited, they are in already, or a code is not
    right. What takes entries from everybody is named, for those who mistyped it."""
    told = [say("tournament-answer.neutral-enter", line=FORMS["enter"])]
    if public := _open_to_all(conn, now):
        told.append(say("tournament-answer.neutral-open", open=public))
    blocks: list[Block] = [
        Paragraph(say("tournament-answer.neutral"), "lead"),
        Ask(say("tournament-answer.neutral-how"), tuple(told)),
        Paragraph(say("tournament-answer.neutral-not-you"), "small"),
    ]
    subject = say("tournament-answer.neutral-subject")
    letter = Letter(subject, (), f"neutral.{stamp(now)}", blocks=blocks, answers=message_id)
    tell_stranger(conn, open_games.writer, "Mentat", address, now, letter)


def _open_to_all(conn: Connection, now: datetime) -> list[dict[str, str]]:
    """The tournaments which anybody can enter now, by what everybody may know; the newest, if they are many."""
    found = [
        each for each in tournaments.every(conn, "open")
        if each.settings.people.entry == "open" and (each.until is None or each.until > now)
    ]  # fmt: skip
    return [{"id": each.id, "title": each.title} for each in found[-MOST_NAMED:]]


def to_organiser(
    conn: Connection, open_games: OpenGames, tournament: Tournament, organiser: Granted,
    asked: Sequence[Show], key: str, now: datetime, message_id: str,
) -> None:  # fmt: skip
    """What organisers can see by mail, and that acts are typed."""
    blocks: list[Block] = []
    for line in asked:
        blocks += views.shown_to(conn, tournament, None, line.what, now)
    if not blocks:
        blocks = [Paragraph(say("tournament-answer.organiser", id=tournament.id))]
    letter = Letter(
        say("tournament-answer.organiser-subject"), (), f"organiser.{key}", blocks=blocks, answers=message_id
    )
    tell_stranger(conn, open_games.writer, tournament.id, organiser.address, now, letter, token=organiser.token)
