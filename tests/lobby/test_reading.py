"""Parsing of mail to the lobby: all documented phrasings, the table that is meant, and canonical lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import pytest

from bot.language.proposals import Memory, Proposal
from bot.lobby.lines import Known, read_line
from bot.lobby.reading import for_game_master, read_mail
from bot.lobby.requests import (
    Calendar,
    Close,
    Confirm,
    Filters,
    Help,
    Invite,
    Join,
    Leave,
    ListTables,
    Meant,
    MyGames,
    NotMe,
    Open,
    Practice,
    Prolong,
    Rematch,
    Reply,
    Request,
    StandBy,
    Start,
    Stop,
    ToGameMaster,
    Unread,
    UseAddress,
    Wait,
    WaitUntil,
    Weekly,
    Wish,
    line_of,
)
from tests.lobby.test_words_of_people import (
    ARRAKEEN,
    ASKED,
    AT_ARRAKEEN,
    CARTHAG,
    FOUR,
    NOTHING,
    OVER,
    SEATED,
    TODAY,
    TWO_SEATS,
    asks_rightly,
    facts_of,
    has,
)

Wanted = tuple[type, Mapping[str, Any]]

DIALOGUE: Sequence[tuple[Known, str, Wanted]] = (
    (NOTHING, "games", (ListTables, {})),
    (NOTHING, "any open games?", (ListTables, {})),
    (NOTHING, "what can I join", (ListTables, {})),
    (NOTHING, "is there a game starting soon", (ListTables, {"soon": True})),
    (NOTHING, "I'd like to play Dune", (ListTables, {})),
    (NOTHING, "list", (ListTables, {})),
    (NOTHING, "openings", (ListTables, {})),
    (NOTHING, "Looking for a game, preferably a fast one", (ListTables, {"tempo": "swift"})),
    (NOTHING, "gf9 games?", (ListTables, {"ruleset": "gf9"})),
    (NOTHING, "something slow", (ListTables, {"tempo": "table"})),
    (NOTHING, "Ist noch ein Platz frei?", (ListTables, {})),
    (NOTHING, "y a-t-il des parties ouvertes ?", (ListTables, {})),
    (NOTHING, "¿Hay partidas abiertas?", (ListTables, {})),
    (NOTHING, "join arrakeen-7", (Join, {"table": "arrakeen-7"})),
    (NOTHING, "count me in for the Friday game", (Join, {"table": "carthag-2"})),
    (AT_ARRAKEEN, "I want in", (Join, {"table": "arrakeen-7"})),
    (NOTHING, "sign me up for arrakeen-7", (Join, {"table": "arrakeen-7"})),
    (AT_ARRAKEEN, "put me down", (Join, {"table": "arrakeen-7"})),
    (AT_ARRAKEEN, "room for one more?", (Join, {"table": "arrakeen-7"})),
    (NOTHING, "I’ll take the last seat", (Join, {"table": "sietch-3"})),
    (AT_ARRAKEEN, "me too", (Join, {"table": "arrakeen-7"})),
    (NOTHING, "next free game please", (Join, {"table": "sietch-3"})),
    (NOTHING, "melde mich für arrakeen-7 an", (Join, {"table": "arrakeen-7"})),
    (AT_ARRAKEEN, "ich bin dabei", (Join, {"table": "arrakeen-7"})),
    (NOTHING, "inscrivez-moi à la table arrakeen-7", (Join, {"table": "arrakeen-7"})),
    (NOTHING, "apúntame a sietch-3", (Join, {"table": "sietch-3"})),
    (SEATED, "as guild or emperor", (Wish, {"wishes": "guild = emperor"})),
    (SEATED, "I'd love the Fremen", (Wish, {"wishes": "fremen"})),
    (SEATED, "anything but Harkonnen", (Wish, {"wishes": "*, harkonnen"})),
    (SEATED, "don't mind", (Wish, {"wishes": "*"})),
    (SEATED, "call me Ann", (Wish, {"name": "Ann"})),
    (SEATED, "leave", (Leave, {"table": "arrakeen-7"})),
    (SEATED, "take me out", (Leave, {"table": "arrakeen-7"})),
    (SEATED, "can't make it after all", (Leave, {"table": "arrakeen-7"})),
    (SEATED, "sorry, no time", (Leave, {"table": "arrakeen-7"})),
    (SEATED, "count me out", (Leave, {"table": "arrakeen-7"})),
    (TWO_SEATS, "drop me from both", (Leave, {"every": True})),
    (SEATED, "ich bin raus", (Leave, {"table": "arrakeen-7"})),
    (SEATED, "je ne peux pas venir", (Leave, {"table": "arrakeen-7"})),
    (SEATED, "no puedo jugar", (Leave, {"table": "arrakeen-7"})),
    (AT_ARRAKEEN, "put me on the waiting list", (Wait, {"table": "arrakeen-7"})),
    (AT_ARRAKEEN, "if somebody drops out", (Wait, {"table": "arrakeen-7"})),
    (AT_ARRAKEEN, "let me know when a seat opens", (Wait, {"table": "arrakeen-7"})),
    (NOTHING, "standby", (StandBy, {})),
    (NOTHING, "I can step in anywhere", (StandBy, {})),
    (NOTHING, "happy to take over a seat", (StandBy, {})),
    (NOTHING, "not before January", (StandBy, {"not_before": date(2027, 1, 1)})),
    (
        NOTHING,
        "open a game: wbc-2018, six, steady, starts by 12 Dec",
        (Open, {"ruleset": "wbc-2018", "most": 6, "tempo": "steady", "by": date(2026, 12, 12), "mistakes": ()}),
    ),
    (
        NOTHING,
        "let's start a new one, slow, five or six, no beginners",
        (Open, {"tempo": "table", "fewest": 5, "most": 6, "newcomers": "no"}),
    ),
    (NOTHING, "same as arrakeen-7 but gf9-basic", (Open, {"like": "arrakeen-7", "ruleset": "gf9-basic"})),
    (NOTHING, "open a game", (Open, {"form": True})),
    (SEATED, "invite ann@ix.example", (Invite, {"addresses": ("ann@ix.example",)})),
    (NOTHING, "only for my friends", (Open, {"private": True})),
    (
        SEATED,
        "bob@ix.example and cid@ix.example want to play too",
        (Invite, {"addresses": ("bob@ix.example", "cid@ix.example")}),
    ),
    (SEATED, "start now", (Start, {"table": "arrakeen-7"})),
    (SEATED, "go", (Start, {})),
    (SEATED, "let's wait till Monday", (WaitUntil, {"until": date(2026, 12, 7)})),
    (SEATED, "warten bis Freitag", (WaitUntil, {"until": date(2026, 12, 4)})),
    (SEATED, "we can begin with five and a computer", (Start, {"opponents": True})),
    *(
        (ASKED, text, (Reply, {"yes": True, "table": "arrakeen-7"}))
        for text in (
            "still here",
            "yes",
            "ok",
            "I'm ready",
            "ja",
            "oui",
            "sí",
            "👍",
            "count me in",
        )
    ),
    (ASKED, "no", (Reply, {"yes": False})),
    (OVER, "rematch", (Rematch, {"table": "ix-1"})),
    (OVER, "same again?", (Rematch, {"table": "ix-1"})),
    (OVER, "play again with the same people", (Rematch, {"table": "ix-1"})),
    (NOTHING, "my games", (MyGames, {})),
    (NOTHING, "what am I in?", (MyGames, {})),
    (NOTHING, "when does mine start?", (MyGames, {})),
    (NOTHING, "stop", (Stop, {"letters": "tables"})),
    (NOTHING, "no more of these", (Stop, {"letters": "tables"})),
    (NOTHING, "unsubscribe", (Stop, {"letters": "tables"})),
    (NOTHING, "no weekly letter", (Stop, {"letters": "weekly"})),
)


@pytest.mark.parametrize(("known", "text", "wanted"), DIALOGUE, ids=[text for _, text, _ in DIALOGUE])
def test_every_phrasing_of_the_dialogue_is_carried_out_or_asked_about(known: Known, text: str, wanted: Wanted) -> None:
    mail = read_mail([text], known)
    assert has(mail, [wanted]) or asks_rightly(mail, known, [wanted])


HERE = Meant(tables=("arrakeen-7",))
LINES: Sequence[Request] = (
    ListTables(),
    ListTables(Filters("gf9", "table", True)),
    Join(HERE),
    Join(HERE, "guild = emperor, *", "Ann"),
    Leave(HERE),
    Leave(every=True),
    Wait(HERE),
    Wait(HERE, wanted=False),
    StandBy(),
    StandBy(wanted=False),
    StandBy(True, Filters("gf9", "swift"), date(2027, 1, 1)),
    Wish(HERE, "*, harkonnen"),
    Wish(HERE, name="Ann"),
    Open(form=True),
    Open("wbc-2018", "steady", 6, 5, date(2026, 12, 12), "opener", "wishes", "one", "gunboat", 0.9),
    Open(opponents=True, private=True, rated=False),
    Open(like=HERE, title="Friday night"),
    Open(starts="date"),
    Open(opponents=False, private=False, rated=True, starts="itself", newcomers="any", factions="auction"),
    Invite(HERE, ("ann@ix.example", "bob@ix.example")),
    Start(HERE),
    Start(HERE, opponents=True),
    WaitUntil(HERE),
    WaitUntil(HERE, date(2026, 12, 7)),
    Prolong(HERE),
    Close(HERE),
    Reply(True, HERE),
    Reply(False, HERE),
    Reply(False, HERE, date(2027, 1, 1)),
    Confirm("k7m2p9"),
    NotMe(),
    Rematch(HERE),
    MyGames(),
    Stop(),
    Stop("weekly"),
    Weekly(),
    Calendar(),
    Calendar(weekly=True),
    Practice("gf9-basic", "fremen"),
    Practice(),
    UseAddress(),
    Help(),
    ToGameMaster("May I bring my brother?"),
)


@pytest.mark.parametrize("known", [NOTHING, SEATED, Known(TODAY)], ids=["open", "seated", "unknown"])
@pytest.mark.parametrize("request_", LINES, ids=map(line_of, LINES))
def test_the_line_of_a_request_reads_as_that_request(request_: Request, known: Known) -> None:
    read = read_line(line_of(request_), known)
    assert read is not None
    assert facts_of(read) == facts_of(request_)


def only(known: Known, *lines: str) -> Request:
    (request,) = read_mail(lines, known).requests
    return request


@pytest.mark.parametrize(
    ("words", "tables"),
    [
        ("arrakeen-7", ["arrakeen-7"]),
        ("Arrakeen", ["arrakeen-7"]),
        ("friday night", ["carthag-2"]),
        ("the game on Friday", ["carthag-2"]),
        ("the 4 December one", ["carthag-2"]),
        ("the slow and friendly table", ["tabr-4"]),
        ("gf9", ["sietch-3"]),
        ("the fast game", ["sietch-3"]),
        ("wbc", ["arrakeen-7", "tabr-4"]),
        ("tabr-99", ["tabr-99"]),  # may be private; the lookup will tell
    ],
)
def test_a_table_is_meant_by_its_id_title_day_rules_or_pace(words: str, tables: list[str]) -> None:
    request = only(NOTHING, f"join {words}")
    assert isinstance(request, Join)
    assert list(request.table.tables) == tables


def test_where_two_tables_start_on_friday_both_are_meant() -> None:
    other = type(CARTHAG)(**{**{f: getattr(CARTHAG, f) for f in CARTHAG.__struct_fields__}, "id": "ix-4", "title": ""})
    request = only(Known(TODAY, (*FOUR, other)), "count me in for the Friday game")
    assert isinstance(request, Join)
    assert set(request.table.tables) == {"carthag-2", "ix-4"}


def test_the_other_one_is_meant_only_where_there_are_two() -> None:
    two, four = (Known(TODAY, tables) for tables in ((ARRAKEEN, CARTHAG), FOUR))
    line = "not the Friday game, the other one"
    assert [len(only(known, line).table.tables) for known in (two, four)] == [1, 3]  # type: ignore[union-attr]


def test_without_a_name_the_only_open_table_is_meant_and_of_several_all() -> None:
    assert only(Known(TODAY, (ARRAKEEN,)), "count me in") == Join(HERE)
    assert len(only(NOTHING, "count me in").table.tables) == 4  # type: ignore[union-attr]


def test_one_mail_leaves_one_table_and_joins_another() -> None:
    mail = read_mail(["Hello!", "", "leave arrakeen-7", "join sietch-3 as Ann", "", "Thanks", "Ann"], SEATED)
    assert [line_of(request) for request in mail.requests] == ["leave arrakeen-7", "join sietch-3 as Ann"]


def test_the_last_word_about_one_table_counts() -> None:
    assert only(SEATED, "leave arrakeen-7", "join arrakeen-7") == Join(Meant(("arrakeen-7",), "arrakeen-7"))
    assert isinstance(only(NOTHING, "join sietch-3", "leave sietch-3"), Leave)


def test_a_correction_changes_the_table() -> None:
    assert only(NOTHING, "join arrakeen-7", "Actually make that sietch-3").table.table == "sietch-3"  # type: ignore[union-attr]


def test_wishes_that_are_no_factions_are_named_and_the_others_kept() -> None:
    request = only(NOTHING, "join arrakeen-7 as guild or klingons")
    assert isinstance(request, Join)
    assert (request.wishes, request.unknown) == ("guild", ("klingons",))


def test_a_story_around_a_join_hides_nothing_of_it() -> None:
    mail = read_mail(
        [
            "Hi!",
            "",
            "I've played Dune at conventions for twenty years and would love to try it by mail.",
            "Put me down for arrakeen-7. I'd like the Emperor.",
            "",
            "Cheers",
            "Tom",
        ],
        NOTHING,
    )
    assert [facts_of(request)["wishes"] for request in mail.requests] == ["emperor"]
    assert "conventions" in for_game_master(mail)


@pytest.mark.parametrize("line", ["I won't join unless Ann does", "maybe I'll join arrakeen-7", "don't put me down"])
def test_a_doubt_seats_nobody(line: str) -> None:
    assert not any(isinstance(request, Join) for request in read_mail([line], AT_ARRAKEEN).requests)


def test_a_yes_takes_what_was_proposed_and_no_offer() -> None:
    memory = Memory(waiting=Proposal((("join arrakeen-7 as fremen",),), ""))
    (request,) = read_mail(["yes please"], NOTHING, memory).requests
    assert facts_of(request)["wishes"] == "fremen"


@pytest.mark.parametrize(
    ("line", "meant"),
    [("cuont me in for arrakeen-7", "join arrakeen-7"), ("jion arakeen-7", "join arrakeen-7"), ("lave arrakeen-7", "")],
)
def test_a_typing_error_is_only_proposed(line: str, meant: str) -> None:
    mail = read_mail([line], NOTHING)
    assert mail.requests == ()
    assert mail.options == ((meant,) if meant else mail.options)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("open a game: size 7, starts by 30 Feb", "30 Feb"),
        ("open a game: six, purple", "purple"),
        ("open a game: gf9, six", "gf9-basic"),
        ("open a game: slow, fast", "table"),
        ("join cup", "cup"),
    ],
)
def test_what_cannot_be_is_named(line: str, said: str) -> None:
    ((_, read),) = read_mail([line], NOTHING).lines
    told = " ".join(read.mistakes) if isinstance(read, Open) else read.why if isinstance(read, Unread) else ""
    assert said in told


def test_an_event_shares_the_ids_of_tables() -> None:
    assert only(Known(TODAY, FOUR, others=("cup",)), "join cup") == Join(Meant(("cup",), "cup"))


def test_a_private_table_is_joined_with_its_word() -> None:
    request = only(NOTHING, "join ix-12 melange")
    assert isinstance(request, Join)
    assert (request.table.table, request.word) == ("ix-12", "melange")


@pytest.mark.parametrize("text", ["", "   ", "?", "😀", "a" * 5000, "join " + "x-1 " * 900, "\u202e" * 30, "@" * 200])
def test_nothing_makes_the_reader_fail(text: str) -> None:
    read_mail([text] * 80, NOTHING)


@pytest.mark.parametrize(
    "line", ["wishes FACTION, FACTION at arrakeen-7", "invite ADDRESS to arrakeen-7", "no, not before DATE", "join ID"]
)
def test_a_blank_that_nobody_filled_in_is_named(line: str) -> None:
    ((_, read),) = read_mail([line], ASKED).lines
    assert isinstance(read, Unread)
    assert read.why.startswith("Put your own words in place of ")


@pytest.mark.parametrize(
    "line",
    [
        "Join Arrakeen-7",
        "JOIN ARRAKEEN-7.",
        "join: arrakeen-7",
        "* join arrakeen-7",
        "*join arrakeen-7*",
        "join “arrakeen-7”",
        "join arrakeen 7",
        "join arrakeen-7, please, and thank you for running this!",
    ],
)
def test_signs_around_a_line_make_no_difference(line: str) -> None:
    assert only(NOTHING, line) == Join(Meant(("arrakeen-7",), "arrakeen-7"))


def test_a_name_after_a_full_stop_belongs_to_the_join() -> None:
    request = only(NOTHING, "count me in for arrakeen-7, as guild or emperor. I'm Bob")
    assert isinstance(request, Join)
    assert (request.wishes, request.name) == ("guild = emperor", "Bob")


@pytest.mark.parametrize(
    "line",
    [
        "Good evening.",
        "Good morning Ann,",
        "Thanks!",
        "Thank you very much",
        "Cheers",
        "Best wishes",
        "Greetings from Rome",
        "All the best",
        "Please",
    ],
)
def test_a_courtesy_is_no_yes(line: str) -> None:
    assert read_mail([line], ASKED).requests == ()


GIST: Sequence[tuple[Known, str, Wanted]] = (
    (NOTHING, "is the friday night table still open?", (Join, {"table": "carthag-2"})),
    (NOTHING, "Could you squeeze me into arrakeen-7?", (Join, {"table": "arrakeen-7"})),
    (SEATED, "something came up, I have to withdraw", (Leave, {"table": "arrakeen-7"})),
    (NOTHING, "waitlist me for sietch-3", (Wait, {"table": "sietch-3"})),
    (NOTHING, "somebody should set up a gf9 basic game for five", (Open, {"ruleset": "gf9-basic", "most": 5})),
    (SEATED, "can my brother joe@example.org join as well?", (Invite, {"addresses": ("joe@example.org",)})),
    (SEATED, "we have enough players, please start", (Start, {"table": "arrakeen-7"})),
    (ASKED, "sorry, not any more", (Reply, {"yes": False})),
    (OVER, "that was fun, another one with the same players?", (Rematch, {"table": "ix-1"})),
)


@pytest.mark.parametrize(("known", "text", "wanted"), GIST, ids=[text for _, text, _ in GIST])
def test_a_sentence_that_is_no_form_is_asked_about_and_not_carried_out(known: Known, text: str, wanted: Wanted) -> None:
    mail = read_mail([text], known)
    assert mail.requests == ()
    assert asks_rightly(mail, known, [wanted])


def test_a_yes_to_a_letter_about_a_table_is_a_join_unless_an_answer_is_due() -> None:
    assert only(AT_ARRAKEEN, "yes") == Join(HERE)
    assert only(ASKED, "yes") == Reply(True, HERE)


@pytest.mark.parametrize(
    ("words", "wishes", "unknown"),
    [("harkonen or emporer", "harkonnen = emperor", ()), ("the sandworm please", "", ("sandworm",))],
)
def test_a_misspelt_faction_is_a_wish_and_no_word_after_as_vanishes(
    words: str, wishes: str, unknown: tuple[str, ...]
) -> None:
    request = only(NOTHING, f"join arrakeen-7 as {words}")
    assert isinstance(request, Join)
    assert (request.wishes, request.unknown) == (wishes, unknown)
