"""Tests for the scripted people in demos: their choices, their mail programs' output, and what they answer."""

from __future__ import annotations

import email
import re
from collections import Counter
from datetime import UTC, datetime
from email import policy
from email.message import EmailMessage
from pathlib import Path

import pytest

from bot.games import proof
from bot.lab import demo as demo_folder
from bot.lab.demo import FOLDER_MARK, NotOurs, PlayedGame, fresh_folder, write_letter
from bot.lab.players_by_mail import (
    Dice,
    Habits,
    Letter,
    Original,
    People,
    PostedLetter,
    ScriptedPlayer,
    Writer,
    flowed,
    gmail,
    iphone,
    outlook,
    thunderbird,
    webmail,
)
from bot.store.database import reading
from bot.wording import say
from tests.moderator.table import GAME, World

NOW = datetime(2026, 11, 24, 20, 5, tzinfo=UTC)
MENTAT = "mentat+token@arrakis.example"
TIMES = 600


def form(*questions: str) -> str:
    return "\n".join(["Hello,", "[form ab12]", "before", *questions, "[end of form ab12]", "[ ] not of the form"])


def letter(text: str, *, subject: str = "Turn 3", to: str = MENTAT, name: str = "<1@arrakis.example>") -> bytes:
    mail = EmailMessage()
    mail["From"] = "Mentat <mentat@arrakis.example>"
    mail["Reply-To"] = f"Mentat <{to}>"
    mail["Subject"], mail["Message-ID"], mail["Date"] = subject, name, "Tue, 24 Nov 2026 20:00:00 +0000"
    mail.set_content(text)
    return mail.as_bytes()


def player(seed: object = 1) -> ScriptedPlayer:
    return ScriptedPlayer("Alma", "alma@players.example", flowed, Dice("seed", seed))


def chosen(*options: str, subject: str = "") -> Counter[str]:
    """Count the choices of many players for a form's only question."""
    found: Counter[str] = Counter()
    for number in range(TIMES):
        lines = player(number).lines_for(subject, form("# one", *options), MENTAT)
        found[lines[-1]] += 1
    return found


def test_dice_repeat_for_their_words_and_fall_evenly() -> None:
    one, again, other = Dice("a", 1), Dice("a", 1), Dice("a", 2)
    thrown = [one.below(6) for _ in range(TIMES)]
    assert thrown == [again.below(6) for _ in range(TIMES)]
    assert thrown[0] != other.below(6)
    assert min(thrown) >= 0
    assert max(thrown) < 6
    assert all(70 < times < 130 for times in Counter(map(int, thrown)).values())


@pytest.mark.parametrize(
    ("liked", "other", "times"),
    [
        ("bid 3", "pass", 2.0),
        ("bid 3", "no charity", 1 / 0.3),
        ("bid 3", "pass all", 2.0),
        ("charity", "bid 3", 5.0),
        ("move 4 from a to b", "move 0 from a to b", 2.0),
        ("ship 4 to Carthag", "ship 4 to the sand", 4.0),
        ("revive 3", "bid 3", 3.0),
        ("plan dial 3", "break", 5.0),
    ],
)
def test_what_is_to_their_taste_is_chosen_so_many_times_as_often(liked: str, other: str, times: float) -> None:
    found = chosen(f"[ ] {liked}", f"[ ] {other}")
    assert set(found) == {liked, other}
    share = found[liked] / TIMES
    assert share == pytest.approx(times / (1 + times), abs=0.06)


def test_each_question_gets_one_of_its_answers_and_nothing_else_of_the_letter() -> None:
    asked = form("[ ] of no question", "# one", "[ ] bid 3", "words between", "# two", "# three", "[ ] charity ")
    for number in range(50):
        lines = player(number).lines_for("", asked, MENTAT)
        assert lines[-2:] == ["bid 3", "charity"]
    assert player().lines_for("Turn 3", "No form here.", MENTAT) == []
    assert player().lines_for("Turn 3", form("# one"), MENTAT) == []


def test_a_turn_that_is_left_open_is_filled_in() -> None:
    turns = chosen("predict guild turn _")
    assert set(turns) == {f"predict guild turn {turn}" for turn in range(1, 11)}
    asked = say("question.prediction.text", turns=4).replace("turn from", "turn\n  from")
    few = Counter(
        player(n).lines_for("", f"{asked}\n{form('# one', 'predict guild turn _')}", MENTAT)[-1] for n in range(TIMES)
    )
    assert set(few) == {f"predict guild turn {turn}" for turn in range(1, 5)}


def test_now_and_then_they_mistype_and_write_it_once_more() -> None:
    all_lines = [player(n).lines_for("", form("# one", "[ ] charity"), MENTAT) for n in range(TIMES)]
    mistyped = [lines for lines in all_lines if lines != ["charity"]]
    assert all(lines == ["hcarity", "charity"] for lines in mistyped)
    assert 0.01 * TIMES < len(mistyped) < 0.05 * TIMES
    short = [player(n).lines_for("", form("# one", "[ ] yes"), MENTAT) for n in range(TIMES)]
    assert {tuple(lines) for lines in short} == {("yes",), ("yes", "yes")}


def test_once_in_a_turn_of_each_game_they_wait_for_nothing_else() -> None:
    one = player()
    asked = form("# one", "[ ] charity")
    quiet = "waive reactions until mentat"
    said = [
        quiet in one.lines_for(subject, asked, game)
        for subject, game in (("Turn 3", "g"), ("Turn 3", "g"), ("Turn 3", "h"), ("Turn 4", "g"), ("Hello", "g"))
    ]
    assert said == [True, False, True, True, False]
    assert one.lines_for("Turn 5", form("# one"), "g") == [], "only with something to say"


def test_of_each_game_the_newest_letter_that_asks_is_answered() -> None:
    one = player()
    letters = [
        letter(form("# one", "[ ] charity"), name="<1@x>"),
        letter(form("# one", "[ ] bid 30"), name="<2@x>"),
        letter("Only news.", name="<3@x>"),
        letter(form("# one", "[ ] charity"), to="other@arrakis.example", name="<4@x>"),
    ]
    answers = one.read(letters, NOW)
    assert [answer.to for answer in answers] == [MENTAT, "other@arrakis.example"]
    assert [b"In-Reply-To: <2@x>" in answers[0].raw, b"In-Reply-To: <4@x>" in answers[1].raw] == [True, True]
    assert b"bid 30" in answers[0].raw
    assert [seen.raw for seen in one.letters] == letters
    assert one.sent == 2
    assert b"Message-ID: <fl.1.alma@players.example>" in answers[0].raw
    bare = letter(form("# one", "[ ] charity")).replace(b"Reply-To: Mentat <mentat+token@arrakis.example>\n", b"")
    assert [answer.to for answer in one.read([bare], NOW)] == ["mentat@arrakis.example"]


ORIGINAL = Original(
    "Turn 3 <now>", "mentat@arrakis.example", MENTAT, "<1@arrakis.example>", "<0@arrakis.example>", "Tue, 24 Nov",
    "[ ] bid 3\n\n[ ] pass & go",
)  # fmt: skip
WRITER = Writer("Alma", "alma@players.example", 7)
HEAD = {
    "From": "Alma <alma@players.example>", "To": f"Mentat <{MENTAT}>", "Subject": "Re: Turn 3 <now>",
    "In-Reply-To": "<1@arrakis.example>", "References": "<0@arrakis.example> <1@arrakis.example>",
    "MIME-Version": "1.0", "Date": "Tue, 24 Nov 2026 20:05:00 +0000",
}  # fmt: skip
SAID = "On Tue, 24 Nov, Mentat <mentat@arrakis.example> wrote:"


def read(raw: bytes) -> EmailMessage:
    found = email.message_from_bytes(raw, policy=policy.default)
    assert {name: str(found[name]) for name in HEAD} == HEAD
    assert b"\n" not in raw.replace(b"\r\n", b"")
    return found


def body(found: EmailMessage, kind: str) -> str:
    part = found.get_body((kind,))
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n")


@pytest.mark.parametrize(
    ("program", "mark", "kind", "encoding", "text"),
    [
        (iphone, "9C1B", "text/plain", "quoted-printable",
         f"bid 3\npass & go\n\nSent from my iPhone\n\n> {SAID}\n> \n> \ufeff[ ] bid 3\n> \n> [ ] pass & go"),
        (thunderbird, "f3a1", "text/plain", "8bit",
         "Am Tue, 24 Nov schrieb Mentat <mentat@arrakis.example>:\n> [x] bid 3\n> \n> [x] pass & go\n\n"),
        (flowed, "fl", "text/plain", "7bit", "bid 3\npass & go\n\n-- \nAlma\nSiridar-Governor, retired\n"),
        (webmail, "wm", "text/plain", "8bit",
         "Hello,\n\n- bid 3\n- pass & go\n\n----- Original Message -----\nFrom: mentat@arrakis.example\n"
         "Subject: Turn 3 <now>\n\n> [ ] bid 3\n>\n> [ ] pass & go"),
        (gmail, "CA", "multipart/alternative", "8bit",
         f"bid 3\npass & go\n\n{SAID}\n\n> [ ] bid 3\n>\n> [ ] pass & go"),
    ],
)  # fmt: skip
def test_a_mail_program_writes_an_answer_in_its_way(
    program: object, mark: str, kind: str, encoding: str, text: str
) -> None:
    found = read(program(ORIGINAL, WRITER, ["bid 3", "pass & go"], NOW))  # type: ignore[operator]
    assert str(found["Message-ID"]) == f"<{mark}.7.alma@players.example>"
    assert (found.get_content_type(), str(found["Content-Transfer-Encoding"])) == (kind, encoding)
    assert body(found, "plain").rstrip("\n") == text.rstrip("\n")


def test_programs_that_write_html_escape_what_is_said_and_quoted() -> None:
    page = body(read(gmail(ORIGINAL, WRITER, ["pass & go"], NOW)), "html")
    assert "<div>pass &amp; go</div>" in page
    assert "[ ] bid 3<br>\n<br>\n[ ] pass &amp; go</blockquote>" in page
    alone = read(outlook(ORIGINAL, WRITER, ["pass & go"], NOW))
    assert (alone.get_content_type(), str(alone["Content-Transfer-Encoding"])) == ("text/html", "base64")
    page = body(alone, "html")
    assert '<p class="MsoNormal">pass &amp; go<o:p></o:p></p>' in page
    assert "<b>Subject:</b> Turn 3 &lt;now&gt;" in page
    assert "[ ] bid 3<br>\n<br>\n[ ] pass &amp; go" in page


def test_a_box_is_ticked_once_and_what_is_not_in_the_form_stands_below() -> None:
    lines = ["bid 3", "bid 3", "bid 9"]
    text = body(read(thunderbird(ORIGINAL, WRITER, lines, NOW)), "plain")
    assert text.split("\n")[1:] == ["> [x] bid 3", "> ", "> [ ] pass & go", "", "bid 3", "bid 9", ""]


def test_an_answer_to_an_answer_has_one_re_and_no_empty_references() -> None:
    bare = Original("Re: Turn 3", "m@x.example", MENTAT, "<1@x>", "", "", "")
    found = email.message_from_bytes(flowed(bare, WRITER, ["pass"], NOW), policy=policy.default)
    assert (str(found["Subject"]), str(found["References"])) == ("Re: Turn 3", "<1@x>")


# --- Entrants and guests ---------------------------------------------------------------------------------------------

CONFIRM = say("tournament-entry.how").replace(" word", "\nword")
OFFER = say("tournament.substitute.how", until="Sunday")
ASKED = form("# one", "[ ] charity")


def test_an_entrant_enters_confirms_takes_a_seat_and_plays() -> None:
    one = ScriptedPlayer("Alma", "alma@players.example", flowed, Dice(1))
    for standby, words in ((False, "enter cup as Alma\n"), (True, "enter cup as Alma standby\n")):
        mail = one.enters("mentat@arrakis.example", "cup", NOW, standby=standby)
        found = email.message_from_bytes(mail.raw, policy=policy.default)
        assert (mail.to, found.get_content()) == ("mentat@arrakis.example", words)
        assert str(found["Message-ID"]) == "<enters.alma@players.example>"
    assert one.lines_for("", CONFIRM, "g") == ["confirm"]
    assert one.lines_for("", OFFER, "g") == ["accept"]
    assert one.lines_for("", ASKED, "g")[-1] == "charity"
    one.habits = Habits(silent=True)
    assert one.lines_for("", CONFIRM, "g") == ["confirm"]
    assert one.lines_for("", ASKED, "g") == []


def test_guests_answer_as_they_are() -> None:
    guest = ScriptedPlayer("Alma", "alma@players.example", flowed, Dice(1))
    assert [guest.lines_for("", text, "g") for text in (CONFIRM, OFFER)] == [["confirm"], ["accept"]]
    guest.habits = Habits(confirms=False, accepts=False)
    assert [guest.lines_for("", text, "g") for text in (CONFIRM, OFFER)] == [[], []]
    guest.sent, guest.habits = 2, Habits(leaves_after=2)
    assert guest.lines_for("", ASKED, "g")[-1] == "charity"
    guest.sent = 3
    assert guest.lines_for("", ASKED, "g") == []
    guest.habits = Habits()
    assert guest.lines_for("", ASKED, "g")[-1] == "charity"


def test_people_of_a_simulation_answer_by_game_in_the_order_of_their_addresses() -> None:
    posted = [
        PostedLetter.of("bruno@players.example", letter(ASKED, to="b@arrakis.example")),
        PostedLetter.of("alma.x@players.example", letter(ASKED, to="b@arrakis.example")),
        PostedLetter.of("alma.x@players.example", letter(ASKED, to="a@arrakis.example", name="<9@x>")),
    ]
    assert (posted[2].reply_to, posted[2].message_id) == ("a@arrakis.example", "<9@x>")
    people = People("seed", Habits(sends_twice=30))
    heads = [email.message_from_bytes(raw, policy=policy.default) for raw in people.answers(posted, NOW)]
    to = list(dict.fromkeys((str(head["To"]), str(head["From"])) for head in heads))
    assert to == [
        ("Mentat <a@arrakis.example>", "Alma <alma.x@players.example>"),
        ("Mentat <b@arrakis.example>", "Alma <alma.x@players.example>"),
        ("Mentat <b@arrakis.example>", "Bruno <bruno@players.example>"),
    ]
    again = [str(email.message_from_bytes(raw)["Message-ID"]) for raw in people.answers(posted, NOW)]
    assert len(set(again)) >= 3
    assert set(again).isdisjoint(str(head["Message-ID"]) for head in heads), "every mail has its own"
    bare = letter(ASKED).replace(b"Reply-To: Mentat <mentat+token@arrakis.example>\n", b"")
    assert PostedLetter.of("x", bare).reply_to == "mentat@arrakis.example"


# --- The resulting folder --------------------------------------------------------------------------------------------


def test_a_folder_of_a_demo_is_made_anew_and_no_other(tmp_path: Path) -> None:
    new = tmp_path / "a" / "demo"
    fresh_folder(new)
    assert [path.name for path in new.iterdir()] == [FOLDER_MARK]
    (new / "old.txt").write_text("old")
    fresh_folder(new)
    assert [path.name for path in new.iterdir()] == [FOLDER_MARK]
    (tmp_path / "empty").mkdir()
    fresh_folder(tmp_path / "empty")
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "letter.txt").write_text("mine")
    with pytest.raises(NotOurs, match="mine is not empty"):
        fresh_folder(mine)
    assert (mine / "letter.txt").read_text() == "mine"


def test_a_letter_is_left_as_it_came_and_as_it_is_read(tmp_path: Path) -> None:
    raw = gmail(ORIGINAL, WRITER, ["pass"], NOW)
    seen = Letter(raw, email.message_from_bytes(raw, policy=policy.default))
    assert write_letter(tmp_path, 12, seen) == "0012-re-turn-3-now"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"0012-re-turn-3-now.{ending}" for ending in ("eml", "html", "txt")
    ]
    assert (tmp_path / "0012-re-turn-3-now.eml").read_bytes() == raw
    assert (tmp_path / "0012-re-turn-3-now.txt").read_text(encoding="utf-8").startswith("pass\n")
    plain = flowed(Original("x " * 50, "m@x.example", MENTAT, "<1@x>", "", "", ""), WRITER, ["pass"], NOW)
    stem = write_letter(tmp_path, 3, Letter(plain, email.message_from_bytes(plain, policy=policy.default)))
    assert stem == f"0003-{('re-' + 'x-' * 50)[:60]}"
    assert not (tmp_path / f"{stem}.html").exists()


def test_the_pictures_of_a_letter_are_kept_once_and_shown_in_its_page(tmp_path: Path) -> None:
    mail = EmailMessage()
    mail["Subject"] = "Turn 3 is over"
    mail.set_content("the board")
    mail.add_alternative('<img src="cid:board"><img src="cid:board-dark"><p>cid:nothing</p>', subtype="html")
    for content_id, picture in (("board", b"light"), ("board-dark", b"dark")):
        mail.get_payload()[1].add_related(picture, "image", "png", cid=f"<{content_id}>")  # type: ignore[index, union-attr]
    letter = Letter(mail.as_bytes(), email.message_from_bytes(mail.as_bytes(), policy=policy.default))
    for number in (1, 2):
        (tmp_path / "guild").mkdir(exist_ok=True)
        stem = write_letter(tmp_path / "guild", number, letter)
        page = (tmp_path / "guild" / f"{stem}.html").read_text()
        shown = re.findall('src="([^"]*)"', page)
        assert [(tmp_path / "guild" / one).read_bytes() for one in shown] == [b"light", b"dark"]
        assert "cid:nothing" in page
    assert len(list((tmp_path / "guild" / "pictures").iterdir())) == 2


def test_a_demo_shows_its_game_as_it_stood_at_the_end_of_every_turn(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.new_game("ah-basic", max_turns=3)
    while not world.table().play.over:
        world.wait(24)
    with reading(world.engine) as conn:
        record = proof.full_record(conn, GAME)
    ends = demo_folder._ends_of_turns(PlayedGame(world.table(), proof.verify(record), record, []))
    assert [(turn, table.play.state.turn, table.play.state.phase) for turn, table in ends.items()] == [
        (1, 1, "mentat"), (2, 2, "mentat"), (3, 3, "over"),
    ]  # fmt: skip
