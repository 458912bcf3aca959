"""Each draw has its own beacon, whose value nobody can know when the roster is fixed."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest

from bot.archive.tournament_pages import tournament_files
from bot.competition.published import Published, decode_published, encode_published, round_seed, with_sums
from bot.competition.settings import SettingsRefused, read_settings
from bot.competition.verification import verify
from bot.store import tournament_rounds, tournaments
from bot.store.database import reading, writing
from bot.store.publication import published_tournament
from bot.tournament import beacons, drawing, preparation, rounds
from bot.tournament.beacons import FrozenDraw, beacon_instant, field_digest, quicknet_round
from bot.tournament.desk import By, Caller, Refused, grant_right
from tests.tournament.cup import CUP, SECRET, Entered, end_game, token_for

LOTTERY = 'beacon = "the lottery"\nbeacon_date = "2024-12-21"\n'
HEATS = "[rounds]\nheats = 2\nparallel = false\nsemifinal = 0\nfinal = 6\n"
WITNESS = f'title = "The Cup"\n{LOTTERY}witness = true\n{HEATS}'
SETTINGS = f'title = "The Cup"\n{LOTTERY}{HEATS}'
QUICKNET = f'title = "The Cup"\nbeacon = "quicknet"\n{HEATS}'
BOSS, ZOE, YAN = "boss@example.org", "zoe@example.org", "yan@example.org"


class Frozen(Entered):
    """An event for twelve players with a frozen first draw, a director and two arbiters."""

    @classmethod
    def of(cls, folder: Path, settings: str = SETTINGS, players: int = 12) -> Frozen:
        made = cls(Entered.at(folder, players, settings).world)
        for who, right in ((BOSS, "director"), (ZOE, "arbiter"), (YAN, "arbiter")):
            grant_right(Caller(made.open_games, made.world.now), CUP, who, right)  # type: ignore[arg-type]
        with writing(made.world.engine) as conn:
            for each in tournaments.entrants_of(conn, CUP):
                tournaments.change_entrant(conn, CUP, each.number, token=token_for(each.address))
        made.freeze()
        return made

    def freeze(self, **asked: Any) -> FrozenDraw:
        return drawing.freeze(Caller(self.open_games, self.world.now), CUP, drawing.DrawRequest(**asked)).frozen

    @property
    def frozen(self) -> FrozenDraw:
        with reading(self.world.engine) as conn:
            found = beacons.frozen_draw(conn, CUP)
        assert found is not None
        return found

    def wait(self) -> None:
        self.world.now = self.frozen.at + timedelta(hours=2)

    def says(self, who: str, line: str) -> str:
        """Answer this person's newest letter, and return what Mentat writes back."""
        letter = self.world.letters(who)[-1].message
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = who, str(letter["Reply-To"]), f"Re: {letter['Subject']}"
        message["Message-ID"] = f"<{self.world.written()}.{who}>"
        message.set_content(f"{line}\n")
        before = len(self.world.letters(who))
        self.world.moderator.deliver(message.as_bytes(), self.world.now)
        self.world.now += timedelta(minutes=1)
        return " ".join(" ".join(sent.text.split()) for sent in self.world.letters(who)[before:])

    @property
    def settled(self) -> str:
        with reading(self.world.engine) as conn:
            return beacons.sent_values(conn, CUP).settled

    def close(self) -> None:
        """Close round 1."""
        with writing(self.world.engine) as conn:
            tournament_rounds.change_round(conn, CUP, 1, state="closed")
            for table in tournament_rounds.tables_of(conn, CUP, 1):
                tournament_rounds.change_table(conn, CUP, 1, table.number, state="finished")
            tournaments.touch(conn, CUP, state="running")


# --- vectors ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("instant", "number"),
    [
        (datetime(2027, 3, 13, 20, tzinfo=UTC), 37388212),
        (datetime(2027, 3, 13, 20, 0, 1, tzinfo=UTC), 37388213),
        (datetime(2026, 4, 20, tzinfo=UTC), 27946612),
    ],
)
def test_the_number_of_a_drand_round_is_computed_without_a_network(instant: datetime, number: int) -> None:
    assert quicknet_round(instant) == number


def test_the_seed_of_a_final_follows_from_its_own_beacon_and_the_old_one_was_known_before() -> None:
    roster = ["E02", "E05", "E07", "E08", "E10", "E12"]
    digest = field_digest(roster[::-1])
    assert digest.startswith("6878091b")
    assert digest.endswith("5b89")
    found = [round_seed(SECRET, 3, digest, each) for each in ("quicknet 37388212 0badc0de", "beacon text 42")]
    assert [(seed[:8], seed[-4:]) for seed in found] == [("cc6cf38c", "fb2c"), ("3271d300", "c54a")]


ZONE = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("now", "earlier", "expected"),
    [
        ("2024-12-01T12:00", [], "2024-12-20T23:00"),
        ("2024-12-19T22:59", [], "2024-12-20T23:00"),
        ("2024-12-19T23:01", [], "2024-12-27T23:00"),
        ("2024-12-01T12:00", ["2024-12-20T23:00"], "2024-12-27T23:00"),
        ("2025-03-29T12:00", [], "2025-04-04T22:00"),  # summer time has begun
    ],
)
def test_the_day_of_a_beacon_is_the_one_announced_or_the_same_day_of_a_later_week(
    now: str, earlier: list[str], expected: str
) -> None:
    def at(text: str) -> datetime:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)

    assert beacon_instant(read_settings(SETTINGS), at(now), ZONE, [at(each) for each in earlier]) == at(expected)


def test_quicknet_takes_the_next_full_hour_a_day_ahead() -> None:
    now = datetime(2027, 3, 12, 19, 30, tzinfo=UTC)
    found = beacon_instant(read_settings(QUICKNET), now, ZONE)
    assert (found, beacons.beacon_form("quicknet", found)) == (
        datetime(2027, 3, 13, 20, tzinfo=UTC), "quicknet 37388212 RANDOMNESS",
    )  # fmt: skip


@pytest.mark.parametrize("line", ["lead_hours = 23", "lead_hours = 1001", "check_in_hours = 1"])
def test_a_beacon_is_named_a_day_before_it_exists_at_the_least(line: str) -> None:
    with pytest.raises(SettingsRefused, match="from 24 to 1000"):
        read_settings(f"{SETTINGS}[steps]\n{line}\n")


# --- frozen draws ----------------------------------------------------------------------------------------------------


def test_a_frozen_draw_tells_everybody_who_is_drawn_and_from_what(tmp_path: Path) -> None:
    cup = Frozen.of(tmp_path)
    for text in (cup.text(1), " ".join(cup.world.letters(BOSS)[-1].text.split())):
        assert "The field for round 1 (heat) is fixed: E001, E002" in text
        assert "its beacon: the lottery" in text
        assert cup.frozen.field in text
        assert "beacon cup 1:" in text
    assert cup.acts()[-1].what == "freeze"
    assert "of 2024-12-21 00:00Z" in cup.acts()[-1].words
    assert drawing.freeze(Caller(cup.open_games, cup.world.now), CUP).already


def test_each_draw_is_frozen_with_a_beacon_of_its_own(tmp_path: Path) -> None:
    cup = Frozen.of(tmp_path)
    first = cup.frozen
    cup.wait()
    cup.draw(beacon="4 8 15 16 23 42")
    cup.close()
    with pytest.raises(Refused, match="Each draw has its own beacon"):
        cup.draw(beacon="1 2 3 4 5 6")
    second = cup.freeze()
    assert (second.round, second.at) == (2, first.at + timedelta(days=7))
    with pytest.raises(Refused, match="is not published before 2024-12-28"):
        cup.draw(beacon="1 2 3 4 5 6")
    cup.wait()
    with pytest.raises(Refused, match="was the beacon of an earlier draw"):
        cup.draw(beacon="4 8  15 16 23 42")
    record = cup.draw(beacon="1 2  3 4 5 6").record
    assert record.beacon == "1 2 3 4 5 6"
    assert record.seed == round_seed(SECRET, 2, record.roster_digest, "1 2 3 4 5 6")


def test_who_changes_the_roster_after_the_freeze_gets_another_beacon(tmp_path: Path) -> None:
    cup = Frozen.of(tmp_path, players=13 - 1)
    first = cup.frozen
    cup.wait()
    cup.says(BOSS, "beacon cup 1: 4 8 15")
    cup.says(BOSS, "beacon cup 1: 4 8 15")
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, 12, state="disqualified")
    with pytest.raises(Refused, match="have changed since the draw was frozen"):
        cup.draw()
    second = cup.freeze()
    assert second.at > first.at
    assert second.field != first.field
    assert cup.settled == ""
    with pytest.raises(Refused, match="is not published before"):
        cup.draw(beacon="4 8 15")


def test_what_could_not_be_drawn_is_refused_before_its_beacon_is_known(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="tables"):
        Frozen.of(tmp_path, players=13)


def test_who_sits_out_is_fixed_with_the_rest(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 13, SETTINGS)
    asked = drawing.DrawRequest(sit_out=("E013",))
    frozen = drawing.freeze(Caller(cup.open_games, cup.world.now), CUP, asked).frozen
    cup.world.now = frozen.at
    with pytest.raises(Refused, match="have changed since the draw was frozen"):
        cup.draw(beacon="4 8 15", sit_out=("E012",))
    assert cup.draw(beacon="4 8 15").record.sat_out == ("E013",)


def test_entries_are_not_opened_again_once_the_draw_is_frozen(tmp_path: Path) -> None:
    cup = Frozen.of(tmp_path)
    with pytest.raises(Refused, match="frozen"):
        preparation.open_entries(Caller(cup.open_games, cup.world.now), CUP, until=cup.world.now + timedelta(days=3))


# --- values by mail --------------------------------------------------------------------------------------------------


def test_two_equal_mails_of_a_director_settle_it(tmp_path: Path) -> None:
    cup = Frozen.of(tmp_path)
    assert "does not exist before 2024-12-21 00:00Z" in cup.says(BOSS, "beacon cup 1: 4 8 15")
    cup.wait()
    assert "Noted for round 1, exactly as written here: “4 8 15”." in cup.says(BOSS, "Beacon cup 1:  4 8  15")
    assert cup.settled == ""
    assert "The beacon of round 1 is settled: “4 8 15”." in cup.says(BOSS, "the beacon of round 1 is 4 8 15")
    assert cup.settled == "4 8 15"
    assert "already settled" in cup.says(ZOE, "beacon: 4 8 16")
    with pytest.raises(Refused, match="cannot be replaced"):
        cup.draw(beacon="4 8 16")
    assert cup.draw().record.beacon == "4 8 15"


def test_two_arbiters_settle_it_and_one_of_them_twice_does_not(tmp_path: Path) -> None:
    cup = Frozen.of(tmp_path)
    cup.wait()
    cup.says(ZOE, "beacon cup 1: 4 8 15")
    assert "One more person must send the same" in cup.says(ZOE, "beacon cup 1: 4 8 15")
    assert cup.settled == ""
    cup.says(YAN, "beacon cup 1: 4 8 15")
    assert cup.settled == "4 8 15"


def test_values_that_differ_hold_the_draw_and_both_are_shown(tmp_path: Path) -> None:
    cup = Frozen.of(tmp_path)
    cup.wait()
    cup.says(ZOE, "beacon cup 1: 4 8 15")
    assert "Different beacons were sent for round 1: “4 8 15” and “4 8 16”" in cup.says(YAN, "beacon cup 1: 4 8 16")
    with pytest.raises(Refused, match="The values that were sent differ: 4 8 15 and 4 8 16"):
        cup.draw()
    cup.says(BOSS, "beacon cup 1: 4 8 16")
    assert cup.settled == "", "two against one may be two who are wrong"
    cup.says(BOSS, "beacon cup 1: 4 8 16")
    assert cup.settled == "4 8 16"


def test_who_mistyped_sends_the_right_one(tmp_path: Path) -> None:
    cup = Frozen.of(tmp_path)
    cup.wait()
    cup.says(ZOE, "beacon cup 1: 4 8 51")
    cup.says(ZOE, "beacon cup 1: 4 8 15")
    cup.says(YAN, "beacon cup 1: 4 8 15")
    assert cup.settled == "4 8 15"


@pytest.mark.parametrize("witness", [True, False])
def test_two_entrants_settle_it_where_the_settings_say_so(tmp_path: Path, witness: bool) -> None:
    cup = Frozen.of(tmp_path, WITNESS if witness else SETTINGS)
    cup.wait()
    told = [cup.says(f"player{number}@players.example", "beacon cup 1: 4 8 15") for number in (3, 4)]
    assert cup.settled == ("4 8 15" if witness else "")
    assert (
        "is settled" if witness else "Only a director or an arbiter may send the beacon; nothing was changed."
    ) in told[1]


@pytest.mark.parametrize(
    ("value", "taken"),
    [
        ("quicknet {} 0badc0de", True),
        ("quicknet 37388212 0badc0de", False),
        ("quicknet {}", False),
        ("0badc0de", False),
    ],
)
def test_a_value_of_quicknet_names_the_round_that_was_announced(tmp_path: Path, value: str, taken: bool) -> None:
    cup = Frozen.of(tmp_path, QUICKNET)
    cup.wait()
    said = value.format(quicknet_round(cup.frozen.at))
    told = cup.says(BOSS, f"beacon cup 1: {said}")
    assert ("Noted for round 1" in told) == taken
    assert ("Write it like “quicknet" in told) != taken


@pytest.mark.parametrize(
    "line", ["The beacon of hope, table 3!", "beacon", "my beacon: a lighthouse", "What is the beacon of round 1?"]
)
def test_talk_of_beacons_is_no_value(tmp_path: Path, line: str) -> None:
    cup = Frozen.of(tmp_path)
    cup.wait()
    cup.says(BOSS, line)
    with reading(cup.world.engine) as conn:
        assert beacons.sent_values(conn, CUP).values == ()


# --- proof -----------------------------------------------------------------------------------------------------------


def drawn_twice(folder: Path) -> Published:
    cup = Frozen.of(folder, f"{SETTINGS}[endings]\nprotest_hours = 0\n")
    cup.wait()
    cup.draw(beacon="4 8 15")
    cup.start()
    for table in cup.tables():
        end_game(cup.world, table.game_id, "guild")
    cup.tick(1)
    cup.tick(1)
    rounds.close_round(Caller(cup.open_games, cup.world.now), CUP, 1)
    cup.freeze()
    cup.wait()
    cup.draw(beacon="4 8 16")
    with reading(cup.world.engine) as conn:
        return published_tournament(conn, CUP, cup.world.now)


def test_the_export_proves_when_a_beacon_was_named(tmp_path: Path) -> None:
    found = drawn_twice(tmp_path)
    assert verify(encode_published(found)).difference == ""
    assert "beacon" not in " ".join(verify(encode_published(found)).notes)

    def told(command: str, number: int, **more: Any) -> str:
        """Return the difference that `verify` finds after an act of a draw is changed."""
        acts = tuple(
            msgspec.structs.replace(each, **more)
            if each.command == command and re.match(f"round {number}\\b", each.words)
            else each
            for each in found.acts
        )
        return verify(encode_published(with_sums(msgspec.structs.replace(found, acts=acts)))).difference

    assert "drawn with the beacon '4 8 16', but the tournament's beacon is '4 8 15'" in told(
        "beacon", 2, words="round 2: 4 8 17"
    )
    assert "before it existed (2024-12-28 00:00Z)" in told("beacon", 2, at=datetime(2024, 12, 27, tzinfo=UTC))
    assert "too early" in told("freeze", 2, at=datetime(2024, 12, 27, 12, tzinfo=UTC))
    assert decode_published(encode_published(found)) == found


# --- a draw that is void ---------------------------------------------------------------------------------------------


def redrawn(cup: Frozen, why: str = "Ann was left out") -> None:
    """Make the first draw, void it and freeze a new one."""
    cup.wait()
    cup.draw(beacon="4 8 15")
    drawing.void_draw(Caller(cup.open_games, cup.world.now, By(why=why)), CUP)
    cup.freeze()
    cup.wait()


def exported(cup: Frozen) -> Published:
    with reading(cup.world.engine) as conn:
        return published_tournament(conn, CUP, cup.world.now)


def test_a_draw_that_is_void_is_made_again_with_another_beacon_and_both_stay_in_the_record(tmp_path: Path) -> None:
    cup = Frozen.of(tmp_path)
    first = cup.frozen
    redrawn(cup)
    assert cup.frozen.at > first.at
    with pytest.raises(Refused, match="was the beacon of an earlier draw"):
        cup.draw(beacon="4 8 15")
    cup.draw(beacon="16 23 42")
    document = exported(cup)
    found = verify(encode_published(document))
    assert found.difference == ""
    assert any("with beacon '4 8 15', void by an act: Ann was left out" in note for note in found.notes)
    files = tournament_files(document)
    for page in ("index.html", "round-1.html"):
        text = files[page].decode()
        assert "That draw became void on" in text
        assert "Ann was left out" in text
        assert "4 8 15" in text
    assert "16 23 42" in files["round-1.html"].decode()


def test_a_redraw_with_the_old_beacon_or_a_changed_seed_is_found(tmp_path: Path) -> None:
    cup = Frozen.of(tmp_path)
    redrawn(cup)
    cup.draw(beacon="16 23 42")
    document = msgspec.structs.replace(exported(cup), secret=SECRET)
    drawn = next(act for act in document.acts if act.command == "draw")
    seed = re.search(r"seed ([0-9a-f]{64})", drawn.words)
    assert seed
    for old, new, finding in (
        (seed[1], "0" * 64, "void: the secret gives the seed"),
        ("beacon '4 8 15", "beacon '16 23 42", "void"),
    ):
        changed = tuple(
            msgspec.structs.replace(act, words=act.words.replace(old, new)) if act == drawn else act
            for act in document.acts
        )
        found = verify(encode_published(with_sums(msgspec.structs.replace(document, acts=changed))))
        assert finding in found.difference
    assert verify(encode_published(with_sums(document))).difference == ""


def test_a_void_draw_is_told_to_its_players_who_get_their_new_tables_too(tmp_path: Path) -> None:
    cup = Frozen.of(tmp_path)
    cup.wait()
    cup.draw(beacon="4 8 15")
    before = len(cup.letters(1))
    told = cup.says(BOSS, "The draw was wrong: Ann was left out. Please draw again.")
    assert "The draw of round 1 is void" in told
    letters = cup.letters(1)[before:]
    assert len(letters) == 1
    assert "“The draw was wrong: Ann was left out”" in " ".join(letters[0].text.split())
    cup.freeze()
    cup.wait()
    cup.draw(beacon="16 23 42")
    assert "You have been drawn" in cup.text(1) or "table" in cup.text(1)
    assert len(cup.letters(1)) == before + 3, "void, fixed anew, drawn"


@pytest.mark.parametrize(
    ("line", "void"),
    [
        ("void the draw: Ann is out", True), ("Please undo the draw of round 1, Ann is out", True),
        ("void draw cup 1: Ann is out", True), ("void the draw because Ann is out", True),
        ("The draw was wrong, draw again", True), ("Ann is out. Please draw again!", True),
        ("draw again", False), ("void the draw", False), ("void the draw of other: so", False),
        ("Shall we draw again?", False), ("We will draw again tomorrow", False), ("Don't draw again, please", False),
        ("void the draw of round 7: so", False),
    ],
)  # fmt: skip
def test_a_director_voids_a_draw_in_their_own_words_and_only_with_a_reason(
    tmp_path: Path, line: str, void: bool
) -> None:
    cup = Frozen.of(tmp_path, players=6)
    cup.wait()
    cup.draw(beacon="4 8 15")
    cup.says(BOSS, line)
    assert [act.what for act in cup.acts()].count("void draw") == void
    assert bool(cup.rounds()) != void


def test_a_draw_whose_games_have_begun_or_that_an_arbiter_calls_void_stands(tmp_path: Path) -> None:
    cup = Frozen.of(tmp_path)
    cup.wait()
    cup.draw(beacon="4 8 15")
    cup.says(ZOE, "void the draw: I do not like it")
    assert cup.rounds()
    cup.start()
    assert "The draw stands" in cup.says(BOSS, "void the draw: too late")
    assert cup.rounds()
