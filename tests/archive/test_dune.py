"""Tests that a `game.dune` file is readable text from which the whole record can be rebuilt byte for byte."""

from __future__ import annotations

import gzip
import json
import unicodedata
from collections.abc import Sequence
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.language.orders import Context, read_line
from bot.record.dune import order_text, quoted, read_order, said_by, seen_only, write_dune
from bot.record.dune_reader import looks_like_dune, parse_dune, read_dune
from bot.record.lines import Act, Decided, End, MadeDeal, decode
from bot.record.reader import NotARecord, ReadRecord, read_record
from rules import orders as o
from rules.components import FACTIONS
from rules.engine.log import Entry, Expired, LastTurn, Stopped, Submitted, Withdrawn
from rules.orders import AnyOrder, Order
from rules.orders.readings import Reading
from rules.rulesets.ruleset import RULE_SETS
from tests.archive.records import of_log, recorded
from tests.orders.test_round_trip import ORDERS, factions, numbers
from tests.size import size

GAMES = size(1, 500)
"""The number of random games in each rule set that make the round trip."""


def joined(data: Sequence[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in data)


@pytest.mark.parametrize("ruleset", RULE_SETS)
def test_a_record_is_the_same_after_a_round_trip_through_its_text(ruleset: str) -> None:
    for number in range(GAMES):
        record = recorded.__wrapped__(ruleset, f"round trip {number}", players=2 + (number + 4) % 5)
        text = write_dune(read_record(record), {"Player.guild": 'a "guest"'})
        again, more = read_dune(text.encode())
        assert joined(again.data) == record, f"{ruleset}, game {number}"
        assert write_dune(again, more) == text, f"{ruleset}, game {number}"


def written() -> str:
    return write_dune(read_record(recorded()))


def test_it_is_laid_out_for_readers() -> None:
    text = written()
    lines = text.splitlines()
    assert lines[0].startswith("{ A game of Dune, played by mail.")
    assert "== setup ==" in lines
    assert any(line.startswith("== turn 2, bidding ==") for line in lines)
    assert '[Day "2026-11-01"]' in lines
    first = next(line for line in lines if line.startswith("   0 "))
    assert first.startswith("   0 bene-gesserit: predict ")
    assert lines.count("(") == lines.count(")") == 1
    assert any(line.startswith("     mentat:        rollback to entry ") for line in lines)
    assert "     mentat:        extend 24" in lines
    assert max(len(line) for line in lines if line.lstrip().startswith("{")) <= 110
    assert text == unicodedata.normalize("NFC", text)
    assert text.isprintable() or set(text) - {"\n"}


def test_a_phase_has_one_heading_until_another_begins_or_the_game_is_taken_back() -> None:
    standing = ""
    for line in written().splitlines():
        if line.startswith("== "):
            assert line != standing
            standing = line
        elif line.startswith("     mentat:        rollback to entry "):
            standing = ""


def test_it_is_much_shorter_than_the_record() -> None:
    assert len(written()) < len(recorded()) / 4


own_words = st.text(st.characters(exclude_categories=["Cs"]), max_size=40) | st.sampled_from(
    ["a; b", "{x}", "I pay 3; you pay 2", 'say "yes"', "two\nlines", "\u202eabc", "e\u0301", "words:", "} {", "\\"]
)


@pytest.mark.parametrize("kind", get_args(AnyOrder), ids=lambda kind: kind.__name__)
def test_every_order_is_read_back_from_the_text(kind: type[Order]) -> None:
    @settings(max_examples=30)
    @given(ORDERS[kind] if kind in ORDERS else st.just(kind()), factions)
    def read_back(order: Order, faction: Any) -> None:
        text = order_text(faction, order, {})
        assert read_order(faction, text, "1979", {}) == order

    read_back()


@settings(max_examples=200)
@given(own_words, numbers, numbers)
def test_whatever_players_write_in_a_deal_is_read_back(text: str, mine: int, theirs: int) -> None:
    deal = o.Deal("guild", text, mine, theirs)
    assert read_order("fremen", order_text("fremen", deal, {}), "1979", {}) == deal


@settings(max_examples=200)
@given(own_words, st.none() | st.builds(Reading, negative=st.booleans(), off_topic=st.booleans()))
def test_whatever_players_ask_is_read_back_with_what_it_was_understood_as(text: str, reading: Reading | None) -> None:
    asked = o.Truthtrance("guild", text, reading)
    assert read_order("fremen", order_text("fremen", asked, {}), "1979", {}) == asked


def test_an_answer_that_nobody_can_write_is_read_back_too() -> None:
    assert order_text("guild", o.Answer("no answer"), {}) == 'order {"type":"Answer","word":"no answer"}'
    assert read_order("guild", 'order {"type":"Answer","word":"no answer"}', "1979", {}) == o.Answer("no answer")


def test_the_words_of_a_deal_that_was_made_stand_beside_what_stood_for_them() -> None:
    hidden = "words:" + "1c" * 16
    made = {hidden: MadeDeal("guild", "fremen", "peace; I mean it")}
    text = order_text("guild", o.Deal("fremen", hidden, 2), made)
    assert text == f'deal with Fremen: "peace; I mean it" {hidden}; I pay 2'
    found: dict[str, MadeDeal] = {}
    assert read_order("guild", text, "1979", found) == o.Deal("fremen", "peace; I mean it", 2)
    assert found == made


def head(*body: str, **changed: str) -> bytes:
    headers = {
        "Format": "dune-record 1", "Game": "g", "RuleSet": "wbc-2018", "Seats": "guild 2, fremen 8, atreides 14",
        "Seed": "seed", **changed,
    }  # fmt: skip
    return "\n".join([*(f"[{name} {quoted(value)}]" for name, value in headers.items() if value), *body]).encode()


def story(*body: str) -> list[Any]:
    return [part.entry if isinstance(part, Decided) else part for part in parse_dune(head(*body)).story]


def test_what_a_person_types_is_read_as_a_mail_is() -> None:
    assert story(
        "# how it began",
        "0. Atr :  Traitor feyd",
        "  FREMEN: place 3 in tabr, 7 in false wall west/17 { all of them",
        "   and more }",
        "- storm-cards: guild,atr ;  bg-status (arrakeen): fremen",
        "fremen: bid 2 {brave}",
        "+ Bid up to 7",
        "guild: take back everything",
        "guild: Take back BID UP TO 4",
        'mentat: Rollback to entry 2, "oh {no}"',
        "2 - charity: fremen",
        "== whatever ==",
        "(",
        ")",
        "guild: deal with atreides: peace; I pay 3",
    ) == [
        Submitted("atreides", (o.ChooseTraitor("Feyd-Rautha"),)),  # type: ignore[arg-type]
        Submitted(
            "fremen",
            (o.Place(((o_forces(3), "sietch-tabr/14"), (o_forces(7), "false-wall-west/17"))),),  # type: ignore[arg-type]
        ),
        Expired(
            (
                ("guild", "storm-cards", ""),
                ("atreides", "storm-cards", ""),
                ("fremen", "bg-status", "arrakeen"),
            )
        ),
        Submitted("fremen", (o.Bid(2), o.BidUpTo(7))),
        Withdrawn("guild"),
        Withdrawn("guild", o.BidUpTo(4)),
        Act(what="rollback", why="oh {no}", entries=2),
        Expired((("fremen", "charity", ""),)),
        Submitted("guild", (o.Deal("atreides", "peace", 3),)),
    ]


def test_the_game_master_decides_and_mentat_acts_in_lines_of_their_own() -> None:
    assert story(
        "Game Master: Last turn 6",
        "guild: bid 2",
        "mentat: rollback",
        "mentat: rollback to entry 2",
        'mentat: "extend 24, twice", "so {it} was"',
        "mentat: Hold",
        "game master: agreed guild, fremen",
        "- bg-status (x}): guild",
    ) == [
        LastTurn(6),
        Submitted("guild", (o.Bid(2),)),
        Act(what="rollback"),
        Act(what="rollback", entries=2),
        Act(what="extend 24, twice", why="so {it} was"),
        Act(what="hold"),
        Stopped("agreed", ("guild", "fremen")),
        Expired((("guild", "bg-status", "x}"),)),
    ]  # fmt: skip


def o_forces(number: int) -> Any:
    from rules.components import Forces

    return Forces(number)


def complaint(data: bytes) -> str:
    with pytest.raises(NotARecord) as caught:
        read_dune(data)
    return str(caught.value)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("0 gild: pass", "Line 6: “gild” is not a faction; did you mean the one below? “Guild”"),
        ("0 guild: bidd 2", "Line 6: This is not quite an order; did you mean the line below? “bid 2”"),
        ("7 guild: pass", "Line 6: expected entry 0, found entry 7."),
        ("what is this", "Line 6: expected an entry like “0 guild: pass”, found “what is this”."),
        ("+ bid 2", "Line 6: a plus adds an order to the message above it; there is none."),
        ("- charty: guild", "Line 6: there is no question “charty” (did you mean charity?)."),
        ("- guild", "Line 6: silence is written like “- charity: guild, emperor”; found “guild”."),
        ('[Day "22.11.2026"]', 'Line 6: a day is written like [Day "2026-11-22"].'),
        ('[Seed "two"]', "Line 6: [Seed] already appears in line 5."),
        ("[Oops]", 'Line 6: a header is written like [Game "sietch-12"].'),
        ("{ never closed", "Line 6: a comment begins here with “{” and does not end."),
        ('guild: deal with fremen: "peace" now', "Line 6: after the words of a deal comes"),
        ('guild: order {"type":"Dance"}', "Line 6: “{\"type\":\"Dance\"}” is not an order in value form"),
        ("mentat: rollback to entry 9", "Line 6: the game cannot go back to 9 entries; it has only 0."),
        ("guild: pass", "Line 6: this cannot be replayed: entry 0: "),
        ("guild: status", "Line 6: “status” is a mail command, not an order of the game."),
        (
            'guild: truthtrance fremen: "Why?" so',
            "Line 6: after a question, expected “understood” and its meaning; found “so”.",
        ),
        ('mentat: rollback "x', 'Line 6: an act is written like “mentat: rollback to entry 12, "why"”; found'),
        ("guild: order bid 2", "Line 6: I cannot find an order in this"),
        ('guild: deal with fremen: "peace', "Line 6: the words in quotes cannot be read (Unterminated string"),
        ("mentat: extend 24, why", 'Line 6: an act is written like “mentat: rollback to entry 12, "why"”; found'),
        ("game master: last turn six",
         "Line 6: a decision looks like “last turn 6”, “void” or “agreed guild”; found “last turn six”."),
        ("game master: last turn", "Line 6: a decision looks like “last turn 6”"),
        ("game master: agreed gild", "Line 6: “gild” is not a faction; did you mean the one below? “Guild”"),
        ("game master: correct spice guild x", "Line 6: a correction is wrong: 'guild x': write it like “"),
        (f"guild: order {{}}{'x' * 78}", f"Line 6: “{{}}{'x' * 78}” is not an order in value form: "),
        (f"guild: order {{}}{'x' * 79}", f"Line 6: “{{}}{'x' * 78}…” is not an order in value form: "),
        ('guild: pass\n[Game "h"]', "Line 7: [Game] belongs above the first entry; only [Day] can come later."),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told_with_its_line_and_what_would_be_right(line: str, why: str) -> None:
    assert complaint(head(line)).startswith(why), complaint(head(line))


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"RuleSet": ""}, 'there is no header [RuleSet "…"]'),
        ({"RuleSet": "wbc-2019"}, "Line 3: There is no rule set 'wbc-2019'"),
        ({"Seed": ""}, 'there is no header [Seed "…"]: the game was still running'),
        ({"Seats": "guild two"}, "Line 4: [Seats"),
        ({"Format": "dune-record 9"}, 'Line 1: [Format "dune-record 9"]: this Mentat reads “dune-record 1”.'),
        ({"Options": "max_turns"}, 'Line 6: [Options "max_turns"]: an option is written like max_turns=10.'),
        ({"Options": "max_turns=ten"}, "Line 6: The option max_turns cannot be ten"),
        ({"Ended": "yesterday"}, 'Line 6: [Ended "yesterday"]: a day is written like 2026-11-22.'),
        (
            {"Seats": "guild 2, fremen 3"},
            'Line 4: [Seats "guild 2, fremen 3"]: the player dots lie in the sectors 2, 5,',
        ),
        ({"Seats": "guild 2, fremen 5, Guild 8"}, 'Line 4: [Seats "guild 2, fremen 5, Guild 8"]: “Guild 8” is taken: '),
        ({"Seats": "guild 2, fremen 2"}, 'Line 4: [Seats "guild 2, fremen 2"]: “fremen 2” is taken: each faction'),
        ({"RuleSet": "wbc-2019", "Options": "max_turns=5"}, "Line 3: There is no rule set 'wbc-2019'"),
        ({"Options": "sandworms=5"}, "Line 6: There is no option 'sandworms' of a rule set"),
    ],
)
def test_a_wrong_header_is_told(changed: dict[str, str], why: str) -> None:
    assert complaint(head(**changed)).startswith(why), complaint(head(**changed))


def test_options_stand_in_their_header() -> None:
    options = {"max_turns": 5, "bribery": "forbidden", "alliances_enabled": False}
    record = of_log("wbc-2018", "options", FACTIONS[:4], (), acts=False, options=options)
    lines = [decode(line) for line in record.splitlines()]
    text = written_of_unfinished(lines, record)
    assert '[Options "alliances_enabled=false, bribery=forbidden, max_turns=5"]' in text
    assert joined(read_dune(text.encode())[0].data) == record


def written_of_unfinished(lines: list[Any], record: bytes) -> str:
    """Return the text of a game that has only begun, as if its seed had been published."""
    end = End(turn=0, winners=(), seed="options")
    text = write_dune(ReadRecord(record.splitlines(), [*lines, end]))
    return "\n".join(line for line in text.splitlines() if not line.startswith(("[Result", "[Record")))


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (Submitted("fremen", (o.Bid(2), o.BidUpTo(7))), ("fremen", ["bid 2", "bid up to 7"])),
        (Withdrawn("guild", o.BidUpTo(4)), ("guild", ["take back bid up to 4"])),
        (Withdrawn("guild"), ("guild", ["take back everything"])),
        (
            Expired((
                ("guild", "charity", ""), ("emperor", "charity", ""), ("fremen", "bg-status", "arrakeen"),
                ("guild", "charity", ""), ("guild", "charity", "a; b"),
            )),
            ("", ['charity: guild, emperor; bg-status (arrakeen): fremen; charity: guild; charity ("a; b"): guild']),
        ),
    ],
)  # fmt: skip
def test_an_entry_is_written_as_who_decided_and_what(entry: Entry, said: tuple[str, list[str]]) -> None:
    assert said_by(entry, {}) == said


def test_offers_in_one_message_stand_below_each_other_without_their_words() -> None:
    offers = Submitted("guild", (o.Deal("fremen", "peace; I mean it", 2), o.Deal("atreides", "war", 0, 1)))
    record = of_log("wbc-2018", "options", ("guild", "fremen", "atreides"), [offers], acts=False)
    assert b"peace" not in record
    lines = [decode(line) for line in record.splitlines()]
    entry = next(line.entry for line in lines if isinstance(line, Decided))
    assert isinstance(entry, Submitted)
    peace, war = (order.text for order in entry.orders if isinstance(order, o.Deal))
    text = written_of_unfinished(lines, record)
    rows = text.splitlines()
    first = next(place for place, row in enumerate(rows) if row.startswith("   0 "))
    assert rows[first : first + 2] == [
        f"   0 guild:         deal with Fremen: {peace}; I pay 2",
        f"     +              deal with Atreides: {war}; you pay 1",
    ]
    assert joined(read_dune(text.encode())[0].data) == record


def test_words_of_a_deal_that_nobody_hid_stay_as_a_person_has_typed_them() -> None:
    found, _ = read_dune(head("guild: deal with fremen:  no   attack"))
    assert [line.entry for line in found.lines if isinstance(line, Decided)] == [
        Submitted("guild", (o.Deal("fremen", "no attack"),))
    ]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain words", "plain words"),
        ("e\u0301tat", "\u00e9tat"),
        ("\u202eabc\u200b", "abc"),
        ("a\x07b", "ab"),
        ("a\n\u00e9", "a\n\u00e9"),
    ],
)
def test_signs_that_cannot_be_seen_are_left_out(text: str, seen: str) -> None:
    assert seen_only(text) == seen


def test_a_question_without_what_it_was_understood_as_is_read_as_one_in_a_mail() -> None:
    asked = read_order("guild", 'truthtrance fremen: "Do you hold the Lasegun?"', "1979", {})
    assert asked == read_line("truthtrance fremen: Do you hold the Lasegun?", Context("guild", edition="1979"))
    assert isinstance(asked, o.Truthtrance)
    assert asked.reading is not None
    assert read_order("guild", 'truthtrance fremen: "Hm?" understood nothing', "1979", {}) == o.Truthtrance(
        "fremen", "Hm?"
    )


def test_silence_about_a_subject_in_quotes_is_read_back() -> None:
    assert story('- charity: guild; bg-status ("a; b"): fremen, atr') == [
        Expired((("guild", "charity", ""), ("fremen", "bg-status", "a; b"), ("atreides", "bg-status", "a; b")))
    ]


def test_another_result_or_seed_than_the_headers_say_is_told() -> None:
    text = written()
    result = next(line for line in text.splitlines() if line.startswith("[Result"))
    assert "the game ends differently" in complaint(text.replace(result, '[Result "nobody, turn 3"]').encode())
    promised = next(line for line in text.splitlines() if line.startswith("[Commitment"))
    assert "the seed is not the one promised" in complaint(text.replace(promised, '[Commitment "00"]').encode())
    end = read_record(recorded()).end
    assert isinstance(end, End)
    assert end.seed in text


def test_a_text_that_was_cut_is_called_cut() -> None:
    lines = written().splitlines()
    last = max(number for number, line in enumerate(lines) if line[:4].strip().isdigit())
    assert "the orders end before the game is over; the text was cut off." in complaint(
        "\n".join(lines[:last]).encode()
    )


def test_a_text_of_a_game_that_was_over_and_has_no_orders_is_called_cut() -> None:
    lines = [line for line in written().splitlines() if line.startswith("[") and not line.startswith("[Day")]
    said = complaint("\n".join(lines).encode())
    assert said.startswith(f"Line {1 + next(n for n, line in enumerate(lines) if line.startswith('[Result'))}: ")
    assert said.endswith("the orders end before the game is over; the text was cut off.")


def test_quotes_that_do_not_close_well_in_what_silence_answered_are_told_with_their_line() -> None:
    said = complaint(head("guild: pass", '- bid (""x"): guild'))
    assert said.startswith("Line 7: the words in quotes cannot be read"), said


def test_one_changed_order_is_found() -> None:
    text = written()
    lines = text.splitlines()
    place = next(n for n, line in enumerate(lines) if "dial" in line and "plan dial" in line)
    lines[place] = lines[place].replace("plan dial ", "plan dial 1", 1)
    assert complaint("\n".join(lines).encode())


def test_a_text_in_another_layout_gives_the_same_record() -> None:
    text = written()
    laxer = "\n".join(
        f"  {line.strip().upper()}"
        if line[:4].strip().isdigit() and '"' not in line and "words:" not in line and " - " not in line
        else line.replace("   ", "  ")
        for line in text.splitlines()
        if not line.lstrip().startswith("{ ") or not line.endswith("}")
    )
    assert laxer != text
    assert joined(read_dune(laxer.encode())[0].data) == recorded()


def test_the_two_kinds_of_file_are_told_apart() -> None:
    assert looks_like_dune(written().encode())
    assert looks_like_dune(gzip.compress(written().encode()))
    assert looks_like_dune(b'# mine\n[RuleSet "wbc-2018"]\n')
    assert not looks_like_dune(recorded())
    assert not looks_like_dune(json.dumps({"mentat": 1}, indent=1).encode())
    assert decode(recorded().splitlines()[0])
    assert set(FACTIONS)
