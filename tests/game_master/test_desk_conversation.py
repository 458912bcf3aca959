"""Game masters' mails in natural language: with corrections, doubts, "yes" to a proposal, and withdrawals."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from sqlalchemy import select, update

from bot.games.open_games import acts_of
from bot.store import games, retention
from bot.store.database import reading, writing
from bot.store.memory import LAST_MAIL
from bot.store.tables import SEAT
from tests.game_master.test_by_mail import REY, answer, granted, mail, noticed
from tests.moderator.table import GAME, GAME_MASTER, World, address_of


def done(world: World) -> list[str]:
    """Return the acts done, such as "extend 24 h"."""
    with reading(world.engine) as conn:
        return [f"{act.what} {act.told}".strip() for act in acts_of(conn, GAME) if act.what != "grant"]


def codes(world: World) -> list[str]:
    return [match[1] for letter in world.letters(REY) if (match := re.search(r"confirm “(.+)”", str(letter.subject)))]


REMINDED = [f"remind {seat}" for seat in ("atreides", "bene-gesserit", "emperor", "fremen", "guild", "harkonnen")]


@pytest.mark.parametrize(
    ("lines", "acts"),
    [
        ("Hi Mentat,||please pause the game. Thanks!||Rey", ["pause"]),
        ("could you stop the clocks please?", ["pause"]),
        ("Bitte das Spiel anhalten.", ["pause"]),
        ("Mettez la partie en pause, merci", ["pause"]),
        ("1) pause|2) remind guild", ["pause", "remind guild"]),
        ("extend 24|sorry, make that 48", ["extend 48 h"]),
        ("extend 24. Sorry, 36.", ["extend 36 h"]),
        ("extend 24|Actually, make it two days", ["extend 48 h"]),
        ("can you give everybody two more days?", ["extend 48 h"]),
        ("please give all players another day", ["extend 24 h"]),
        ("For heaven's sake, stop the damn clock", ["pause"]),
        ("no deadlines on weekends", ["clock days_off=['saturday', 'sunday']"]),
        ("From now on 48 hours for each phase please", ["clock step_hours=48.0"]),
        ("extend by a day and remind the ones who are missing", ["extend 24 h", *REMINDED]),
        ("give the Guild 12 hours more in their bank", ["bank guild +12 h: 12 hours"]),
        ("mute harkonnen|oh no, I mean the Emperor", ["mute emperor"]),
        ("mute harkonnen|emperor instead of harkonnen", ["mute emperor"]),
        ("remind guild and the Fremen", ["remind guild", "remind fremen"]),
        ("remind guild|remind fremen|no, not fremen", ["remind guild"]),
        ("pause|remind guild|forget the pause", ["remind guild"]),
        ("What has been done to this game so far?||And extend by 24 hours please", ["extend 24 h"]),
        ("How was your weekend? Ours was long.||pause", ["pause"]),
        ("The weekend was long, and I am tired.||pause", ["pause"]),
        ("first pause, then remind the Guild", ["pause", "remind guild"]),
        ("2 more days please", ["extend 48 h"]),
        ("pause :)", ["pause"]),
        ("please pause the game 😀", ["pause"]),
        ("gib allen noch einen Tag", ["extend 24 h"]),
        (f"please pause {GAME}", ["pause"]),
        ("pause the game. Bob is in hospital.", ["pause"]),
        ("why: Bob is ill|please pause the game", ["pause Bob is ill"]),
        (
            "tell all:|pause tomorrow at noon|end tell|extend 6",
            ["tell the table: pause tomorrow at noon", "extend 6 h"],
        ),
    ],
)
def test_what_is_certain_is_carried_out_as_it_was_corrected(begun: World, lines: str, acts: list[str]) -> None:
    mail(begun, granted(begun), *lines.split("|"))
    assert done(begun) == acts


@pytest.mark.parametrize(
    "lines",
    [
        "pause|sorry, hold that thought, don't do that yet",
        "pause|hold on a second",
        "pause|or maybe not",
        "extend 24|Actually, forget it.",
        "extend 24||never mind",
        "If the Guild doesn't answer by tonight:|excuse guild",
        "excuse guild if they do not answer by tonight",
        "excuse guild|but only if they do not answer",
        "Draft for tomorrow:||tell: We pause until Friday.|pause",
        "tell all: dinner is ready|not yet, wait for my confirmation",
        "Next turn:|pause",
        "The Emperor wrote:|pause",
        "The Emperor asked me to|pause",
        "The Emperor asked me to pause. I said no.",
        "Should I pause the game?",
        "maybe pause the game",
        "don't pause the game",
        "please do not mute the Guild",
        "maybe we should end void the game",
        "I was about to|mute harkonnen|but then I did not",
        "end void|no wait, don't",
        "delete game|just kidding",
        "What would happen if I|delete game|?",
        "replace guild with dora@example.org|hm, not sure yet",
        "pause the game until Friday",
        "resume the game on Friday",
        "tell everybody I'm on holiday until Monday",
        "give Fremen another day",
        "pause please, and tell everybody I'm back on Monday",
        "let it stand",
        "take that back",
        "pause or extend 24",
        "either pause|or extend 24",
        "pause|until tomorrow only",
        "rollback 1 setup|sorry, preview 1 setup",
        "delete the game|oh wait, wrong game",
        "unmute the guild? no!",
        "I paused the game yesterday",
        "nicht pausieren",
        "no pausa la partida",
        "extend 24 hours. No, 12. Actually leave it.",
        "would you mind if I paused the game?",
        "24",
    ],
)
def test_what_is_uncertain_is_not_carried_out(begun: World, lines: str) -> None:
    before = begun.written()
    mail(begun, granted(begun), *lines.split("|"))
    assert done(begun) == []
    assert codes(begun) == []
    assert {letter.recipient for letter in begun.letters(after=before)} <= {REY}


@pytest.mark.parametrize(
    ("lines", "word"),
    [
        ("pause the game until Friday", "until Friday"),
        ("extend 24 because Bob is in hospital", "because Bob is in hospital"),
        ("pause|not sure yet", "not sure"),
        ("Next turn:|pause", "Next turn"),
        ("please have a word with the Guild about their manners", "about their manners"),
        ("Chase up the Guild and Emperor", "1: “remind guild” 2: “remind emperor”"),
        ("take the sitter of the Guild away", "“sitter guild off”"),
        ("Guild: please be nicer to the others", "“tell guild: please be nicer to the others” or"),
    ],
)
def test_words_that_stopped_a_command_or_were_left_out_are_named(begun: World, lines: str, word: str) -> None:
    mail(begun, granted(begun), *lines.split("|"))
    assert done(begun) == []
    assert word in answer(begun)


@pytest.mark.parametrize(
    ("lines", "opposite"),
    [
        ("please pause the ix game until Friday", r"did you mean[^.]*(?:release|resume)|“(?:release|resume)”"),
        ("undo the last battle", "undo rollback"),
        ("undo the last move", "undo rollback"),
        ("don't resume yet", "“resume”"),
        ("please do not release the game", "“release”"),
        ("let it stand", "“rollback|delete"),
        ("12 hours per phase is too fast, make it 36", "step_hours=12"),
        ("stop playing for the Emperor", "“caretaker emperor on|“end "),
    ],
)
def test_the_opposite_is_never_proposed(begun: World, lines: str, opposite: str) -> None:
    mail(begun, granted(begun), *lines.split("|"))
    assert not re.search(opposite, answer(begun))


@pytest.mark.parametrize(
    ("first", "then", "acts"),
    [
        ("pause the game until Friday", "yes", ["pause"]),
        ("Emperor is in hospital, pause the game", "yes", ["pause"]),
        ("all are here, go on without waiting", "no", []),
        ("pause the game until Friday", "Yes please!||Rey", ["pause"]),
        ("pause the game until Friday", "no", []),
        ("pause the game until Friday", "ok, and remind guild", ["remind guild"]),
        ("give the Sisterhood another day", "the first", ["extend bene-gesserit 24 h"]),
        ("give Fremen another day", "the second, please", ["bank fremen +24 h: 24 hours"]),
        ("pause the game until Friday", "no wait, leave it", []),
        ("Pause the game. And tell them all that I'm ill", "yes", ["pause", "tell the table: I'm ill"]),
        ("give Fremen another day", "yes", []),
        ("tell everybody I'm on holiday until Monday", "ja", ["tell the table: I'm on holiday until Monday"]),
        ("pause please, and tell everybody I'm back", "yes", ["pause", "tell the table: I'm back"]),
        (
            "please let the Guild and the Fremen know that the game goes on",
            "yes",
            ["tell guild, fremen: the game goes on"],
        ),
        ("Tell Guild I'm sorry.", "yes", ["tell guild: I'm sorry."]),
        ("pause", "take that back", ["pause"]),
        ("extend 24", "sorry, make that 48", ["extend 24 h"]),
    ],
)
def test_yes_and_no_answer_what_was_proposed(begun: World, first: str, then: str, acts: list[str]) -> None:
    mail(begun, granted(begun), first)
    reply_to = str(begun.newest(REY).message["Reply-To"])
    mail(begun, reply_to, *then.split("|"), subject="Re: your commands")
    assert done(begun) == acts


def test_the_answer_quotes_the_words_and_says_how_they_were_read(begun: World) -> None:
    mail(begun, granted(begun), "Could you stop the clocks, please?", "extend 24", "sorry, make that 48")
    told = answer(begun)
    assert "Could you stop the clocks, please? Read as “pause”. The clocks are stopped." in told
    assert "extend 24 sorry, make that 48 Read with its correction, as “extend 48”." in told


@pytest.mark.parametrize("words", ["go back to turn 1, Storm phase", "roll back to the start of the Storm of turn 1"])
def test_a_phase_may_be_named_in_plain_words(begun: World, words: str) -> None:
    mail(begun, granted(begun), words)
    assert "rollback 1 storm" in answer(begun)


def test_a_name_beside_an_address_is_no_obstacle(begun: World) -> None:
    mail(begun, granted(begun), "I'm handing this game over to Dora Day, dora@example.org, as of today")
    mail(begun, granted(begun), "replace Guild with Dora Day (dora@example.org)", subject="another")
    assert codes(begun) == ["handover dora@example.org", "replace guild dora@example.org"]


@pytest.mark.parametrize(
    ("lines", "refused"), [("pause|pause", "“resume”"), ("hold|hold", "“release”"), ("resume", "“pause”")]
)
def test_a_refusal_names_commands_of_a_mail(begun: World, lines: str, refused: str) -> None:
    mail(begun, granted(begun), *lines.split("|"))
    assert refused in answer(begun)
    assert "mentat game" not in answer(begun)


def test_what_was_done_can_be_taken_back_with_two_words(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, "pause", "mute guild")
    mail(begun, desk, "take that back", subject="oh")
    assert "unmute guild" in answer(begun)
    mail(begun, desk, "yes", subject="yes")
    assert done(begun) == ["pause", "mute guild", "unmute guild", "resume"]


def test_a_correction_that_comes_too_late_is_told_so(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, "extend 24")
    mail(begun, desk, "sorry, make that 48", subject="again")
    assert "too late to change “extend 24”" in answer(begun)


def test_a_yes_counts_once_and_not_when_the_game_has_gone_on(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, "pause the game until Friday")
    mail(begun, desk, "yes")
    mail(begun, desk, "yes", subject="again")
    assert done(begun) == ["pause"]
    mail(begun, desk, "give everybody two days, since it is Easter", subject="more")
    mail(begun, desk, "resume", subject="go on")
    mail(begun, desk, "give everybody two days, since it is Easter", subject="and more")
    begun.silence_until("bidding")
    already = done(begun)
    mail(begun, desk, "yes", subject="late")
    assert done(begun) == already
    assert "The situation has changed" in answer(begun)


def test_a_yes_from_somebody_else_takes_nothing(begun: World) -> None:
    desk, other = granted(begun), granted(begun, address="poe@elsewhere.example")
    mail(begun, desk, "pause the game until Friday")
    assert mail(begun, desk, "yes", sender="poe@elsewhere.example").disposition == "rejected"
    mail(begun, other, "yes", sender="poe@elsewhere.example")
    assert done(begun) == []


def test_a_dangerous_command_in_plain_words_waits_for_its_code_and_yes_is_no_code(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, "Please replace the Guild with dora@example.org, thanks")
    assert codes(begun) == ["replace guild dora@example.org"]
    [asked] = [letter for letter in begun.letters(REY) if "confirm" in str(letter.subject)]
    mail(begun, str(asked.message["Reply-To"]), "yes")
    assert begun.table().seats["guild"].address != "dora@example.org"
    assert "If that is right" in answer(begun)
    mail(begun, str(asked.message["Reply-To"]), "confirm")
    assert begun.table().seats["guild"].address == "dora@example.org"


def test_of_several_games_a_draft_holds_all_and_a_yes_goes_to_the_game_that_was_asked_about(begun: World) -> None:
    begun.new_game(game="other-7")
    desk = str(noticed(begun).message["Reply-To"])
    mail(begun, desk, "Draft, not final:", f"{GAME}: pause", "other-7: pause", sender=GAME_MASTER)
    mail(begun, desk, "other-7: pause", f"{GAME}: pause", "no, not that one", sender=GAME_MASTER, subject="some")
    assert begun.table().stopped_at is None
    mail(begun, desk, "other-7: resume", sender=GAME_MASTER, subject="go on")
    mail(begun, desk, "Please pause the other-7 game until Friday.", sender=GAME_MASTER, subject="Friday")
    assert begun.table("other-7").stopped_at is None
    mail(begun, desk, "yes", sender=GAME_MASTER, subject="yes")
    assert begun.table().stopped_at is None
    assert begun.table("other-7").stopped_at is not None


def test_a_name_that_two_players_share_names_neither(begun: World) -> None:
    desk = granted(begun)
    with writing(begun.engine) as conn:
        conn.execute(update(SEAT).where(SEAT.c.faction.in_(["guild", "fremen"])).values(name="Sam Smith"))
        conn.execute(update(SEAT).where(SEAT.c.faction == "emperor").values(name="Fay Jones"))
    begun.moderator.open_games.forget()
    mail(begun, desk, "please remind Sam", "please remind Fay")
    assert done(begun) == ["remind emperor"]


def test_what_was_proposed_goes_with_its_game_with_a_person_and_with_time(begun: World) -> None:
    desk = granted(begun)

    def kept() -> int:
        with reading(begun.engine) as conn:
            return len(conn.execute(select(LAST_MAIL)).all())

    mail(begun, desk, "tell everybody that Bob is ill")
    assert kept() == 1
    with writing(begun.engine) as conn:
        retention.empty_older(conn, begun.now)
    assert kept() == 1
    with writing(begun.engine) as conn:
        retention.empty_older(conn, begun.now + timedelta(days=1))
    assert kept() == 0
    mail(begun, desk, "tell everybody that Bob is ill", subject="again")
    with writing(begun.engine) as conn:
        retention.empty_person(conn, "bob@elsewhere.example")
    assert kept() == 0
    mail(begun, desk, "tell everybody that Bob is ill", subject="and again")
    with writing(begun.engine) as conn:
        games.delete_game(conn, GAME)
    assert kept() == 0


def answers(world: World, first: str, *then: str) -> list[str]:
    """Send a mail, then answer each resulting letter; return the acts done."""
    mail(world, granted(world), *first.split("|"))
    for number, words in enumerate(then):
        reply_to = str(world.newest(REY).message["Reply-To"])
        mail(world, reply_to, *words.split("|"), subject=f"Re: your commands {number}")
    return done(world)


@pytest.mark.parametrize(
    ("first", "then", "acts"),
    [
        ("Guild and Fremen quarrelled. Mute the one who began it.", "2", ["mute fremen"]),
        ("Guild and Fremen quarrelled. Mute the one who began it.", "1 2", ["mute guild", "mute fremen"]),
        ("Guild and Fremen quarrelled. Mute the one who began it.", "Fremen|yes", ["mute fremen"]),
        ("More time for everybody please.", "Make that three days.|yes", ["extend 72 h"]),
        ("More time for everybody please.", "48|yes", ["extend 48 h"]),
        ("extend 24 and remind the cat", "9", []),
        ("Guild is away until 20 December", "1|let the computer play for him until then|yes",
         ["absent guild 2024-11-26 to 2024-12-20", "caretaker guild on"]),
        ("unmute guild", "then Fremen instead|no", []),
        ("mute guild|mute guild", "no, the other one", ["mute guild"]),
    ],
)  # fmt: skip
def test_an_answer_is_gone_on_from_by_numbers_and_by_what_it_lacked(
    begun: World, first: str, then: str, acts: list[str]
) -> None:
    assert answers(begun, first, *(each for each in then.split("|"))) == acts


def test_after_a_choice_the_other_one_is_still_known(begun: World) -> None:
    first = "Guild and Fremen quarrelled. Mute the one who began it."
    assert answers(begun, first, "the first", "no, the other one", "yes") == ["mute guild", "mute fremen"]


def test_an_angry_mail_names_each_of_its_commands_and_quotes_the_rest(begun: World) -> None:
    desk = granted(begun)
    mail(
        begun, desk, "What the hell are you all doing?!", "The Guild gets no more letters out to anybody, damn it.",
        "Fremen, that's a formal warning for the Fremen, you hear.",
        "And everybody gets one day more because of this crap.",
        "Poke the Emperor, he's asleep as usual.", "I'm going to bed, idiots.",
    )  # fmt: skip
    told = answer(begun)
    for line in ("“mute guild”", "“warn fremen: WORDS”", "“extend 24”", "“remind emperor”"):
        assert line in told
    assert "I'm going to bed" in told
    assert done(begun) == []
    numbers = [match[1] for match in re.finditer(r"(\d): “(?:mute guild|extend 24|remind emperor)”", told)]
    mail(begun, desk, " ".join(numbers), subject="those")
    assert done(begun) == ["mute guild", "extend 24 h", "remind emperor"]


@pytest.mark.parametrize(
    "words",
    [
        "I wonder whether I should have stopped the game over the weekend. Nobody complained.",
        "What a fight! I read the report twice and still don't know how the Guild got out of that.",
        "If I stopped the game now, would anybody lose any time? Just asking, don't do it.",
        "Suppose the Guild and the Fremen were one and the same, I'd have to throw somebody out.",
        "Perhaps I ought to ban the Emperor. I'll sleep on it.",
        "Ban the Harkonnen, I always say! Just kidding.",
    ],
)
def test_for_thoughts_and_jokes_nothing_is_offered(begun: World, words: str) -> None:
    mail(begun, granted(begun), words)
    assert "“" not in answer(begun).partition("To send more commands")[0]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("What do I do when two players insult each other?", "mute SEAT"),
        ("What do I do when the Guild never answers?", "caretaker SEAT"),
        ("How can I check whether the Guild sent its move in time?", "believe NUMBER"),
    ],
)
def test_a_question_how_is_answered_with_the_lines_that_fit(begun: World, words: str, line: str) -> None:
    mail(begun, granted(begun), words)
    assert line in answer(begun)
    assert "break glass" not in answer(begun)


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("take 12 hours off the Guild's time bank", ["bank guild -12"]),
        (
            "The bank of the Guild should be 12, not 24 hours. Please take some away.",
            ["bank guild -24", "bank guild -12"],
        ),
        ("From now on the deadlines should be at 21:00, 20:00 is too early.", ["clock due_at=21:00"]),
        (
            "My friend (kim@x.example) wants to watch with everybody's cards visible, 3 turns late. All said yes.",
            ["observe kim@x.example full delay 3 consent all"],
        ),
        ("The Guild phoned me. She wants to ship 5 to Tuek's Sietch.", ["order guild: ship 5 to Tuek's Sietch"]),
        (
            "Tell the Guild that the answer is no. Then you can let the game go on.",
            ["tell guild: the answer is no."],
        ),
        (
            "Take the clerk job off old@x.example and give it to new@x.example instead.",
            ["revoke old@x.example", "grant clerk new@x.example"],
        ),
        ("If I went back to the storm of turn 1, what would they know by now? Don't do it yet.", ["preview 1 storm"]),
        ("Record a ruling under WBC.X.32 please: a worm may wait.", ["rule WBC.X.32: a worm may wait."]),
    ],
)
def test_each_wish_of_a_mail_is_offered_with_all_that_it_names(begun: World, words: str, lines: list[str]) -> None:
    mail(begun, granted(begun), words)
    told = " ".join(begun.newest(REY).text.split())
    assert [line for line in lines if f"“{line}”" not in told] == []
    assert done(begun) == []


def test_a_pronoun_means_whose_letter_is_quoted(begun: World) -> None:
    mail(
        begun, granted(begun), "Okay with me, one more day for him.", "", "> From: Guild", "> Could I get a day longer?"
    )
    assert "“extend guild 24”" in answer(begun)


def test_a_warning_that_lacked_its_words_gets_them(begun: World) -> None:
    words = "Once more and you're out."
    assert answers(begun, "Guild has to be told officially.", f"Tell them this: {words}", "yes") == ["warn guild"]
    assert words in " ".join(begun.newest(address_of("guild")).text.split())
