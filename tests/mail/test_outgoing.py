"""Letters as bytes, and the transports that send them."""

from __future__ import annotations

import asyncio
import dataclasses
import re
import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from email import policy
from email.header import decode_header, make_header
from email.parser import BytesParser
from pathlib import Path

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session
from hypothesis import given
from hypothesis import strategies as st

from bot.lab.local_mail import LocalMail
from bot.mail.disposition import examine
from bot.mail.message import Incoming, parse
from bot.mail.outgoing import Attachment, Image, Letter, LetterError, build_letter
from bot.mail.transport import DirectoryTransport, SendDeferred, SendRefused, SmtpServer, SmtpTransport

TOKEN = "ypowzixiqjin3ijg"
PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489")
LETTER = Letter(
    to="baron@example.org",
    to_name="Baron Harkönnen",
    subject="[Sietch-12] Turn 4, movement: ship and move by Tue 24 Nov, 21:00 – yours",
    text="Baron, you are HARKONNEN.\nGrüße\n\n" + "x" * 1200 + "\n.\nFrom here on\n",
    sender="mentat@arrakis.example",
    message_id=f"sietch-12.41.{TOKEN}@arrakis.example",
    date=datetime(2026, 11, 22, 8, 14, tzinfo=UTC),
    game="Sietch-12",
    reply_to=f"mentat+{TOKEN}@arrakis.example",
    html='<p>Baron, you are HARKONNEN.</p><img src="cid:board">',
    images=[Image("board", PNG, "board.png")],
    in_reply_to="one@example.org",
    references=[f"sietch-12.{n}.{TOKEN}@arrakis.example" for n in range(8)] + ["one@example.org"],
    extra_headers={"X-Mentat-Kind": "report"},
)


def test_a_letter_is_the_same_bytes_each_time_and_another_letter_is_not() -> None:
    assert build_letter(LETTER) == build_letter(dataclasses.replace(LETTER))
    other = build_letter(dataclasses.replace(LETTER, message_id="sietch-12.42.x@arrakis.example"))
    boundaries = [line for line in build_letter(LETTER).splitlines() if line.startswith(b"--=_mentat")]
    assert boundaries
    assert not set(boundaries) & set(other.splitlines())


@given(st.text(st.characters(codec="utf-8")), st.text(st.characters(codec="utf-8")))
def test_every_text_reads_back_as_it_was_written(text: str, html: str) -> None:
    raw = build_letter(dataclasses.replace(LETTER, text=text, html=html))
    assert max(map(len, raw.split(b"\r\n"))) <= 998
    message = BytesParser(policy=policy.default).parsebytes(raw)
    assert not message.defects
    for kind, written in (("plain", text), ("html", html)):
        body = message.get_body((kind,))
        assert body is not None
        assert body.get_content().replace("\r\n", "\n").rstrip("\n") == re.sub("\r\n?", "\n", written).rstrip("\n")


def test_a_letter_says_all_that_it_should_and_reads_back_as_written() -> None:
    raw = build_letter(LETTER)
    assert b"\n" not in raw.replace(b"\r\n", b"")
    assert max(map(len, raw.splitlines())) <= 998
    message = BytesParser(policy=policy.default).parsebytes(raw)
    assert message["From"] == "Mentat <mentat@arrakis.example>"
    assert message["To"] == "Baron Harkönnen <baron@example.org>"
    assert message["Subject"] == LETTER.subject
    assert message["Reply-To"].addresses[0].addr_spec == LETTER.reply_to
    assert message["Message-ID"] == f"<{LETTER.message_id}>"
    assert message["Date"].datetime == LETTER.date
    assert message["In-Reply-To"] == "<one@example.org>"
    assert message["References"].split() == [f"<{known}>" for known in LETTER.references]
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["X-Auto-Response-Suppress"] == "All"
    assert message["List-Id"] == "<sietch-12.arrakis.example>"
    assert message["X-Mentat"] == "game=Sietch-12"
    assert message["X-Mentat-Kind"] == "report"
    assert message["Precedence"] is None
    assert [part.get_content_type() for part in message.walk()] == [
        "multipart/alternative", "text/plain", "multipart/related", "text/html", "image/png",
    ]  # fmt: skip
    seen = parse(raw)
    assert isinstance(seen, Incoming)
    assert seen.text_plain == LETTER.text
    picture = list(message.walk())[-1]
    assert picture["Content-ID"] == "<board>"
    assert picture.get_payload(decode=True) == PNG


def test_no_line_of_the_head_and_no_encoded_word_is_longer_than_the_standards_want() -> None:
    name = "Константин Константинович Константинопольский-Рождественский"
    raw = build_letter(dataclasses.replace(LETTER, to_name=name, sender_name=name))
    heads = [line for line in raw.split(b"\r\n") if not line.startswith(b"x")]
    assert max(map(len, heads)) <= 78
    assert max(len(word) for word in re.findall(rb"=\?[^ ]*\?=", raw)) <= 75
    # The standard library's newer header classes leave line folds in names, against RFC 2047 section 6.2.
    message = BytesParser(policy=policy.compat32).parsebytes(raw)
    for field, address in (("From", LETTER.sender), ("To", LETTER.to), ("Reply-To", LETTER.reply_to)):
        assert str(make_header(decode_header(message[field]))) == f"{name} <{address}>"


def test_text_alone_is_one_part_and_pictures_without_html_are_attached() -> None:
    plain = dataclasses.replace(LETTER, html=None, images=(), text="bid?", auto_submitted="auto-replied", reply_to="")
    message = BytesParser(policy=policy.default).parsebytes(build_letter(plain))
    assert (message.get_content_type(), message["Auto-Submitted"]) == ("text/plain", "auto-replied")
    assert message["Reply-To"].addresses[0].addr_spec == LETTER.sender
    attached = BytesParser(policy=policy.default).parsebytes(build_letter(dataclasses.replace(LETTER, html=None)))
    assert [part.get_content_type() for part in attached.walk()] == ["multipart/mixed", "text/plain", "image/png"]


def test_our_own_letter_is_known_when_it_comes_back() -> None:
    verdict = examine(build_letter(LETTER), "mentat@arrakis.example", lambda code: None).verdict
    assert (verdict.disposition, verdict.reason.split(":")[0]) == ("rejected", "loop")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"subject": "Turn 4\r\nBcc: duke@example.org"}, "subject"),
        ({"subject": "Turn 4\u2028x"}, "subject"),
        ({"to": "baron@example.org\nBcc: duke@example.org"}, "to"),
        ({"to": "baron@example.org, duke@example.org"}, "to"),
        ({"to": "baron"}, "to"),
        ({"to_name": "Baron\nX: y"}, "to_name"),
        ({"message_id": "a@b>\r\nX: y"}, "message_id"),
        ({"message_id": "no host"}, "message_id"),
        ({"references": ["a@b", "c d@e"]}, "references"),
        ({"game": "Sietch\n12"}, "game"),
        ({"extra_headers": {"X-Mentat-Kind": "a\nb"}}, "X-Mentat-Kind"),
        ({"extra_headers": {"Bcc": "duke@example.org"}}, "Bcc"),
        ({"extra_headers": {"X: y\nZ": "a"}}, "extra header"),
        ({"attachments": [Attachment("the board.png", b"")]}, "filename"),
        ({"attachments": [Attachment('board"; x="y.png', b"")]}, "filename"),
        ({"attachments": [Attachment("board.png\n", b"")]}, "filename"),
        ({"date": datetime(2026, 11, 22)}, "time zone"),  # noqa: DTZ001 - refused on purpose
    ],
)
def test_no_text_from_outside_adds_a_header(change: dict[str, object], field: str) -> None:
    with pytest.raises(LetterError, match=field):
        build_letter(dataclasses.replace(LETTER, **change))  # type: ignore[arg-type]  # the parameter holds one field at a time


def test_letters_go_by_smtp_to_the_inbox_of_the_plain_address() -> None:
    with LocalMail({"baron@example.org": "secret"}) as world:
        with SmtpTransport(SmtpServer(world.host, world.smtp_port, "none")) as smtp:
            for _ in range(3):
                smtp.send("mentat+b-x@arrakis.example", "baron+dune@example.org", build_letter(LETTER))
            with pytest.raises(SendRefused, match=r"refused the recipient nobody@example\.org \(550"):
                smtp.send("mentat@arrakis.example", "nobody@example.org", build_letter(LETTER))
            smtp.send("mentat@arrakis.example", "baron@example.org", build_letter(LETTER))
        inbox = world.inbox("baron@example.org")
        assert len(inbox) == len(world.sent) == 4
        assert inbox[0].endswith(build_letter(LETTER))
        assert inbox[0].startswith(
            b"Return-Path: <mentat+b-x@arrakis.example>\r\nDelivered-To: baron+dune@example.org\r\n"
        )
        assert world.sent[0].envelope_from == "mentat+b-x@arrakis.example"


class Grumpy:
    """A server that replies to mail as the recipient's name says, and closes the connection for `bye`."""

    async def handle_MAIL(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address.startswith("stranger"):
            return "553 not yours"
        if address.startswith("verbose"):
            return "552 no letter of this length"
        envelope.mail_from = address
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        code = envelope.rcpt_tos[0].split("@")[0]
        if code == "silence":
            await asyncio.sleep(1)
        if code == "bye" and server.transport is not None:
            server.transport.close()
        return f"{code} said"


@pytest.fixture
def grumpy() -> Iterator[SmtpServer]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    controller = Controller(Grumpy(), hostname="127.0.0.1", port=port)
    controller.start()
    yield SmtpServer("127.0.0.1", port, "none", timeout=5)
    controller.stop()


def test_failures_for_now_and_for_good_are_told_apart(grumpy: SmtpServer) -> None:
    with SmtpTransport(grumpy) as smtp:
        with pytest.raises(SendRefused, match="554 said"):
            smtp.send("m@arrakis.example", "554@x.example", build_letter(LETTER))
        with pytest.raises(SendDeferred, match="451 said"):
            smtp.send("m@arrakis.example", "451@x.example", build_letter(LETTER))
        with pytest.raises(SendDeferred, match="530"):
            smtp.send("m@arrakis.example", "530@x.example", build_letter(LETTER))
        with pytest.raises(SendDeferred, match=r"refused the sender .*check \[smtp\] from"):
            smtp.send("stranger@arrakis.example", "250@x.example", build_letter(LETTER))
        with pytest.raises(SendDeferred, match="broke"):
            smtp.send("m@arrakis.example", "bye@x.example", build_letter(LETTER))
        smtp.send("m@arrakis.example", "250@x.example", build_letter(LETTER))


def test_what_no_server_will_ever_take_is_given_up_and_what_takes_too_long_is_not(grumpy: SmtpServer) -> None:
    with SmtpTransport(grumpy) as smtp:
        with pytest.raises(SendRefused, match=r"finds the letter too large .*552 no letter of this length"):
            smtp.send("verbose@arrakis.example", "250@x.example", build_letter(LETTER))
        with pytest.raises(SendRefused, match=r"chäni@x\.example is not an address that SMTP can carry"):
            smtp.send("m@arrakis.example", "chäni@x.example", build_letter(LETTER))
        smtp.send("m@arrakis.example", "250@x.example", build_letter(LETTER))
    with (
        SmtpTransport(dataclasses.replace(grumpy, timeout=0.3)) as hasty,
        pytest.raises(SendDeferred, match=r"broke \(no answer in time\); Mentat will try again"),
    ):
        hasty.send("m@arrakis.example", "silence@x.example", build_letter(LETTER))


def test_a_server_that_is_away_defers_and_says_what_to_check() -> None:
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        closed = reserved.getsockname()[1]
    with pytest.raises(SendDeferred, match=rf"127\.0\.0\.1:{closed} .*check \[smtp\] host, port and security"):
        SmtpTransport(SmtpServer("127.0.0.1", closed, "none")).send("a@b.example", "c@d.example", b"x")


def test_a_password_is_in_no_message_and_no_repr(grumpy: SmtpServer) -> None:
    server = dataclasses.replace(grumpy, user="mentat", password="wr0ng-secret")
    with pytest.raises(SendDeferred) as refused:
        SmtpTransport(server).send("a@b.example", "250@x.example", b"x")
    assert "wr0ng-secret" not in f"{refused.value} {server!r} {refused.value.__cause__!r}"


class Doorkeeper:
    """Answers every login with the text `says`, in which `{}` stands for the client's input."""

    says = ""

    async def auth_PLAIN(self, server: SMTP, args: list[str]) -> AuthResult:  # noqa: N802 - aiosmtpd's
        await server.push(self.says.format(args[-1]))
        return AuthResult(success=False, handled=True)

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        return "250 OK"


@pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")
@pytest.mark.parametrize(
    ("says", "told"),
    [
        ("534 5.7.9 Application-specific password required: https://mail.example/why",
         "(534 5.7.9 Application-specific password required: https://mail.example/why); check [smtp] user and "
         "MENTAT_SMTP_PASSWORD"),
        ("535 not {}", "(535 not ***); check [smtp] user"),
        ("535 not wr0ng-secret", "(535 not ***); check [smtp] user"),
        ("454 4.7.0 later", "refuses mentat for now (454 4.7.0 later); Mentat will try again"),
    ],
)  # fmt: skip
def test_what_a_server_says_to_a_login_is_told_but_not_what_it_echoes(says: str, told: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    keeper = Doorkeeper()
    keeper.says = says
    controller = Controller(
        keeper,
        hostname="127.0.0.1",
        port=port,
        auth_required=True,
        auth_require_tls=False,
        auth_exclude_mechanism=["LOGIN"],
    )
    controller.start()
    try:
        with pytest.raises(SendDeferred) as refused:
            SmtpTransport(SmtpServer("127.0.0.1", port, "none", "mentat", "wr0ng-secret", timeout=5)).log_in()
    finally:
        controller.stop()
    assert told in str(refused.value)
    assert "wr0ng-secret" not in str(refused.value)


def test_a_connection_that_went_stale_between_letters_is_opened_again(grumpy: SmtpServer) -> None:
    with SmtpTransport(grumpy) as smtp:
        smtp.send("m@arrakis.example", "250@x.example", build_letter(LETTER))
        assert smtp._connection is not None
        assert smtp._connection.sock is not None
        smtp._connection.sock.shutdown(socket.SHUT_RDWR)
        smtp.send("m@arrakis.example", "250@x.example", build_letter(LETTER))


def test_letters_go_into_a_directory_one_file_each(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    out = DirectoryTransport(tmp_path / "letters")
    for _ in range(2):
        out.send("a@b.example", "c@d.example", build_letter(LETTER))
    evil = build_letter(dataclasses.replace(LETTER, message_id="../../x/y@arrakis.example"))
    out.send("a@b.example", "c@d.example", evil)
    files = {path.name: path.read_bytes() for path in (tmp_path / "letters").iterdir()}
    assert files == {f"{LETTER.message_id}.eml": build_letter(LETTER), "_.._x_y@arrakis.example.eml": evil}
    with pytest.raises(SendRefused, match="Message-ID"):
        out.send("a@b.example", "c@d.example", b"Subject: x\r\n\r\n")
    (tmp_path / "file").write_text("")
    with pytest.raises(SendDeferred, match=r"check \[smtp\] directory"):
        DirectoryTransport(tmp_path / "file").send("a@b.example", "c@d.example", build_letter(LETTER))
