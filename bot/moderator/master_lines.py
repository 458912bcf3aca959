"""The language of the game master's desk: one line, one power, with the same words as `mentat game …`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from bot.clock.settings import read_own
from bot.config import SettingsError
from bot.game_master import (
    addresses,
    clocks,
    early,
    ending,
    foresight,
    muting,
    observing,
    persons,
    positions,
    press,
    rights,
    rollback,
    seats,
    sitters,
    substitutes,
    words,
)
from bot.game_master.powers import PowerRefused, require_right, within
from bot.games.sight import require_sight
from bot.moderator import directed
from bot.moderator.master_forms import Form, Given, factions, form, hours, seat
from bot.reports.press_mode import told_of_press
from bot.store.game_rights import RIGHTS
from bot.wording.sentences import say
from rules.components import FACTION_FACTS, faction_name

MOST_SHOWN = 60
"""So many lines of what a rollback would take back are told by mail."""


def _pause(given: Given, _: Mapping[str, str]) -> str:
    clocks.pause(given.open_games, given.game_id, given.now, given.use)
    return say("desk-done.pause")


def _resume(given: Given, _: Mapping[str, str]) -> str:
    clocks.resume(given.open_games, given.game_id, given.now, given.use)
    return say("desk-done.resume")


def _hold(given: Given, _: Mapping[str, str]) -> str:
    clocks.hold(given.open_games, given.game_id, given.now, given.use)
    return say("desk-done.hold")


def _release(given: Given, _: Mapping[str, str]) -> str:
    directed.release(given.open_games, given.game_id, given.now, given.use)
    return say("desk-done.release")


def _extend(given: Given, parts: Mapping[str, str]) -> str:
    more = hours(parts)
    if not 0 < more <= clocks.MOST_HOURS:
        raise PowerRefused(f"{parts['hours']} is not above 0 and at most {clocks.MOST_HOURS} hours.")
    clocks.extend(given.open_games, given.game_id, more, given.now, given.use)
    return say("desk-done.extend", hours=parts["hours"])


def _clock(given: Given, parts: Mapping[str, str]) -> str:
    said = re.sub(r" *= *", "=", parts["settings"]).split()
    try:
        own = read_own(given.open_games.settings.clock, said)
    except SettingsError as wrong:
        raise PowerRefused(str(wrong)) from None
    clocks.change(given.open_games, given.game_id, own, given.now, given.use)
    return say("desk-done.clock", settings=said)


def _remind(given: Given, parts: Mapping[str, str]) -> str:
    seats.remind(given.open_games, given.game_id, seat(parts), given.now, given.use)
    return say("desk-done.remind", faction=seat(parts))


def _process(given: Given, _: Mapping[str, str]) -> str:
    early.process(given.open_games, given.game_id, given.now, given.use)
    return say("desk-done.process")


def _default(given: Given, parts: Mapping[str, str]) -> str:
    early.default(given.open_games, given.game_id, seat(parts), parts["question"].lower(), given.now, given.use)
    return say("desk-done.default", faction=seat(parts), kind=parts["question"].lower())


def _bank(given: Given, parts: Mapping[str, str]) -> str:
    minutes = seats.bank(given.open_games, given.game_id, seat(parts), hours(parts), given.now, given.use)
    return say("desk-done.bank", faction=seat(parts), minutes=minutes)


def _excuse(given: Given, parts: Mapping[str, str]) -> str:
    seats.excuse(given.open_games, given.game_id, seat(parts), given.now, given.use)
    return say("desk-done.excuse", faction=seat(parts))


def _caretaker(given: Given, parts: Mapping[str, str]) -> str:
    on = parts["state"].lower() == "on"
    seats.caretaker(given.open_games, given.game_id, seat(parts), on, given.now, given.use)
    return say("desk-done.caretaker", faction=seat(parts), on=on)


def _order(given: Given, parts: Mapping[str, str]) -> str:
    lines = parts["words"].split(";")
    taken = directed.order(given.open_games, given.game_id, seat(parts), lines, given.now, given.use)
    return "; ".join(f"{line.status} {line.canonical or line.text} {line.reason}".strip() for line in taken)


def _replace(given: Given, parts: Mapping[str, str]) -> str:
    faction, address = seat(parts), parts["address"]
    substitutes.replace(given.open_games, given.game_id, faction, address, given.now, use=given.use)
    return say("desk-done.replace", faction=faction, address=address)


def _address(given: Given, parts: Mapping[str, str]) -> str:
    addresses.move_seat(given.open_games, given.game_id, seat(parts), parts["address"], given.now, given.use)
    return say("desk-done.address", faction=seat(parts), address=parts["address"])


def _freeze(given: Given, parts: Mapping[str, str]) -> str:
    sat_in = addresses.freeze_seat(given.open_games, given.game_id, seat(parts), given.now, given.use)
    return say("desk-done.freeze", faction=seat(parts), sat_in=sat_in)


def _observe(given: Given, parts: Mapping[str, str]) -> str:
    delay = int(parts.get("turn", 0))
    observing.observe(given.open_games, given.game_id, parts["address"], given.now, given.use, delay)
    return say("desk-done.observe", address=parts["address"], delay=delay)


def _observe_fully(given: Given, parts: Mapping[str, str]) -> str:
    delay, agreed = int(parts["turn"]), factions(parts["seats"]) or FACTION_FACTS
    observing.observe_fully(given.open_games, given.game_id, parts["address"], given.now, given.use, delay, agreed)
    return say("desk-done.observe-full", address=parts["address"], delay=delay)


def _unobserve(given: Given, parts: Mapping[str, str]) -> str:
    observing.unobserve(given.open_games, given.game_id, parts["address"], given.now, given.use)
    return say("desk-done.unobserve", address=parts["address"])


def _press(given: Given, parts: Mapping[str, str]) -> str:
    wanted = ",".join(re.split(r"[ ,]+", re.sub(r" *= *", "=", parts["press"])))
    settings = press.change(given.open_games, given.game_id, wanted, given.now, given.use)
    return "\n".join([say("desk-done.press", press=settings.words), *told_of_press(settings)])


def _mute(given: Given, parts: Mapping[str, str]) -> str:
    muting.mute(given.open_games, given.game_id, seat(parts), given.now, given.use)
    return say("desk-done.mute", faction=seat(parts))


def _unmute(given: Given, parts: Mapping[str, str]) -> str:
    muting.unmute(given.open_games, given.game_id, seat(parts), given.now, given.use)
    return say("desk-done.unmute", faction=seat(parts))


def _sitter(given: Given, parts: Mapping[str, str]) -> str:
    until = sitters.end_of_day(given.open_games.settings, parts["date"])
    sitters.sit_in(given.open_games, given.game_id, seat(parts), parts["address"], until, given.now, use=given.use)
    return say("desk-done.sitter", faction=seat(parts), address=parts["address"], until=parts["date"])


def _no_sitter(given: Given, parts: Mapping[str, str]) -> str:
    sitters.stand_up(given.open_games, given.game_id, seat(parts), given.now, given.use)
    return say("desk-done.no-sitter", faction=seat(parts))


def _tell(given: Given, parts: Mapping[str, str]) -> str:
    words.tell(given.open_games, given.game_id, factions(parts["seats"]), parts["words"], given.now, given.use)
    return say("desk-done.tell")


def _ask(given: Given, parts: Mapping[str, str]) -> str:
    words.ask(given.open_games, given.game_id, seat(parts), parts["words"], given.now, given.use)
    return say("desk-done.ask", faction=seat(parts))


def _rule(given: Given, parts: Mapping[str, str]) -> str:
    words.rule(given.open_games, given.game_id, parts["words"], given.now, given.use, parts.get("clause", ""))
    return say("desk-done.rule")


def _note(given: Given, parts: Mapping[str, str]) -> str:
    words.note(given.open_games, given.game_id, parts["words"], given.now, given.use, about=parts.get("seat", ""))
    return say("desk-done.note")


def _grant(given: Given, parts: Mapping[str, str]) -> str:
    right = next((each for each in RIGHTS if each == parts["right"].lower()), None)
    if right is None:
        raise PowerRefused(f"{parts['right']!r} is not one of {', '.join(RIGHTS)}.")
    rights.grant(given.open_games, given.game_id, right, parts["address"], given.now, given.use)
    return say("desk-done.grant", address=parts["address"], right=right)


def _revoke(given: Given, parts: Mapping[str, str]) -> str:
    rights.revoke(given.open_games, given.game_id, parts["address"], given.now, given.use)
    return say("desk-done.revoke", address=parts["address"])


def _handover(given: Given, parts: Mapping[str, str]) -> str:
    rights.hand_over(given.open_games, given.game_id, parts["address"], given.now, given.use)
    return say("desk-done.handover", address=parts["address"])


def _rollback(given: Given, parts: Mapping[str, str]) -> str:
    entries = rollback.entries_at(given.open_games, given.game_id, int(parts["turn"]), parts["phase"].lower())
    agreed = factions(parts["seats"]) if "seats" in parts else []
    table = rollback.rollback(given.open_games, given.game_id, entries, given.now, given.use, agreed)
    return say("desk-done.rollback", turn=table.play.state.turn, phase=table.play.state.phase)


def _preview(given: Given, parts: Mapping[str, str]) -> str:
    entries = rollback.entries_at(given.open_games, given.game_id, int(parts["turn"]), parts["phase"].lower())
    use = replace(given.use, dry_run=False)  # to try it is to do it
    found = rollback.preview(given.open_games, given.game_id, entries, given.now, use)
    lines = [say("desk-done.preview", entries=found.entries, of=found.of, nothing=not found.public), *found.public]
    for faction, learnt in found.private.items():
        lines += [say("desk-done.preview-alone", faction=faction), *learnt]
    more = [say("desk-done.preview-more", more=len(lines) - MOST_SHOWN)] if len(lines) > MOST_SHOWN else []
    return "\n".join([*lines[:MOST_SHOWN], *more])


def _position(given: Given, parts: Mapping[str, str]) -> str:
    positions.correct(given.open_games, given.game_id, parts["words"].split(";"), given.now, given.use)
    return say("desk-done.position")


def _blind(given: Given, _: Mapping[str, str]) -> str:
    foresight.blind(given.open_games, given.game_id, given.now, given.use)
    return say("desk-done.blind")


def _break_glass(given: Given, _: Mapping[str, str]) -> str:
    foresight.break_glass(given.open_games, given.game_id, given.now, given.use)
    return say("desk-done.glass")


def _predict(given: Given, _: Mapping[str, str]) -> str:
    if given.use.dry_run:  # to try it is to do it
        with within(given.open_games) as conn:
            require_right(conn, given.open_games, given.game_id, "predict", given.use)
            require_sight(conn, given.game_id)
        return say("desk-done.predict")
    return "\n".join(foresight.predict(given.open_games, given.game_id, given.now, given.use))


def _undo(given: Given, _: Mapping[str, str]) -> str:
    table = rollback.undo(given.open_games, given.game_id, given.now, given.use)
    return say("desk-done.rollback", turn=table.play.state.turn, phase=table.play.state.phase)


def _last_turn(given: Given, parts: Mapping[str, str]) -> str:
    ending.announce_last_turn(given.open_games, given.game_id, int(parts["turn"]), given.now, given.use)
    return say("desk-done.last-turn", turn=parts["turn"])


def _end_void(given: Given, _: Mapping[str, str]) -> str:
    ending.end(given.open_games, given.game_id, "void", (), given.now, given.use)
    return say("desk-done.end", winners=())


def _end_agreed(given: Given, parts: Mapping[str, str]) -> str:
    winners = factions(parts["seats"])
    ending.end(given.open_games, given.game_id, "agreed", winners, given.now, given.use)
    return say("desk-done.end", winners=[faction_name(each) for each in winners])


def _end_adjudicated(given: Given, parts: Mapping[str, str]) -> str:
    winners = factions(parts["seats"])
    ending.end(given.open_games, given.game_id, "adjudicated", winners, given.now, given.use)
    return say("desk-done.end", winners=[faction_name(each) for each in winners])


def _ban(given: Given, parts: Mapping[str, str]) -> str:
    event = persons.reach(given.open_games, given.game_id, "ban", given.use)
    until = sitters.end_of_day(given.open_games.settings, parts["date"]) if "date" in parts else None
    held = persons.ban(
        given.open_games, parts["address"], given.now, given.use, until=until, tournament_id=event,
        game_id=given.game_id,
    )  # fmt: skip
    seats_held = [f"{game} {faction}" for game, faction in held]
    return say("desk-done.ban", address=parts["address"], until=parts.get("date", ""), event=event, seats=seats_held)


def _unban(given: Given, parts: Mapping[str, str]) -> str:
    event = persons.reach(given.open_games, given.game_id, "unban", given.use)
    game = given.game_id
    persons.unban(given.open_games, parts["address"], given.now, given.use, tournament_id=event, game_id=game)
    return say("desk-done.unban", address=parts["address"])


def _warn(given: Given, parts: Mapping[str, str]) -> str:
    with within(given.open_games) as conn:
        require_right(conn, given.open_games, given.game_id, "warn", given.use)
    address = rights.checked(given.open_games, parts["address"])
    persons.require_at_table(given.open_games, given.game_id, address, given.use)
    persons.warn(given.open_games, address, parts["words"], given.now, given.use, game_id=given.game_id)
    return say("desk-done.warn", address=parts["address"])


def _delete(given: Given, _: Mapping[str, str]) -> str:
    persons.delete_game(given.open_games, given.game_id, given.now, given.use)
    return say("desk-done.delete", game=given.game_id)


FORMS: tuple[Form, ...] = (
    form("pause", "pause", _pause),
    form("resume", "resume", _resume),
    form("hold", "hold", _hold),
    form("release", "release", _release),
    form("extend", "extend HOURS", _extend),
    form("clock", "clock SETTINGS", _clock),
    form("remind", "remind SEAT", _remind),
    form("process", "process", _process),
    form("default", "default SEAT QUESTION", _default),
    form("bank", "bank SEAT HOURS", _bank),
    form("excuse", "excuse SEAT", _excuse),
    form("caretaker", "caretaker SEAT ONOFF", _caretaker),
    form("order", "order SEAT : WORDS", _order),
    form("replace", "replace SEAT ADDRESS", _replace),
    form("sitter", "sitter SEAT ADDRESS until DATE", _sitter),
    form("sitter", "sitter SEAT off", _no_sitter),
    form("address", "address SEAT ADDRESS", _address),
    form("freeze", "freeze SEAT", _freeze),
    form("observe", "observe ADDRESS", _observe),
    form("observe", "observe ADDRESS delay TURN", _observe),
    form("observe-full", "observe ADDRESS full delay TURN consent SEATS", _observe_fully),
    form("unobserve", "observe ADDRESS off", _unobserve),
    form("unobserve", "unobserve ADDRESS", _unobserve),
    form("press", "press PRESS", _press),
    form("mute", "mute SEAT", _mute),
    form("unmute", "unmute SEAT", _unmute),
    form("tell", "tell SEATS : WORDS", _tell),
    form("ask", "ask SEAT : WORDS", _ask),
    form("rule", "rule : WORDS", _rule),
    form("rule", "rule CLAUSE : WORDS", _rule),
    form("note", "note : WORDS", _note),
    form("note", "note SEAT : WORDS", _note),
    form("grant", "grant RIGHT ADDRESS", _grant),
    form("revoke", "revoke ADDRESS", _revoke),
    form("handover", "handover ADDRESS", _handover),
    form("ban", "ban ADDRESS", _ban),
    form("ban", "ban ADDRESS until DATE", _ban),
    form("unban", "unban ADDRESS", _unban),
    form("warn", "warn ADDRESS : WORDS", _warn),
    form("delete", "delete game", _delete),
    form("rollback", "rollback TURN PHASE", _rollback),
    form("rollback", "rollback TURN PHASE consent SEATS", _rollback),
    form("preview", "preview TURN PHASE", _preview, looks=True),
    form("position", "position : WORDS", _position),
    form("undo", "undo rollback", _undo),
    form("predict", "predict", _predict),
    form("blind", "blind", _blind),
    form("break-glass", "break glass", _break_glass),
    form("last-turn", "last turn TURN", _last_turn),
    form("end", "end void", _end_void),
    form("end", "end agreed SEATS", _end_agreed),
    form("end", "end adjudicated SEATS", _end_adjudicated),
)
"""Every line of the desk."""
