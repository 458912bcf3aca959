"""Tests for what a game's powers print, which arguments they pass on, and what a game's listings show."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from bot.competition.ratings import Rated
from bot.competition.statistics import Share
from bot.desk.powers import DeskRequest, PowerRefused, Use
from bot.store.ratings import Moved, RatedPerson
from bot.store.retention import KeptMessage
from tests.cli.conftest import Mentat
from tests.cli.test_told_in_full import gives

THEN = datetime(2026, 11, 24, 20, 5, tzinfo=UTC)
PAST = ["--why", " so ", "--if", " 4/bidding "]
ALL = [*PAST, "--tell", " Sorry. "]
PLAYED = SimpleNamespace(state=SimpleNamespace(turn=3, phase="battle"))


def thing(**named: Any) -> SimpleNamespace:
    return SimpleNamespace(**named)


def line(text: str, status: str, canonical: str | None, reason: str = "") -> Any:
    return thing(text=text, status=status, canonical=canonical, reason=reason)


LINES = [line("bid 3", "accepted", "bid 3"), line("bidd", "unread", None, "no such order")]
GAME = {"game": "g"}
GUILD = {**GAME, "faction": "guild"}

USED = [
    (["tell", "g", "all", "Hello."], "bot.desk.speech.tell", None, "Everybody in g will be told.",
     {**GAME, "to": ["all"]}),
    (["tell", "g", "table", "Hello."], "bot.desk.speech.tell", None, "Everybody in g will be told.",
     {**GAME, "to": ["all"]}),
    (["tell", "g", "guild,Fremen", "Hello."], "bot.desk.speech.tell", None, "guild, fremen in g will be told.",
     {**GAME, "to": ["guild", "fremen"]}),
    (["ask", "g", "guild", "Which?"], "bot.desk.speech.ask", None,
     "guild in g will be asked; the answer will come to you by mail.", GUILD),
    (["rule", "g", "It is so."], "bot.desk.speech.rule", 7, "Ruling recorded in g.", {**GAME, "ruling": 7}),
    (["note", "g", "Asked twice."], "bot.desk.speech.note", 4, "Noted (4).", {**GAME, "note": 4}),
    (["note", "g", "--delete", "4"], "bot.desk.speech.forget_note", None, "Note 4 is deleted.",
     {**GAME, "deleted": 4}),
    (["remind", "g", "guild"], "bot.desk.seats.remind_seat",
     None, "If an answer is due from the Guild, we will remind them.",
     GUILD),
    (["grant", "g", "clerk", "r@x.example"], "bot.desk.rights.grant", True, "r@x.example is clerk of g.",
     {**GAME, "address": "r@x.example", "right": "clerk"}),
    (["grant", "g", "clerk", "r@x.example"], "bot.desk.rights.grant", False,
     "r@x.example is already clerk of g; nothing changed.", {**GAME, "address": "r@x.example", "right": "clerk"}),
    (["revoke", "g", "r@x.example"], "bot.desk.rights.revoke", None, "r@x.example no longer has a right in g.",
     {**GAME, "address": "r@x.example"}),
    (["handover", "g", "r@x.example"], "bot.desk.rights.hand_over", None,
     "r@x.example has been asked to take over g; nothing changes until they agree.",
     {**GAME, "address": "r@x.example"}),
    (["observe", "g", "o@x.example", "--delay", "2"], "bot.desk.sight.add_observer", None,
     "o@x.example now observes g.",
     {**GAME, "address": "o@x.example", "observes": True, "delay": 2, "full": False}),
    (["observe", "g", "o@x.example", "--off"], "bot.desk.sight.remove_observer", None,
     "o@x.example no longer observes g.",
     {**GAME, "address": "o@x.example", "observes": False, "delay": 0, "full": False}),
    (["unobserve", "g", "o@x.example"], "bot.desk.sight.remove_observer",
     None, "o@x.example no longer observes g.",
     {**GAME, "address": "o@x.example"}),
    (["freeze", "g", "guild"], "bot.cli.people.freeze_seat", True,
     "In g, the Guild got a new reply address; the letter goes out with `mentat run` or `send`. Nobody sits in for "
     "them any more.", {**GUILD, "frozen": True}),
    (["freeze", "g", "guild"], "bot.cli.people.freeze_seat", False,
     "In g, the Guild got a new reply address; the letter goes out with `mentat run` or `send`.",
     {**GUILD, "frozen": True}),
]  # fmt: skip
"""Powers that send the players no message from the game master."""

TOLD = [
    (["bank", "g", "guild", "--", "-12"], "bot.desk.seats.change_bank", 90,
     "The time bank of the Guild holds 90 minutes.", {**GUILD, "minutes": 90}),
    (["absent", "g", "guild", "2027-01-02", "2027-01-09"], "bot.desk.seats.file_absence",
     thing(for_game_master="Guild will be away."), "Guild will be away.", GUILD),
    (["absent", "g", "guild", "off"], "bot.desk.seats.withdraw_absence", thing(for_game_master="No."), "No.", GUILD),
    (["excuse", "g", "guild"], "bot.desk.seats.excuse_seat", None,
     "Missed deadlines no longer count against the Guild.", GUILD),
    (["caretaker", "g", "guild", "on"], "bot.desk.seats.set_caretaker", None, "The caretaker now plays for the Guild.",
     {**GUILD, "caretaker": True}),
    (["caretaker", "g", "guild", "off"], "bot.desk.seats.set_caretaker",
     None, "The caretaker no longer plays for the Guild.", {**GUILD, "caretaker": False}),
    (["process", "g"], "bot.desk.clocks.process_overdue", None, "Everything overdue in g has been decided.", GAME),
    (["default", "g", "guild", "bid"], "bot.desk.clocks.apply_default", None,
     "The default for bid has been applied to the Guild.", {**GUILD, "question": "bid"}),
    (["mute", "g", "guild"], "bot.desk.speech.mute",
     None, "In g, the Guild can now write only to the desk; the table will be told.",
     {**GUILD, "muted": True}),
    (["unmute", "g", "guild"], "bot.desk.speech.unmute",
     None, "In g, the Guild can write to others again; the table will be told.",
     {**GUILD, "muted": False}),
    (["blind", "g"], "bot.desk.sight.play_blind", None, "g is now played blind.", {**GAME, "blind": True}),
    (["break-glass", "g"], "bot.desk.sight.break_glass", None, "The desk can read the sealed information in g again.",
     {**GAME, "blind": False}),
    (["position", "g", "spice guild +3", "storm 4"], "bot.desk.positions.correct_facts", None,
     "Corrected in g: spice guild +3; storm 4", {**GAME, "corrections": ["spice guild +3", "storm 4"]}),
    (["order", "g", "guild", "bid 3", "bidd"], "bot.moderator.seat_lines.order_for_seat", LINES,
     "accepted bid 3; unread bidd: no such order", {**GUILD, "lines": [
         {"line": "bid 3", "status": "accepted", "order": "bid 3", "reason": ""},
         {"line": "bidd", "status": "unread", "order": None, "reason": "no such order"},
     ]}),
    (["press", "g", "public", "quota=3"], "bot.desk.speech.restrict_press", thing(words="public,quota=3"),
     "The press of g is now public,quota=3; its players are told.", {**GAME, "press": "public,quota=3"}),
    (["sitter", "g", "guild", "--off"], "bot.desk.seats.remove_sitter",
     None, "Nobody sits in for the Guild in g any more.",
     {**GUILD, "sitter": None}),
    (["replace", "g", "guild", "d@x.example"], "bot.desk.seats.replace_player",
     thing(faction="guild", name="Dora", address="d@x.example"),
     "Dora (d@x.example) now plays the Guild in g. The letters go out with `mentat run` or `mentat send`.",
     {**GUILD, "address": "d@x.example", "name": "Dora"}),
    (["rollback", "g", "--entries", "5"], "bot.cli.desk.take_back", thing(play=PLAYED, entries=5),
     "g is at turn 3, battle, with 5 entries.", {**GAME, "entries": 5, "turn": 3, "phase": "battle"}),
    (["rollback", "g", "--undo"], "bot.cli.desk.undo_rollback", thing(play=PLAYED, entries=1),
     "g is at turn 3, battle, with 1 entry.", {**GAME, "entries": 1, "turn": 3, "phase": "battle"}),
    (["end", "g", "--last-turn", "9"], "bot.desk.clocks.announce_last_turn", None,
     "Turn 9 is the last of g; its players are told.", None),
    (["end", "g", "--void"], "bot.desk.clocks.end_game", None, "g is over (void).", None),
    (["end", "g", "--agreed", "guild"], "bot.desk.clocks.end_game", None, "g is over (agreed).", None),
    (["end", "g", "--adjudicated", "guild", "--adjudicated", "fremen"], "bot.desk.clocks.end_game", None,
     "g is over (adjudicated).", None),
]  # fmt: skip
"""Powers with which the game master can send the table a message as well."""


def the_use(call: tuple[Any, ...]) -> Use:
    request: DeskRequest = call[0]
    return request.use


@pytest.mark.parametrize(
    ("words", "power", "result", "told", "document", "tell"),
    [(*row, "") for row in USED] + [(*row, "Sorry.") for row in TOLD],
)
def test_a_power_is_used_as_it_was_typed_and_says_what_it_did(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch, words: list[str], power: str, result: Any, told: str,
    document: dict[str, Any] | None, tell: str,
) -> None:  # fmt: skip
    called = gives(monkeypatch, power, result)
    options = ALL if tell else PAST

    def typed(*more: str) -> list[str]:
        at = words.index("--") if "--" in words else len(words)
        return ["game", *words[:at], *options, *more, *words[at:]]

    ran = mentat(*typed())
    assert (ran.code, ran.out, ran.err) == (0, f"{told}\n", "")
    assert the_use(called[0]) == Use("", "so", tell, "4/bidding")
    tried = mentat(*typed("--dry-run")).out
    goes_out = " The letters go out with `mentat run` or `mentat send`."
    assert tried == f"Nothing was done. It would be: {told.removesuffix(goes_out)}\n"
    assert the_use(called[1]).dry_run
    if document is not None:
        assert mentat(*typed("--json")).json == document
        assert mentat(*typed("--json", "--dry-run")).json == {**document, "dry_run": True, "letters": []}


def test_letters_of_a_trial_are_named(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    gives(monkeypatch, "bot.desk.speech.mute", None)
    monkeypatch.setattr("bot.games.open_games.would_be_written", lambda: [("a@x.example", "Muted [1]")])
    tried = mentat("game", "mute", "g", "guild", "--dry-run").out.splitlines()
    assert tried[1:] == ["  a letter to a@x.example: Muted [1]"]
    said = mentat("game", "mute", "g", "guild", "--dry-run", "--json").json
    assert said["letters"] == [{"to": "a@x.example", "subject": "Muted [1]"}]
    assert len(mentat("game", "mute", "g", "guild").out.splitlines()) == 1


@pytest.mark.parametrize(
    "words",
    [
        ("bank", "g", "guild", "0"), ("bank", "g", "guild", "1441"), ("bank", "g", "guild", "--", "-1441"),
        ("caretaker", "g", "guild", "maybe"), ("grant", "g", "king", "r@x.example"), ("remind", "g", "choam"),
        ("observe", "g", "o@x.example", "--off", "--full"), ("observe", "g", "o@x.example", "--off", "--delay", "1"),
        ("observe", "g", "o@x.example", "--consent", "all"), ("observe", "g", "o@x.example", "--tell", "Hm."),
        ("observe", "g", "nobody"), ("end", "g"), ("end", "g", "--void", "--last-turn", "3"),
        ("end", "g", "--agreed", "guild", "--adjudicated", "guild"), ("rollback", "g"),
        ("rollback", "g", "--entries", "3", "--turn", "2"), ("rollback", "g", "--undo", "--entries", "0"),
        ("rollback", "g", "--undo", "--turn", "1"), ("rollback", "g", "--undo", "--preview"),
        ("rollback", "g", "--undo", "--phase", "storm"), ("rollback", "g", "--undo", "--consent", "guild"),
        ("sitter", "g", "guild"), ("sitter", "g", "guild", "s@x.example"),
        ("sitter", "g", "guild", "s@x.example", "--until", "2027-01-31", "--off"),
        ("sitter", "g", "guild", "--off", "--until", "2027-01-31"),
        ("replace", "g", "guild", "d@x.example", "--name", "two\nlines"), ("extend", "g", "8761"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_before_anything_is_done(mentat: Mentat, words: tuple[str, ...]) -> None:
    refused = mentat("game", *words)
    assert (refused.code, refused.out) == (2, "")


def test_the_largest_numbers_of_hours_are_taken(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    called = gives(monkeypatch, "bot.desk.seats.change_bank", 60)
    for hours in ("1440", "-1440", "0.5"):
        assert mentat("game", "bank", "g", "guild", "--", hours).code == 0
    assert [call[2] for call in called] == [1440.0, -1440.0, 0.5]
    called = gives(monkeypatch, "bot.desk.clocks.extend", None)
    assert mentat("game", "extend", "g", "8760").out == "Everything open in g gets 8760 more hours.\n"
    assert called[0][1] == 8760


def test_observers_of_everything_need_the_consent_that_is_named(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = gives(monkeypatch, "bot.desk.sight.add_full_observer", None)
    words = ("game", "observe", "g", "o@x.example", "--full", "--delay", "3")
    for consent, agreed in ((("all",), None), (("guild", "Fremen"), ["guild", "fremen"]), ((), [])):
        named = [word for each in consent for word in ("--consent", each)]
        said = mentat(*words, *named, "--json").json
        assert said == {"game": "g", "address": "o@x.example", "observes": True, "delay": 3, "full": True}
        assert list(called[-1][-1]) == agreed if agreed is not None else len(called[-1][-1]) == 8
        assert called[-1][2] == 3


def test_a_game_ends_with_those_who_won(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    called = gives(monkeypatch, "bot.desk.clocks.end_game", None)
    mentat("game", "end", "g", "--agreed", "guild", "--agreed", "Fremen")
    mentat("game", "end", "g", "--adjudicated", "emperor")
    mentat("game", "end", "g", "--void")
    assert [call[1:3] for call in called] == [
        ("agreed", ["guild", "fremen"]), ("adjudicated", ["emperor"]), ("void", []),
    ]  # fmt: skip


def test_a_game_is_taken_back_to_a_phase_with_consent(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    found = gives(monkeypatch, "bot.cli.desk.entries_at", 17)
    called = gives(monkeypatch, "bot.cli.desk.take_back", thing(play=PLAYED, entries=17))
    mentat("game", "rollback", "g", "--turn", "4", "--consent", "guild", "--consent", "Fremen")
    mentat("game", "rollback", "g", "--turn", "1", "--phase", "battle")
    mentat("game", "rollback", "g", "--entries", "0")
    assert [call[2:4] for call in found] == [(4, "storm"), (1, "battle")]
    assert [(call[1], call[-1]) for call in called] == [(17, ["guild", "fremen"]), (17, []), (0, [])]
    gives(monkeypatch, "bot.cli.desk.entries_at", PowerRefused("never"))
    for error, code in ((PowerRefused("It is rated."), 1), (ValueError("There are 5 entries."), 2)):

        def refuse(*_: Any, error: Exception = error) -> None:
            raise error

        monkeypatch.setattr("bot.cli.desk.take_back", refuse)
        refused = mentat("game", "rollback", "g", "--entries", "9")
        assert (refused.code, refused.out, refused.err) == (code, "", f"{error}\n")


def test_what_players_have_learnt_since_is_shown(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    private = {"guild": ["a card", "a leader"], "bene-gesserit": ["a plan"]}
    gives(monkeypatch, "bot.cli.desk.preview_rollback", thing(entries=3, of=9, public=("a bid",), private=private))
    assert mentat("game", "rollback", "g", "--entries", "3", "--preview").out.splitlines() == [
        "3 of 9 entries would be kept. Since then everybody has learnt:", "  a bid", "and the Guild alone:", "  a card",
        "  a leader", "and the Bene Gesserit alone:", "  a plan",
    ]  # fmt: skip
    said = mentat("game", "rollback", "g", "--entries", "3", "--preview", "--json").json
    assert said == {"entries": 3, "of": 9, "public": ["a bid"], "private": private}
    gives(monkeypatch, "bot.cli.desk.preview_rollback", thing(entries=3, of=9, public=(), private={}))
    assert mentat("game", "rollback", "g", "--entries", "3", "--preview").out.splitlines()[1:] == ["  nothing"]


def test_a_sitter_sits_until_a_day(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    gives(monkeypatch, "bot.desk.seats.end_of_day", THEN)
    called = gives(monkeypatch, "bot.desk.seats.set_sitter", thing(sitter="Sam@x.example"))
    words = ("game", "sitter", "g", "guild", "sam@x.example", "--until", "2026-11-24", "--name", "Sam")
    assert mentat(*words).out == "sam@x.example sits in for the Guild in g until the end of 2026-11-24.\n"
    assert mentat(*words, "--json").json == {
        "game": "g", "faction": "guild", "sitter": "Sam@x.example", "until": THEN.isoformat(),
    }  # fmt: skip
    assert called[0][2:5] == ("sam@x.example", THEN, "Sam")


def test_the_rest_of_a_phase_is_foretold(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    gives(monkeypatch, "bot.desk.sight.predict_phase", ["One.", "Two."])
    assert mentat("game", "predict", "g").out == "One.\nTwo.\n"
    assert mentat("game", "predict", "g", "--json").json == {"game": "g", "events": ["One.", "Two."]}
    gives(monkeypatch, "bot.desk.sight.predict_phase", [])
    assert mentat("game", "predict", "g").out == "Nothing happens.\n"


def test_the_acts_of_a_game_are_listed_with_reasons_below_them(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    act = {
        "at": THEN,
        "what": "pause",
        "words": "The clocks stand still.",
        "why": "",
        "tell": "",
        "who": "",
        "right": "",
    }
    found = [
        thing(**act),
        thing(**{**act, "right": "director", "why": "first\nsecond", "tell": "Sorry."}),
        thing(**{**act, "right": "clerk", "who": "rey@x.example", "words": ""}),
    ]
    monkeypatch.setattr("bot.store.games.revision", lambda conn, game: 1)
    monkeypatch.setattr("bot.games.open_games.acts_of", lambda conn, game: found)
    assert mentat("game", "acts", "g").out.splitlines() == [
        "2026-11-24 20:05Z  pause  The clocks stand still.",
        "2026-11-24 20:05Z  pause  The clocks stand still. (at the machine, director)",
        "    why: first", "         second", "    told: Sorry.",
        "2026-11-24 20:05Z  pause   (rey@x.example, clerk)",
    ]  # fmt: skip
    said = mentat("game", "acts", "g", "--json").json
    assert said[1] == {**vars(found[1]), "at": THEN.isoformat()}
    monkeypatch.setattr("bot.cli.session.console._width", 30)
    long = [thing(**{**act, "words": "spice " * 9})]
    monkeypatch.setattr("bot.games.open_games.acts_of", lambda conn, game: long)
    told = mentat("game", "acts", "g").out.splitlines()
    assert told[0] == f"2026-11-24 20:05Z  pause  {'spice ' * 5}".rstrip()
    assert told[1] == f"{' ' * 19}{'spice ' * 4}".rstrip()
    monkeypatch.setattr("bot.games.open_games.acts_of", lambda conn, game: [])
    assert mentat("game", "acts", "g").out == "The act log of g is empty.\n"


def test_notes_are_listed(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    note = {"number": 3, "at": THEN, "about": "guild", "words": "Asked [twice].", "who": "", "successor": True}
    monkeypatch.setattr("bot.store.games.revision", lambda conn, game: 1)
    found = [thing(**note), thing(**{**note, "number": 4, "about": ""})]
    monkeypatch.setattr("bot.store.desk.notes_of_game", lambda conn, game: found)
    assert mentat("game", "note", "g").out.splitlines() == [
        "3  2026-11-24 20:05Z (guild)  Asked [twice].", "4  2026-11-24 20:05Z  Asked [twice].",
    ]  # fmt: skip
    assert mentat("game", "note", "g", "--json").json[0] == {
        "note": 3, "at": THEN.isoformat(), "about": "guild", "words": "Asked [twice].", "who": "", "successor": True,
    }  # fmt: skip


# --- Stored mail -----------------------------------------------------------------------------------------------------


def kept(**changes: Any) -> KeptMessage:
    named = {"id": 41, "received_at": THEN, "disposition": "rejected", "reason": "nobody's", "game": "g",
             "faction": "guild", "sender": "[ann]@x.example", "subject": "[bold] " + "s" * 60, "size": 9}  # fmt: skip
    return KeptMessage(**{**named, **changes})


def cells(text: str) -> list[list[str]]:
    """Split tables into rows and cells; two spaces separate the cells."""
    rows = [re.split(r"  +", line.strip()) for line in text.splitlines()]
    return [row for row in rows if len(row) > 1]


def test_messages_are_listed_on_eighty_columns(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.cli.session.console._width", 80)
    found = [kept(), kept(id=42, game=None, faction=None, reason="", subject="", sender="")]
    called = gives(monkeypatch, "bot.store.retention.list_messages", found)
    told = mentat("mail", "list", "--game", "g", "--faction", "guild").out
    head, first, second = cells(told)
    assert max(map(len, told.splitlines())) <= 80
    assert head == ["id", "came", "outcome", "from", "subject", "why"]
    assert first == ["41", "24 Nov 20:05", "rejected", "[ann]@x.example", "[bold] sssssssssssssssss…", "nobody's"]
    assert second == ["42", "24 Nov 20:05", "rejected"]
    wanted = called[0][1]
    assert (wanted.game, wanted.faction, wanted.disposition, wanted.since) == ("g", "guild", "", None)
    mentat("mail", "list", "--since", "2026-11-24", "--most", "3", "--disposition", "fault")
    wanted = called[1][1]
    assert (wanted.since, wanted.disposition) == (datetime(2026, 11, 24, tzinfo=UTC), "fault")
    gives(monkeypatch, "bot.store.retention.list_messages", [])
    assert mentat("mail", "list").out == "There is no such message.\n"


def test_a_message_is_shown_in_full(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = b"From: ann@x.example\nTo: mentat@x.example\nSubject: x\n\nbid 3\npass\n"
    sight = gives(monkeypatch, "bot.store.games.require_sight", None)
    gives(monkeypatch, "bot.store.retention.kept_message", (kept(subject="x"), raw))
    head = "message 41, 2026-11-24 20:05 UTC, from [ann]@x.example: x"
    assert mentat("mail", "show", "41").out.splitlines() == [
        head, "rejected: nobody's", "g, guild", "2026-11-24 20:05:00 UTC: read here", "  bid 3", "  pass",
    ]  # fmt: skip
    assert sight[0][1] == "g"
    said = mentat("mail", "show", "41", "--json").json
    assert (said["lines"], said["notes"], said["received_at"]) == (["bid 3", "pass"], [], THEN.isoformat())
    gone = kept(subject="", sender="", game=None, faction=None, reason="")
    gives(monkeypatch, "bot.store.retention.kept_message", (gone, b""))
    assert mentat("mail", "show", "41").out.splitlines() == [
        "message 41, 2026-11-24 20:05 UTC, from nobody: ", "rejected",
        "It was deleted; Mentat keeps only the fact that it came.",
    ]  # fmt: skip
    assert mentat("mail", "show", "41", "--json").json["lines"] == []
    assert len(sight) == 2, "of no game"
    refused = mentat("mail", "show", "41", "--raw")
    assert (refused.code, refused.err) == (1, "Message 41 was deleted; Mentat keeps only the fact that it came.\n")


# --- Ratings and statistics ------------------------------------------------------------------------------------------


def rated(number: int, name: str, rating: float, games: int, *, private: bool = False) -> RatedPerson:
    return RatedPerson(number, name, private, Rated(rating, games))


def test_ratings_are_listed_in_full(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    persons = [rated(1, "[Ann]", 1612.4, 12), rated(2, "", 1487.6, 3), rated(3, "Cid", 1700, 9, private=True)]
    gives(monkeypatch, "bot.store.ratings.is_behind", False)
    gives(monkeypatch, "bot.store.ratings.persons", persons)
    gives(
        monkeypatch, "bot.store.ratings.factions", {("wbc-2018", 6, "guild"): 12.34, ("wbc-2018", 6, "emperor"): -12.34}
    )
    ranked = gives(monkeypatch, "bot.store.ratings.ranks", {1: 1})
    told = cells(mentat("rating", "show").out)
    assert [row[:1] + row[2:3] + row[-1:] for row in told[:2]] == [["rank", "rating", "games"], ["1", "1612", "12"]]
    assert told[2] == ["player 2", "1488", told[2][2], "3"], "without a rank"
    assert told[3:] == [
        ["rule set", "table", "faction", "worth"], ["WBC Dune 2018", "6", "Guild", "+12.3"],
        ["WBC Dune 2018", "6", "Emperor", "-12.3"],
    ]  # fmt: skip
    assert [one.id for one in ranked[0][0]] == [1, 2]
    said = mentat("rating", "show", "--json").json
    assert [(one["person"], one.get("rank"), one["games"]) for one in said["players"]] == [(1, 1, 12), (2, None, 3)]
    assert [(one["ruleset"], one["size"], one["faction"]) for one in said["factions"]] == [
        ("wbc-2018", 6, "guild"), ("wbc-2018", 6, "emperor"),
    ]  # fmt: skip
    gives(monkeypatch, "bot.store.ratings.find", persons[0])
    moved = [Moved(1, "cup-1", "guild", "1500.04", "1516.25", "1", "0.33333", "32"),
             Moved(2, "cup-2", "emperor", "1516.25", "1500", "0", "0.25", "24")]  # fmt: skip
    gives(monkeypatch, "bot.store.ratings.history", moved)
    assert cells(mentat("rating", "history", "ann").out) == [
        ["game", "faction", "before", "expected", "won", "K", "after"],
        ["cup-1", "Guild", "1500.0", "33 %", "yes", "32", "1516.2"],
        ["cup-2", "Emperor", "1516.2", "25 %", "no", "24", "1500.0"],
    ]
    rows = mentat("rating", "history", "ann", "--json").json["history"]
    assert rows[0] == {
        "game_id": "cup-1", "faction": "guild", "before": "1500.04", "after": "1516.25", "scored": "1",
        "expected": "0.33333", "k": "32",
    }  # fmt: skip
    gives(monkeypatch, "bot.store.ratings.history", [])
    assert mentat("rating", "history", "ann").out == "[Ann] has no rated game yet.\n"
    assert "rank" not in mentat("rating", "show", "ann", "--json").json


FEW, MANY = Share(1, 4, 0.0456, 0.6994), Share(12, 60, 0.1183, 0.3178)


def figures(monkeypatch: pytest.MonkeyPatch, games: int) -> None:
    monkeypatch.setattr("bot.cli.statistics._outcomes", lambda *_: [object()] * games)
    faction = thing(faction="guild", wins=MANY, expected="10", by_expected="1.2", strongholds_per_turn="1.5",
                    measured=50, victory_turn="7", traitors=3)  # fmt: skip
    best = [thing(faction="guild", game="[g]", strongholds_per_turn="3", won=True, of=60),
            thing(faction="emperor", game="h", strongholds_per_turn="2", won=False, of=60)]  # fmt: skip
    pair = thing(factions=("guild", "emperor"), tables=9, wins=FEW)
    triple = thing(factions=("guild", "emperor", "fremen"), tables=8, wins=MANY)
    gives(monkeypatch, "bot.cli.statistics.by_faction", [faction])
    gives(monkeypatch, "bot.cli.statistics.best_games", best)
    monkeypatch.setattr("bot.cli.statistics.by_alliance", lambda outcomes, size: [pair] if size == 2 else [triple])
    gives(monkeypatch, "bot.cli.statistics.first_nexus_kept", FEW)
    turn = thing(turn=5, games=3, of=60, winners={"guild": 2, "fremen": 1})
    gives(monkeypatch, "bot.competition.statistics.by_turn", [turn])
    gives(
        monkeypatch,
        "bot.competition.statistics.by_kind",
        [thing(how="prediction", games=2, of=60, winners={"emperor": 2})],
    )
    gives(monkeypatch, "bot.competition.statistics.by_dot", [thing(dot=4, wins=MANY, expected="10")])
    for unit in ("turns", "days", "letters"):
        gives(
            monkeypatch, f"bot.competition.statistics.length_in_{unit}", thing(games=60, least=2, middle=5.5, most=15)
        )


def test_statistics_are_told_in_full(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    figures(monkeypatch, 60)
    told = mentat("stats", "factions").out
    assert told.splitlines()[0] == "60 finished games."
    assert cells(told)[1] == ["Guild", "60", "12", "10.0", "12 % to 32 %", "1.5", "7.0", "3"]
    assert cells(told)[2:] == [
        ["best game with", "game", "held", "won", "of games"], ["Guild", "[g]", "3.0", "yes", "60"],
        ["Emperor", "h", "2.0", "no", "60"],
    ]  # fmt: skip
    assert "too few" not in told
    told = mentat("stats", "alliances").out
    assert cells(told) == [
        ["alliance", "tables", "allied", "won", "95 % interval"],
        ["Guild + Emperor", "9", "4", "1", "5 % to 70 %"],
        ["Guild + Emperor + Fremen", "8", "60", "12", "12 % to 32 %"],
    ]
    assert told.splitlines()[-2:] == [
        "Of 4 alliances of the first nexus, 1 lasted to the end: 5 % to 70 %.",
        "Fewer than 30 games are too few to tell anything.",
    ]
    assert cells(mentat("stats", "turns").out) == [
        ["turn", "games", "of", "winners"], ["5", "3", "60", "Guild 2, Fremen 1"],
        ["won by", "games", "of", "winners"],
        ["the prediction of the Bene Gesserit", "2", "60", "Emperor 2"],
        ["dot", "games", "won", "expected", "95 % interval"], ["4", "60", "12", "10.0", "12 % to 32 %"],
        ["length in", "games", "least", "middle", "most"],
        *(["turns", "60", "2", "5.5", "15"], ["days", "60", "2", "5.5", "15"], ["letters", "60", "2", "5.5", "15"]),
    ]  # fmt: skip
    figures(monkeypatch, 3)
    assert mentat("stats", "factions").out.startswith("3 finished games: too few to tell anything.\n")
