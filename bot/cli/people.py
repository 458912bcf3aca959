"""Commands about people.

- players, sitters and addresses: `mentat game replace|sitter|address|freeze`
- observers: `mentat game observe|unobserve`
- people who run a game: `mentat game grant|revoke|handover`
- the game master's messages: `mentat game tell|ask|rule|note`
- press between players: `mentat game press|mute|unmute`
- bans and warnings: `mentat person ban|unban|warn|list`
"""

from __future__ import annotations

import re
from typing import Annotated

import typer

from bot.cli.options import Game, PersonAct, Power, Seat, address_named, iso_or_none, seat_named
from bot.cli.session import WRONG_USE, Answer, Call, Listing, command, fail
from bot.desk import people, rights, seats, sight, speech
from bot.desk import speech as power
from bot.desk.seats import end_of_day, freeze_seat, last_day, move_seat
from bot.render.letters import press_paragraphs
from bot.store import desk, games
from bot.store import people as store
from bot.store.acts import RIGHTS_AT_GAMES
from bot.table.press import settings_of
from rules.components import FACTION_FACTS, the_faction


@command("game replace")
def replace(
    call: Power,
    game: Game,
    faction: Seat,
    address: Annotated[str, typer.Argument(help="The new player's mail address.")],
    name: Annotated[str, typer.Option(help="The name that others see; if left out, the part before the @.")] = "",
    allow_same_person: Annotated[
        bool, typer.Option("--allow-same-person", help="Allow another address of the same mailbox, for testing.")
    ] = False,
) -> Answer:
    """Give a seat to another player. The new player is told everything that the seat knows. Everybody is told who plays
    the seat from now on.

    Example: `mentat game replace sietch-12 harkonnen dora@example.org --name Dora`
    """
    address_named(address)
    if re.search(r"[\r\n\x00-\x1f]", name):
        fail("--name: a name must be one line of text.", WRONG_USE)
    seat = seats.replace_player(call.request(game), faction, address, name, tags_apart=allow_same_person)
    told = f"{seat.name} ({seat.address}) now plays {the_faction(seat.faction)} in {game}."
    document = {"game": game, "faction": faction, "address": seat.address, "name": seat.name}
    later = f"{told} The letters go out with `mentat run` or `mentat send`."
    return Answer(told if call.dry_run else later, document)


@command("game sitter")
def sitter(
    call: Power,
    game: Game,
    faction: Seat,
    address: Annotated[str, typer.Argument(help="The sitter's address.")] = "",
    until: Annotated[str, typer.Option(metavar="DAY", help="The last day, like 2027-01-31; within 60 days.")] = "",
    name: Annotated[str, typer.Option(help="The sitter's name in their letters.")] = "",
    off: Annotated[bool, typer.Option("--off", help="End the sitting.")] = False,
) -> Answer:
    """Let a sitter play for a player until a given day. The sitter gets copies of the letters and may send orders. The
    player may still send orders too, and can end the arrangement with "sitter off".

    Example: `mentat game sitter sietch-12 guild sam@example.org --until 2027-01-31 --why "in hospital"`,

    `mentat game sitter sietch-12 guild --off`
    """
    if off == bool(address) or bool(address) != bool(until):
        fail("Name an address and the last day with --until, or else --off alone.", WRONG_USE)
    if off:
        seats.remove_sitter(call.request(game), faction)
        told = f"Nobody sits in for {the_faction(faction)} in {game} any more."
        return Answer(told, {"game": game, "faction": faction, "sitter": None})
    end = seats.end_of_day(call.settings, until)
    seat = seats.set_sitter(call.request(game), faction, address, end, name)
    told = f"{address} sits in for {the_faction(faction)} in {game} until the end of {until}."
    document = {"game": game, "faction": faction, "sitter": seat.sitter or address, "until": end.isoformat()}
    return Answer(told, document)


@command("game address", without="tell")
def address(
    call: Power,
    game: Game,
    faction: Seat,
    new: Annotated[str, typer.Argument(metavar="[ADDRESS]", help="The new address.")] = "",
) -> Answer:
    """Show a player's known addresses, or change their address in a game. The player keeps the seat and its secrets,
    gets a new reply address, and is sent all open questions again. In this game the old address no longer counts.

    Example: `mentat game address sietch-12 harkonnen vladimir@example.org`
    """
    wanted = address_named(new) if new else ""
    if wanted:
        move_seat(call.request(game), faction, wanted)
    with call.reading() as conn:
        seat = games.open_table(conn, game).seats.get(faction)
        if seat is None:
            fail(f"Nobody plays {the_faction(faction)} in {game}.")
        known = sorted(store.known_as(conn, seat.address))
    others = ", ".join(other for other in known if other != seat.address)
    told = f"Letters for {the_faction(faction)} in {game} go to {seat.address}."
    document = {"game": game, "faction": faction, "address": seat.address, "addresses": known}
    return Listing(f"{told}{f' Also known: {others}.' if others else ''}", document)


@command("game freeze", without="tell")
def freeze(call: Power, game: Game, faction: Seat) -> Answer:
    """Replace a seat's reply address because somebody else may know it. The player gets the new address by mail. The
    old address stops working at once.

    Example: `mentat game freeze sietch-12 harkonnen --why "They forwarded a letter."`
    """
    sat_in = freeze_seat(call.request(game), faction)
    told = (
        f"In {game}, {the_faction(faction)} got a new reply address; the letter goes out with `mentat run` or `send`."
    )
    told += " Nobody sits in for them any more." if sat_in else ""
    return Answer(told, {"game": game, "faction": faction, "frozen": True})


Observer = Annotated[str, typer.Argument(metavar="ADDRESS", help="The observer's mail address.")]


@command("game observe")
def observe(
    call: Power,
    game: Game,
    address: Observer,
    delay: Annotated[
        int, typer.Option("--delay", metavar="TURNS", help="Send each letter this many turns late, unchanged.")
    ] = 0,
    full: Annotated[
        bool, typer.Option("--full", help="Show what is hidden too, at least 2 turns late, if all seats agreed.")
    ] = False,
    consent: Annotated[
        list[str] | None, typer.Option(metavar="FACTION", help="Who agreed to --full (may be repeated), or all.")
    ] = None,
    off: Annotated[bool, typer.Option("--off", help="Send them nothing more, like `mentat game unobserve`.")] = False,
) -> Answer:
    """Send a person the public summary of each turn. They are told how to unsubscribe. With --full they also see what
    is hidden; the table is then told that somebody is reading along, but not who.

    Example: `mentat game observe sietch-12 ann@example.org`

    Example: `mentat game observe sietch-12 ann@example.org --full --delay 3 --consent all`
    """
    if off and (delay or full):
        fail("Use --off alone: it ends what --delay and --full started.", WRONG_USE)
    if (consent or call.tell) and not full:
        fail("--consent and --tell need --full: the table is not told of other observers.", WRONG_USE)
    if not off:
        address_named(address)
    agreed = FACTION_FACTS if consent == ["all"] else [seat_named(word) for word in consent or ()]
    if off:
        sight.remove_observer(call.request(game), address)
    elif full:
        sight.add_full_observer(call.request(game), address, delay, agreed)
    else:
        sight.add_observer(call.request(game), address, delay)
    told = f"{address} no longer observes {game}." if off else f"{address} now observes {game}."
    document = {"game": game, "address": address, "observes": not off, "delay": delay, "full": full}
    return Answer(told, document)


@command("game unobserve", without="tell")
def unobserve(call: Power, game: Game, address: Observer) -> Answer:
    """Stop sending a person the summaries of a game.

    Example: `mentat game unobserve sietch-12 ann@example.org`
    """
    sight.remove_observer(call.request(game), address)
    told = f"{address} no longer observes {game}."
    return Answer(told, {"game": game, "address": address})


HelperAddress = Annotated[str, typer.Argument(metavar="ADDRESS", help="The person's mail address.")]


@command("game grant", without="tell")
def grant(
    call: Power,
    game: Game,
    right: Annotated[str, typer.Argument(metavar="RIGHT", help="director, arbiter, clerk or auditor.")],
    address: HelperAddress,
) -> Answer:
    """Let a person help to run a game. They are told about it, and get an address for their commands.

    A director may do everything. An arbiter rules and corrects. A clerk looks after clocks, seats and letters, and sees
    no secrets. An auditor reads everything after the end. A person who plays in the game cannot have any of these
    rights.

    Example: `mentat game grant sietch-12 clerk rey@example.org`
    """
    known = next((each for each in RIGHTS_AT_GAMES if each == right), None)
    if known is None:
        fail(f"RIGHT: {right!r} is not one of {', '.join(RIGHTS_AT_GAMES)}.", WRONG_USE)
    fresh = rights.grant(call.request(game), known, address)
    told = f"{address} is {right} of {game}." if fresh else f"{address} is already {right} of {game}; nothing changed."
    return Answer(told, {"game": game, "address": address, "right": right})


@command("game revoke", without="tell")
def revoke(call: Power, game: Game, address: HelperAddress) -> Answer:
    """Revoke a person's right in a game. They are told.

    Example: `mentat game revoke sietch-12 rey@example.org`
    """
    rights.revoke(call.request(game), address)
    told = f"{address} no longer has a right in {game}."
    return Answer(told, {"game": game, "address": address})


@command("game handover", without="tell")
def handover(call: Power, game: Game, address: HelperAddress) -> Answer:
    """Ask a person to direct a game in place of its directors. They get a letter with a code, and take over when they
    send the code back from that address. Until then nothing changes. When they have taken over, the table is told.

    Example: `mentat game handover sietch-12 rey@example.org`
    """
    rights.hand_over(call.request(game), address)
    told = f"{address} has been asked to take over {game}; nothing changes until they agree."
    return Answer(told, {"game": game, "address": address})


Words = Annotated[str, typer.Argument(metavar="WORDS", help="What you want to say.")]


@command("game tell", without="tell")
def tell(
    call: Power,
    game: Game,
    to: Annotated[str, typer.Argument(metavar="all|FACTION,…", help="The whole table (all), or these seats.")],
    said: Words,
) -> Answer:
    """Write to the whole table, or to some of its seats. Each reader gets a separate letter, which does not name the
    others.

    Example: `mentat game tell sietch-12 guild "Your last mail came twice. We counted it once."`
    """
    wanted = [] if to in ("all", "table") else [seat_named(word) for word in to.split(",")]
    speech.tell(call.request(game), wanted, said)
    told = f"{', '.join(wanted) or 'Everybody'} in {game} will be told."
    return Answer(told, {"game": game, "to": wanted or ["all"]})


@command("game ask", without="tell")
def ask(call: Power, game: Game, faction: Seat, said: Words) -> Answer:
    """Ask a player a question. The answer comes to you, and has no effect in the game.

    Example: `mentat game ask sietch-12 guild "Did you mean Carthag or Arrakeen?"`
    """
    speech.ask(call.request(game), faction, said)
    told = f"{faction} in {game} will be asked; the answer will come to you by mail."
    return Answer(told, {"game": game, "faction": faction})


@command("game rule", without="tell")
def rule(
    call: Power,
    game: Game,
    said: Words,
    clause: Annotated[str, typer.Option(metavar="ID", help="The clause that it interprets.")] = "",
) -> Answer:
    """Make a ruling where the rules are silent. The table is told, and can find the ruling with `rules rulings`. In a
    tournament the ruling is a precedent, which the other tables see once this game is over.

    Example: `mentat game rule sietch-12 "A worm that is ridden takes nobody along." --clause WBC.X.32`
    """
    number = speech.rule(call.request(game), said, clause)
    strange = ""
    if clause:
        with call.reading() as conn:
            strange = speech.strange_clause(games.open_table(conn, game), clause)
    return Answer([f"Ruling recorded in {game}.", *([strange] if strange else [])], {"game": game, "ruling": number})


@command("game note", without="tell")
def note(
    call: Power,
    game: Game,
    said: Annotated[str, typer.Argument(metavar="[WORDS]", help="The note; if left out, the notes are shown.")] = "",
    about: Annotated[
        str, typer.Option(metavar="SEAT|ADDRESS", help="What the note is about; if left out, the game.")
    ] = "",
    successor: Annotated[bool, typer.Option("--successor", help="Let the next game master read it.")] = False,
    delete: Annotated[int, typer.Option(metavar="N", help="Delete this note.")] = 0,
) -> Answer:
    """Keep a private note on a game, a seat or a person, or show the notes. Nobody is told, and notes are never
    exported.

    Example: `mentat game note sietch-12 "Asked twice whether the Voice is heard." --about guild`
    """
    if delete:
        speech.forget_note(call.request(game), delete)
        return Answer(f"Note {delete} is deleted.", {"game": game, "deleted": delete})
    if said:
        number = speech.note(call.request(game), said, about=about, successor=successor)
        return Answer(f"Noted ({number}).", {"game": game, "note": number})
    with call.reading() as conn:
        games.revision(conn, game)  # UnknownGame comes first
        found = desk.notes_of_game(conn, game)
    document = [
        {
            "note": each.number,
            "at": each.at.isoformat(),
            "about": each.about,
            "words": each.words,
            "who": each.who,
            "successor": each.successor,
        }
        for each in found
    ]
    abouts = [f" ({each.about})" if each.about else "" for each in found]
    lines = [
        f"{each.number}  {each.at:%Y-%m-%d %H:%M}Z{of}  {each.words}" for each, of in zip(found, abouts, strict=True)
    ]
    return Listing(lines, document)


@command("game press")
def press(
    call: Power,
    game: Game,
    mode: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MODE[,FLAG]...]", help="The new rules, which can only be stricter. If left out, show them."
        ),
    ] = None,
) -> Answer:
    """Show the rules by which the players of a game may write to each other, or make them stricter.

    The modes are open, public, none, table, grey, mixed and fake. These may be added with commas: gunboat, postal,
    late, yellow, must-order, neighbours, copies-to-desk, language, archived, quota=N, observers=none|desk|white, and in
    a tournament names-until=round. Examples: `mentat game press sietch-12`,
    `mentat game press sietch-12 public,quota=3 --why "they asked for it"`
    """
    if mode:
        wanted = ",".join(mode)
        settings = power.restrict_press(call.request(game), wanted)
        told = f"The press of {game} is now {settings.words}; its players are told."
        return Answer(told, {"game": game, "press": settings.words})
    with call.reading() as conn:
        settings = settings_of(games.open_table(conn, game))
    lines = [f"The press of {game} is {settings.words}:", *(f"  {each}" for each in press_paragraphs(settings))]
    return Listing(lines, {"game": game, "press": settings.words})


@command("game mute")
def mute(call: Power, game: Game, faction: Seat) -> Answer:
    """Stop a seat from writing to anybody but you. Unless press is unsigned, the table is told that the seat is muted,
    but not why.

    Example: `mentat game mute sietch-12 guild --why "threats, after a warning"`
    """
    speech.mute(call.request(game), faction)
    told = f"In {game}, {the_faction(faction)} can now write only to the desk; the table will be told."
    return Answer(told, {"game": game, "faction": faction, "muted": True})


@command("game unmute")
def unmute(call: Power, game: Game, faction: Seat) -> Answer:
    """Let a muted seat write to others again. Its table is told.

    Example: `mentat game unmute sietch-12 guild`
    """
    speech.unmute(call.request(game), faction)
    told = f"In {game}, {the_faction(faction)} can write to others again; the table will be told."
    return Answer(told, {"game": game, "faction": faction, "muted": False})


PersonAddress = Annotated[str, typer.Argument(metavar="ADDRESS", help="A mail address of the person.")]
InTournament = Annotated[str, typer.Option(metavar="ID", help="Only in this tournament.")]


@command("person ban", without="tell at")
def ban(
    call: PersonAct,
    address: PersonAddress,
    until: Annotated[
        str, typer.Option(metavar="DATE", help="The last day, like 2027-01-31; for good if left out.")
    ] = "",
    tournament: InTournament = "",
) -> Answer:
    """Ban a person: they can neither enter nor be given a seat. Only they are told, without the reason. The command
    lists the seats that they hold, so that you can give these to others.

    Example: `mentat person ban ann@example.org --until 2027-01-31 --why "wrote for somebody else"`
    """
    end = end_of_day(call.settings, until) if until else None
    held = people.ban(call.request(), address, until=end, tournament_id=tournament)
    document = {"address": address, "until": until or None, "seats": [list(seat) for seat in held]}
    told = f"{address} cannot play {'in ' + tournament if tournament else 'here'}."
    give_away = [f"  to give their seat away: mentat game replace {game} {faction} ADDRESS" for game, faction in held]
    return Answer([told, *give_away], document)


@command("person unban", without="tell at")
def unban(call: PersonAct, address: PersonAddress, tournament: InTournament = "") -> Answer:
    """Lift a ban. The person may play again and is told, without the reason.

    Example: `mentat person unban ann@example.org --why "it was their brother"`
    """
    people.unban(call.request(), address, tournament_id=tournament)
    return Answer(f"{address} can play again.", {"address": address})


@command("person warn", without="tell at")
def warn(
    call: PersonAct,
    address: PersonAddress,
    words: Annotated[str, typer.Argument(metavar="WORDS", help="What to tell them.")],
) -> Answer:
    """Warn a person in your own words. The warning stays on record, but does not forbid anything.

    Example: `mentat person warn ann@example.org "Please keep to the tone of the table."`
    """
    people.warn(call.request(), address, words)
    return Answer(f"{address} will be told.", {"address": address})


@command("person same", without="tell at")
def same(call: PersonAct, address: PersonAddress, other: PersonAddress) -> Answer:
    """Treat two addresses as belonging to one person, for seats, bans and ratings. Both addresses are told.

    Example: `mentat person same ann@example.org bob@example.org --why "they write for each other"`
    """
    found = people.tie_persons(call.request(), address, other)
    document = {"addresses": list(found.addresses), "seats": [list(seat) for seat in found.seats]}
    twice = [f"  several seats of one person: {game}; mentat game replace gives one away" for game in found.twice]
    return Answer([f"{address} and {other} now count as one person.", *twice], document)


@command("person apart", without="tell at")
def apart(call: PersonAct, address: PersonAddress) -> Answer:
    """Treat an address as belonging to a separate person again. Example: `mentat person apart bob@example.org`"""
    people.part_persons(call.request(), address)
    return Answer(f"{address} counts as a separate person again.", {"address": address})


@command("person list")
def list_persons(call: Call) -> Answer:
    """List bans and warnings, including expired ones. Example: `mentat person list`"""
    with call.reading() as conn:
        found = store.all_bans(conn)
    document = [
        {
            "address": each.address,
            "kind": each.kind,
            "tournament": each.tournament_id,
            "why": each.why,
            "since": each.since.isoformat(),
            "until": iso_or_none(each.until),
            "lifted_at": iso_or_none(each.lifted_at),
            "lifted_why": each.lifted_why,
        }
        for each in found
    ]
    lines = []
    for each in found:
        where = f" in {each.tournament_id}" if each.tournament_id else ""
        until = f" until {last_day(call.settings, each.until)}" if each.until else ""
        why_over = f" ({each.lifted_why})" if each.lifted_why else ""
        over = f", lifted {each.lifted_at:%Y-%m-%d %H:%M}Z{why_over}" if each.lifted_at else ""
        lines.append(
            f"{each.since:%Y-%m-%d %H:%M}Z  {each.kind}  {each.address}{where}{until}{over}  {each.why}".rstrip()
        )
    return Answer(lines or ["Nobody is banned, and nobody was warned."], document)
