"""The lines that entrants send: they are carried out and all answered in one letter.

A line may change the entrant's own settings, file a sealed paper, answer a request, ask for information, or withdraw. A
sealed paper stays unread until the calendar or an organiser opens it; a newer one replaces it. Its writer gets a
confirmation of its contents, and nobody else learns that it exists. Protests go to the arbiters. People who have not
entered are told as little as possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time
from typing import Literal

from bot.competition.factions import (
    PaperRefused,
    box_of,
    faction_named,
    read_choice,
    read_preferences,
    read_trade,
    read_worths,
)
from bot.competition.published import display_name
from bot.competition.seating_search import SEATS
from bot.competition.settings import Assigning
from bot.config.time_zones import ZoneRefused, read_zone, write_zone, zone_named
from bot.games.open_games import OpenGames, Session
from bot.games.seat_mail import make_harmless
from bot.render.blocks import Ask, Block, Heading, Paragraph, Row, Rows, Table, Verdict
from bot.store import acts, publication, tournament_rounds, tournaments
from bot.store import tournament_rounds as result_rows
from bot.store.acts import GrantedRight
from bot.store.database import Connection
from bot.store.memory import LastMail, remember
from bot.store.tournament_rounds import RoundTable, Tenure
from bot.store.tournaments import Entrant, Paper, Tournament
from bot.table.calendar import instant_at, stamp
from bot.tournament import adjudication as votes
from bot.tournament import beacons, entries, factions, organisers, preparation, progress, substitutes
from bot.tournament import results as table_results
from bot.tournament.desk import By, Refused, table_name
from bot.tournament.letters import Letter, buttons, tell, tell_one_organiser, tell_stranger, zone_of
from bot.tournament.mail_lines import (
    FORMS,
    LADDER,
    Awake,
    Beacon,
    Command,
    Confirm,
    Connected,
    Dropped,
    Enter,
    Filed,
    Games,
    Here,
    Line,
    Named,
    Protest,
    ReadMail,
    Ready,
    Reply,
    Show,
    Talk,
    ToOrganisers,
    Unread,
    Vote,
    What,
    Withdraw,
)
from bot.wording import deadline, now_there, say
from rules.components import Faction, as_faction

ASKED: tuple[Literal["invitation", "substitution"], ...] = ("invitation", "substitution")
"""Requests that can be answered with `accept` or `decline`."""


def settle_own_line(conn: Connection, entrant: Entrant, line: Line, address: str, now: datetime) -> LineAnswer | None:
    """Carry out a line that concerns only the entrant and takes effect at once. Return None for any other line.
    ``address`` is Mentat's own mail address."""
    of = (entrant.tournament_id, entrant.number)
    match line:
        case Named(name):
            name = make_harmless(name, address)
            tournaments.change_entrant(conn, *of, name=name or entrant.name, shown=bool(name))
            who = display_name(entrant.handle, name)
            return LineAnswer("done", say("tournament-line.named", who=who))
        case Awake(hours, zone):
            return _awake(conn, entrant, hours, zone, now)
        case Connected(who, why):
            if not entries.declare_connection(conn, entrant, who, why):
                return LineAnswer("refused", say("tournament-line.too-many-connections", most=entries.MOST_CONNECTIONS))
            return LineAnswer("done", say("tournament-line.connected", who=who))
    return None


def carry_out_line(session: Session, tournament: Tournament, entrant: Entrant, line: Line) -> LineAnswer:
    try:
        with session.conn.begin_nested():
            return settle_own_line(
                session.conn, entrant, line, session.settings.mentat.address, session.now
            ) or _carry_out(session, tournament, entrant, line)
    except Refused as refused:
        session.games.forget()
        return LineAnswer("refused", str(refused))


def _carry_out(session: Session, tournament: Tournament, entrant: Entrant, line: Line) -> LineAnswer:
    match line:
        case Unread(suggestions=("withdraw",)) if entries.is_playing(session.conn, entrant):
            return LineAnswer("asked", say("tournament-line.keep-or-leave"), _keep_or_leave(tournament))
        case Unread(why, suggestions):
            asked = suggestions in (("withdraw",), ("ready",))
            return LineAnswer("asked" if asked else "unread", why, suggestions)
        case Dropped(told):
            return LineAnswer("done", told)
        case Enter() if tournament.settings.format == "ladder" and entrant.confirmed_at:
            return note_ready(session.conn, tournament, entrant, session.now, wanted=True)
        case Confirm() | Here() if preparation.is_asked_ready(session.conn, entrant):
            return note_ready(session.conn, tournament, entrant, session.now, wanted=True)
        case Enter() | Confirm():
            return LineAnswer("done", say("tournament-line.in", who=display_name(entrant.handle, entrant.name)))
        case Withdraw(named, games):
            if named not in ("", tournament.id):
                return LineAnswer("refused", say("tournament-line.other", id=tournament.id, named=named))
            return withdraw_by_mail(session, tournament, entrant, games)
        case Filed():
            return seal_paper(session, tournament, entrant, line)
        case Reply():
            return _reply(session, tournament, entrant, line)
        case Protest(table, text):
            return protest_by_mail(session, tournament, entrant, table, text)
        case Vote(factions, table):
            return vote_by_mail(session, tournament, entrant, factions, table)
        case ToOrganisers(text):
            organisers.pass_on(session, tournament, entrant, text)
            return LineAnswer("done", say("tournament-line.passed-on"))
        case Ready(wanted):
            return note_ready(session.conn, tournament, entrant, session.now, wanted=wanted)
        case Here():
            return LineAnswer("done", preparation.note_here(session, tournament, entrant))
        case Beacon(value):
            return LineAnswer("done", beacons.take_value(session, tournament, value, entrant))
        case Show():
            return LineAnswer("done", say("tournament-line.below"))
    raise TypeError(f"{line} is not a line of an entrant")


def _awake(conn: Connection, entrant: Entrant, hours: str, said: str, now: datetime) -> LineAnswer:
    zone = entrant.timezone
    if said:
        try:
            zone = read_zone(said, zone)
        except ZoneRefused as refused:
            near = [write_zone(name) for name in refused.near]
            lines = tuple(f"awake {hours} {name}" for name in near) or (FORMS["awake"],)
            return LineAnswer("refused", say(f"unread.zone-{refused.why}", text=said, zones=near), lines)
    mask = hours_mask(hours, zone, entrant.entered_at)
    tournaments.change_entrant(conn, entrant.tournament_id, entrant.number, timezone=zone, hours=mask)
    return LineAnswer(
        "done", say("tournament-line.awake", hours=hours, zone=write_zone(zone), time=now_there(now, zone_named(zone)))
    )


def hours_mask(hours: str, zone: str, day: datetime) -> int:
    """Convert local waking hours to a mask of hours in UTC. Bit 0 is the hour after midnight.

    Start and end are rounded to the nearest full hour, half hours up.

    >>> bin(hours_mask("22:00-02:00", "UTC", datetime(2026, 1, 1, tzinfo=UTC)))
    '0b110000000000000000000011'
    """
    first, last = (time.fromisoformat(part) for part in hours.split("-"))
    begins = instant_at(day.date(), first, zone_named(zone)).astimezone(UTC)
    start = begins.hour * 60 + begins.minute
    length = (last.hour * 60 + last.minute - first.hour * 60 - first.minute) % (24 * 60)
    return sum(1 << (number % 24) for number in range((start + 30) // 60, (start + length + 30) // 60))


def _reply(session: Session, tournament: Tournament, entrant: Entrant, reply: Reply) -> LineAnswer:
    if consent := _consent(session.conn, entrant, reply):
        return consent
    accepted = reply.accepted
    own = [
        paper
        for paper in tournaments.papers_of(session.conn, tournament.id, *ASKED, state=None)
        if paper.entrant == entrant.number
    ]
    waits = [paper for paper in own if paper.state == "open"]
    is_asked_in = any(
        paper.entrant == entrant.number for paper in tournaments.papers_of(session.conn, tournament.id, "check-in")
    )
    if accepted and is_asked_in and not waits:
        return LineAnswer("done", preparation.note_here(session, tournament, entrant))
    if not waits and preparation.is_asked_ready(session.conn, entrant):
        return note_ready(session.conn, tournament, entrant, session.now, wanted=accepted)
    if not own:
        return LineAnswer("refused", say("tournament-line.nothing-asked"))
    paper = (waits or own)[-1]
    if paper.kind == "invitation":
        if entrant.state == "confirmed":
            return LineAnswer("done", say("tournament-line.in", who=display_name(entrant.handle, entrant.name)))
        if preparation.answer_invitation(session, tournament, entrant, paper, accepted=accepted):
            return LineAnswer("done", say("tournament-line.place-taken", title=tournament.title))
        place = preparation.place_on_list(session.conn, replace(entrant, state="standby"))
        return LineAnswer("done", say(f"tournament-line.place-{'gone' if accepted else 'left'}", place=place))
    return answer_request(session, tournament, entrant, accepted=accepted)


def _consent(conn: Connection, entrant: Entrant, reply: Reply) -> LineAnswer | None:
    asked = factions.consents_asked(conn, entrant)
    fits = [
        (paper, wish)
        for paper, wish in asked
        if reply.table in ("", f"{wish.round}.{wish.table}")
        and (wish.words == reply.faction if reply.faction else paper.state == "open")
    ]
    if not fits:
        return LineAnswer("refused", say("tournament-wish.over", faction=reply.faction)) if reply.faction else None
    if len(fits) > 1 or (not reply.faction and _is_asked_otherwise(conn, entrant)):
        named = [f"{wish.round}.{wish.table} {wish.words}" for _, wish in fits]
        lines = tuple(f"{answer} {name}" for name in named for answer in ("agree", "no"))
        return LineAnswer("asked", say("tournament-wish.which"), lines)
    [(paper, wish)] = fits
    tournaments.set_paper_state(conn, paper.id, "answered" if reply.accepted else "refused")
    return LineAnswer("done", say("tournament-wish.noted", agreed=reply.accepted, faction=wish.words))


def _is_asked_otherwise(conn: Connection, entrant: Entrant) -> bool:
    every = tournaments.papers_of(conn, entrant.tournament_id, *ASKED, "check-in")
    return any(paper.entrant == entrant.number for paper in every)


Kind = Literal["preferences", "worths", "keep", "swap"]
WANTED: dict[Kind, Assigning] = {"preferences": "preference", "worths": "auction", "keep": "two-cards", "swap": "trade"}
VERB: dict[Kind, str] = {"preferences": "preferences", "worths": "bid", "keep": "keep", "swap": "trade"}
MOST_WORDS = 500


def seal_paper(session: Session, tournament: Tournament, entrant: Entrant, filed: Filed) -> LineAnswer:
    """File a wish for a faction, if this tournament assigns factions in that way. A list of preferences applies to all
    tables of the entrant."""
    kind, words = filed.kind, filed.words[:MOST_WORDS].strip(" .")
    if tournament.settings.factions.by != WANTED[kind]:
        return LineAnswer("refused", say(f"tournament-factions.{tournament.settings.factions.by}"))
    number, place = (0, 0) if kind == "preferences" else _planned(session.conn, entrant, filed.table)
    paper = Paper(tournament.id, entrant.number, kind, words, session.now, number, place)
    try:
        if kind == "swap" and (wanted := factions.ask_for_undrawn(session, tournament, paper)):
            return LineAnswer("done", say("tournament-wish.asked", faction=wanted, table=f"{number}.{place}"))
        _require_readable(session.conn, tournament, entrant, paper)
    except PaperRefused as refused:
        return LineAnswer("refused", str(refused), (FORMS[VERB[kind]],))
    tournaments.file_paper(session.conn, paper)
    at = f"{number}.{place}" if number else ""
    return LineAnswer("done", say("tournament-line.sealed", words=words, table=at))


def _require_readable(conn: Connection, tournament: Tournament, entrant: Entrant, paper: Paper) -> None:
    kind, words, number, place = paper.kind, paper.words, paper.round, paper.table
    if kind == "preferences":
        read_preferences(words, box_of(tournament.settings))
        return
    drawn = next(each for each in tournament_rounds.rounds_of(conn, tournament.id) if each.number == number)
    record = progress.draw_record(drawn)
    table = next((t for t in record.tables if (t.round, t.table) == (number, place)), None) if record else None
    box = box_of(tournament.settings)
    played = factions.factions_on_offer(tournament.settings, record.seed, table) if record and table else box
    held = tournament_rounds.now_sitting(conn, tournament.id, number, place)
    if kind == "worths":
        read_worths(words, played)
    elif kind == "swap":
        known = {each.number: each.handle for each in tournaments.entrants_of(conn, tournament.id)}
        sits = {known[t.entrant]: as_faction(t.faction) for t in held if t.entrant in known and t.faction}
        read_trade(words, entrant.handle, sits)
    else:
        offers = (
            factions.card_offers(tournament.settings, tournament.secret, record.seed, table) if record and table else {}
        )
        dot = next(tenure.dot for tenure in held if tenure.entrant == entrant.number)
        drawn_for = next((seat.entrant for seat in table.seats if seat.dot == dot), "") if table else ""
        if drawn_for in offers:
            read_choice(words, offers[drawn_for])
        else:
            faction_named(words, played)


def _planned(conn: Connection, entrant: Entrant, named: str) -> tuple[int, int]:
    asked = {each.number for each in tournament_rounds.rounds_of(conn, entrant.tournament_id) if each.opens is not None}
    planned = tournament_rounds.tables_of(conn, entrant.tournament_id, 0, ["planned"])
    drawn = {table.place for table in planned if table.round in asked}
    held = tournament_rounds.now_sitting(conn, entrant.tournament_id)
    own = sorted({(t.round, t.table) for t in held if t.entrant == entrant.number and (t.round, t.table) in drawn})
    fits = [place for place in own if named in ("", f"{place[0]}.{place[1]}")]
    if len(fits) == 1:
        return fits[0]
    if not own:
        raise Refused(say("tournament-line.no-table"))
    raise Refused(say("tournament-line.which-table", tables=[f"{number}.{table}" for number, table in own]))


def _keep_or_leave(tournament: Tournament) -> tuple[str, str]:
    return f"withdraw {tournament.id} keep", f"withdraw {tournament.id} leave"


def withdraw_by_mail(session: Session, tournament: Tournament, entrant: Entrant, games: Games) -> LineAnswer:
    if not games and entries.is_playing(session.conn, entrant):
        return LineAnswer("asked", say("tournament-line.keep-or-leave"), _keep_or_leave(tournament))
    entries.withdraw_entrant(session, tournament, entrant, By(entrant.address, "entrant"), games)
    return LineAnswer("done", say("tournament-line.withdrawn", title=tournament.title))


def protest_by_mail(session: Session, tournament: Tournament, entrant: Entrant, table: str, text: str) -> LineAnswer:
    about = table_results.file_protest(session, tournament, entrant, table, text)
    return LineAnswer("done", say("tournament-line.protest", table=table_name(about)))


def vote_by_mail(
    session: Session, tournament: Tournament, entrant: Entrant, factions: Sequence[Faction], table: str
) -> LineAnswer:
    """File a secret vote on how a game ends. A vote that names no factions is a vote to play on."""
    about = votes.cast_vote(session, tournament, entrant, list(factions) or None, table)
    return LineAnswer("done", say("tournament-line.vote", table=table_name(about), factions=list(factions)))


def note_ready(
    conn: Connection, tournament: Tournament, entrant: Entrant, now: datetime, *, wanted: bool
) -> LineAnswer:
    if tournament.settings.format != "ladder":
        return LineAnswer("refused", say("tournament-line.no-ladder"))
    own = [paper for paper in tournaments.papers_of(conn, tournament.id, "ready") if paper.entrant == entrant.number]
    if not wanted:
        for paper in own:
            tournaments.set_paper_state(conn, paper.id, "gone")
        return LineAnswer("done", say("tournament-line.not-ready"))
    for paper in own:  # a renewed paper keeps its place
        tournaments.set_paper_state(conn, paper.id, "open", "")
        tournaments.postpone_paper(conn, paper, now + preparation.READY_HOLDS)
    if not own:
        until = now + preparation.READY_HOLDS
        tournaments.file_paper(conn, Paper(tournament.id, entrant.number, "ready", "", now, until=until))
    count = len({paper.entrant for paper in tournaments.papers_of(conn, tournament.id, "ready")})
    days = preparation.READY_HOLDS.days
    return LineAnswer("done", say("tournament-line.ready", count=count, missing=max(0, SEATS - count), days=days))


def answer_request(session: Session, tournament: Tournament, entrant: Entrant, *, accepted: bool) -> LineAnswer:
    substitutes.answer_seat_offer(session, tournament, entrant, accepted)
    return LineAnswer("done", say(f"tournament-line.{'accepted' if accepted else 'declined'}"))


@dataclass(frozen=True, slots=True)
class LineAnswer:
    status: Literal["done", "refused", "unread", "asked"]
    text: str
    suggestions: tuple[str, ...] = ()


MOST_SHOWN = 160  # the most characters of a quoted line
ASIDE = 12  # next to a command, only a remark of more words than this is passed on to the organisers
MOST_NAMED = 5  # the most tournaments listed for a stranger


@dataclass(frozen=True, slots=True)
class IncomingMail:
    sender: str
    read: ReadMail
    key: str
    message_id: str
    subject: str = ""
    own: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[tuple[str, Line], ...]:
        return self.read.lines

    def first(self, *kinds: type[Command]) -> Command | None:
        return next((line for _, line in self.lines if isinstance(line, kinds)), None)


def answer_entrant(
    session: Session, tournament: Tournament, entrant: Entrant, lines: Sequence[tuple[str, Line]], post: IncomingMail
) -> int:
    verdicts: list[Block] = []
    below: list[Block] = []
    taken, carried_out, asks = 0, list[str](), False
    for text, line in lines:
        done = carry_out_line(session, tournament, entrant, line)
        done = replace(done, text=" ".join(filter(None, (post.read.told.get(text), done.text))))
        carried_out += [text] if done.status == "done" and not isinstance(line, Show | Dropped) else []
        verdicts.append(_verdict(session.games, tournament, entrant, text, done))
        taken += done.status == "done"
        asks |= done.status == "asked"
        entrant = tournaments.find_entrant(session.conn, tournament.id, entrant.handle) or entrant
    if carried_out:
        tournaments.touch(session.conn, tournament.id)
    read = [line for _, line in lines if isinstance(line, Show)]
    for what in dict.fromkeys(line.what for line in read):
        below += blocks_shown(session.conn, tournament, entrant, what, session.now)
    talk = [text for text, line in post.lines if isinstance(line, Talk)]
    words = (
        organisers.for_organisers(talk)
        if not lines or len(" ".join(talk).split()) > ASIDE or "?" in "".join(talk)
        else ""
    )
    if words:
        organisers.pass_on(session, tournament, entrant, words)
    if words and not lines:
        below = [Paragraph(say("tournament-answer.passed-on"))]
        below += organisers.way_to_protest(session, tournament, entrant, words)
    elif not lines and post.own:
        below = [Paragraph(say("tournament-answer.courtesy"))]
    elif not lines:
        below = [
            Paragraph(say("tournament-answer.nothing")),
            *blocks_shown(session.conn, tournament, entrant, "help", session.now),
        ]
    if lines and len(read) == len(lines):  # they only asked for information
        subject, blocks = say("tournament-answer.shown-subject", what=[line.what for line in read]), below
    else:
        subject = say("tournament-answer.subject", taken=taken, lines=len(lines))
        plays = entries.is_playing(session.conn, entrant)
        leaves = not any(isinstance(line, Unread) and line.suggestions == ("ready",) for _, line in lines)
        subject = say("tournament-answer.asked-subject", games=plays, leaves=leaves) if asks else subject
        if not lines and post.own:
            subject = say("tournament-answer.passed-on-subject" if words else "tournament-answer.courtesy-subject")
        blocks = [*verdicts, *below]
    if words and lines:
        blocks.append(Paragraph(say("tournament-answer.passed-on-too")))
    elif talk and lines:
        quoted = [f"“{text[:MOST_SHOWN]}”" for text in talk[:MOST_NAMED]]
        blocks.append(Paragraph(say("tournament-answer.talk", words=quoted), "small"))
    tell(session, entrant, Letter(subject, (), f"answer.{post.key}", blocks=blocks, answers=post.message_id))
    seen = place_of(session.conn, entrant)
    remember(session.conn, LastMail(entrant.token, None, post.read.options, seen, carried_out, session.now))
    return taken


def place_of(conn: Connection, entrant: Entrant) -> str:
    tournament = tournaments.find_tournament(conn, entrant.tournament_id)
    ladder = f" {LADDER}" if tournament.settings.format == "ladder" else ""
    return f"{tournament.state} {entrant.state}{ladder}"


def is_asked(conn: Connection, entrant: Entrant) -> bool:
    asked = factions.consents_asked(conn, entrant)
    return any(paper.state == "open" for paper, _ in asked) or _is_asked_otherwise(conn, entrant)


def _verdict(open_games: OpenGames, tournament: Tournament, entrant: Entrant, text: str, done: LineAnswer) -> Verdict:
    tone: Literal["good", "bad", "plain"] = "good" if done.status == "done" else "bad"
    tone = "plain" if done.status == "asked" else tone
    line = text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
    complete = [each for each in done.suggestions if each == each.lower()]
    ready = buttons(open_games.settings, tournament.id, entrant.token, complete)
    return Verdict(line, say(f"verdict.{done.status}"), tone, (done.text,), done.suggestions, buttons=ready)


def tell_in_already(session: Session, entrant: Entrant) -> None:
    who = display_name(entrant.handle, entrant.name)
    told = [say("tournament-answer.in", who=who), state_in_words(session.conn, entrant)]
    letter = Letter(say("tournament-answer.in-subject"), told, f"in.{stamp(session.now)}", ready=("status", "withdraw"))
    tell(session, entrant, letter)


def tell_passed_on(session: Session, entrant: Entrant, post: IncomingMail) -> None:
    told = [say("tournament-answer.passed-on")]
    subject = say("tournament-answer.passed-on-subject")
    tell(session, entrant, Letter(subject, told, f"passed-on.{post.key}", answers=post.message_id))


def tell_noted(session: Session, entrant: Entrant, post: IncomingMail, told: str) -> None:
    subject = say("tournament-answer.noted-subject")
    tell(session, entrant, Letter(subject, [told], f"noted.{post.key}", answers=post.message_id))


def tell_cannot_enter(session: Session, entrant: Entrant) -> None:
    told = [say("tournament-answer.not-again"), say(f"tournament-state.{entrant.state}")]
    letter = Letter(say("tournament-answer.not-again-subject"), told, f"no.{stamp(session.now)}")
    tell(session, entrant, letter)


def tell_organiser_cannot_play(session: Session, tournament: Tournament, address: str) -> None:
    granted = acts.right_of(session.conn, address, tournament_id=tournament.id)
    told = [say("tournament-refused.organiser", id=tournament.id)]
    subject = say("tournament-answer.not-again-subject")
    tell_one_organiser(session, tournament, granted, Letter(subject, told, f"plays.{stamp(session.now)}"))


def ask_for_token(session: Session, tournament: Tournament, entrant: Entrant, lines: Sequence[str]) -> None:
    """Write to an entrant's address on file about lines that arrived without the entrant's token. A reply to this
    letter carries the token."""
    ready = [line[:MOST_SHOWN] for line in lines[:3] if line.strip()]
    told = [say("tournament-answer.token"), say("tournament-answer.token-not-you")]
    letter = Letter(say("tournament-answer.token-subject"), told, f"token.{stamp(session.now)}", ready=ready)
    tell(session, entrant, letter)


def answer_neutrally(session: Session, address: str, message_id: str) -> None:
    """Send the neutral answer, which is the same for an unknown tournament, a missing invitation, an existing entry and
    a wrong code.

    The answer lists the tournaments that are open to everybody, for people who mistyped a name.
    """
    told = [say("tournament-answer.neutral-enter", line=FORMS["enter"])]
    if public := _open_to_all(session.conn, session.now):
        told.append(say("tournament-answer.neutral-open", open=public))
    blocks: list[Block] = [
        Paragraph(say("tournament-answer.neutral"), "lead"),
        Ask(say("tournament-answer.neutral-how"), tuple(told)),
        Paragraph(say("tournament-answer.neutral-not-you"), "small"),
    ]
    subject = say("tournament-answer.neutral-subject")
    letter = Letter(subject, (), f"neutral.{stamp(session.now)}", blocks=blocks, answers=message_id)
    tell_stranger(session, "Mentat", address, letter)


def _open_to_all(conn: Connection, now: datetime) -> list[dict[str, str]]:
    found = [
        each
        for each in tournaments.all_tournaments(conn, "open")
        if each.settings.people.entry == "open" and (each.until is None or each.until > now)
    ]
    return [{"id": each.id, "title": each.title} for each in found[-MOST_NAMED:]]


def answer_organiser(
    session: Session, tournament: Tournament, organiser: GrantedRight, post: IncomingMail, told: str
) -> None:
    blocks: list[Block] = [Paragraph(each) for each in filter(None, told.split("\n"))]
    for _, line in post.lines if not told else ():
        if isinstance(line, Show) and line.what != "help":
            blocks += blocks_shown(session.conn, tournament, None, line.what, session.now)
    if not blocks:
        blocks = [Paragraph(say("tournament-answer.organiser", lines=[form.shown for form in organisers.FORMS]))]
    if told:
        subject = say("tournament-answer.organiser-done-subject", title=tournament.title)
    else:
        subject = say("tournament-answer.organiser-subject")
    letter = Letter(subject, (), f"organiser.{post.key}", blocks=blocks, answers=post.message_id)
    tell_stranger(session, tournament.id, organiser.address, replace(letter, token=organiser.token))


FIRST_OF_HELP = ("status", "tables", "standings")
FIRST = 12  # rows of the standings that everybody sees
NEAR = 3  # rows shown above and below the reader's own row


def blocks_shown(
    conn: Connection,
    tournament: Tournament,
    entrant: Entrant | None,
    what: What,
    now: datetime,
) -> list[Block]:
    match what:
        case "status":
            return _status(conn, tournament, entrant, now)
        case "tables":
            return _tables(conn, tournament, entrant)
        case "standings":
            return _standings(conn, tournament, entrant)
        case "help":
            return _help(tournament)


def _help(tournament: Tournament) -> list[Block]:
    other = {verb for kind, verb in VERB.items() if WANTED[kind] != tournament.settings.factions.by}
    other |= {"enter", "confirm"} | ({"ready"} if tournament.settings.format != "ladder" else set())
    other |= set() if tournament.settings.witness else {"beacon"}
    other |= set() if tournament.settings.steps.check_in and tournament.state == "open" else {"here"}
    verbs = [*FIRST_OF_HELP, *(verb for verb in FORMS if verb not in other and verb not in FIRST_OF_HELP)]
    rows = [Row(FORMS[verb].replace(" ID", ""), (say(f"tournament-help.{verb}"),)) for verb in verbs]
    return [Heading(say("tournament-help.heading")), Rows(tuple(rows))]


def _status(conn: Connection, tournament: Tournament, entrant: Entrant | None, now: datetime) -> list[Block]:
    told = say(f"tournament-now.{tournament.state}", title=tournament.title)
    rows = [Row(say("tournament-now.tournament"), (told,))]
    if entrant is not None:
        zone = zone_of(entrant)
        if tournament.state == "open" and tournament.until:
            rows.append(Row(say("tournament-entry.closes"), (deadline(tournament.until, now, zone),)))
        rows += [Row(say("tournament-entry.you"), (entrant.public_name, state_in_words(conn, entrant)))]
    return [Rows(tuple(rows)), *_tables(conn, tournament, entrant)]


def state_in_words(conn: Connection, entrant: Entrant) -> str:
    if entrant.state == "standby":
        return say("tournament-state.standby-place", place=preparation.place_on_list(conn, entrant))
    tournament = tournaments.find_tournament(conn, entrant.tournament_id)
    ladder = tournament.settings.format == "ladder" and tournament.state in ("open", "drawn", "running")
    if ladder and entrant.state in ("confirmed", "playing") and not entries.is_playing(conn, entrant):
        ready = {paper.entrant for paper in tournaments.papers_of(conn, tournament.id, "ready")}
        count = len(ready)
        return say("tournament-state.ladder", ready=entrant.number in ready, count=count, missing=max(0, SEATS - count))
    return say(f"tournament-state.{entrant.state}")


def _tables(conn: Connection, tournament: Tournament, entrant: Entrant | None) -> list[Block]:
    known = {each.number: each for each in tournaments.entrants_of(conn, tournament.id)}
    public = {number for number, state in _states(conn, tournament).items() if state != "planned"}
    tables = [table for table in tournament_rounds.tables_of(conn, tournament.id) if table.round in public]
    if not tables:
        return [Paragraph(say("tournament-tables.none"))]
    held = tournament_rounds.tenures_of(conn, tournament.id)
    mine = {(t.round, t.table) for t in held if entrant is not None and t.entrant == entrant.number and not t.last}
    own: list[Block] = []
    others: list[Row] = []
    unknown = publication.tables_unknown(conn, tournament)
    waits = "unknown-round" if publication.tables_named_with_round(conn, tournament) else "unknown"
    for table in tables:
        there = _who_sits_there(table, held, own=table.place in mine)
        name = say("tournament-tables.name", round=table.round, table=table.number, game=table.game_id)
        state = say(f"tournament-tables.{table.state}")
        who = [_who(known.get(tenure.entrant), tenure.faction if table.place in mine else "") for tenure in there]
        if table.place in unknown:
            mine_alone = [tenure for tenure in there if entrant is not None and tenure.entrant == entrant.number]
            who = [_who(entrant, tenure.faction) for tenure in mine_alone] if table.place in mine else []
            who.append(say(f"tournament-tables.{waits}"))
        if table.place in mine:
            own += [Heading(name, state), Rows((Row(say("tournament-tables.players"), tuple(who)),))]
        else:
            others.append(Row(f"{table.round}.{table.number}", (say("tournament-tables.line", state=state, who=who),)))
    if others:
        own += [Heading(say("tournament-tables.others")), Rows(tuple(others))]
    return own


def _who_sits_there(table: RoundTable, held: Sequence[Tenure], *, own: bool) -> list[Tenure]:
    every = [each for each in held if (each.round, each.table) == table.place]
    if own or table.state not in publication.GOING:
        return [each for each in every if not each.last]
    return publication.drawn_for(every)


def _states(conn: Connection, tournament: Tournament) -> dict[int, str]:
    return {each.number: each.state for each in tournament_rounds.rounds_of(conn, tournament.id)}


def _who(entrant: Entrant | None, faction: str) -> str:
    name = entrant.public_name if entrant else say("tournament-tables.nobody")
    return say("tournament-tables.seat", faction=faction, who=name) if faction else name


def _standings(conn: Connection, tournament: Tournament, entrant: Entrant | None) -> list[Block]:
    playing = len(tournament_rounds.tables_of(conn, tournament.id, 0, ["planned", "playing"]))
    nameless = publication.tables_named_with_round(conn, tournament)
    found = progress.current_standings(conn, tournament, nameless=nameless) if _any_result(conn, tournament) else ()
    rows = [row for row in found if row.made_of]
    if not rows:
        return [Paragraph(say("tournament-standings.none", playing=playing))]
    known = {each.handle: each for each in tournaments.entrants_of(conn, tournament.id)}
    own = next((place for place, row in enumerate(rows) if entrant and row.entrant == entrant.handle), None)
    near = range(own - NEAR, own + NEAR + 1) if own is not None else range(0)
    kept = [place for place in range(len(rows)) if place < FIRST or place in near]
    grid = tuple(
        (str(rows[place].rank), _who(known.get(rows[place].entrant), ""), rows[place].points) for place in kept
    )
    head = tuple(say(f"tournament-standings.{name}") for name in ("rank", "who", "points"))
    told = say("tournament-standings.after", playing=playing, more=len(rows) - len(kept))
    mine = kept.index(own) if own is not None else None
    return [Heading(say("tournament-standings.heading")), Table(head, grid, frozenset({2}), (), mine), Paragraph(told)]


def _any_result(conn: Connection, tournament: Tournament) -> bool:
    return bool(result_rows.newest_results(conn, tournament.id))
