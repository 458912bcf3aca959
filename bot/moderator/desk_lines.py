"""The language of the game master's desk: one line, one power, in the same words as `mentat game …`.

``why:``, ``tell:`` and ``if:`` on lines of their own hold for all lines below them in the mail. ``dry run`` lets Mentat
only try all of it. ``end tell`` (or ask, rule, note, warn) ends words of several lines. A line that is no form gets the
nearest one as a suggestion.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches

from bot.config import SettingsError
from bot.desk import clocks, ending, people, positions, rights, seats, sight, speech
from bot.desk.powers import (
    DeskLine,
    DeskRequest,
    Form,
    PowerRefused,
    UnreadDeskLine,
    Use,
    factions_named,
    hours_named,
    make_form,
    require_right,
    seat_named,
    within,
)
from bot.games.proof import require_sight
from bot.moderator import seat_lines
from bot.render.letters import press_paragraphs
from bot.store.desk import RIGHTS
from bot.table.clock import read_own_settings
from bot.wording import say
from rules.components import FACTION_FACTS, faction_name

MOST_SHOWN = 60
"""So many lines of what a rollback would take back are told by mail."""


def _pause(given: DeskRequest, _: Mapping[str, str]) -> str:
    clocks.pause(given.open_games, given.game_id, given.now, given.use)
    return say("desk-done.pause")


def _resume(given: DeskRequest, _: Mapping[str, str]) -> str:
    clocks.resume(given.open_games, given.game_id, given.now, given.use)
    return say("desk-done.resume")


def _hold(given: DeskRequest, _: Mapping[str, str]) -> str:
    clocks.hold(given.open_games, given.game_id, given.now, given.use)
    return say("desk-done.hold")


def _release(given: DeskRequest, _: Mapping[str, str]) -> str:
    seat_lines.release_game(given.open_games, given.game_id, given.now, given.use)
    return say("desk-done.release")


def _extend(given: DeskRequest, parts: Mapping[str, str]) -> str:
    more = hours_named(parts)
    if not 0 < more <= clocks.MOST_HOURS:
        raise PowerRefused(f"{parts['hours']} is not above 0 and at most {clocks.MOST_HOURS} hours.")
    clocks.extend(given.open_games, given.game_id, more, given.now, given.use)
    return say("desk-done.extend", hours=parts["hours"])


def _clock(given: DeskRequest, parts: Mapping[str, str]) -> str:
    said = re.sub(r" *= *", "=", parts["settings"]).split()
    try:
        own = read_own_settings(given.open_games.settings.clock, said)
    except SettingsError as wrong:
        raise PowerRefused(str(wrong)) from None
    clocks.change_clock(given.open_games, given.game_id, own, given.now, given.use)
    return say("desk-done.clock", settings=said)


def _remind(given: DeskRequest, parts: Mapping[str, str]) -> str:
    seats.remind_seat(given.open_games, given.game_id, seat_named(parts), given.now, given.use)
    return say("desk-done.remind", faction=seat_named(parts))


def _process(given: DeskRequest, _: Mapping[str, str]) -> str:
    clocks.process_overdue(given.open_games, given.game_id, given.now, given.use)
    return say("desk-done.process")


def _default(given: DeskRequest, parts: Mapping[str, str]) -> str:
    clocks.apply_default(
        given.open_games, given.game_id, seat_named(parts), parts["question"].lower(), given.now, given.use
    )
    return say("desk-done.default", faction=seat_named(parts), kind=parts["question"].lower())


def _bank(given: DeskRequest, parts: Mapping[str, str]) -> str:
    minutes = seats.change_bank(
        given.open_games, given.game_id, seat_named(parts), hours_named(parts), given.now, given.use
    )
    return say("desk-done.bank", faction=seat_named(parts), minutes=minutes)


def _excuse(given: DeskRequest, parts: Mapping[str, str]) -> str:
    seats.excuse_seat(given.open_games, given.game_id, seat_named(parts), given.now, given.use)
    return say("desk-done.excuse", faction=seat_named(parts))


def _caretaker(given: DeskRequest, parts: Mapping[str, str]) -> str:
    on = parts["state"].lower() == "on"
    seats.set_caretaker(given.open_games, given.game_id, seat_named(parts), on, given.now, given.use)
    return say("desk-done.caretaker", faction=seat_named(parts), on=on)


def _order(given: DeskRequest, parts: Mapping[str, str]) -> str:
    lines = parts["words"].split(";")
    taken = seat_lines.order_for_seat(given.open_games, given.game_id, seat_named(parts), lines, given.now, given.use)
    return "; ".join(f"{line.status} {line.canonical or line.text} {line.reason}".strip() for line in taken)


def _replace(given: DeskRequest, parts: Mapping[str, str]) -> str:
    faction, address = seat_named(parts), parts["address"]
    seats.replace_player(given.open_games, given.game_id, faction, address, given.now, use=given.use)
    return say("desk-done.replace", faction=faction, address=address)


def _address(given: DeskRequest, parts: Mapping[str, str]) -> str:
    seats.move_seat(given.open_games, given.game_id, seat_named(parts), parts["address"], given.now, given.use)
    return say("desk-done.address", faction=seat_named(parts), address=parts["address"])


def _freeze(given: DeskRequest, parts: Mapping[str, str]) -> str:
    sat_in = seats.freeze_seat(given.open_games, given.game_id, seat_named(parts), given.now, given.use)
    return say("desk-done.freeze", faction=seat_named(parts), sat_in=sat_in)


def _observe(given: DeskRequest, parts: Mapping[str, str]) -> str:
    delay = int(parts.get("turn", 0))
    sight.add_observer(given.open_games, given.game_id, parts["address"], given.now, given.use, delay)
    return say("desk-done.observe", address=parts["address"], delay=delay)


def _observe_fully(given: DeskRequest, parts: Mapping[str, str]) -> str:
    delay, agreed = int(parts["turn"]), factions_named(parts["seats"]) or FACTION_FACTS
    sight.add_full_observer(given.open_games, given.game_id, parts["address"], given.now, given.use, delay, agreed)
    return say("desk-done.observe-full", address=parts["address"], delay=delay)


def _unobserve(given: DeskRequest, parts: Mapping[str, str]) -> str:
    sight.remove_observer(given.open_games, given.game_id, parts["address"], given.now, given.use)
    return say("desk-done.unobserve", address=parts["address"])


def _press(given: DeskRequest, parts: Mapping[str, str]) -> str:
    wanted = ",".join(re.split(r"[ ,]+", re.sub(r" *= *", "=", parts["press"])))
    settings = speech.restrict_press(given.open_games, given.game_id, wanted, given.now, given.use)
    return "\n".join([say("desk-done.press", press=settings.words), *press_paragraphs(settings)])


def _mute(given: DeskRequest, parts: Mapping[str, str]) -> str:
    speech.mute(given.open_games, given.game_id, seat_named(parts), given.now, given.use)
    return say("desk-done.mute", faction=seat_named(parts))


def _unmute(given: DeskRequest, parts: Mapping[str, str]) -> str:
    speech.unmute(given.open_games, given.game_id, seat_named(parts), given.now, given.use)
    return say("desk-done.unmute", faction=seat_named(parts))


def _sitter(given: DeskRequest, parts: Mapping[str, str]) -> str:
    until = seats.end_of_day(given.open_games.settings, parts["date"])
    seats.set_sitter(
        given.open_games, given.game_id, seat_named(parts), parts["address"], until, given.now, use=given.use
    )
    return say("desk-done.sitter", faction=seat_named(parts), address=parts["address"], until=parts["date"])


def _no_sitter(given: DeskRequest, parts: Mapping[str, str]) -> str:
    seats.remove_sitter(given.open_games, given.game_id, seat_named(parts), given.now, given.use)
    return say("desk-done.no-sitter", faction=seat_named(parts))


def _tell(given: DeskRequest, parts: Mapping[str, str]) -> str:
    speech.tell(given.open_games, given.game_id, factions_named(parts["seats"]), parts["words"], given.now, given.use)
    return say("desk-done.tell")


def _ask(given: DeskRequest, parts: Mapping[str, str]) -> str:
    speech.ask(given.open_games, given.game_id, seat_named(parts), parts["words"], given.now, given.use)
    return say("desk-done.ask", faction=seat_named(parts))


def _rule(given: DeskRequest, parts: Mapping[str, str]) -> str:
    speech.rule(given.open_games, given.game_id, parts["words"], given.now, given.use, parts.get("clause", ""))
    return say("desk-done.rule")


def _note(given: DeskRequest, parts: Mapping[str, str]) -> str:
    speech.note(given.open_games, given.game_id, parts["words"], given.now, given.use, about=parts.get("seat", ""))
    return say("desk-done.note")


def _grant(given: DeskRequest, parts: Mapping[str, str]) -> str:
    right = next((each for each in RIGHTS if each == parts["right"].lower()), None)
    if right is None:
        raise PowerRefused(f"{parts['right']!r} is not one of {', '.join(RIGHTS)}.")
    rights.grant(given.open_games, given.game_id, right, parts["address"], given.now, given.use)
    return say("desk-done.grant", address=parts["address"], right=right)


def _revoke(given: DeskRequest, parts: Mapping[str, str]) -> str:
    rights.revoke(given.open_games, given.game_id, parts["address"], given.now, given.use)
    return say("desk-done.revoke", address=parts["address"])


def _handover(given: DeskRequest, parts: Mapping[str, str]) -> str:
    rights.hand_over(given.open_games, given.game_id, parts["address"], given.now, given.use)
    return say("desk-done.handover", address=parts["address"])


def _rollback(given: DeskRequest, parts: Mapping[str, str]) -> str:
    entries = positions.entries_at(given.open_games, given.game_id, int(parts["turn"]), parts["phase"].lower())
    agreed = factions_named(parts["seats"]) if "seats" in parts else []
    table = positions.roll_back(given.open_games, given.game_id, entries, given.now, given.use, agreed)
    return say("desk-done.rollback", turn=table.play.state.turn, phase=table.play.state.phase)


def _preview(given: DeskRequest, parts: Mapping[str, str]) -> str:
    entries = positions.entries_at(given.open_games, given.game_id, int(parts["turn"]), parts["phase"].lower())
    use = replace(given.use, dry_run=False)  # to try it is to do it
    found = positions.preview_rollback(given.open_games, given.game_id, entries, given.now, use)
    lines = [say("desk-done.preview", entries=found.entries, of=found.of, nothing=not found.public), *found.public]
    for faction, learnt in found.private.items():
        lines += [say("desk-done.preview-alone", faction=faction), *learnt]
    more = [say("desk-done.preview-more", more=len(lines) - MOST_SHOWN)] if len(lines) > MOST_SHOWN else []
    return "\n".join([*lines[:MOST_SHOWN], *more])


def _position(given: DeskRequest, parts: Mapping[str, str]) -> str:
    positions.correct_facts(given.open_games, given.game_id, parts["words"].split(";"), given.now, given.use)
    return say("desk-done.position")


def _blind(given: DeskRequest, _: Mapping[str, str]) -> str:
    sight.play_blind(given.open_games, given.game_id, given.now, given.use)
    return say("desk-done.blind")


def _break_glass(given: DeskRequest, _: Mapping[str, str]) -> str:
    sight.break_glass(given.open_games, given.game_id, given.now, given.use)
    return say("desk-done.glass")


def _predict(given: DeskRequest, _: Mapping[str, str]) -> str:
    if given.use.dry_run:  # to try it is to do it
        with within(given.open_games) as conn:
            require_right(conn, given.open_games, given.game_id, "predict", given.use)
            require_sight(conn, given.game_id)
        return say("desk-done.predict")
    return "\n".join(sight.predict_phase(given.open_games, given.game_id, given.now, given.use))


def _undo(given: DeskRequest, _: Mapping[str, str]) -> str:
    table = positions.undo_rollback(given.open_games, given.game_id, given.now, given.use)
    return say("desk-done.rollback", turn=table.play.state.turn, phase=table.play.state.phase)


def _last_turn(given: DeskRequest, parts: Mapping[str, str]) -> str:
    ending.announce_last_turn(given.open_games, given.game_id, int(parts["turn"]), given.now, given.use)
    return say("desk-done.last-turn", turn=parts["turn"])


def _end_void(given: DeskRequest, _: Mapping[str, str]) -> str:
    ending.end_game(given.open_games, given.game_id, "void", (), given.now, given.use)
    return say("desk-done.end", winners=())


def _end_agreed(given: DeskRequest, parts: Mapping[str, str]) -> str:
    winners = factions_named(parts["seats"])
    ending.end_game(given.open_games, given.game_id, "agreed", winners, given.now, given.use)
    return say("desk-done.end", winners=[faction_name(each) for each in winners])


def _end_adjudicated(given: DeskRequest, parts: Mapping[str, str]) -> str:
    winners = factions_named(parts["seats"])
    ending.end_game(given.open_games, given.game_id, "adjudicated", winners, given.now, given.use)
    return say("desk-done.end", winners=[faction_name(each) for each in winners])


def _ban(given: DeskRequest, parts: Mapping[str, str]) -> str:
    event = people.ban_reach(given.open_games, given.game_id, "ban", given.use)
    until = seats.end_of_day(given.open_games.settings, parts["date"]) if "date" in parts else None
    held = people.ban(
        given.open_games, parts["address"], given.now, given.use, until=until, tournament_id=event,
        game_id=given.game_id,
    )  # fmt: skip
    seats_held = [f"{game} {faction}" for game, faction in held]
    return say("desk-done.ban", address=parts["address"], until=parts.get("date", ""), event=event, seats=seats_held)


def _unban(given: DeskRequest, parts: Mapping[str, str]) -> str:
    event = people.ban_reach(given.open_games, given.game_id, "unban", given.use)
    game = given.game_id
    people.unban(given.open_games, parts["address"], given.now, given.use, tournament_id=event, game_id=game)
    return say("desk-done.unban", address=parts["address"])


def _warn(given: DeskRequest, parts: Mapping[str, str]) -> str:
    with within(given.open_games) as conn:
        require_right(conn, given.open_games, given.game_id, "warn", given.use)
    address = rights.checked_address(given.open_games, parts["address"])
    people.require_at_table(given.open_games, given.game_id, address, given.use)
    people.warn(given.open_games, address, parts["words"], given.now, given.use, game_id=given.game_id)
    return say("desk-done.warn", address=parts["address"])


def _delete(given: DeskRequest, _: Mapping[str, str]) -> str:
    people.delete_game(given.open_games, given.game_id, given.now, given.use)
    return say("desk-done.delete", game=given.game_id)


FORMS: tuple[Form, ...] = (
    make_form("pause", "pause", _pause),
    make_form("resume", "resume", _resume),
    make_form("hold", "hold", _hold),
    make_form("release", "release", _release),
    make_form("extend", "extend HOURS", _extend),
    make_form("clock", "clock SETTINGS", _clock),
    make_form("remind", "remind SEAT", _remind),
    make_form("process", "process", _process),
    make_form("default", "default SEAT QUESTION", _default),
    make_form("bank", "bank SEAT HOURS", _bank),
    make_form("excuse", "excuse SEAT", _excuse),
    make_form("caretaker", "caretaker SEAT ONOFF", _caretaker),
    make_form("order", "order SEAT : WORDS", _order),
    make_form("replace", "replace SEAT ADDRESS", _replace),
    make_form("sitter", "sitter SEAT ADDRESS until DATE", _sitter),
    make_form("sitter", "sitter SEAT off", _no_sitter),
    make_form("address", "address SEAT ADDRESS", _address),
    make_form("freeze", "freeze SEAT", _freeze),
    make_form("observe", "observe ADDRESS", _observe),
    make_form("observe", "observe ADDRESS delay TURN", _observe),
    make_form("observe-full", "observe ADDRESS full delay TURN consent SEATS", _observe_fully),
    make_form("unobserve", "observe ADDRESS off", _unobserve),
    make_form("unobserve", "unobserve ADDRESS", _unobserve),
    make_form("press", "press PRESS", _press),
    make_form("mute", "mute SEAT", _mute),
    make_form("unmute", "unmute SEAT", _unmute),
    make_form("tell", "tell SEATS : WORDS", _tell),
    make_form("ask", "ask SEAT : WORDS", _ask),
    make_form("rule", "rule : WORDS", _rule),
    make_form("rule", "rule CLAUSE : WORDS", _rule),
    make_form("note", "note : WORDS", _note),
    make_form("note", "note SEAT : WORDS", _note),
    make_form("grant", "grant RIGHT ADDRESS", _grant),
    make_form("revoke", "revoke ADDRESS", _revoke),
    make_form("handover", "handover ADDRESS", _handover),
    make_form("ban", "ban ADDRESS", _ban),
    make_form("ban", "ban ADDRESS until DATE", _ban),
    make_form("unban", "unban ADDRESS", _unban),
    make_form("warn", "warn ADDRESS : WORDS", _warn),
    make_form("delete", "delete game", _delete),
    make_form("rollback", "rollback TURN PHASE", _rollback),
    make_form("rollback", "rollback TURN PHASE consent SEATS", _rollback),
    make_form("preview", "preview TURN PHASE", _preview, looks=True),
    make_form("position", "position : WORDS", _position),
    make_form("undo", "undo rollback", _undo),
    make_form("predict", "predict", _predict),
    make_form("blind", "blind", _blind),
    make_form("break-glass", "break glass", _break_glass),
    make_form("last-turn", "last turn TURN", _last_turn),
    make_form("end", "end void", _end_void),
    make_form("end", "end agreed SEATS", _end_agreed),
    make_form("end", "end adjudicated SEATS", _end_adjudicated),
)
"""Every line of the desk."""


_USE = re.compile(r"\s*(?P<what>why|tell|if)\s*:\s*(?P<words>.+?)\s*", re.IGNORECASE | re.DOTALL)
_DRY_RUN = re.compile(r"\s*(?:dry[ -]?run|only try)\W*", re.IGNORECASE)
CONFIRM = re.compile(r"\s*(?:i )?confirm(?:ed)?(?:\s+(?P<code>[a-z2-7]{16}))?\W*", re.IGNORECASE)
QUESTIONS = ("waits", "status", "acts", "press", "help")
"""Words that ask for something and do nothing."""
_FIRST_WORDS = {each.shown.split()[0].rstrip(":") for each in FORMS} | {*QUESTIONS, "why", "tell", "if", "confirm"}
_OTHER_WORDS = {
    "stop": "pause", "start": "resume", "continue": "resume", "go": "resume", "unpause": "resume", "more": "extend",
    "delay": "extend", "postpone": "extend", "write": "tell", "message": "tell", "mail": "tell", "say": "tell",
    "question": "ask", "ruling": "rule", "correct": "position", "set": "position", "spice": "position",
    "substitute": "replace", "kick": "replace", "silence": "mute", "take": "rollback", "back": "rollback",
    "revert": "rollback", "unrollback": "undo", "redo": "undo", "abort": "end", "finish": "end", "forecast": "predict",
    "log": "acts", "commands": "help",
}  # fmt: skip
"""What people write for a command, and which it is."""
_NO_POWER = {"why": "why: WORDS", "if": "if: TURN/PHASE", "confirm": "confirm CODE"}
"""How lines are written that use no power."""
_OPENED = re.compile(r"\s*(?P<word>tell|ask|rule|note|warn)\b[^:]{0,160}:(?P<words>.*)", re.IGNORECASE | re.DOTALL)
_WRAPPED = 60
"""A line that is as long was perhaps broken by a mail program."""
SPOKEN = ("tell", "ask", "rule", "note", "warn")
"""Whose words are for people to read: they keep their last full stop."""


def read_line(line: str) -> DeskLine | UnreadDeskLine:
    """What a line of the desk says."""
    whole = line.strip()
    said = re.sub(r"(?<=\d)/(?=[a-z])", " ", re.sub(r"\s+", " ", whole).rstrip(".!"))
    for each in FORMS:
        if found := each.pattern.fullmatch(whole if each.power in SPOKEN else said):
            return DeskLine(each, found.groupdict())
    return UnreadDeskLine(_nearest_form(said.lower()))


def _nearest_form(said: str) -> str:
    """The form that a line is nearest to; "" for none."""
    if re.match(r"press (?:to )?[a-z ,-]+:", said):
        return _form_beginning_with("tell")
    word = re.split(r"[^a-z-]", said, maxsplit=1)[0]
    near = [_OTHER_WORDS[word]] if word in _OTHER_WORDS else get_close_matches(word, sorted(_FIRST_WORDS), 1, 0.7)
    return _form_beginning_with(near[0]) if near else ""


def _form_beginning_with(word: str) -> str:
    forms = [each.shown for each in FORMS if each.shown.split()[0].rstrip(":") == word]
    return forms[0] if forms else _NO_POWER.get(word, word)


def fold_lines(lines: Sequence[str]) -> list[str]:
    """The lines of a mail; words of several lines that end with ``end tell`` (or ask, rule, note, warn) are one."""
    found: list[str] = []
    place = 0
    while place < len(lines):
        opened = _OPENED.fullmatch(lines[place])
        end = _end_of_words(lines, place + 1, opened["word"]) if opened else None
        found.append("\n".join(filter(None, map(str.strip, lines[place : end or place + 1]))))
        place = place + 1 if end is None else end + 1
    return found


def _end_of_words(lines: Sequence[str], first: int, word: str) -> int | None:
    for place in range(first, len(lines)):
        if re.fullmatch(rf"\W{{0,4}}end {word}\W{{0,4}}", lines[place], re.IGNORECASE):
            return place
        if _OPENED.fullmatch(lines[place]):
            return None
    return None


def seems_to_go_on(line: str, below: str) -> bool:
    """Whether the words of a line seem to go on in the line below it: half of a letter is worse than none."""
    opened = _OPENED.fullmatch(line)
    if opened is None or "\n" in line or not below or _is_command(below):
        return False
    return not opened["words"].strip() or len(line) + len(below.split()[0]) >= _WRAPPED


def _is_command(line: str) -> bool:
    other = CONFIRM.fullmatch(line) or question_in(line) or changed_use(Use(), line)
    return bool(other) or isinstance(read_line(line), DeskLine)


def question_in(line: str) -> str:
    """What a line asks for that does nothing; "" for any other."""
    word = line.strip().strip(".!?").lower() or line.strip()
    return {"?": "help", "status": "waits"}.get(word, word) if word in (*QUESTIONS, "?") else ""


def changed_use(use: Use, line: str) -> Use | None:
    """How the lines below are used, if this line says so; None for any other line."""
    if _DRY_RUN.fullmatch(line):
        return replace(use, dry_run=True)
    if found := _USE.fullmatch(line):
        words = found["words"]
        match found["what"].lower():
            case "why":
                return replace(use, why=words)
            case "tell":
                return replace(use, tell=words)
            case _:
                return replace(use, at=words)
    return None
