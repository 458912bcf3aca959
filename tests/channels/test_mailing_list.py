"""Tests for a mailing list: recognising list mail, finding its thread, and sending our own mail only once."""

from email import message_from_string, policy
from email.message import EmailMessage

import pytest

from bot.channels import Refused, Thread, Unreachable
from bot.channels.mailing_list import PATIENCE, UNPROVEN, Arrived, MailingList, Proofs, poster_of
from tests.channels.benches import ListBench, MailmanBench, everything
from tests.channels.list_server import ADDRESS, US, mail
from tests.channels.mailman_server import List

CHANI, FEYD = "chani@example.org", "feyd@example.com"
MEMBERS = {CHANI, FEYD}
BY_ENVELOPE = Proofs(ADDRESS, lambda: MEMBERS, envelope_header="X-MailFrom")


def proved_by(domain: str) -> Proofs:
    return Proofs(ADDRESS, lambda: MEMBERS, proved=lambda _, address: address.endswith(f"@{domain}"))


def sent(**headers: str | list[str]) -> EmailMessage:
    lines = [
        f"{name.replace('_', '-')}: {value}\r\n"
        for name, values in headers.items()
        for value in (values if isinstance(values, list) else [values])
    ]
    return message_from_string("".join(lines) + "\r\n", _class=EmailMessage, policy=policy.default)


@pytest.mark.parametrize(
    ("message", "proofs", "who"),
    [
        (sent(From=CHANI, X_MailFrom=CHANI), BY_ENVELOPE, CHANI),
        (sent(From=f"Chani <{CHANI.upper()}>", X_MailFrom=CHANI), BY_ENVELOPE, CHANI),
        (sent(From=CHANI), proved_by("example.org"), CHANI),
        (sent(From=f"chani via Dune <{ADDRESS}>", Reply_To=CHANI), proved_by("example.org"), CHANI),
        (sent(From=f"chani via Dune <{ADDRESS}>", Reply_To=f"{CHANI}, {ADDRESS}"), proved_by("example.org"), CHANI),
        (sent(From=ADDRESS, X_Original_From=CHANI, Reply_To=ADDRESS), proved_by("example.org"), CHANI),
        (sent(From=ADDRESS, X_MailFrom=CHANI), BY_ENVELOPE, CHANI),
    ],
)
def test_a_member_is_known_where_the_mail_is_proved_to_be_theirs(
    message: EmailMessage, proofs: Proofs, who: str
) -> None:
    assert poster_of(message, proofs) == who


@pytest.mark.parametrize(
    ("message", "proofs"),
    [
        (sent(From=CHANI), BY_ENVELOPE),
        (sent(From=CHANI, X_MailFrom=FEYD), BY_ENVELOPE),
        (sent(From=CHANI, X_MailFrom=[CHANI, FEYD]), BY_ENVELOPE),
        (sent(From=CHANI, X_MailFrom="stranger@example.net"), BY_ENVELOPE),
        (sent(From=CHANI, X_MailFrom=CHANI), Proofs(ADDRESS, lambda: MEMBERS)),
        (sent(From=CHANI, X_Original_From=CHANI, Reply_To=CHANI), BY_ENVELOPE),
        (sent(From=FEYD, X_Original_From=CHANI), proved_by("example.org")),
        (sent(From=FEYD, Reply_To=CHANI), proved_by("example.org")),
        (sent(From=[CHANI, FEYD], X_MailFrom=CHANI), BY_ENVELOPE),
        (sent(From=f"{CHANI}, {FEYD}", X_MailFrom=CHANI), BY_ENVELOPE),
        (sent(From=f'"{CHANI}" <{FEYD}>', X_MailFrom=CHANI), BY_ENVELOPE),
        (sent(From=f"{CHANI} <{FEYD}>"), proved_by("example.org")),
        (sent(From=ADDRESS, Reply_To=CHANI), proved_by("lists.example")),
        (sent(From=ADDRESS, X_Original_From=CHANI, X_MailFrom=FEYD), BY_ENVELOPE),
        (sent(From=ADDRESS, X_Original_From=CHANI, Reply_To=FEYD), proved_by("example.org")),
        (sent(From=ADDRESS, X_Original_From=CHANI, Reply_To=[CHANI, FEYD]), proved_by("example.org")),
        (sent(From=ADDRESS), proved_by("lists.example")),
        (sent(From="stranger@example.org", X_MailFrom="stranger@example.org"), BY_ENVELOPE),
        (sent(From="stranger@example.org"), proved_by("example.org")),
        (sent(From="chani@exаmple.org"), proved_by("exаmple.org")),
        (sent(X_MailFrom=CHANI, Sender=CHANI), BY_ENVELOPE),
        (sent(From="", X_MailFrom=""), BY_ENVELOPE),
    ],
)
def test_whoever_only_claims_to_be_a_member_is_nobody(message: EmailMessage, proofs: Proofs) -> None:
    assert poster_of(message, proofs).startswith(UNPROVEN)


@pytest.fixture
def bench() -> ListBench:
    made = ListBench()
    made.list.members |= MEMBERS
    return made


@pytest.fixture
def thread(bench: ListBench) -> Thread:
    return bench.channel.open_thread("sietch-7 (wbc-2018)", "This is the thread of a game.", "first")[0]


def posted(bench: ListBench, thread: Thread) -> list[str]:
    return [post.raw for post in everything(bench.channel, thread)][1:]


def test_a_stranger_s_mail_never_comes_from_the_list(bench: ListBench, thread: Thread) -> None:
    message = mail("stranger@example.net", "!bid 9", "Re: sietch-7 (wbc-2018)", thread.id, "<9@example.net>")
    bench.list.deliver(message.as_bytes(), "stranger@example.net")
    assert posted(bench, thread) == []


def test_an_answer_belongs_to_the_thread_of_what_it_answers_and_else_to_that_of_its_subject(
    bench: ListBench, thread: Thread
) -> None:
    other, _ = bench.channel.open_thread("tabr-8 (wbc-2018)", "This is another thread.", "second")
    for identifier, answered, subject in (
        ("<1@example.org>", thread.id, "Re: tabr-8 (wbc-2018)"),
        ("<2@example.org>", "<1@example.org>", "no subject"),
        ("<3@example.org>", None, "AW: [Dune] Re: sietch-7 (wbc-2018)"),
        ("<4@example.org>", "<lost@example.org>", "Re: sietch-7 (wbc-2018)"),
        ("<5@example.org>", None, "Re: something else"),
        ("<6@example.org>", other.id, "Re: sietch-7 (wbc-2018)"),
    ):
        message = mail(CHANI, f"This is {identifier}.", subject, answered, identifier)
        bench.list.deliver(message.as_bytes(), CHANI)
    assert posted(bench, thread) == [f"This is <{number}@example.org>." for number in (1, 2, 3, 4)]
    assert posted(bench, other) == ["This is <6@example.org>."]


def test_an_answer_that_overtakes_the_mail_that_opened_the_thread_belongs_to_it(
    bench: ListBench, thread: Thread
) -> None:
    message = mail(CHANI, "bid 3", "Re: sietch-7 (wbc-2018)", thread.id, "<1@example.org>")
    bench.list.deliver(message.as_bytes(), CHANI)
    bench.list.arrived.reverse()
    read = [post.raw for post in everything(bench.again(), thread)]
    assert read == ["bid 3", "This is the thread of a game."]


def test_a_post_of_ours_that_overtakes_the_mail_that_opened_the_thread_opens_none(
    bench: ListBench, thread: Thread
) -> None:
    bench.channel.post(thread, "Card 1 is up.", "one")
    bench.list.arrived.reverse()
    read = [post.raw for post in everything(bench.again(), thread)]
    assert read == ["Card 1 is up.", "This is the thread of a game."]


def test_a_thread_is_read_on_from_before_its_first_mail(bench: ListBench, thread: Thread) -> None:
    late, bench.list.arrived = bench.list.arrived, []
    page = bench.channel.read_since(thread, None)
    assert (page.posts, page.cursor, page.more) == ((), "", False)
    bench.list.arrived = late
    read = bench.channel.read_since(thread, page.cursor)
    assert [post.raw for post in read.posts] == ["This is the thread of a game."]


def test_a_mail_without_a_subject_and_without_what_it_answers_is_of_no_thread(bench: ListBench, thread: Thread) -> None:
    unnamed, _ = bench.channel.open_thread("Re:", "This is the thread of another game.", "second")
    bench.list.deliver(mail(CHANI, "bid 3", "", None, "<1@example.org>").as_bytes(), CHANI)
    assert (posted(bench, thread), posted(bench, unnamed)) == ([], [])


def test_nobody_takes_a_thread_s_subject_away_from_it(bench: ListBench, thread: Thread) -> None:
    forged = mail(FEYD, "Answer here", "sietch-7 (wbc-2018)", None, f"<mentat.{'0' * 32}@example.net>")
    answer = mail(CHANI, "bid 3", "Re: sietch-7 (wbc-2018)", None, "<1@example.org>")
    bench.list.deliver(forged.as_bytes(), FEYD)
    bench.list.deliver(answer.as_bytes(), CHANI)
    assert posted(bench, thread) == ["bid 3"]


def test_a_mail_that_comes_twice_is_one_post_as_first_seen(bench: ListBench, thread: Thread) -> None:
    first = mail(CHANI, "bid 3", "Re: sietch-7 (wbc-2018)", thread.id, "<1@example.org>")
    other = mail(FEYD, "bid 9", "Re: sietch-7 (wbc-2018)", thread.id, "<1@example.org>")
    for message, envelope in ((first, CHANI), (first, CHANI), (other, FEYD)):
        bench.list.deliver(message.as_bytes(), envelope)
    assert [(post.raw, post.author_id) for post in everything(bench.channel, thread)[1:]] == [("bid 3", CHANI)]


def test_a_mail_that_may_have_gone_out_is_waited_for_and_not_sent_again(bench: ListBench, thread: Thread) -> None:
    bench.list.faults.append("lost")
    with pytest.raises(Unreachable):
        bench.channel.post(thread, "Card 1 is up.", "one")
    bench.channel.post(thread, "Card 1 is up.", "one")
    assert posted(bench, thread) == ["Card 1 is up."]


def test_a_mail_that_never_came_back_is_sent_again_after_some_patience(bench: ListBench, thread: Thread) -> None:
    bench.list.faults.append("drop")
    for _ in range(3):
        with pytest.raises(Unreachable):
            bench.channel.post(thread, "Card 1 is up.", "one")
    assert posted(bench, thread) == []
    bench.clock.wait(PATIENCE)
    bench.channel.post(thread, "Card 1 is up.", "one")
    assert posted(bench, thread) == ["Card 1 is up."]


def test_a_list_that_refuses_us_can_be_tried_again(bench: ListBench, thread: Thread) -> None:
    bench.list.faults.append("refused")
    with pytest.raises(Refused):
        bench.channel.post(thread, "Card 1 is up.", "one")
    bench.channel.post(thread, "Card 1 is up.", "one")
    assert posted(bench, thread) == ["Card 1 is up."]


def test_a_program_started_anew_before_its_thread_came_back_waits_for_it(bench: ListBench, thread: Thread) -> None:
    late, bench.list.arrived = bench.list.arrived, []
    with pytest.raises(Unreachable):
        bench.again().post(thread, "Card 1 is up.", "one")
    bench.list.arrived = late
    bench.again().post(thread, "Card 1 is up.", "one")
    assert posted(bench, thread) == ["Card 1 is up."]


def test_nobody_can_know_the_message_id_of_a_post_before_it_is_sent(bench: ListBench, thread: Thread) -> None:
    stranger = MailingList(bench.list, US, BY_ENVELOPE, b"another secret")
    assert stranger.open_thread("sietch-7 (wbc-2018)", "This is the thread of a game.", "first")[0] != thread


@pytest.mark.parametrize(
    "broken",
    [
        b"From: chani@example.org\r\nContent-Type: text/plain; charset=x-unknown\r\n\r\n\xff\xfe",
        b"From: chani@example.org\r\nContent-Type: multipart/mixed\r\n\r\nno boundary",
        b"From: =?x-unknown?q?=FF?= <chani@example.org>\r\nSubject: =?utf-8?b?###?=\r\nMessage-ID: <\r\n\r\n\r\n",
        b"From: chani@example.org\r\nMessage-ID: <>\r\nIn-Reply-To: <[\r\n\r\n!bid 3",
        b"\r\n",
        b"",
    ],
)
def test_a_mail_that_nobody_can_read_stops_no_other(bench: ListBench, thread: Thread, broken: bytes) -> None:
    bench.list.arrived.append(Arrived("broken", bench.clock(), broken))
    broken_here = broken.replace(b"\r\n\r\n", b"\r\nReferences: %s\r\n\r\n" % thread.id.encode(), 1)
    bench.list.arrived.append(Arrived("broken here", bench.clock(), broken_here))
    bench.channel.post(thread, "Card 1 is up.", "one")
    assert posted(bench, thread)[-1] == "Card 1 is up."


def test_the_list_s_footer_is_no_part_of_a_post_and_a_line_of_dashes_is(bench: ListBench, thread: Thread) -> None:
    text = "> ______________________________\n> Dune mailing list\n\n____\nbid 3"
    message = mail(CHANI, text, "Re: sietch-7 (wbc-2018)", thread.id, "<1@example.org>")
    bench.list.deliver(message.as_bytes(), CHANI)
    assert posted(bench, thread) == [text]


@pytest.mark.slow
def test_a_real_list_passes_on_what_a_forger_writes_and_nobody_is_taken_for_its_author(mailman_list: List) -> None:
    bench = MailmanBench(mailman_list)
    thread, _ = bench.channel.open_thread("sietch-7 (wbc-2018)", "This is the thread of a game.", bench.salt)
    chani, feyd = bench.join("chani_77"), bench.join("feyd")
    for number, (envelope, headers) in enumerate(
        (
            (feyd, {}),
            (feyd, {"X_MailFrom": chani}),
            (feyd, {"X_Original_From": chani, "Reply_To": chani, "Sender": chani}),
            ("stranger@example.net", {"Authentication_Results": "lists.example; dkim=pass header.d=example.org"}),
            (chani, {}),
        )
    ):
        identifier = f"<forged.{number}.{bench.salt}@example.org>"
        where = mailman_list.address
        message = mail(chani, "bid 9", "Re: sietch-7", thread.id, identifier, "chani_77", where, **headers)
        mailman_list.deliver(message.as_bytes(), envelope)
    mailman_list.settle()
    authors = [post.author_id for post in everything(bench.channel, thread)[1:]]
    assert authors == [UNPROVEN + chani] * 4 + [chani]
