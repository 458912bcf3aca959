"""The people of a game, as commands.

- who plays, and by what address: `mentat game replace|sitter|address|freeze`
- who watches: `mentat game observe|unobserve`
- who runs it: `mentat game grant|revoke|handover`
- what the game master says and notes: `mentat game tell|ask|rule|note`
- what players may write to each other: `mentat game press|mute|unmute`
- who may play here at all: `mentat person ban|unban|warn|list`
"""

from __future__ import annotations

import re
from typing import Annotated

import typer

from bot.cli.options import DryRun, Game, If, Seat, Tell, Why, address_named, answer, seat_named, use_of
from bot.cli.session import CONFIG, WRONG_USE, AsJson, Config, answer_json, fail, open_session, print_line
from bot.desk import people, rights, seats, sight, speech
from bot.desk import speech as power
from bot.desk.seats import end_of_day, freeze_seat, last_day, move_seat
from bot.games import observers
from bot.games.seat_addresses import AddressRefused
from bot.render.letters import press_paragraphs
from bot.service.machine import utc_now
from bot.store import desk, games
from bot.store import people as store
from bot.store.database import reading
from bot.store.desk import RIGHTS
from bot.table.press import settings_of
from rules.components import FACTION_FACTS, faction_name


def replace(
    game: Game,
    faction: Seat,
    address: Annotated[str, typer.Argument(help="The new player's mail address.")],
    name: Annotated[str, typer.Option(help="What the others call them; the part before the @ if left out.")] = "",
    allow_same_person: Annotated[
        bool,
        typer.Option("--allow-same-person", help="Let another address of one mailbox play: to try things out."),
    ] = False,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Give a seat to another player. They are told everything that the seat knows, everybody that they play.

    Example: `mentat game replace sietch-12 harkonnen dora@example.org --name Dora`
    """
    whose = seat_named(faction)
    address_named(address)
    if re.search(r"[\r\n\x00-\x1f]", name):
        fail("--name: a name is one line of text.", WRONG_USE)
    session = open_session(config)
    use = use_of(why, tell, at, dry_run)
    seat = seats.replace_player(
        session.moderator.open_games, game, whose, address, utc_now(), name, use, tags_apart=allow_same_person
    )
    told = f"{faction_name(seat.faction)} in {game} is played by {seat.name} ({seat.address}) from now on."
    document = {"game": game, "faction": faction, "address": seat.address, "name": seat.name}
    later = f"{told} The letters go out with `mentat run` or `mentat send`."
    answer(told if dry_run else later, document, dry_run=dry_run, as_json=as_json)


def sitter(
    game: Game,
    faction: Seat,
    address: Annotated[str, typer.Argument(help="Their address.")] = "",
    until: Annotated[str, typer.Option(metavar="DAY", help="The last day, like 2027-01-31; at most 60 days on.")] = "",
    name: Annotated[str, typer.Option(help="What they are called in their letters.")] = "",
    off: Annotated[bool, typer.Option("--off", help="Nobody sits in for that player any more.")] = False,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let somebody sit in for a player until a day: they get copies of the letters and may order. The player may too,
    and ends it with "sitter off".

    Example: `mentat game sitter sietch-12 guild sam@example.org --until 2027-01-31 --why "in hospital"`,
    `mentat game sitter sietch-12 guild --off`
    """
    if off == bool(address) or bool(address) != bool(until):
        fail("Name an address and the last day with --until, or else --off alone.", WRONG_USE)
    session, whose = open_session(config), seat_named(faction)
    open_games, use = session.moderator.open_games, use_of(why, tell, at, dry_run)
    if off:
        seats.remove_sitter(open_games, game, whose, utc_now(), use)
        told = f"Nobody sits in for {faction_name(whose)} in {game} any more."
        answer(told, {"game": game, "faction": whose, "sitter": None}, dry_run=dry_run, as_json=as_json)
        return
    end = seats.end_of_day(session.settings, until)
    seat = seats.set_sitter(open_games, game, whose, address, end, utc_now(), name, use)
    told = f"{address} sits in for {faction_name(whose)} in {game} until the end of {until}."
    document = {"game": game, "faction": whose, "sitter": seat.sitter or address, "until": end.isoformat()}
    answer(told, document, dry_run=dry_run, as_json=as_json)


def address(
    game: Game,
    faction: Seat,
    new: Annotated[str, typer.Argument(metavar="[ADDRESS]", help="The address from now on.")] = "",
    why: Why = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Show by which addresses a player is known, or change their address in a game: they keep seat and secrets, get a
    new reply address, and what is open once more. The old address does not count there any more.

    Example: `mentat game address sietch-12 harkonnen vladimir@example.org`
    """
    whose = seat_named(faction)
    wanted = address_named(new) if new else ""
    session = open_session(config)
    try:
        if wanted:
            move_seat(session.moderator.open_games, game, whose, wanted, utc_now(), use_of(why, "", at, dry_run))
    except AddressRefused as refused:
        fail(str(refused))
    with reading(session.engine) as conn:
        seat = games.open_table(conn, game).seats.get(whose)
        if seat is None:
            fail(f"{faction_name(whose)} is not played in {game}.")
        known = sorted(store.known_as(conn, seat.address))
    if as_json:
        answer_json({"game": game, "faction": whose, "address": seat.address, "addresses": known})
        return
    others = ", ".join(other for other in known if other != seat.address)
    told = f"The letters of {faction_name(whose)} in {game} go to {seat.address}."
    print_line(f"{told}{f' Known too: {others}.' if others else ''}")


def freeze(
    game: Game,
    faction: Seat,
    why: Why = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Replace a seat's reply address, because somebody else may know it. The player gets the new one by mail, and the
    old one is dead at once.

    Example: `mentat game freeze sietch-12 harkonnen --why "They forwarded a letter."`
    """
    whose = seat_named(faction)
    open_games, use = open_session(config).moderator.open_games, use_of(why, "", at, dry_run)
    sat_in = freeze_seat(open_games, game, whose, utc_now(), use)
    told = f"{faction_name(whose)} in {game} has a new reply address; the letter goes out with `mentat run` or `send`."
    told += " Nobody sits in for them any more." if sat_in else ""
    answer(told, {"game": game, "faction": whose, "frozen": True}, dry_run=dry_run, as_json=as_json)


Observer = Annotated[str, typer.Argument(metavar="ADDRESS", help="The observer's mail address.")]


def observe(
    game: Game,
    address: Observer,
    delay: Annotated[
        int, typer.Option("--delay", metavar="TURNS", help="Send each letter so many turns late, as it was then.")
    ] = 0,
    full: Annotated[
        bool, typer.Option("--full", help="What is hidden too, 2 turns late or more, if all seats agreed.")
    ] = False,
    consent: Annotated[
        list[str] | None, typer.Option(metavar="FACTION", help="Who agreed to --full; once for each, or all.")
    ] = None,
    off: Annotated[bool, typer.Option("--off", help="Send them nothing more, as `mentat game unobserve`.")] = False,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Send somebody the public summary of each turn. They are told how to end it, and see nothing that is not public,
    but with --full; then the table is told that somebody reads along, not who.

    Example: `mentat game observe sietch-12 ann@example.org`
    Example: `mentat game observe sietch-12 ann@example.org --full --delay 3 --consent all`
    """
    if off and (delay or full):
        fail("--off stands alone: it ends what --delay and --full begin.", WRONG_USE)
    if (consent or tell) and not full:
        fail("--consent and --tell go with --full: of other observers the table is told nothing.", WRONG_USE)
    if not off:
        address_named(address)
    open_games, now = open_session(config).moderator.open_games, utc_now()
    agreed = FACTION_FACTS if consent == ["all"] else [seat_named(word) for word in consent or ()]
    use = use_of(why, tell, at, dry_run)
    try:
        if off:
            sight.remove_observer(open_games, game, address, now, use)
        elif full:
            sight.add_full_observer(open_games, game, address, now, use, delay, agreed)
        else:
            sight.add_observer(open_games, game, address, now, use, delay)
    except observers.ObserverRefused as refused:
        fail(str(refused))
    told = f"{address} observes {game} no longer." if off else f"{address} observes {game} from now on."
    document = {"game": game, "address": address, "observes": not off, "delay": delay, "full": full}
    answer(told, document, dry_run=dry_run, as_json=as_json)


def unobserve(
    game: Game,
    address: Observer,
    why: Why = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Send somebody no more summaries of a game.

    Example: `mentat game unobserve sietch-12 ann@example.org`
    """
    session = open_session(config)
    try:
        sight.remove_observer(session.moderator.open_games, game, address, utc_now(), use_of(why, "", at, dry_run))
    except observers.ObserverRefused as refused:
        fail(str(refused))
    told = f"{address} observes {game} no longer."
    answer(told, {"game": game, "address": address}, dry_run=dry_run, as_json=as_json)


HelperAddress = Annotated[str, typer.Argument(metavar="ADDRESS", help="Their mail address.")]


def grant(
    game: Game,
    right: Annotated[str, typer.Argument(metavar="RIGHT", help="director, arbiter, clerk or auditor.")],
    address: HelperAddress,
    why: Why = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let somebody help to run a game. They are told, with an address to which they may write their commands.

    A director may do all; an arbiter rules and corrects; a clerk looks after clocks, seats and letters, and sees no
    secrets; an auditor reads everything after the end. Whoever plays in the game can be none of them.

    Example: `mentat game grant sietch-12 clerk rey@example.org`
    """
    known = next((each for each in RIGHTS if each == right), None)
    if known is None:
        fail(f"RIGHT: {right!r} is not one of {', '.join(RIGHTS)}.", WRONG_USE)
    session = open_session(config)
    use = use_of(why, "", at, dry_run)
    fresh = rights.grant(session.moderator.open_games, game, known, address, utc_now(), use)
    told = f"{address} is {right} of {game}." if fresh else f"{address} is {right} of {game} already; nothing changed."
    answer(told, {"game": game, "address": address, "right": right}, dry_run=dry_run, as_json=as_json)


def revoke(
    game: Game,
    address: HelperAddress,
    why: Why = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Take from somebody the right that they have at a game. They are told.

    Example: `mentat game revoke sietch-12 rey@example.org`
    """
    session = open_session(config)
    rights.revoke(session.moderator.open_games, game, address, utc_now(), use_of(why, "", at, dry_run))
    told = f"{address} has no right at {game} any more."
    answer(told, {"game": game, "address": address}, dry_run=dry_run, as_json=as_json)


def handover(
    game: Game,
    address: HelperAddress,
    why: Why = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Ask somebody to direct a game instead of those who do. It is theirs when they answer with the code that they are
    sent, from that address; until then nothing changes. Then the table is told.

    Example: `mentat game handover sietch-12 rey@example.org`
    """
    session = open_session(config)
    rights.hand_over(session.moderator.open_games, game, address, utc_now(), use_of(why, "", at, dry_run))
    told = f"{address} is asked to take over {game}; nothing changes until they agree."
    answer(told, {"game": game, "address": address}, dry_run=dry_run, as_json=as_json)


Words = Annotated[str, typer.Argument(metavar="WORDS", help="What you want to say.")]


def tell(
    game: Game,
    to: Annotated[str, typer.Argument(metavar="all|FACTION,…", help="To the whole table, or to these seats.")],
    said: Words,
    why: Why = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Write to the table, or to some of its seats. Each gets a letter of their own, and is told of no other.

    Example: `mentat game tell sietch-12 guild "Your last mail came twice; it was taken once."`
    """
    session = open_session(config)
    wanted = [] if to in ("all", "table") else [seat_named(word) for word in to.split(",")]
    speech.tell(session.moderator.open_games, game, wanted, said, utc_now(), use_of(why, "", at, dry_run))
    told = f"{', '.join(wanted) or 'Everybody'} in {game} will be told."
    answer(told, {"game": game, "to": wanted or ["all"]}, dry_run=dry_run, as_json=as_json)


def ask(
    game: Game,
    faction: Seat,
    said: Words,
    why: Why = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Ask a player something. Their answer comes to the desk, and does nothing in the game.

    Example: `mentat game ask sietch-12 guild "Did you mean Carthag or Arrakeen?"`
    """
    session, whose = open_session(config), seat_named(faction)
    speech.ask(session.moderator.open_games, game, whose, said, utc_now(), use_of(why, "", at, dry_run))
    told = f"{whose} in {game} is asked; the answer will come to you by mail."
    answer(told, {"game": game, "faction": whose}, dry_run=dry_run, as_json=as_json)


def rule(
    game: Game,
    said: Words,
    clause: Annotated[str, typer.Option(metavar="ID", help="The clause that it reads.")] = "",
    why: Why = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Rule where the rules are silent. The table is told, and finds it under `rules rulings`; in a tournament it is a
    precedent, which the other tables see once this game is over.

    Example: `mentat game rule sietch-12 "A worm that rides takes nobody along." --clause WBC.X.32`
    """
    session = open_session(config)
    number = speech.rule(session.moderator.open_games, game, said, utc_now(), use_of(why, "", at, dry_run), clause)
    answer(f"Ruled in {game}.", {"game": game, "ruling": number}, dry_run=dry_run, as_json=as_json)


def note(
    game: Game,
    said: Annotated[str, typer.Argument(metavar="[WORDS]", help="The note; left out: show them.")] = "",
    about: Annotated[str, typer.Option(metavar="SEAT|ADDRESS", help="What it is about; the game, if left out.")] = "",
    successor: Annotated[bool, typer.Option("--successor", help="Who takes the game over may read it.")] = False,
    delete: Annotated[int, typer.Option(metavar="N", help="Delete this note.")] = 0,
    why: Why = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Keep a private note on a game, a seat or a person, or show them. Nobody is told, and no export has it.

    Example: `mentat game note sietch-12 "Asked twice whether the Voice is heard." --about guild`
    """
    session = open_session(config)
    if delete:
        speech.forget_note(session.moderator.open_games, game, delete, utc_now(), use_of(why, "", at, dry_run))
        answer(f"Note {delete} is deleted.", {"game": game, "deleted": delete}, dry_run=dry_run, as_json=as_json)
        return
    if said:
        use = use_of(why, "", at, dry_run)
        number = speech.note(session.moderator.open_games, game, said, utc_now(), use, about=about, successor=successor)
        answer(f"Noted ({number}).", {"game": game, "note": number}, dry_run=dry_run, as_json=as_json)
        return
    with reading(session.engine) as conn:
        if not games.exists(conn, game):
            raise games.UnknownGame(f"There is no game {game!r} here; `mentat game list` names them.")
        found = desk.notes_of_game(conn, game)
    if as_json:
        answer_json([
            {"note": each.number, "at": each.at.isoformat(), "about": each.about, "words": each.words, "who": each.who,
             "successor": each.successor}
            for each in found
        ])  # fmt: skip
        return
    for each in found:
        of = f" ({each.about})" if each.about else ""
        print_line(f"{each.number}  {each.at:%Y-%m-%d}{of}  {each.words}")


def press(
    game: Game,
    mode: Annotated[
        list[str] | None,
        typer.Argument(metavar="[MODE[,FLAG]...]", help="From now on; only stricter than before. Left out: show it."),
    ] = None,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Show how the players of a game may write to each other, or make that stricter.

    Modes: open, public, none, table, grey, mixed, fake. Added with commas: gunboat, postal, late, yellow, must-order,
    neighbours, copies-to-desk, language, archived, quota=N, observers=none|desk|white, and in a
    tournament names-until=round.
    Examples: `mentat game press sietch-12`, `mentat game press sietch-12 public,quota=3 --why "they asked for it"`
    """
    session = open_session(config)
    if mode:
        wanted, use = ",".join(mode), use_of(why, tell, at, dry_run)
        settings = power.restrict_press(session.moderator.open_games, game, wanted, utc_now(), use)
        told = f"The press of {game} is {settings.words} from now on; its players are told."
        answer(told, {"game": game, "press": settings.words}, dry_run=dry_run, as_json=as_json)
        return
    with reading(session.engine) as conn:
        settings = settings_of(games.open_table(conn, game))
    if as_json:
        answer_json({"game": game, "press": settings.words})
        return
    print_line(f"The press of {game} is {settings.words}:")
    for sentence in press_paragraphs(settings):
        print_line(f"  {sentence}")


def mute(
    game: Game,
    faction: Seat,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let a seat write to nobody but the desk. The table is told that it is so, and nobody why.

    Example: `mentat game mute sietch-12 guild --why "threats, after a warning"`
    """
    whose, session = seat_named(faction), open_session(config)
    speech.mute(session.moderator.open_games, game, whose, utc_now(), use_of(why, tell, at, dry_run))
    told = f"{faction_name(whose)} writes to nobody but the desk in {game}; its table is told."
    answer(told, {"game": game, "faction": whose, "muted": True}, dry_run=dry_run, as_json=as_json)


def unmute(
    game: Game,
    faction: Seat,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let a seat write to others again; its table is told.

    Example: `mentat game unmute sietch-12 guild`
    """
    whose, session = seat_named(faction), open_session(config)
    speech.unmute(session.moderator.open_games, game, whose, utc_now(), use_of(why, tell, at, dry_run))
    told = f"{faction_name(whose)} writes to others again in {game}; its table is told."
    answer(told, {"game": game, "faction": whose, "muted": False}, dry_run=dry_run, as_json=as_json)


PersonAddress = Annotated[str, typer.Argument(metavar="ADDRESS", help="A mail address of the person.")]
InTournament = Annotated[str, typer.Option(metavar="ID", help="In this tournament alone.")]
PersonWhy = Annotated[str, typer.Option(help="For the record; they are not told.")]


def ban(
    address: PersonAddress,
    until: Annotated[
        str, typer.Option(metavar="DATE", help="Until this day, like 2027-01-31; for good if left out.")
    ] = "",
    tournament: InTournament = "",
    why: PersonWhy = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let a person play no more: they cannot enter, nor be given a seat. They are told, not why, and nobody else is.
    The seats that they hold are named, so that you can give them to others.

    Example: `mentat person ban ann@example.org --until 2027-01-31 --why "wrote for somebody else"`
    """
    session = open_session(config)
    end = end_of_day(session.settings, until) if until else None
    use = use_of(why, dry_run=dry_run)
    held = people.ban(session.moderator.open_games, address, utc_now(), use, until=end, tournament_id=tournament)
    document = {"address": address, "until": until or None, "seats": [list(seat) for seat in held]}
    told = f"{address} cannot play {'in ' + tournament if tournament else 'here'}."
    answer(told, document, dry_run=dry_run, as_json=as_json)
    for game, faction in () if as_json else held:
        print_line(f"  to give their seat away: mentat game replace {game} {faction} ADDRESS")


def unban(
    address: PersonAddress,
    tournament: InTournament = "",
    why: PersonWhy = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let a person play again; they are told, not why.

    Example: `mentat person unban ann@example.org --why "it was their brother"`
    """
    open_games, use = open_session(config).moderator.open_games, use_of(why, dry_run=dry_run)
    people.unban(open_games, address, utc_now(), use, tournament_id=tournament)
    answer(f"{address} can play again.", {"address": address}, dry_run=dry_run, as_json=as_json)


def warn(
    address: PersonAddress,
    words: Annotated[str, typer.Argument(metavar="WORDS", help="What they are told.")],
    why: PersonWhy = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Warn a person in your words; it is kept, and forbids nothing.

    Example: `mentat person warn ann@example.org "Please keep to the tone of the table."`
    """
    open_games, use = open_session(config).moderator.open_games, use_of(why, dry_run=dry_run)
    people.warn(open_games, address, words, utc_now(), use)
    answer(f"{address} will be told.", {"address": address}, dry_run=dry_run, as_json=as_json)


def list_persons(config: Config = CONFIG, as_json: AsJson = False) -> None:
    """List bans and warnings, those that are over too. Example: `mentat person list`"""
    session = open_session(config)
    with reading(session.engine) as conn:
        found = store.all_bans(conn)
    if as_json:
        answer_json([
            {"address": each.address, "kind": each.kind, "tournament": each.tournament_id, "why": each.why,
             "since": each.since.isoformat(), "until": each.until.isoformat() if each.until else None,
             "lifted_at": each.lifted_at.isoformat() if each.lifted_at else None, "lifted_why": each.lifted_why}
            for each in found
        ])  # fmt: skip
        return
    for each in found or ():
        where = f" in {each.tournament_id}" if each.tournament_id else ""
        until = f" until {last_day(session.settings, each.until)}" if each.until else ""
        why_over = f" ({each.lifted_why})" if each.lifted_why else ""
        over = f", lifted {each.lifted_at:%Y-%m-%d}{why_over}" if each.lifted_at else ""
        line = f"{each.since:%Y-%m-%d}  {each.kind}  {each.address}{where}{until}{over}  {each.why}"
        print_line(line.rstrip())
    if not found:
        print_line("Nobody is banned, and nobody was warned.")
