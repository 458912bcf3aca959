"""Reading mail: how many messages in a second, the median and the worst, beside the bare standard-library parse.

The messages are answers to a long report as four programs send them, one with a photograph, one with a form that was
filled in, a bounce, and the dearest that a stranger can send: texts made for the readers to be slow at. Both sides get
the very same bytes.
"""

from __future__ import annotations

import statistics
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import partial
from time import process_time

from bot.bench.measure import Measured, seconds_each
from bot.mail.disposition import examine
from bot.mail.words.form import form_block
from bot.mail.words.quotes import REPLY_MARK

ADDRESS = "mentat@arrakis.example"
MOST_SECONDS = 2.0

_FORM = ["# shipment", "ship _ to Habbanya Ridge Sietch", "[ ] no shipment", "move _ from Carthag to ______"]
_REPORT = "\n".join(
    (
        f"{REPLY_MARK}, or edit the form below.",
        "",
        form_block("bench123", _FORM),
        "",
        *(f"{number}. The Emperor bids {number}; the Harkonnen pass." for number in range(200)),
    )
)
_FILLED = _REPORT.replace("ship _ to", "ship 4 to").replace("[ ] no", "[x] no")


def read_mail(times: int) -> list[Measured]:
    """Read each message so many times; what counts is the work of this process, however busy the machine is."""
    ordinary = _ordinary()
    ours = [seconds_each(partial(examine, raw, ADDRESS, _sent), times, process_time) for raw in ordinary]
    bare = [seconds_each(partial(_parsed, raw), times, process_time) for raw in ordinary]
    hostile = [seconds_each(partial(examine, raw, ADDRESS, _sent), 1, process_time) for raw in _hostile()]
    median, standard = statistics.median(ours), statistics.median(bare)
    worst = max(range(len(ordinary)), key=lambda number: ours[number])
    return [
        Measured("standard library, median", standard * 1e3, "ms"),
        Measured("a mail read, median", median * 1e3, "ms", median / standard, "the library"),
        Measured("a mail read, worst", ours[worst] * 1e3, "ms", ours[worst] / bare[worst], "the library"),
        Measured("mails read", len(ours) / sum(ours), "/s"),
        Measured("a hostile mail, worst", max(hostile), "s", max(hostile) / MOST_SECONDS, "the most allowed", 1.0),
    ]


def _parsed(raw: bytes) -> object:
    """What the standard library does at least to have the text of a mail."""
    body = message_from_bytes(raw, policy=policy.default)
    part = body.get_body(("plain", "html"))
    return part.get_content() if part is not None else None


def _sent(code: str) -> list[str] | None:
    return _FORM if code == "bench123" else None


def _answer(text: str, html: str = "", photograph: int = 0) -> bytes:
    mail = EmailMessage()
    mail["From"] = "Baron <baron@example.org>"
    mail["To"] = f"Mentat <{ADDRESS.replace('@', '+ypowzixiqjin3ijg@')}>"
    mail["Subject"] = "Re: [Sietch-12] Turn 4, movement"
    mail["Message-ID"] = "<1@example.org>"
    mail.set_content(text)
    if html:
        mail.add_alternative(html, subtype="html")
    if photograph:
        mail.add_attachment(bytes(range(256)) * (photograph // 256), "image", "jpeg", filename="board.jpg")
    return mail.as_bytes()


def _ordinary() -> list[bytes]:
    quoted = "".join(f"> {line}\n" for line in _REPORT.splitlines())
    page = "".join(f"<div>{line or '<br>'}</div>" for line in _REPORT.splitlines())
    wrote = f"On Tue, Nov 24, 2026 at 8:15 PM Mentat <{ADDRESS}> wrote:"
    block = f"From: Mentat <{ADDRESS}>\nSent: Tuesday, November 24, 2026 8:15 PM\nTo: Baron\nSubject: Turn 4\n\n"
    return [
        _answer("ship 4 to carthag\nno move\n"),
        _answer(f"{wrote}\n{quoted}\nship 4 to carthag\n"),
        _answer(
            f"ship 4 to carthag\n\n{wrote}\n\n{quoted}",
            f"<div>ship 4 to carthag</div><div class='gmail_quote'>{wrote}<blockquote>{page}</blockquote></div>",
        ),
        _answer(
            f"bid 4\n\n{block}{_REPORT}",
            f"<p>bid 4</p><div id='divRplyFwdMsg'><b>From:</b> Mentat<br><b>Sent:</b> Tuesday</div>{page}",
        ),
        _answer(f"{wrote}\n" + "".join(f"> {line}\n" for line in _FILLED.splitlines())),
        _answer("bid 4\n", photograph=2_000_000),
        b"From: mailer-daemon@example.org\nReturn-Path: <>\nSubject: failure notice\n\n"
        b"<baron@example.org>:\nno mailbox here by that name (#5.1.1)\n\n" + _REPORT.encode(),
    ]


def _hostile() -> list[bytes]:
    """Nearly a million bytes each."""
    plain, page = b"From: a@b.example\n\n", b"From: a@b.example\nContent-Type: text/html\n\n"
    return [
        plain + (b"On a wrote " * 20 + b":\n") * 4_000,
        plain + (b"a" * 50 + b":\n") * 18_000,
        plain + (b"-" * 200 + b"\n") * 4_500,
        plain + b"\n" * 190_000,
        page + b"<p>" * 90_000,
        page + b"<div a=b c=d e=f>x</div>" * 40_000,
        page + b"<b>" * 200 + b"<p>x" * 90_000,
        b"From: " + b"a@b," * 240_000 + b"\n\nbid 4\n",
    ]
