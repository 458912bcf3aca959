"""Tests for games on the command line: starting, showing to each viewer, checking, proving and rolling back."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.cli.session import console
from bot.service.machine import utc_now
from bot.store.database import Connection, pack, unpack
from rules.components import FACTIONS, Faction
from tests.cli.conftest import Mentat, Ran
from tests.moderator.table import GAME, START, World

VIEWERS = (*FACTIONS, "public", "gm")


@pytest.fixture
def begun(place: World) -> World:
    place.silent_game("bidding", ruleset="wbc-2018")
    return place


@pytest.fixture
def ended(place: World) -> World:
    place.new_game(factions=("atreides", "guild", "harkonnen"), max_turns=1)
    while place.wait(24):
        pass
    return place


def test_a_game_has_a_tempo(mentat: Mentat) -> None:
    players = ["--seat", "guild=ann@example.org", "--seat", "fremen=bob@example.org"]
    for name, words in (("plain", []), ("quick", ["--tempo", "swift"])):
        assert mentat("game", "new", "--id", name, *players, *words).code == 0
    assert mentat("game", "show", "plain", "--json").json["tempo"] == "steady"
    assert mentat("game", "show", "quick", "--json").json["tempo"] == "swift"
    ran = mentat("game", "new", "--id", "odd", *players, "--tempo", "presto")
    assert ran.code == 2
    assert "table, steady, swift" in ran.err


def test_a_game_is_started_listed_and_mailed(mentat: Mentat) -> None:
    words = ["--seat", "guild=Ann@example.org", "--seat", "fremen=bob@example.org"]
    ran = mentat("game", "new", "--id", "g", "--ruleset", "ah-basic", *words, "--json")
    assert ran.code == 0
    assert ran.json["seats"] == {"guild": "ann@example.org", "fremen": "bob@example.org"}
    assert [game["game"] for game in mentat("game", "list", "--json").json] == ["g"]
    assert mentat("send", "--json").json == {"sent": 2, "deferred": 0, "refused": 0}
    assert len(list(Path("outgoing").glob("*.eml"))) == 2


@pytest.mark.parametrize(
    "words",
    [
        ["--seat", "guild=ann@example.org", "--seat", "fremen=Ann@example.org"],
        ["--draw", "ann@example.org", "bob@example.org", "ann@example.org"],
    ],
)
def test_nobody_is_given_two_seats_of_a_game(mentat: Mentat, words: list[str]) -> None:
    ran = mentat("game", "new", "--id", "g", *words)
    assert ran.code == 1
    assert "ann@example.org would hold two seats in g" in " ".join(ran.err.split())
    assert mentat("game", "list", "--json").json == []


def test_factions_and_places_are_dealt(mentat: Mentat) -> None:
    words = [word for name in "abcdef" for word in ("--draw", f"{name}@example.org")]
    ran = mentat("game", "new", "--id", "g", "--ruleset", "ah-basic", *words, "--seed", "spice", "--json")
    assert ran.code == 0
    assert set(ran.json["seats"]) == set(FACTIONS)
    assert len(set(ran.json["dots"].values())) == 6


def test_a_game_is_shown_in_the_shape_that_is_promised(mentat: Mentat, begun: World) -> None:
    shown = mentat("game", "show", GAME, "--as", "guild", "--json").json
    assert shown.keys() >= {
        "game", "ruleset", "turn", "phase", "storm", "shield_wall", "winner", "players", "forces", "spice", "questions",
        "discard",
    }  # fmt: skip
    assert (shown["game"], shown["ruleset"], shown["phase"], shown["winner"]) == (GAME, "wbc-2018", "bidding", [])
    for player in shown["players"].values():
        assert player.keys() >= {
            "player", "dot", "ally", "spice", "hand", "hand_count", "reserves", "tanks", "leaders"
        }  # fmt: skip
    for question in shown["questions"]:
        assert question.keys() >= {"faction", "kind", "prompt", "deadline", "default"}
        assert question["deadline"] > START.isoformat()
    assert all(isinstance(forces, str) for here in shown["forces"].values() for forces in here.values())


@pytest.mark.parametrize("viewer", VIEWERS)
def test_a_viewer_sees_their_own_secrets_and_no_others(mentat: Mentat, begun: World, viewer: str) -> None:
    shown = mentat("game", "show", GAME, "--as", viewer, "--json").json
    for faction, player in shown["players"].items():
        may = viewer in (faction, "gm")
        for secret in ("spice", "hand", "reserves"):
            assert (player[secret] is not None) == may, (faction, secret)
    for question in shown["questions"]:
        assert (question["default"] is not None) == (viewer in (question["faction"], "gm"))


@pytest.mark.parametrize("viewer", VIEWERS)
def test_what_is_printed_holds_nothing_that_the_viewer_may_not_know(mentat: Mentat, begun: World, viewer: Any) -> None:
    state = begun.table().play.state
    told = mentat("game", "show", GAME, "--as", viewer).out + mentat("game", "log", GAME, "--as", viewer).out
    told = told.replace("Shield Wall", "")
    open_cards = {*state.treachery_discard, *state.set_aside}
    own = {card for faction, player in state.players.items() if viewer in (faction, "gm") for card in player.hand}
    for player in state.players.values():
        for card in player.hand:
            assert (card in told) == (card in own | open_cards)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_the_log_of_a_viewer_holds_the_events_that_they_may_see(mentat: Mentat, begun: World, viewer: Any) -> None:
    log = mentat("game", "log", GAME, "--as", viewer, "--json").json
    from bot.store import games
    from bot.store.database import reading

    with reading(begun.engine) as conn:
        happened = games.events_of(conn, GAME)
    seen = [event for event in happened if event.visible_to(viewer)]
    assert [entry["number"] for entry in log] == list(range(len(seen)))  # a gap would reveal a hidden entry
    assert [entry["facts"] for entry in log] == [json.loads(json.dumps(event.seen_by(viewer))) for event in seen]


def test_an_unknown_viewer_is_refused_with_those_there_are(mentat: Mentat, begun: World) -> None:
    ran = mentat("game", "show", GAME, "--as", "mentat")
    assert ran.code == 2
    assert "a viewer is public, gm, or one of" in ran.err


def bidder(world: World) -> Faction:
    return next(q.faction for q in world.table().play.questions() if q.kind == "bid")


def test_an_order_is_checked_and_nothing_changes(mentat: Mentat, begun: World) -> None:
    faction, before = bidder(begun), begun.table().revision
    good = mentat("order", "check", GAME, faction, "pass", "--json")
    assert (good.code, good.json["status"], good.json["order"]) == (0, "accepted", "pass")
    bad = mentat("order", "check", GAME, faction, "bid 999", "--json")
    assert (bad.code, bad.json["status"]) == (1, "refused")
    assert bad.json["reason"]
    assert bad.json["clause"]
    unread = mentat("order", "check", GAME, faction, "bdi 3", "--json")
    assert (unread.code, unread.json["status"], unread.json["suggestions"]) == (1, "unread", ["bid 3"])
    assert mentat("order", "check", GAME, "nobody", "pass").code == 2
    assert begun.table().revision == before


def test_a_game_that_holds_is_proved(mentat: Mentat, begun: World) -> None:
    ran = mentat("game", "verify", GAME, "--json")
    assert (ran.code, ran.json["holds"]) == (0, True)


def know_packing(conn: Connection) -> None:
    """Define the SQL functions ``packed(text)`` and ``unpacked(data)``."""
    raw: Any = conn.connection.driver_connection
    raw.create_function("packed", 1, lambda text: pack(text.encode()))
    raw.create_function("unpacked", 1, lambda data: unpack(data).decode())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE entry SET data = packed(replace(unpacked(data), 'guild', 'gwild'))", "events"),
        ("UPDATE entry SET data = packed(unpacked(data) || ' ') WHERE number = 2", "Entry 2"),
        ("UPDATE entry SET data = CAST(data || 'x' AS BLOB) WHERE number = 2", "log"),
        ("DELETE FROM entry WHERE number = 3", "entries"),
        ("UPDATE event SET data = packed(replace(unpacked(data), '1', '2')) WHERE number = 4", "Event 4"),
        ("UPDATE event SET data = CAST(data || 'x' AS BLOB) WHERE number = 4", "Event 4"),
        ("DELETE FROM event WHERE number = (SELECT max(number) FROM event)", "events"),
        ("UPDATE snapshot SET state = CAST(state || 'x' AS BLOB)", "snapshot"),
        ("UPDATE snapshot SET state = x''", "snapshot"),
        ("UPDATE snapshot SET digest = 'x' || digest", "snapshot"),
        ("UPDATE snapshot SET digest = 'x' || digest WHERE number = 0", "snapshot of turn 1, setup"),
        ("UPDATE snapshot SET entries = entries + 1 WHERE number = 0", "snapshot of turn 1, setup"),
        ("DELETE FROM snapshot WHERE number = (SELECT max(number) FROM snapshot)", "snapshot"),
        ("UPDATE game SET seed = seed || 'x'", "seed"),
        ("UPDATE game SET options = '{\"max_turns\": 3}'", "Event"),
        ("UPDATE seat SET dot = 3 WHERE dot = 2", "Event"),
        ("UPDATE game SET record_lines = record_lines - 1", "should not be there: there should be"),
        ("UPDATE game SET record_lines = record_lines + 1", "is missing: there should be"),
        ("UPDATE game SET record_head = 'x' || substr(record_head, 2)", "the last, should have the SHA-256 x"),
    ],
)
def test_a_changed_byte_is_found(mentat: Mentat, begun: World, change: str, said: str) -> None:
    with begun.engine.begin() as conn:
        know_packing(conn)
        conn.exec_driver_sql(change)
    ran = mentat("game", "verify", GAME)
    assert ran.code == 1
    assert "fails verification" in ran.err
    assert said in ran.err


def test_a_record_proves_a_finished_game_without_the_database(mentat: Mentat, ended: World, tmp_path: Path) -> None:
    assert mentat("game", "export", GAME, "record.json").code == 0
    (tmp_path / "config.toml").unlink()
    ran = mentat("game", "verify", "record.json", "--json")
    assert (ran.code, ran.json["holds"]) == (0, True)
    record = json.loads(Path("record.json").read_text(encoding="utf-8"))
    for part in ("log", "events"):
        changed = json.loads(json.dumps(record))
        del changed[part][5]
        Path("changed.json").write_text(json.dumps(changed), encoding="utf-8")
        assert mentat("game", "verify", "changed.json").code == 1
    for part in ("seed", "commitment"):
        Path("changed.json").write_text(json.dumps({**record, part: "x"}), encoding="utf-8")
        assert mentat("game", "verify", "changed.json").code == 1
    Path("changed.json").write_text(json.dumps({**record, "mentat": 2}), encoding="utf-8")
    ran = mentat("game", "verify", "changed.json")
    told = "changed.json was written by a newer Mentat; use that version to verify it."
    assert (ran.code, told in ran.err) == (2, True)
    Path("changed.json").write_text("{}", encoding="utf-8")
    ran = mentat("game", "verify", "changed.json")
    assert ran.code == 2
    assert "is not the record of a game" in ran.err


def test_a_running_game_is_not_exported(mentat: Mentat, begun: World) -> None:
    ran = mentat("game", "export", GAME, "record.json")
    assert ran.code == 1
    assert "still being played" in ran.err
    assert not Path("record.json").exists()


def test_a_game_is_taken_back_and_everybody_told(mentat: Mentat, begun: World) -> None:
    letters = len(begun.letters())
    ran = mentat(
        "game",
        "rollback",
        GAME,
        "--entries",
        "1",
        "--why",
        "A typing error.",
        "--tell",
        "The storm was wrong.",
        "--json",
    )
    assert (ran.code, ran.json["entries"], ran.json["phase"]) == (0, 1, "setup")
    told = begun.letters()[letters:]
    for faction in FACTIONS:
        mine = [letter for letter in told if letter.faction == faction]
        text = " ".join(mine[0].text.split())
        assert "The game master writes: The storm was wrong." in text
        assert "A typing error." not in text
    [act] = mentat("game", "acts", GAME, "--json").json
    assert (act["what"], act["why"], act["right"]) == ("rollback", "A typing error.", "director")
    assert act["tell"] == "The storm was wrong."
    assert mentat("game", "verify", GAME).code == 0
    assert begun.moderator.timekeeper.tick(datetime(2099, 1, 1, tzinfo=UTC)) == 1


def test_the_act_log_goes_on_below_where_its_words_began(
    mentat: Mentat, begun: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "_width", 80)
    why = f"{'A player in hospital asked for it by telephone. ' * 4}\nTheir brother agreed."
    assert mentat("game", "rollback", GAME, "--entries", "0", "--why", why).code == 0
    assert mentat("game", "pause", GAME, "--tell", "We wait. " * 20).code == 0
    lines = mentat("game", "acts", GAME).out.splitlines()
    assert max(map(len, lines)) <= 80
    indents = [len(line) - len(line.lstrip()) for line in lines]
    begins = [number for number, line in enumerate(lines) if line.startswith("20")]
    assert len(begins) == 2
    assert all(indent >= 4 for number, indent in enumerate(indents) if number not in begins)
    [reason] = [number for number, line in enumerate(lines) if line.startswith("    why: ")]
    assert set(indents[reason + 1 : begins[1]]) == {len("    why: ")}
    assert " ".join(" ".join(lines[reason : begins[1]]).split()) == f"why: {' '.join(why.split())}"


def test_a_game_is_taken_back_to_the_start_of_a_phase(mentat: Mentat, place: World) -> None:
    place.new_game(factions=("atreides", "guild", "harkonnen"))
    place.silence_until("storm", turn=2)
    ran = mentat("game", "rollback", GAME, "--turn", "1", "--phase", "bidding", "--json")
    assert (ran.code, ran.json["turn"], ran.json["phase"]) == (0, 1, "bidding")
    assert mentat("game", "verify", GAME).code == 0
    assert mentat("game", "rollback", GAME, "--turn", "9").code == 2
    assert mentat("game", "rollback", GAME).code == 2


def test_a_finished_game_is_not_taken_back_for_its_chance_is_known(mentat: Mentat, ended: World) -> None:
    entries, letters = ended.table().entries, ended.written()
    for where in (("--entries", str(entries - 1)), ("--turn", "1", "--phase", "bidding"), ("--entries", "9999")):
        ran = mentat("game", "rollback", GAME, *where, "--why", "A dial was read wrongly.")
        assert ran.code == 1
        assert f"{GAME} is finished and cannot be rolled back: all its players know" in ran.err
        looked = mentat("game", "rollback", GAME, *where, "--preview")
        assert (looked.code, looked.out) == (1, "")
        assert f"{GAME} is finished and cannot be rolled back" in looked.err
    assert (ended.table().status, ended.table().entries, ended.written()) == ("over", entries, letters)
    assert [
        line for line in mentat("game", "log", GAME, "--as", "gm", "--json").json if line["kind"] == "rollback"
    ] == []


def test_the_game_master_sees_in_the_log_that_a_game_was_taken_back_and_why(mentat: Mentat, begun: World) -> None:
    assert mentat("game", "rollback", GAME, "--entries", "9999").code == 2
    for entries, why in ((4, "A dial was [b]wrong[/b]."), (2, ""), (2, "The storm was wrong.")):
        assert mentat("game", "rollback", GAME, "--entries", str(entries), "--why", why).code == 0
    begun.now = utc_now()
    begun.silence_until("bidding")
    log = mentat("game", "log", GAME, "--as", "gm", "--json").json
    assert [line["number"] for line in log] == list(range(len(log)))
    places = [number for number, line in enumerate(log) if line["kind"] == "rollback"]
    assert places == list(range(places[0], places[0] + 3))
    assert [log[place]["facts"]["why"] for place in places] == ["A dial was [b]wrong[/b].", "", "The storm was wrong."]
    assert places[0] == log[places[1]]["facts"]["events"] < len(log) - 3
    told = mentat("game", "log", GAME, "--as", "gm").out
    assert "The game was rolled back to turn 1, setup (2 entries kept). Reason: The storm was wrong." in told
    assert "Reason: A dial was [b]wrong[/b]." in told
    for viewer in ("public", "guild"):
        assert "taken back" not in mentat("game", "log", GAME, "--as", viewer).out


def test_to_undo_a_rollback_takes_nothing_that_would_say_how_far(mentat: Mentat, begun: World) -> None:
    assert mentat("game", "rollback", GAME, "--entries", "2").code == 0
    far = (["--preview"], ["--turn", "1"], ["--entries", "0"], ["--phase", "battle"], ["--consent", "guild"])
    for more in far:
        ran = mentat("game", "rollback", GAME, "--undo", *more)
        assert (ran.code, begun.table().entries) == (2, 2)
        assert f"--undo takes no {more[0]}: it restores all that the last rollback removed;" in ran.err
    tried = mentat("game", "rollback", GAME, "--undo", "--dry-run")
    assert (tried.code, begun.table().entries) == (0, 2)


def test_a_rollback_that_was_undone_is_named_so_in_the_log(mentat: Mentat, begun: World) -> None:
    assert mentat("game", "rollback", GAME, "--entries", "2", "--why", "A slip.").code == 0
    assert mentat("game", "rollback", GAME, "--undo").code == 0
    told = mentat("game", "log", GAME, "--as", "gm").out
    assert "to turn 1, setup (2 entries kept). Reason: A slip. It was undone, and everything is restored." in told
    [line] = [line for line in mentat("game", "log", GAME, "--as", "gm", "--json").json if line["kind"] == "rollback"]
    assert line["facts"]["undone"] is True


def test_a_game_whose_events_differ_with_these_rules_is_held_and_goes_on_when_it_holds_again(
    mentat: Mentat, begun: World
) -> None:
    with begun.engine.begin() as conn:
        conn.exec_driver_sql("UPDATE game SET rules_digest = 'of other rules'")
        conn.exec_driver_sql("CREATE TABLE kept AS SELECT * FROM event WHERE number = 4")
        know_packing(conn)
        conn.exec_driver_sql("UPDATE event SET data = packed(replace(unpacked(data), '1', '2')) WHERE number = 4")
    assert mentat("tick", "--now", "2099-01-01", "--json").json == {"games": 0}
    assert mentat("game", "list", "--json").json[0]["status"] == "held"
    assert "is held" in begun.newest("gm@arrakis.example").subject
    with begun.engine.begin() as conn:
        conn.exec_driver_sql("UPDATE event SET data = (SELECT data FROM kept) WHERE number = 4")
        conn.exec_driver_sql("UPDATE game SET rules_digest = 'of yet other rules'")
    assert mentat("tick", "--now", "2099-01-01", "--json").json == {"games": 1}
    assert mentat("game", "list", "--json").json[0]["status"] == "running"


# --- seeds ---------------------------------------------------------------------------------------------------------

LEAVING = 'kind = "smtp"\nhost = "smtp.arrakis.example"'
GUESSABLE = (
    "spice", "the sleeper must awaken", "0123456789" * 3, "9f" * 32, "arrakisdunedesertplanet", "9f27c31b5de08a46" * 1,
)  # fmt: skip


def _sends_to(folder: Path, server: str) -> None:
    config = folder / "config.toml"
    before, smtp, after = config.read_text().partition("[smtp]\n")
    config.write_text(before + smtp + after.replace('kind = "directory"', server, 1))


def _begins(mentat: Mentat, seed: str) -> Ran:
    return mentat("game", "new", "--id", "g", "--seed", seed, "--draw", "ann@example.org", "bob@example.org")


@pytest.mark.parametrize("seed", GUESSABLE)
def test_a_seed_that_can_be_guessed_is_refused_where_letters_leave_this_machine(
    mentat: Mentat, tmp_path: Path, seed: str
) -> None:
    _sends_to(tmp_path, LEAVING)
    ran = _begins(mentat, seed)
    said = " ".join(ran.err.split())
    assert ran.code == 1
    assert "The first letters publish the seed's SHA-256" in said
    assert "openssl rand -hex 32" in said
    assert seed not in said
    assert mentat("game", "list", "--json").json == []


@pytest.mark.parametrize("seed", ["0123456789abcdef" * 2, "vR7kq2LmZ0tBxW93nYpEaC", "qlwzmvhtxnrkeybguadjcpofisqw"])
def test_a_seed_of_128_bits_begins_a_game(mentat: Mentat, tmp_path: Path, seed: str) -> None:
    _sends_to(tmp_path, LEAVING)
    assert _begins(mentat, seed).code == 0


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
def test_any_seed_will_do_on_this_machine(mentat: Mentat, tmp_path: Path, host: str) -> None:
    _sends_to(tmp_path, f'kind = "smtp"\nhost = "{host}"')
    assert _begins(mentat, "spice").code == 0


NAMED = ["guild=Ann Smith <ann@example.org>", "fremen=bob@example.org", 'emperor="Cid\u202e\n Hagal" <cid@example.org>']


def test_players_stand_in_the_letters_by_the_names_that_they_were_given(mentat: Mentat, place: World) -> None:
    ran = mentat("game", "new", "--id", "g", "--seat", *NAMED, "--json")
    assert ran.code == 0
    assert ran.json["names"] == {"guild": "Ann Smith", "fremen": "bob", "emperor": "Cid Hagal"}
    told = place.newest("bob@example.org").text
    assert "Ann Smith" in told
    assert "Cid Hagal" in told
    assert "ann@example.org" not in told


def test_names_may_be_given_to_those_who_are_dealt_a_faction(mentat: Mentat) -> None:
    words = ["--draw", "ann=Ann Smith <ann@example.org>", "Bob <bob@example.org>"]
    ran = mentat("game", "new", "--id", "g", *words, "--json")
    assert sorted(ran.json["names"].values()) == ["Ann Smith", "Bob"]
    assert sorted(ran.json["seats"].values()) == ["ann@example.org", "bob@example.org"]


@pytest.mark.parametrize("typed", ["guild=Ann ann@example.org", "guild= <ann@example.org>", "guild=Ann <ann>"])
def test_a_player_who_cannot_be_read_is_refused_in_a_sentence(mentat: Mentat, typed: str) -> None:
    ran = mentat("game", "new", "--id", "g", "--seat", typed, "fremen=bob@example.org")
    assert ran.code == 2
    assert "--seat" in ran.err
    assert "write it like" in ran.err


def test_one_mailbox_plays_several_seats_only_where_that_is_said(mentat: Mentat, place: World) -> None:
    words = ["game", "new", "--id", "g", "--seat", "guild=ann+1@example.org", "fremen=Ann+2@example.org"]
    refused = mentat(*words)
    assert refused.code == 1
    assert "would hold two seats in g" in " ".join(refused.err.split())
    assert mentat(*words, "--allow-same-person").code == 0
    assert mentat("game", "replace", "g", "guild", "ann+3@example.org").code == 1
    assert mentat("game", "replace", "g", "guild", "ann+3@example.org", "--allow-same-person").code == 0
    assert place.table("g").seats["guild"].address == "ann+3@example.org"


# --- before any mail is sent -------------------------------------------------------------------------------------


def test_what_a_game_would_be_is_shown_and_nobody_is_mailed(mentat: Mentat) -> None:
    words = ["--id", "g", "--seat", "guild=Ann <ann@x.example>", "fremen=bob@x.example", "--clock", "timezone=GMT-5"]
    shown = " ".join(mentat("game", "new", *words, "--dry-run").out.split())
    assert "Nothing was done." in shown
    assert "dot 2 guild Ann <ann@x.example>" in shown
    assert "guild, fremen: the choice of traitors, until " in shown
    assert "UTC-5 (in 24 hours)" in shown
    assert "By the clock of this game it is now " in shown
    assert "ann@x.example" in shown
    document = mentat("game", "new", *words, "--dry-run", "--json").json
    assert document["dry_run"]
    assert [letter["to"] for letter in document["letters"]] == ["ann@x.example", "bob@x.example"]
    assert {each["kind"] for each in document["deadlines"]} == {"traitor"}
    assert mentat("game", "list", "--json").json == []
    assert mentat("send", "--json").json["sent"] == 0
    assert mentat("game", "new", *words, "--json").json["seats"] == document["seats"]


def test_a_deal_says_among_which_factions(mentat: Mentat) -> None:
    drawn = ["--draw", *(f"{name}@x.example" for name in "abcd"), "--dry-run"]
    eight = mentat("game", "new", "--ruleset", "gf9-advanced", "--option", "expansion=ixians-tleilaxu", *drawn).out
    assert "fremen, guild, harkonnen, ixians, tleilaxu; they are dealt again when it begins" in " ".join(eight.split())
    four = mentat("game", "new", "--ruleset", "gf9-advanced", *drawn, "--json").json
    assert set(four["dealt_from"]) == set(four["seats"])


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("expansion=on", "write expansion=ixians-tleilaxu"),
        ("expansion=yes", "write expansion=ixians-tleilaxu"),
        ("expansion=no", "write expansion=none"),
        ("expansion=ixians", "did you mean ixians-tleilaxu?"),
        ("exp=on", "did you mean expansion?"),
        ("karma_window=on", "did you mean "),
    ],
)
def test_an_option_that_is_written_otherwise_is_told_as_it_is_written(mentat: Mentat, option: str, told: str) -> None:
    ran = mentat("game", "new", "--ruleset", "gf9-advanced", "--option", option, "--draw", "a@x.example", "b@x.example")
    assert ran.code == 2
    assert told in " ".join(ran.err.split())


def test_mentat_plays_the_seats_that_are_named_as_opponents(mentat: Mentat) -> None:
    words = ("--draw", "a@x.example", "b@x.example", "--opponent", "guild", "--opponent", "emperor=sharp")
    told = mentat("game", "new", "--id", "mixed", *words, "--json").json
    assert told["names"]["guild"] == "Mentat (steady)"
    assert told["names"]["emperor"] == "Mentat (sharp)"
    assert not {"guild", "emperor"} & set(told["dealt_from"])
    assert {each["faction"] for each in told["deadlines"]} <= told["seats"].keys() - {"guild", "emperor"}
    for wrong, why in (("dune", "There is no faction"), ("guild=wild", "There is no opponent 'wild'")):
        refused = mentat("game", "new", *words, "--opponent", wrong)
        assert (refused.code, why in refused.err) == (2, True)
    both = mentat("game", "new", "--seat", "guild=a@x.example", "--opponent", "guild")
    assert (both.code, "guild has a player" in both.err) == (2, True)
