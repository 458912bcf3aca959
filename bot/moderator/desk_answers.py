"""The answers of the desk by mail: to questions, and for powers that need more than a single act and a single sentence.

A form in `data/desk-powers.toml` names such a function as its ``answer``. Questions change nothing. They show only what
the reader's right permits: `show` and `log` show what everybody may know, and `who` shows people.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from pkgutil import resolve_name
from zoneinfo import ZoneInfo

from bot.config import SettingsError
from bot.config.time_zones import write_zone, zone_named
from bot.desk import clocks, people, positions, rights, seats, sight, speech
from bot.desk.desk import game_status_lines
from bot.desk.game_view import game_page
from bot.desk.powers import POWERS, DeskRequest, Power, PowerRefused, require_right, right_at, within
from bot.games.open_games import OpenGames, Session, acts_of
from bot.language.command_lines import tasks
from bot.language.matters import nearest
from bot.mail.message import Incoming, parse, route_of
from bot.moderator import seat_lines
from bot.moderator.commands import history_words
from bot.moderator.desk_lines import faction_named, factions_named, hours_named, shown_as
from bot.render.blocks import Block, FormBlock, Paragraph
from bot.render.letters import press_paragraphs
from bot.store import acts, desk, games, press, publication, retention
from bot.store import people as person_rows
from bot.store.acts import JUDGES, RIGHTS_AT_GAMES
from bot.store.games import require_sight
from bot.store.retention import MessageFilter
from bot.table.calendar import counted_between, instant_at
from bot.table.clock import read_own_settings
from bot.table.press import names_hidden, settings_of
from bot.table.table import Table
from bot.wording import clock_of, moment, now_there, say
from bot.wording.filters import speaking
from rules.components import FACTION_FACTS, Faction, faction_name
from rules.state.events import Event

MOST_SHOWN = 60
"""A mail lists at most this many lines that a rollback would undo."""


def extend_deadlines(given: DeskRequest, said: Mapping[str, str]) -> str:
    more = hours_named(said["hours"])
    if not 0 < more <= clocks.MOST_HOURS:
        raise PowerRefused(f"{said['hours']} is not above 0 and at most {clocks.MOST_HOURS} hours.")
    faction = faction_named(said["faction"]) if "faction" in said else None
    clocks.extend(given, more, faction)
    return say("desk-done.extend", hours=said["hours"], faction=faction or "")


def extend_until(given: DeskRequest, said: Mapping[str, str]) -> str:
    with within(given.games) as conn:
        table = given.games.table(conn, given.game)
        calendar = given.games.clock(table).calendar
    faction = faction_named(said["faction"]) if "faction" in said else None
    open_ones = [table.deadlines[place].due for place in clocks.places_given(table, faction)]
    if not open_ones:
        raise PowerRefused(say("desk.no-deadline", game=given.game, faction=faction or ""))
    first = min(open_ones).astimezone(calendar.zone)
    try:
        at = time.fromisoformat(said["at"].zfill(5)) if "at" in said else first.timetz().replace(tzinfo=None)
        until = instant_at(date.fromisoformat(said["until"]), at, calendar.zone)
    except (ValueError, OverflowError):
        raise PowerRefused(say("desk-mail.no-moment", said=" ".join(said.values()))) from None
    more = counted_between(calendar, first, until) / timedelta(hours=1)
    if not 0 < more <= clocks.MOST_HOURS:
        raise PowerRefused(say("desk-mail.not-later", due=moment(first, calendar.zone)))
    clocks.extend(given, more, faction)
    return say("desk-done.extend", hours=f"{more:g}", faction=faction or "")


def change_clock(given: DeskRequest, said: Mapping[str, str]) -> str:
    settings = re.findall(r"\w+=.*?(?=[\s,]+\w+=|$)", re.sub(r" *= *", "=", said["settings"].strip()))
    try:
        own = read_own_settings(given.games.settings.clock, settings)
    except SettingsError as wrong:
        raise PowerRefused(str(wrong)) from None
    clocks.change_clock(given, own)
    zone = own.get("timezone", "")
    there = now_there(given.now, zone_named(zone)) if zone else ""
    return say("desk-done.clock", settings=settings, zone=write_zone(zone), there=there)


def order_for_seat(given: DeskRequest, said: Mapping[str, str]) -> str:
    faction, lines = faction_named(said["faction"]), said["words"].split(";")
    taken = seat_lines.order_for_seat(given, faction, lines)
    return "; ".join(f"{line.status} {line.canonical or line.text} {line.reason}".strip() for line in taken)


def add_observer(given: DeskRequest, said: Mapping[str, str]) -> str:
    delay = int(said.get("turn", 0))
    sight.add_observer(given, said["address"], delay)
    return say("desk-done.observe", address=said["address"], delay=delay)


def add_full_observer(given: DeskRequest, said: Mapping[str, str]) -> str:
    delay, agreed = int(said["turn"]), factions_named(said["factions"]) or FACTION_FACTS
    sight.add_full_observer(given, said["address"], delay, agreed)
    return say("desk-done.observe-full", address=said["address"], delay=delay)


def restrict_press(given: DeskRequest, said: Mapping[str, str]) -> str:
    wanted = ",".join(re.split(r"[ ,]+", re.sub(r" *= *", "=", said["press"])))
    settings = speech.restrict_press(given, wanted)
    return "\n".join([say("desk-done.press", press=settings.words), *press_paragraphs(settings)])


def rule(given: DeskRequest, said: Mapping[str, str]) -> str:
    speech.rule(given, said["words"], said["clause"])
    with within(given.games) as conn:
        strange = speech.strange_clause(given.games.table(conn, given.game), said["clause"])
    return "\n".join(filter(None, (say("desk-done.rule"), strange)))


def note(given: DeskRequest, said: Mapping[str, str]) -> str:
    speech.note(given, said["words"], about=said["faction"])
    return say("desk-done.note")


def roll_back(given: DeskRequest, said: Mapping[str, str]) -> str:
    entries = positions.entries_at(given.games, given.game, int(said["turn"]), said["phase"].lower())
    agreed = factions_named(said["factions"]) if "factions" in said else []
    table = positions.roll_back(given, entries, agreed)
    return say("desk-done.rollback", turn=table.play.state.turn, phase=table.play.state.phase)


def undo_rollback(given: DeskRequest, _: Mapping[str, str]) -> str:
    table = positions.undo_rollback(given)
    return say("desk-done.rollback", turn=table.play.state.turn, phase=table.play.state.phase)


def preview_rollback(given: DeskRequest, said: Mapping[str, str]) -> str:
    entries = positions.entries_at(given.games, given.game, int(said["turn"]), said["phase"].lower())
    use = replace(given.use, dry_run=False)  # the preview itself is a dry run
    found = positions.preview_rollback(replace(given, use=use), entries)
    lines = [say("desk-done.preview", entries=found.entries, of=found.of, nothing=not found.public), *found.public]
    for faction, learnt in found.private.items():
        lines += [say("desk-done.preview-alone", faction=faction), *learnt]
    more = [say("desk-done.preview-more", more=len(lines) - MOST_SHOWN)] if len(lines) > MOST_SHOWN else []
    return "\n".join([*lines[:MOST_SHOWN], *more])


def correct_facts(given: DeskRequest, said: Mapping[str, str]) -> str:
    positions.correct_facts(given, said["words"].split(";"))
    return say("desk-done.position")


def hand_in_page(given: DeskRequest, said: Mapping[str, str]) -> str:
    told: str = resolve_name("bot.forum.desk:hand_in_page_of_mail")(given, said["words"])
    return told


def predict_phase(given: DeskRequest, _: Mapping[str, str]) -> str:
    if given.use.dry_run:  # the command itself is a dry run
        with within(given.games) as conn:
            require_right(conn, given, "predict")
            require_sight(conn, given.game)
        return say("desk-done.predict")
    return "\n".join(sight.predict_phase(given))


def end_game(given: DeskRequest, said: Mapping[str, str], how: clocks.EndKind) -> str:
    winners = factions_named(said["factions"]) if "factions" in said else []
    clocks.end_game(given, how, winners)
    return say("desk-done.end", winners=[faction_name(each) for each in winners])


def _person_named(given: DeskRequest, said: Mapping[str, str]) -> str:
    if "address" in said:
        return said["address"]
    with within(given.games) as conn:
        table = given.games.table(conn, given.game)
        if right_at(conn, given.games, table, given.use.by) not in RIGHTS_AT_GAMES:
            raise PowerRefused(say("desk-mail.no-right"))
    return seats.require_player(table, faction_named(said["faction"])).address


def ban(given: DeskRequest, said: Mapping[str, str]) -> str:
    address, event = _person_named(given, said), people.ban_reach(given, "ban")
    until = seats.end_of_day(given.games.settings, said["until"]) if "until" in said else None
    held = people.ban(given, address, until=until, tournament_id=event)
    names = [(game, faction_name(faction)) for game, faction in held]
    return say("desk-done.ban", address=address, until=said.get("until", ""), event=event, seats=names)


def unban(given: DeskRequest, said: Mapping[str, str]) -> str:
    address, event = _person_named(given, said), people.ban_reach(given, "unban")
    people.unban(given, address, tournament_id=event)
    return say("desk-done.unban", address=address)


def warn(given: DeskRequest, said: Mapping[str, str]) -> str:
    with within(given.games) as conn:
        require_right(conn, given, "warn")
    address = rights.checked_address(given.games, _person_named(given, said))
    people.require_at_table(given, address)
    people.warn(given, address, said["words"])
    return say("desk-done.warn", address=address)


def tie_persons(given: DeskRequest, said: Mapping[str, str]) -> str:
    found = people.tie_persons(given, said["address"], said["other"])
    names = [f"{game} {faction}" for game, faction in found.seats]
    facts = {"one": said["address"], "other": said["other"], "twice": found.twice, "banned": found.banned}
    return say("desk-done.same", seats=names, **facts)


def remind_all(given: DeskRequest, _: Mapping[str, str]) -> str:
    seats.remind_all(given)
    return say("desk-done.remind-all")


# --- questions -------------------------------------------------------------------------------------------------------


def answer_question(
    session: Session, game_id: str, address: str, word: str, mail: str
) -> tuple[list[str], list[Block]]:
    if not games.exists(session.conn, game_id):  # an earlier line of the same mail deleted the game
        return [say("desk-mail.no-game")], []
    table = session.games.table(session.conn, game_id)
    right = right_at(session.conn, session.games, table, address)
    if right == "player":
        return [say("desk-mail.plays")], []
    if not right:  # an earlier line of the same mail gave the right away
        return [say("desk-mail.no-right")], []
    with speaking(table.play.game.rules.edition):
        return _answer(session, table, address, word, mail)


def _answer(session: Session, table: Table, address: str, word: str, mail: str) -> tuple[list[str], list[Block]]:
    game_id = table.id
    right = right_at(session.conn, session.games, table, address)
    match word.partition(" ")[0]:
        case "acts":
            return _acts(session, table, right), []
        case "mail":
            return mail_lines(session, address, int(word.partition(" ")[2])), []
        case "waits":
            return game_status_lines(session.conn, session.settings, session.now, game_id), []
        case "who":
            return _persons(session, table, address), []
        case "more":
            return _more(session, table, right, word.partition(" ")[2]), []
        case "show":
            page = game_page(table, "public", session.settings, session.now)
            return [say("desk-mail.shown")], list(page.blocks)
        case "log":
            return history_words("public", _latest(session, table)).split("\n"), []
        case "let":
            return [say("desk-mail.let-it-stand")], []
        case "thread":
            try:
                return [say("desk-mail.thread")], blocks_to_post(session.games, game_id, session.now)
            except PowerRefused as refused:
                return [say("desk-mail.refused", why=str(refused))], []
        case "press":
            settings = settings_of(table)
            return [settings.words, *press_paragraphs(settings)], []
        case _:
            return help_lines(word.partition(" ")[2], mail), []


def _latest(session: Session, table: Table) -> list[Event]:
    turn = table.play.state.turn
    return [e for number in range(turn - 1, turn + 1) for e in games.events_of_turn(session.conn, table.id, number)]


def _acts(session: Session, table: Table, right: str) -> list[str]:
    whole = table.play.over or right in JUDGES  # the orders of a seat are secret until the end
    zone = session.settings.mentat.timezone
    dated = ((f"{act.at.astimezone(zone):%Y-%m-%d %H:%M}", act) for act in acts_of(session.conn, table.id))
    lines = [f"{at} {act.what} {act.told if whole else ''}".rstrip() for at, act in dated]
    return [*lines, say("desk-game.times", zone=clock_of(zone))] if lines else [say("desk-mail.no-acts")]


def _persons(session: Session, table: Table, address: str) -> list[str]:
    conn = session.conn
    if names_hidden(table) and publication.waits_for_round(conn, table.id, address):
        return [say("desk-who.hidden")]
    lines = [say("desk-who.seat", faction=faction, **_facts_of(session, table, faction)) for faction in table.seats]
    lines += [
        say("desk-who.right", right=each.right, address=each.address) for each in acts.rights_of(conn, game_id=table.id)
    ]
    watching = [each.address for each in press.observers_of_game(conn, table.id)]
    return [*lines, *([say("desk-who.observers", addresses=watching)] if watching else [])]


def mail_lines(session: Session, address: str, number: int) -> list[str]:
    """Say when a mail was written, when each server received it, when it was read here, and what became of it. The text
    of the mail is not shown."""
    found, zone = retention.kept_message(session.conn, number), session.settings.mentat.timezone
    if found is None or not _may_know_of(session, address, found[0].game):
        return [say("desk-mail-shown.none", number=number)]
    message, content = found
    incoming = parse(content) if content else None
    written = incoming.date if isinstance(incoming, Incoming) else None
    stations = [("received", each.server, each.at) for each in route_of(content)]
    way = [("written", "", written), *stations, ("read", "", message.received_at)]
    facts = {"number": number, "sender": message.sender, "about": message.subject, "faction": message.faction or ""}
    outcome = {"disposition": message.disposition, "why": message.reason, "game": message.game or ""}
    lines = [say("desk-mail-shown.mail", **facts, **outcome)]
    lines += [say(f"desk-mail-shown.{what}", at=_to_the_second(at, zone), by=by) for what, by, at in way if at]
    return [*lines, say("desk-game.times", zone=clock_of(zone))]


def _may_know_of(session: Session, address: str, game_id: str | None) -> bool:
    if game_id and games.exists(session.conn, game_id):
        return right_at(session.conn, session.games, session.table(game_id), address) in JUDGES
    return session.settings.mentat.game_master.lower() in person_rows.known_as(session.conn, address)


def _to_the_second(at: datetime, zone: ZoneInfo) -> str:
    return f"{at.astimezone(zone):%Y-%m-%d %H:%M:%S}"


MOST_ACTS = 8
MOST_MAILS = 5


def _more(session: Session, table: Table, right: str, named: str) -> list[str]:
    faction = faction_named(named)
    seat, conn, zone = seats.require_seat(table, faction), session.conn, session.settings.mentat.timezone
    if not names_hidden(table) or right in JUDGES:
        of_person = [
            each for each in person_rows.all_bans(conn) if each.address in person_rows.known_as(conn, seat.address)
        ]
        lines = [say("desk-who.seat", faction=faction, **_facts_of(session, table, faction))]
        lines += [say("desk-who.was", kind=each.kind, at=moment(each.since, zone), why=each.why) for each in of_person]
    else:
        lines = []
    done = [act for act in acts_of(conn, table.id) if act.words.startswith(faction)][-MOST_ACTS:]
    lines += [f"{moment(act.at, zone)} {act.what} {act.told if right in JUDGES else ''}".rstrip() for act in done]
    if right in JUDGES:
        wanted = MessageFilter(table.id, faction, most=MOST_MAILS)
        mails = [(str(each.id), moment(each.received_at, zone)) for each in retention.list_messages(conn, wanted)]
        lines += [say("desk-who.mails", mails=mails)] if mails else []
    notes = [note for note in desk.notes_of_game(conn, table.id) if note.about == faction]
    return [*lines, *(say("desk-who.note", at=moment(each.at, zone), words=each.words) for each in notes)]


def _facts_of(session: Session, table: Table, faction: Faction) -> dict[str, object]:
    seat, zone = table.seats[faction], session.settings.mentat.timezone
    until = moment(seat.sitter_until, zone) if seat.sitter_until else ""
    muted = press.is_muted(session.conn, table.id, faction)
    facts: dict[str, object] = {"name": seat.name, "address": seat.address, "care": seat.care, "sitter": seat.sitter}
    return facts | {"until": until, "missed": seat.missed, "unreachable": seat.unreachable, "muted": muted}


def help_lines(about: str = "", mail: str = "") -> list[str]:
    """Return the forms of commands, grouped by purpose, with an example for each power. If ``about`` names a matter or
    a power, return only its forms; if a ``mail`` is given, only those that come nearest to its words."""
    found = [task for task in tasks() if about and (about in (task.name, *task.powers) or task.heard_in(about))]
    if about and not found and (near := _lines_near(about) or _lines_near(f"{about} {mail}")):
        return [*(f"  {line}" for line in near), say("desk-mail.help-all")]
    lines: list[str] = []
    shown: set[str] = set()
    for task in found[:MOST_MATTERS] or tasks():
        powers = [each for each in task.powers if found or each not in shown]
        shown |= {*powers}
        lines += [say(f"desk-task.{task.name}")] if powers else []
        lines += [f"  {_help_with(POWERS[each])}" for each in powers]
    left = [] if found else [power for power in POWERS.values() if power.forms and power.name not in shown]
    others = [f"  {_help_with(power)}" for power in left]
    return [*lines, *others, say("desk-mail.besides")]


def _lines_near(text: str) -> list[str]:
    near = [near.matter.lines[0] for near in nearest(text) if near.score >= NEAR_ENOUGH and near.matter.lines]
    named = [POWERS.get(line.split()[0].rstrip(":")) for line in near]
    told = [_help_with(power) if power else line for line, power in zip(near, named, strict=True) if "{" not in line]
    return list(dict.fromkeys(told))[:MOST_POWERS]


NEAR_ENOUGH = 0.2
MOST_POWERS = 4
MOST_MATTERS = 2


def _help_with(power: Power) -> str:
    return say("desk-help.power", forms=[shown_as(form) for form in power.forms], example=power.example)


def blocks_to_post(games: OpenGames, game_id: str, now: datetime) -> list[Block]:
    found: list[Block] = []
    for block in resolve_name("bot.forum.desk:next_to_post")(games, game_id, now).blocks:
        found.append(Paragraph(say("desk-mail.to-post", title=block.title or ""), "lead"))
        found.append(FormBlock("-" * 72, tuple(block.text.split("\n")), "-" * 72))
    return found or [Paragraph(say("desk-mail.nothing-to-post"))]
