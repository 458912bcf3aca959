"""Automatic mail: which header fields and words reveal it, and which of its text still counts as a person's."""

from __future__ import annotations

import pytest

from bot.mail.disposition import (
    MAX_HOPS,
    Bounce,
    BounceWords,
    automatic_because,
    automatic_text,
    bounce_words,
    demands_confirmation,
    examine,
    looks_like_bounce,
    read_bounce,
    returned_tokens,
)
from bot.mail.message import Incoming, parse

ADDRESS = "mentat@arrakis.example"
TOKEN = "ypowzixiqjin3ijg"


def incoming(head: str, body: str = "bid 4", sender: str = "b@x.example") -> Incoming:
    seen = parse(f"From: {sender}\n{head}\n\n{body}\n".replace("\n\n\n", "\n\n", 1).encode())
    assert isinstance(seen, Incoming)
    return seen


def read(body: str, head: str = "") -> tuple[str, str]:
    """Return a mail's disposition and the lines read from it."""
    if not head.startswith("Content-Type"):
        head = f"Content-Type: text/plain; charset=utf-8\n{head}"
    seen = examine(f"From: b@x.example\n{head.strip()}\n\n{body}\n".encode(), ADDRESS, lambda code: None)
    return seen.verdict.disposition, "\n".join(seen.reading.lines or seen.reading.notes)


def parts(*parts: str, kind: str = "mixed") -> tuple[str, str]:
    """Return the body of a multipart mail and its header."""
    body = "".join(f"--b\n{part}\n" for part in parts) + "--b--"
    return body, f"Content-Type: multipart/{kind}; boundary=b"


@pytest.mark.parametrize(
    ("head", "because"),
    [
        ("Subject: my bid", ""),
        ("Auto-Submitted: no", ""),
        ("Auto-Submitted: No (a person); x=y", ""),
        ("Auto-Submitted: auto-replied (vacation)", "Auto-Submitted: auto-replied"),
        ("Auto-Submitted: (a program) auto-generated", "Auto-Submitted: auto-generated"),
        (f"Auto-Submitted: {'a' * 41}; b", f"Auto-Submitted: {'a' * 40}"),
        ("Precedence: Bulk", "Precedence: bulk"),
        ("Precedence: junk", "Precedence: junk"),
        ("Precedence: auto_reply", "Precedence: auto_reply"),
        ("Precedence: list", ""),
        ("Precedence: bulk\nList-Post: <mailto:l@x.example>", ""),
        ("Precedence: bulk\nX-BeenThere: l@x.example", ""),
        ("Precedence: bulk\nList-Post: NO", "Precedence: bulk"),
        ("Precedence: junk\nList-Post: <mailto:l@x.example>", "Precedence: junk"),
        ("X-Precedence: autoreply", "header x-precedence"),
        ("Preference: Auto-Reply", "header preference"),
        ("Preference: bulk", ""),
        ("Delivered-To: b@x.example\nDelivered-To: Autoresponder", "delivered to an autoresponder"),
        ("Delivered-To: b@x.example", ""),
        ("X-Autorespond:", "header x-autorespond"),
        ("X-Autorespond: no", "header x-autorespond"),
        ("X-Post-MessageClass: 9; Autoresponder", "header x-post-messageclass"),
        ("X-Post-MessageClass: 9", ""),
        ("X-Post-MessageClass: 9; no autoresponder", ""),
        ("X-Autoreply: yes", "header x-autoreply"),
        ("X-Autoreply: no", ""),
        ("X-Autoreply:", ""),
        ("X-Mail-Autoreply: 1", "header x-mail-autoreply"),
        ("X-Auto-Response-Suppress: All", ""),
        ("X-Autocrypt: addr=b@x.example", ""),
        ("X-Auto-Forward: yes", ""),
        ("X-Zendesk-Ticket: 7", "header x-zendesk-ticket"),
        ("X-Vacation: false", ""),
        ("Return-Path: <>", "an empty return path"),
        ("Return-Path: <b@x.example>", ""),
        ("Content-Type: multipart/report", "a receipt or another report"),
        ("Subject: Out of office: your bid", "an automatic answer, by its subject: Out of office: your bid"),
        (f"Subject: Auto: {'x' * 60}", f"an automatic answer, by its subject: Auto: {'x' * 54}"),
        ("Subject: Out of office next week", ""),
        ("Subject: Read: your bid", "a receipt, by its subject: Read: your bid"),
        ("Subject: Dune Digest, Vol 3", "a digest of a mailing list, by its subject: Dune Digest, Vol 3"),
        ("Content-Type: multipart/digest; boundary=b", "a digest of a mailing list"),
    ],
)
def test_the_head_of_a_mail_says_that_a_program_wrote_it(head: str, because: str) -> None:
    assert automatic_because(incoming(head)) == because


@pytest.mark.parametrize(
    ("sender", "automatic"),
    [
        ("no-reply@x.example", True),
        ("DoNotReply@x.example", True),
        ("noreply-games@x.example", True),
        ("games-noreply+7@x.example", True),
        ("noreplying@x.example", False),
        ("b@no-reply.example", False),
    ],
)
def test_a_sender_who_takes_no_replies_is_a_program(sender: str, automatic: bool) -> None:
    assert automatic_because(incoming("Subject: bid", sender=sender)) == (
        "the sender takes no replies" if automatic else ""
    )


BID = "Content-Type: text/plain; charset=utf-8\n\nbid 4"


@pytest.mark.parametrize(
    ("parameter", "property", "disposition"),
    [
        ("; method=REPLY", "METHOD:REPLY", "auto-reply"),
        ('; method="reply"', "method;X-A=b:reply", "auto-reply"),
        ("", "METHOD:REPLY", "auto-reply"),
        ("; method=REPLY", "VERSION:2.0", "auto-reply"),
        ("; method=REQUEST", "METHOD:REPLY", "orders"),
        ("; method=REQUEST", "METHOD:REQUEST", "orders"),
        ("; method=CANCEL", "METHOD:CANCEL", "orders"),
        ("", "METHOD:REFRESH", "orders"),
        ("", "METHOD:PUBLISH\nDESCRIPTION:the method:reply of old", "orders"),
        ("", "METHOD:PUBLISH\nDESCRIPTION:unfold this\n METHOD:REPLY", "orders"),
        ("", "X-METHOD:REPLY", "orders"),
    ],
)
def test_an_answer_of_a_calendar_is_one_by_its_method(parameter: str, property: str, disposition: str) -> None:
    calendar = f"Content-Type: text/calendar{parameter}\n\nBEGIN:VCALENDAR\n{property}\nEND:VCALENDAR"
    assert read(*parts(BID, calendar))[0] == disposition
    assert read(*parts(BID, calendar.replace("text/calendar", "text/csv")))[0] == "orders"
    attached = calendar.replace("\n\n", "\nContent-Disposition: attachment; filename=a.ics\n\n", 1)
    assert read(*parts(BID, attached)) == ("orders", "bid 4")
    without_order = read(*parts(BID.replace("bid 4", "See you on Sunday."), attached))[0]
    assert without_order == ("auto-reply" if disposition == "auto-reply" else "orders")


def test_a_calendar_is_known_by_its_subject_unless_an_order_is_beside_it() -> None:
    calendar = "Content-Type: text/calendar\n\nBEGIN:VCALENDAR\nMETHOD:REQUEST\nEND:VCALENDAR"
    words, head = parts(BID.replace("bid 4", "You are invited."), calendar)
    assert read(words, f"{head}\nSubject: Invitation: game night")[0] == "auto-reply"
    assert read(words, f"{head}\nSubject: game night")[0] == "orders"
    assert read(words.replace("You are invited.", "bid 4"), f"{head}\nSubject: Invitation: game night")[0] == "orders"
    assert read("You are invited.", "Subject: Invitation: game night")[0] == "orders"


QUOTED = """
________________________________
From: Mentat <mentat@arrakis.example>
Sent: Saturday, November 28, 2026 6:00:00 PM
To: Dora <dora@example.org>
Subject: [tabr] Turn 2, bidding

Reply above this line.
"""


@pytest.mark.parametrize(
    "line",
    [
        "Dora Example reacted to your message:",
        "👍 Dora Example reacted to your message:",
        "Dora Example hat auf Ihre Nachricht reagiert:",
        "Dora Example a réagi à votre message :",
        "Dora Example ha reaccionado a tu mensaje:",
        "Dora Example ha reagito al messaggio:",
        "Dora Example heeft op uw bericht gereageerd:",
        "Dora Example reagiu à sua mensagem:",
        "Dora Example zareagował(a) na Twoją wiadomość:",
        "Dora Example reagerade på ditt meddelande:",
        "Dora Example reagerede på din meddelelse:",
        "Dora Example reagoi viestiisi:",
        "Dora Example отреагировал(а) на ваше сообщение:",
        "Dora Exampleさんがあなたのメッセージにリアクションしました:",
        "Dora Example 对你的邮件做出了反应:",
        "Dora Example\nreacted to your message:",
        "🎉\n\nDora hat über Gmail reagiert\n<https://www.google.com/gmail/about/>",
        'Dora Example would like to recall the message, "Re: bids".',
        'Dora Example möchte die Nachricht "Re: bids" zurückrufen.',
        "Dora Example souhaite rappeler le message « Re: bids ».",
        'Dora Example wil het bericht "Re: bids" intrekken.',
    ],
)
def test_a_reaction_and_a_recall_change_nothing_and_their_sender_may_be_told(line: str) -> None:
    for body in (line, line + QUOTED):
        disposition, note = read(body)
        assert (disposition, note[:21]) == ("auto-reply", "A reaction or a recal")


@pytest.mark.parametrize(
    "line",
    [
        "bid 4\nDora Example reacted to your message:",
        "Emperor reacted to your message with anger, so we attack.",
        "I would like to recall the message that I sent.",
        "👍",
    ],
)
def test_a_person_who_writes_about_reactions_is_read(line: str) -> None:
    assert read(line) == ("orders", line)


GMAIL = "Content-Type: text/vnd.google.email-reaction+json\n\n"
REACTION = "Content-Type: text/plain; charset=utf-8\nContent-Disposition: Reaction; x=y\n\n"


@pytest.mark.parametrize(
    ("mail", "disposition"),
    [
        (parts("\n👍", GMAIL + '{"emoji":"👍","version":1}', kind="alternative"), "auto-reply"),
        (('{"emoji":"👍","version":1}', GMAIL.strip()), "auto-reply"),
        (parts(BID, GMAIL + '{"emoji":"👍","version":1}', kind="alternative"), "orders"),
        (parts(BID, "Content-Disposition: attachment\n" + GMAIL + '{"emoji":"👍","version":1}'), "orders"),
        (parts("\nFine.", GMAIL + '{"emoji":"👍"'), "orders"),
        (parts("\nFine.", GMAIL + '{"emoji":"bid 4","version":1}'), "orders"),
        (parts("\nFine.", GMAIL + '["version", "emoji"]'), "orders"),
        (("👍 ❤️ 1️⃣", REACTION.strip()), "auto-reply"),
        (("", REACTION.strip()), "auto-reply"),
        (("👍\n____________________\nDune list", REACTION.strip()), "auto-reply"),
        (("bid 4", REACTION.strip()), "orders"),
        (parts(REACTION + "👍"), "auto-reply"),
        (parts(BID, REACTION + "👍"), "orders"),
    ],
)  # fmt: skip
def test_a_reaction_is_a_part_of_its_own_and_no_attachment(mail: tuple[str, str], disposition: str) -> None:
    assert read(*mail)[0] == disposition


@pytest.mark.parametrize(
    "body",
    [
        "Dora has sent you an email via Gmail confidential mode:\n\nView the email",
        "Re: bids\nView the email <https://confidential-mail.google.com/msg/AB>",
        "Dora (dora@example.org) has sent you a protected message.\n\nRead the message",
        "Read it<https://outlook.office365.com/Encryption/retrieve.ashx?x=1>",
        "You've received an encrypted message from dora@example.org.\nSave and open the attachment.",
        "Dora hat Ihnen eine geschützte Nachricht gesendet.",
        "Dora vous a envoyé un message chiffré.",
    ],
)
def test_of_a_mail_that_is_kept_elsewhere_nothing_is_read_and_its_sender_is_told(body: str) -> None:
    disposition, note = read(body)
    assert (disposition, note[:36]) == ("empty", "Your mail program sent only a notice")
    assert read(f"bid 4\n{body}")[0] == "orders"


RECEIPT = "We have received your message."


@pytest.mark.parametrize(
    ("body", "head", "disposition"),
    [
        (RECEIPT, "", "auto-reply"),
        (f"Hello,\n\n{RECEIPT}\n\nThe Desk", "", "auto-reply"),
        (f"{RECEIPT} It was passed on to the person in charge.", "X-Loop: yes", "auto-reply"),
        (f"{RECEIPT} It was passed on to the person in charge.", "", "orders"),
        (f"{RECEIPT} Its ticket number is 482913.", "", "auto-reply"),
        ("Thank you for contacting us. An agent will answer within two business days.", "", "auto-reply"),
        ("Vielen Dank für Ihre Nachricht. Wir melden uns schnellstmöglich.", "", "auto-reply"),
        ("Nous avons bien reçu votre demande, ticket 482913.", "", "auto-reply"),
        ("Hemos recibido su solicitud con el número de caso 482913.", "", "auto-reply"),
        ("##- Please type your reply above this line -##\n\nYour request was updated.", "", "auto-reply"),
        ("Welcome.", "Subject: [Case #482913] Case created: your bid", "auto-reply"),
        ("Welcome.", "Subject: [#482913] Support ticket opened: your bid", "auto-reply"),
        ("Thanks for reaching out to us, let us ally.", "", "orders"),
        ("We have received your message, ally.", "", "orders"),
        ("Thanks for your message!", "", "orders"),
        (f"bid 4\n{RECEIPT}", "X-Loop: yes", "orders"),
        ("Let us ally.", "X-Loop: yes", "orders"),
    ],
)
def test_the_receipt_of_a_help_desk_is_known_by_its_words(body: str, head: str, disposition: str) -> None:
    assert read(body, head)[0] == disposition


AWAY = "I am out of the office until 4 December."


@pytest.mark.parametrize(
    ("lines", "subject", "said"),
    [
        ([], "", ""),
        (["Hello,", AWAY, "Kind regards,", "Piter"], "", AWAY),
        (["Hello,", "a,", "b,", AWAY], "", AWAY),
        (["Hello,", "a,", "b,", "c,", AWAY], "", ""),
        (["Hello,", "this is an automatic reply."], "", "this is an automatic reply."),
        ([f"{'a ' * 184}this is an automatic reply. {AWAY}"], "", f"{'a ' * 30}"),
        (["Hello,", "see you", AWAY], "", ""),
        (["Hello,", f"{AWAY[:-1]} and", "for some days more", "I think."], "", ""),
        (["Hello,", "word " * 11 + "and", "of those", AWAY], "", AWAY),
        (["Hello,", "word " * 10 + "and", "of those", AWAY], "", ""),
        (["Hello,", "word " * 11 + "and.", "of those", AWAY], "", ""),
        (["Hello,", "word " * 11 + "and", "of those", "ones", AWAY], "", ""),
        (["Здравствуйте", AWAY], "", AWAY),
        ([AWAY, "pass all"], "", ""),
        ([f"{AWAY[:-1]}, so pass all."], "", ""),
        ([AWAY, "Please bid 4!"], "", ""),
        ([AWAY, "Kind regards,", "see you"], "", AWAY),
    ],
)
def test_the_words_of_a_robot_are_sentences_and_no_orders(lines: list[str], subject: str, said: str) -> None:
    assert automatic_text(lines, subject) == (f"it says so itself: {said[:60]}" if said else "")


def test_under_the_subject_of_a_robot_all_that_holds_no_order_is_its_own() -> None:
    subject = f"Out of office next week {'x' * 60}"
    assert automatic_text(["see you"], subject) == f"an automatic answer, by its subject: {subject[:60]}"
    assert automatic_text(["see you", "bid 4"], subject) == ""
    assert automatic_text(["see you"], "my bid") == ""


@pytest.mark.parametrize("words", ["this is an auto", "I am on vacation", "spamarrest"])
def test_four_hundred_letters_of_a_line_are_looked_at(words: str) -> None:
    row = "a" * (399 - len(words)) + "."
    assert automatic_text([f"{row}{words}."]) != ""
    assert automatic_text([f"a{row}{words}."]) == ""
    seen = incoming("Subject: your mail")
    assert demands_confirmation(seen, ["bid 4", f"{row}{words}."]) is (words == "spamarrest")
    assert not demands_confirmation(seen, [f"a{row}{words}."])


def test_an_order_behind_four_hundred_letters_does_not_count() -> None:
    row = "a" * 394 + ". "
    assert automatic_text([AWAY, f"{row}pass"]) == ""
    assert automatic_text([AWAY, f"a{row}pass"]) != ""


@pytest.mark.parametrize(
    ("sender", "head", "body", "bounce"),
    [
        ("b@x.example", "Content-Type: multipart/report; report-type=delivery-status", "", True),
        ("b@x.example", 'Content-Type: multipart/report; Report-Type = "Global-Delivery-Status"', "", True),
        ("postmaster@x.example", "Content-Type: multipart/report; report-type=disposition-notification", "", False),
        ("b@x.example", "X-Failed-Recipients: a@x.example", "", True),
        ("postmaster@x.example", "Subject: hello", "", False),
        ("postmaster@x.example", "Subject: hello\nReturn-Path: <>", "", True),
        ("postmaster@x.example", "Subject: hello\nAuto-Submitted: auto-replied", "", True),
        ("postmaster@x.example", "Subject: hello\nAuto-Submitted: No", "", False),
        ("postmaster@x.example", "Subject: hello\nAuto-Submitted: (by hand) no; x=y", "", False),
        ("b@x.example", "Content-Type: multipart/report; x=report-type=delivery-status", "", False),
        ("MAILER-DAEMON@x.example", "Subject: Undelivered Mail Returned to Sender", "", True),
        ("bounces+7@x.example", "Subject: failure notice", "", True),
        ("bouncer@x.example", "Subject: failure notice", "", False),
        ("b@x.example", "Subject: failure notice", "", False),
        ("b@x.example", "Subject: failure notice\nReturn-Path: <>", "", True),
        ("b@x.example", "Subject: hello\nReturn-Path: <>", "bid 4", False),
        ("b@x.example", "Subject: hello\nReturn-Path: <>", "550 5.1.1 no such user", True),
    ],
)
def test_a_bounce_is_known_by_its_type_its_sender_or_its_path(sender: str, head: str, body: str, bounce: bool) -> None:
    assert looks_like_bounce(incoming(head, body or "hello", sender), ADDRESS) is bounce


def report(*blocks: str, head: str = "", returned: str = "") -> tuple[bytes, Incoming]:
    raw = (
        f"From: postmaster@x.example\n{head}Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n"
        "--b\n\nSorry.\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; x.example\n\n"
        + "\n\n".join(blocks)
        + f"\n\n--b\nContent-Type: text/rfc822-headers\n\n{returned}\n--b--\n"
    ).encode()
    seen = parse(raw)
    assert isinstance(seen, Incoming)
    return raw, seen


def block(address: str, action: str = "failed", status: str = "5.1.1", *more: str) -> str:
    return "\n".join([f"Final-Recipient: rfc822; {address}", f"Action: {action}", f"Status: {status}", *more])


@pytest.mark.parametrize(
    ("blocks", "bounce"),
    [
        ([block("a@x.example")], Bounce(("a@x.example",), True, "5.1.1")),
        ([block("a@x.example", "delayed", "4.4.1")], Bounce(("a@x.example",), False, "4.4.1")),
        (
            [block("a@x.example", "failed", "4.4.1"), block("c@x.example", "failed", "5.2.2")],
            Bounce(("a@x.example", "c@x.example"), True, "5.2.2"),
        ),
        ([block("a@x.example", "delivered", "2.0.0")], None),
        ([block("a@x.example", "Relayed (to x)", "2.0.0"), block("c@x.example", "expanded", "2.0.0")], None),
        (
            [block("a@x.example", "delivered", "2.0.0"), block("c@x.example")],
            Bounce(("c@x.example",), True, "5.1.1"),
        ),
        ([block("nobody"), block("c@x.example")], Bounce(("c@x.example",), True, "5.1.1")),
        (
            [block("a@x.example", "failed", "5.1.1", "Original-Recipient: rfc822; Old@x.example")],
            Bounce(("old@x.example",), True, "5.1.1"),
        ),
        ([block("a@x.example"), block("a@x.example")], Bounce(("a@x.example",), True, "5.1.1")),
        ([block(r"p\x{e9}re\x{1f}@x.example")], Bounce(("pére@x.example",), True, "5.1.1")),
        ([block(r"a\x{20}\x{d800}\x{dfff}\x{110000}b@x.example")], Bounce(("ab@x.example",), True, "5.1.1")),
        ([block(r"\x{61}\x{e000}\x{10000}@x.example")], Bounce(("a\ue000\U00010000@x.example",), True, "5.1.1")),
        ([block("a@x.example", "failed", "unknown")], Bounce(("a@x.example",), True)),
    ],
)
def test_a_delivery_report_says_who_was_not_reached_and_whether_for_good(
    blocks: list[str], bounce: Bounce | None
) -> None:
    assert read_bounce(*report(*blocks), ADDRESS) == bounce


def test_of_a_delivery_report_a_hundred_recipients_are_read() -> None:
    bounce = read_bounce(*report(*[block(f"a{number}@x.example") for number in range(101)]), ADDRESS)
    assert bounce is not None
    assert bounce.recipients == tuple(f"a{number}@x.example" for number in range(99))


def test_the_letters_that_a_bounce_returns_are_known_by_their_message_ids() -> None:
    own = f"Message-ID: <sietch-12.7.{TOKEN}@arrakis.example>"
    other = f"message-id:<a.{TOKEN[::-1].replace('3', '2')}@Arrakis.example>"
    wrong = [
        f"References: <sietch-12.7.{TOKEN}@arrakis.example>",
        f"Message-ID: <sietch-12.7.{TOKEN[1:]}@arrakis.example>",
        f"Message-ID: <sietch-12.7.{TOKEN}@other.example>",
        f"Message-ID: <sietch-12.7.{TOKEN}@arrakis.example.org>",
    ]
    raw = "\n".join([own, *wrong, other, own]).encode()
    assert returned_tokens(raw, ADDRESS) == [TOKEN, TOKEN[::-1].replace("3", "2")]
    bounce = read_bounce(*report(block("a@x.example"), returned=own), ADDRESS)
    assert bounce == Bounce(("a@x.example",), True, "5.1.1", (TOKEN,))
    assert returned_tokens(b" " * 199_999 + raw, ADDRESS) == []


@pytest.mark.parametrize(
    ("body", "head", "bounce"),
    [
        ("<a@x.example>: 550 5.1.1 no such user", "", Bounce(("a@x.example",), True)),
        ("<a@x.example>: 452 4.2.2 mailbox full", "", Bounce(("a@x.example",), False)),
        ("nothing to be understood", "", Bounce((), None)),
        ("Sorry.", "X-Failed-Recipients: A@x.example, c@x.example", Bounce(("a@x.example", "c@x.example"), True)),
        ("550 5.1.1 c@x.example", "X-Failed-Recipients: a@x.example", Bounce(("a@x.example",), True)),
    ],
)
def test_a_bounce_in_free_words_is_read_as_a_person_would(body: str, head: str, bounce: Bounce) -> None:
    raw = f"From: postmaster@x.example\nSubject: failure notice\n{head}\n\n{body}\n".replace("\n\n\n", "\n\n")
    seen = parse(raw.encode())
    assert isinstance(seen, Incoming)
    assert read_bounce(raw.encode(), seen, ADDRESS) == bounce


@pytest.mark.parametrize(
    ("subject", "body", "words"),
    [
        ("hello", "bid 4", BounceWords()),
        ("hello", "a@x.example", BounceWords(("a@x.example",))),
        ("hello", "write to c@x.example\n  a@x.example", BounceWords(("a@x.example",))),
        ("hello", "write to c@x.example\nor d@x.example", BounceWords(("c@x.example", "d@x.example"))),
        ("hello", "To: a@x.example (unknown)\nd@x.example, c", BounceWords(("a@x.example",))),
        ("hello", "a@x.example\n<a@x.example>.", BounceWords(("a@x.example",))),
        (
            "hello",
            "\n".join(f"a{n}@x.example" for n in range(6)),
            BounceWords(tuple(f"a{n}@x.example" for n in range(5))),
        ),
        ("hello", f"abuse@x.example\n{ADDRESS}\npostmaster@y.example\nb@x.example", BounceWords()),
        ("hello", "mentat+7@arrakis.example\na@x.example", BounceWords(("a@x.example",))),
        ("hello", "550 no such user", BounceWords((), True, True)),
        ("hello", "x 550 a\nx 450 b", BounceWords((), True, True)),
        ("hello", "x 450 b", BounceWords((), False, True)),
        ("hello", "status 4.2.2, said 550 no", BounceWords((), False, True)),
        ("hello", "version 5.1.1.2", BounceWords()),
        ("hello", "1550 a, 580 b, 550", BounceWords()),
        ("hello", "bid 4\nReceived: from x\n550 no such user", BounceWords()),
        ("status 5.1.1", "bid 4", BounceWords((), True, True)),
    ],
)
def test_the_words_of_a_server_name_whom_it_could_not_reach(subject: str, body: str, words: BounceWords) -> None:
    assert bounce_words(incoming(f"Subject: {subject}", body), ADDRESS) == words


def test_of_a_report_the_first_lines_and_columns_are_read_or_its_page_where_it_has_no_text() -> None:
    def recipients(body: str, head: str = "Subject: hello") -> tuple[str, ...]:
        return bounce_words(incoming(head, body), ADDRESS).recipients

    assert recipients("x\n" * 199 + "a@x.example") == ("a@x.example",)
    assert recipients("x\n" * 200 + "a@x.example") == ()
    assert recipients(" " * 489 + "a@x.example") == ("a@x.example",)
    assert recipients("-" * 489 + " a@x.example") == ("a@x.exampl",)
    assert recipients("<p>a@x.example</p>", "Content-Type: text/html") == ("a@x.example",)


@pytest.mark.parametrize(
    ("head", "sender", "disposition", "reason"),
    [
        ("X-Mentat: doctor 7", "b@x.example", "auto-reply", "a test mail from `mentat doctor`"),
        ("X-Mentat: canary 7", "b@x.example", "auto-reply", "a test mail from Mentat"),
        ("X-Mentat: canary", "b@x.example", "rejected", "loop: the mail was sent by Mentat itself"),
        ("X-Mentat:", "b@x.example", "rejected", "loop: the mail was sent by Mentat itself"),
        (f"Message-ID: <sietch-12.7.{TOKEN}@arrakis.example>", "b@x.example", "orders", "1 line read"),
        ("Subject: bid", "mentat+7@arrakis.example", "rejected", "loop: the sender is Mentat's own address"),
        (
            "Subject: bid",
            "b@x.example, mentat@arrakis.example",
            "rejected",
            "loop: the sender is Mentat's own address",
        ),
        ("\n".join(["Received: x"] * MAX_HOPS), "b@x.example", "orders", "1 line read"),
        ("\n".join(["Received: x"] * 61), "b@x.example", "rejected", "loop: the mail went through 61 servers"),
        ("Subject: bid", "b@x.example, c@x.example", "rejected", "more than one sender address"),
        ("Subject: bid", "nobody", "rejected", "no sender address"),
        (
            "X-Failed-Recipients: a@x.example, c@x.example, d@x.example, e@x.example",
            "b@x.example",
            "bounce",
            "delivery report about a@x.example, c@x.example, d@x.example",
        ),
        (
            "Subject: hi\nReturn-Path: <>",
            "postmaster@x.example",
            "bounce",
            "delivery report about an unknown recipient",
        ),
        ("Precedence: junk", "b@x.example", "auto-reply", "Precedence: junk"),
    ],
)
def test_what_kind_of_mail_came_and_why(head: str, sender: str, disposition: str, reason: str) -> None:
    raw = f"From: {sender}\n{head}\n\nbid 4\n".encode()
    verdict = examine(raw, ADDRESS, lambda code: None).verdict
    assert (verdict.disposition, verdict.reason) == (disposition, reason)
