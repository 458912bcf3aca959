"""The powers of the game master, each declared once; the desk by mail, the act log and all checks follow from here.

To add a power, write its act, which takes a ``DeskRequest`` and opens with ``using`` (``bot.desk.powers``), and declare
it below; what is said of it by mail stands in ``templates/letters/desk_mail.toml``. A director may do everything. An
arbiter rules, judges and corrects. A clerk looks after clocks, seats and letters, and sees no secrets. An auditor only
reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.store.acts import CLERKS, DIRECTORS, JUDGES

EVERYBODY = (*JUDGES, "clerk")
OWNERS = (*DIRECTORS, "playing master")


@dataclass(frozen=True, slots=True)
class Form:
    """How a line to the desk is written; words in capitals stand for its parts (``bot.moderator.desk_lines.PARTS``).

    - ``act``: what the line does, if that is not the act of its power; its parts are the parameters.
    - ``answer``: the function of ``bot.moderator.desk_lines`` that does it and says what was done, where that takes
      more than the act and one sentence.
    - ``given``: further parameters, by name.
    - ``says``: the sentence that tells what was done (``[desk-done]``), if it does not have the name of the power.
    - ``looks``: the line only looks, and changes nothing.
    """

    shown: str
    act: str = ""
    answer: str = ""
    given: Mapping[str, object] = field(default_factory=dict)
    says: str = ""
    looks: bool = False


@dataclass(frozen=True, slots=True)
class Power:
    """What a game master can do to a game.

    - ``rights``: the rights that allow it.
    - ``act``: the function that carries it out, as "module:function".
    - ``forms``: how it is written by mail; none, if it is used at the machine alone.
    - ``dangerous``: by mail it waits for its one-time code, because it cannot be undone, shows what is sealed, or gives
      a right or the secrets of a seat to an address that stands in the mail.
    - ``when_over``: it works on a game that is over, and on one whose rules have changed under it.
    - ``when_held``: it works on a game whose rules have changed under it, until a rollback frees it.
    - ``when_on_hold``: it works on a game on hold, which it does not let continue.
    - ``spoken``: its words are for people to read, on as many lines as it needs.
    - ``keeps_game``: it is done only to a game in play, which is not deleted afterwards.
    - ``also``: further words, with blanks between them, that people use for it.
    """

    name: str
    rights: tuple[str, ...]
    act: str
    forms: tuple[Form, ...] = ()
    dangerous: bool = False
    when_over: bool = False
    when_held: bool = False
    when_on_hold: bool = True
    spoken: bool = False
    keeps_game: bool = False
    also: str = ""


_DECLARED = (
    Power("pause", EVERYBODY, "bot.desk.clocks:pause", (Form("pause"),), also="stop"),
    Power("resume", EVERYBODY, "bot.desk.clocks:resume", (Form("resume"),), also="start continue go unpause"),
    Power("hold", EVERYBODY, "bot.desk.clocks:hold", (Form("hold"),)),
    Power("release", EVERYBODY, "bot.moderator.seat_lines:release_game", (Form("release"),)),
    Power(
        "extend",
        EVERYBODY,
        "bot.desk.clocks:extend",
        (Form("extend HOURS", answer="extend_deadlines"),),
        also="more delay postpone",
    ),
    Power("clock", CLERKS, "bot.desk.clocks:change_clock", (Form("clock SETTINGS", answer="change_clock"),)),
    Power("remind", CLERKS, "bot.desk.seats:remind_seat", (Form("remind SEAT"),)),
    Power(
        "process",
        DIRECTORS,
        "bot.desk.clocks:process_overdue",
        (Form("process"),),
        dangerous=True,
        keeps_game=True,
        when_on_hold=False,
    ),
    Power(
        "default",
        DIRECTORS,
        "bot.desk.clocks:apply_default",
        (Form("default SEAT QUESTION"),),
        dangerous=True,
        keeps_game=True,
        when_on_hold=False,
    ),
    Power("bank", CLERKS, "bot.desk.seats:change_bank", (Form("bank SEAT HOURS"),)),
    Power("excuse", CLERKS, "bot.desk.seats:excuse_seat", (Form("excuse SEAT"),)),
    Power("caretaker", CLERKS, "bot.desk.seats:set_caretaker", (Form("caretaker SEAT ONOFF"),), when_held=True),
    Power(
        "order",
        DIRECTORS,
        "bot.moderator.seat_lines:order_for_seat",
        (Form("order SEAT : WORDS", answer="order_for_seat"),),
        dangerous=True,
        keeps_game=True,
    ),
    Power(
        "replace",
        CLERKS,
        "bot.desk.seats:replace_player",
        (Form("replace SEAT ADDRESS"),),
        dangerous=True,
        when_held=True,
        also="substitute kick",
    ),
    Power(
        "sitter",
        CLERKS,
        "bot.desk.seats:set_sitter",
        (
            Form("sitter SEAT ADDRESS until DATE"),
            Form("sitter SEAT off", act="bot.desk.seats:remove_sitter", says="no-sitter"),
        ),
        dangerous=True,
    ),
    Power(
        "address", CLERKS, "bot.desk.seats:move_seat", (Form("address SEAT ADDRESS"),), dangerous=True, when_held=True
    ),
    Power("freeze", CLERKS, "bot.desk.seats:freeze_seat", (Form("freeze SEAT"),), when_held=True),
    Power(
        "observe",
        CLERKS,
        "bot.desk.sight:add_observer",
        (Form("observe ADDRESS", answer="add_observer"), Form("observe ADDRESS delay TURN", answer="add_observer")),
        when_over=True,
    ),
    Power(
        "observe-full",
        DIRECTORS,
        "bot.desk.sight:add_full_observer",
        (Form("observe ADDRESS full delay TURN consent SEATS", answer="add_full_observer"),),
        dangerous=True,
        keeps_game=True,
    ),
    Power(
        "unobserve",
        CLERKS,
        "bot.desk.sight:remove_observer",
        (Form("observe ADDRESS off"), Form("unobserve ADDRESS")),
        when_over=True,
    ),
    Power("press", DIRECTORS, "bot.desk.speech:restrict_press", (Form("press PRESS", answer="restrict_press"),)),
    Power("mute", JUDGES, "bot.desk.speech:mute", (Form("mute SEAT"),), also="silence"),
    Power("unmute", JUDGES, "bot.desk.speech:unmute", (Form("unmute SEAT"),)),
    Power(
        "tell",
        EVERYBODY,
        "bot.desk.speech:tell",
        (Form("tell SEATS : WORDS"),),
        when_over=True,
        spoken=True,
        also="write message mail say",
    ),
    Power(
        "ask",
        EVERYBODY,
        "bot.desk.speech:ask",
        (Form("ask SEAT : WORDS"),),
        when_over=True,
        spoken=True,
        also="question",
    ),
    Power(
        "rule",
        JUDGES,
        "bot.desk.speech:rule",
        (Form("rule : WORDS"), Form("rule CLAUSE : WORDS")),
        when_over=True,
        spoken=True,
        also="ruling",
        keeps_game=True,
    ),
    Power(
        "note",
        EVERYBODY,
        "bot.desk.speech:note",
        (Form("note : WORDS"), Form("note SEAT : WORDS", answer="note")),
        when_over=True,
        spoken=True,
    ),
    Power("grant", OWNERS, "bot.desk.rights:grant", (Form("grant RIGHT ADDRESS"),), dangerous=True, when_over=True),
    Power("revoke", DIRECTORS, "bot.desk.rights:revoke", (Form("revoke ADDRESS"),), when_over=True),
    Power("handover", OWNERS, "bot.desk.rights:hand_over", (Form("handover ADDRESS"),), dangerous=True, when_over=True),
    Power(
        "ban",
        DIRECTORS,
        "bot.desk.people:ban",
        (Form("ban ADDRESS", answer="ban"), Form("ban ADDRESS until DATE", answer="ban")),
        when_over=True,
    ),
    Power("unban", DIRECTORS, "bot.desk.people:unban", (Form("unban ADDRESS", answer="unban"),), when_over=True),
    Power(
        "warn",
        JUDGES,
        "bot.desk.people:warn",
        (Form("warn ADDRESS : WORDS", answer="warn"),),
        when_over=True,
        spoken=True,
    ),
    Power("delete", DIRECTORS, "bot.desk.people:delete_game", (Form("delete game"),), dangerous=True),
    Power(
        "rollback",
        DIRECTORS,
        "bot.desk.positions:roll_back",
        (
            Form("rollback TURN PHASE", answer="roll_back"),
            Form("rollback TURN PHASE consent SEATS", answer="roll_back"),
        ),
        dangerous=True,
        when_held=True,
        also="take back revert",
    ),
    Power(
        "preview",
        DIRECTORS,
        "bot.desk.positions:preview_rollback",
        (Form("preview TURN PHASE", answer="preview_rollback", looks=True),),
        keeps_game=True,
        when_held=True,
    ),
    Power(
        "position",
        JUDGES,
        "bot.desk.positions:correct_facts",
        (Form("position : WORDS", answer="correct_facts"),),
        dangerous=True,
        keeps_game=True,
        when_on_hold=False,
        also="correct set spice",
    ),
    Power(
        "undo",
        DIRECTORS,
        "bot.desk.positions:undo_rollback",
        (Form("undo rollback", answer="undo_rollback"),),
        dangerous=True,
        also="unrollback redo",
    ),
    Power(
        "predict",
        JUDGES,
        "bot.desk.sight:predict_phase",
        (Form("predict", answer="predict_phase"),),
        dangerous=True,
        keeps_game=True,
        when_on_hold=False,
        also="forecast",
    ),
    Power("blind", DIRECTORS, "bot.desk.sight:play_blind", (Form("blind"),)),
    Power(
        "break-glass",
        JUDGES,
        "bot.desk.sight:break_glass",
        (Form("break glass", says="glass"),),
        dangerous=True,
        keeps_game=True,
    ),
    Power(
        "last-turn",
        DIRECTORS,
        "bot.desk.ending:announce_last_turn",
        (Form("last turn TURN"),),
        dangerous=True,
        keeps_game=True,
    ),
    Power(
        "end",
        DIRECTORS,
        "bot.desk.ending:end_game",
        (
            Form("end void", answer="end_game", given={"how": "void"}),
            Form("end agreed SEATS", answer="end_game", given={"how": "agreed"}),
            Form("end adjudicated SEATS", answer="end_game", given={"how": "adjudicated"}),
        ),
        dangerous=True,
        also="abort finish",
    ),
    Power("forum-link", DIRECTORS, "bot.forum.desk:link_account"),
    Power("forum-open", DIRECTORS, "bot.forum.desk:open_thread"),
    Power("forum-close", DIRECTORS, "bot.forum.desk:close_thread"),
    Power("forum-paste", DIRECTORS, "bot.forum.desk:hand_in_post"),
    Power("forum-repost", DIRECTORS, "bot.forum.desk:retry_posts", when_over=True),
)

POWERS: dict[str, Power] = {power.name: power for power in _DECLARED}
