"""Mail from people who want to play for somebody else. Each function makes one mail, as a forger would write it.

The forger plays Harkonnen, or has no seat. Their orders contain ``MARK``, so that tests find them wherever they appear.
Forgers have stolen different things: a reply token, an old token, a letter, or a whole mail from the player.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from email import policy
from email.message import EmailMessage

from tests.moderator.table import ADDRESS, GAME_MASTER, World, address_of

EVIL = "vladimir@evil.example"
OWN = address_of("guild")
RIVAL = address_of("harkonnen")
MARK = "piter-was-here"
SECOND = "sietch-13"

Forgery = Callable[[World], bytes]


def token(world: World) -> str:
    return world.token("guild")


def reply_address(world: World) -> str:
    return f"mentat+{token(world)}@arrakis.example"


def orders(world: World) -> list[str]:
    traitor = world.line("guild", "traitor")
    return [traitor, f"press to harkonnen: {MARK}", "address add vladimir@evil.example", "resign", "freeze", "status"]


def mail(world: World, *lines: str, sender: str = EVIL, to: str = "", **fields: str) -> bytes:
    return world.mail("guild", *(lines or orders(world)), sender=sender, to=to or reply_address(world), **fields)


def with_from(world: World, value: str, faction: str = "guild") -> bytes:
    """Return a mail with this exact From field and the right token of a seat."""
    to = f"mentat+{world.token('harkonnen') if faction == 'harkonnen' else token(world)}@arrakis.example"
    raw = mail(world, sender="PLACE@holder.example", to=to)
    return raw.replace(b"From: PLACE@holder.example", f"From: {value}".encode())


def enclosed(world: World) -> bytes:
    """Return a mail that encloses the player's own mail, which is correct in every detail."""
    outer = EmailMessage(policy=policy.SMTP)
    outer["From"], outer["To"], outer["Subject"], outer["Message-ID"] = (
        EVIL,
        ADDRESS,
        "Fwd: orders",
        "<fwd@evil.example>",
    )
    outer.set_content("see below\n")
    inner = EmailMessage(policy=policy.SMTP)
    inner["From"], inner["To"], inner["Subject"] = OWN, reply_address(world), f"Re: [#{token(world)}]"
    inner.set_content("\n".join(orders(world)))
    outer.add_attachment(inner)
    return outer.as_bytes()


def named_file(world: World) -> bytes:
    message = EmailMessage(policy=policy.SMTP)
    message["From"], message["To"], message["Message-ID"] = OWN, ADDRESS, "<file@evil.example>"
    message["Subject"] = "orders"
    message.set_content("as attached\n")
    message.add_attachment("\n".join(orders(world)), filename=f"[#{token(world)}].txt")
    return message.as_bytes()


def hidden_in_html(world: World) -> bytes:
    message = EmailMessage(policy=policy.SMTP)
    message["From"], message["To"], message["Subject"], message["Message-ID"] = (
        OWN,
        ADDRESS,
        "hi",
        "<html@evil.example>",
    )
    body = "<br>".join(orders(world))
    message.set_content(f'<a href="mailto:{reply_address(world)}">reply</a><p>{body}</p>', subtype="html")
    return message.as_bytes()


def bounce(world: World) -> bytes:
    head = (
        f"Return-Path: <>\r\nFrom: MAILER-DAEMON@evil.example\r\nTo: {reply_address(world)}\r\nSubject: Undelivered\r\n"
    )
    kind = 'MIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n'
    text = "\r\n".join(orders(world))
    status = "Reporting-MTA: dns; evil.example\r\n\r\nFinal-Recipient: rfc822; x@y.example\r\nStatus: 5.1.1"
    parts = f"--b\r\n\r\n{text}\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n{status}\r\n\r\n--b--\r\n"
    return f"{head}Message-ID: <b@evil.example>\r\n{kind}{parts}".encode()


def form_of_guild(world: World) -> bytes:
    """Return a mail in which Harkonnen sends back the form from a letter to Guild."""
    text = next(letter.text for letter in world.letters("guild") if "[form " in letter.text)
    form = text[text.index("[form ") : text.index("]", text.index("[end of form")) + 1].replace("[ ]", "[x]")
    to = f"mentat+{world.token('harkonnen')}@arrakis.example"
    return mail(world, *form.splitlines(), sender=RIVAL, to=to)


def section_of_guild(world: World) -> bytes:
    to = f"mentat+{world.token('harkonnen')}@arrakis.example"
    return mail(world, "status", f"[#{token(world)}]", *orders(world), sender=RIVAL, to=to)


def copied_to_guild(world: World) -> bytes:
    to = f"mentat+{world.token('harkonnen')}@arrakis.example"
    return mail(world, "status", sender=RIVAL, to=to, Cc=reply_address(world))


def forwarded_letter(world: World) -> bytes:
    """Return an answer by somebody else to a letter to Guild that was forwarded whole."""
    letter = next(letter for letter in world.letters("guild") if "[form " in letter.text)
    quoted = [f"> {line}" for line in letter.text.splitlines()]
    head = [
        "---------- Forwarded message ----------",
        f"From: {ADDRESS}",
        f"Reply-To: {reply_address(world)}",
        f"To: {OWN}",
    ]
    return mail(world, *orders(world), *head, *quoted, to=ADDRESS, subject=f"Fwd: {letter.subject}")


def message_id_of_ours(world: World, field: str) -> bytes:
    letter = world.letters("guild")[0]
    return mail(world, to=ADDRESS, **{field: str(letter.message["Message-ID"])})


def word(text: str) -> str:
    """Return an encoded word (RFC 2047)."""
    return f"=?utf-8?b?{base64.b64encode(text.encode()).decode()}?="


AIMED_AT_GUILD: dict[str, Forgery] = {
    "the right token from a stranger": mail,
    "the right token from another player": lambda w: mail(w, sender=RIVAL),
    "the right token in the subject, from a stranger": lambda w: mail(w, to=ADDRESS, subject=f"Re: [#{token(w)}]"),
    "the right token in Delivered-To": lambda w: mail(w, to=ADDRESS, Delivered_To=reply_address(w)),
    "the right token in X-Forwarded-To": lambda w: mail(w, to=ADDRESS, X_Forwarded_To=reply_address(w)),
    "the right token in Resent-To": lambda w: mail(w, to=ADDRESS, Resent_To=reply_address(w)),
    "the right sender and no token": lambda w: mail(w, sender=OWN, to=ADDRESS),
    "the right sender and an invented token": lambda w: mail(
        w, sender=OWN, to="mentat+aaaabbbbccccdddd@arrakis.example"
    ),
    "the token in the body only": lambda w: mail(w, f"[#{token(w)}]", *orders(w), sender=OWN, to=ADDRESS),
    "the token in a quoted line only": lambda w: mail(
        w, f"> To: {reply_address(w)}", *orders(w), sender=OWN, to=ADDRESS
    ),
    "the token in a link of the HTML only": hidden_in_html,
    "the token in the name of a file only": named_file,
    "the player's address as display name": lambda w: with_from(w, f'"{OWN}" <{EVIL}>'),
    "the player's address as display name without quotes": lambda w: with_from(w, f"{OWN} <{EVIL}>"),
    "the player's address in an encoded word": lambda w: with_from(w, f"{word(OWN)} <{EVIL}>"),
    "the player's address in an encoded word alone": lambda w: with_from(w, word(f"<{OWN}>")),
    "the player's address with a bracket in an encoded word": lambda w: with_from(w, f"{word(f'<{OWN}>,')} <{EVIL}>"),
    "the player's address in a comment": lambda w: with_from(w, f"{EVIL} ({OWN})"),
    "the player's address as name of a group": lambda w: with_from(w, f"{OWN}: {EVIL};"),
    "two addresses in From": lambda w: with_from(w, f"{OWN}, {EVIL}"),
    "two From fields": lambda w: with_from(w, f"{EVIL}\r\nFrom: {OWN}"),
    "two addresses in angle brackets": lambda w: with_from(w, f"<{EVIL}> <{OWN}>"),
    "two signs @": lambda w: with_from(w, f"<{OWN}@evil.example>"),
    "the player's address as quoted local part": lambda w: with_from(w, f'"{OWN}"@evil.example'),
    "a source route": lambda w: with_from(w, f"<@evil.example:{OWN}>"),
    "a NUL in the address": lambda w: with_from(w, "gui\x00ld@players.example"),
    "a line break in the address": lambda w: with_from(w, "guild@players.example\r\n @evil.example"),
    "no From field": lambda w: with_from(w, "").replace(b"From: \r\n", b""),
    "a plus variant": lambda w: with_from(w, "guild+x@players.example"),
    "a dot variant": lambda w: with_from(w, "gu.ild@players.example"),
    "a host below the player's domain": lambda w: with_from(w, "guild@mail.players.example"),
    "the player's domain as part of another": lambda w: with_from(w, "guild@players.example.evil.example"),
    "a Cyrillic letter in the domain": lambda w: with_from(w, "guild@pl\u0430yers.example"),
    "a Cyrillic letter in the local part": lambda w: with_from(w, "gu\u0456ld@players.example"),
    "the domain in punycode": lambda w: with_from(w, "guild@xn--plyers-4nf.example"),
    "wide letters": lambda w: with_from(w, "ｇuild@players.example"),
    "an invisible character": lambda w: with_from(w, "gui\u200bld@players.example"),
    "the player's address in Sender": lambda w: mail(w, Sender=OWN),
    "the player's address in Reply-To": lambda w: mail(w, Reply_To=OWN),
    "the player's address in Return-Path": lambda w: mail(w, Return_Path=f"<{OWN}>"),
    "the player's address in Resent-From": lambda w: mail(w, Resent_From=OWN),
    "the player's address in X-Original-From": lambda w: mail(w, X_Original_From=OWN),
    "a From field in an encoded subject": lambda w: mail(w, subject=word(f"x\r\nFrom: {OWN}\r\n\r\npass")),
    "a From field in a folded subject": lambda w: mail(w).replace(
        b"Subject: Re", f"Subject: a\r\n From: {OWN}".encode()
    ),
    "our Message-ID in In-Reply-To": lambda w: message_id_of_ours(w, "In_Reply_To"),
    "our Message-ID in References": lambda w: message_id_of_ours(w, "References"),
    "the game master's address": lambda w: mail(
        w, "mentat game replace sietch-12 guild x@y.example", sender=GAME_MASTER
    ),
    "lines below the player's token, from a rival": section_of_guild,
    "the player's form, from a rival": form_of_guild,
    "a copy to the player's reply address, from a rival": copied_to_guild,
}
"""Forgeries about which Guild's player is told."""

OTHERS: dict[str, Forgery] = {
    "the token of another player's seat, from the right sender": lambda w: mail(
        w, sender=OWN, to=f"mentat+{w.token('harkonnen')}@arrakis.example"
    ),
    "the token of another player in another game": lambda w: mail(
        w, sender=OWN, to=f"mentat+{w.token('fremen', SECOND)}@arrakis.example"
    ),
    "the Kelvin sign for a k": lambda w: with_from(w, "har\u212aonnen@players.example", "harkonnen"),
    "the player's own mail, enclosed": enclosed,
    "a letter to the player, forwarded": forwarded_letter,
    "a bounce with orders": bounce,
    "an automatic answer with orders": lambda w: mail(w, sender=OWN, Auto_Submitted="auto-replied"),
    "mail that claims to be Mentat's": lambda w: mail(w, X_Mentat="game=sietch-12"),
    "Mentat's own address": lambda w: mail(w, sender=ADDRESS),
    "Mentat's own address with a token": lambda w: mail(w, sender=reply_address(w)),
    "the game master's address without a token": lambda w: mail(w, "freeze", sender=GAME_MASTER, to=ADDRESS),
    "a code that nobody was sent": lambda w: mail(w, "confirm", to="mentat+aaaabbbbccccdddd@arrakis.example"),
}
"""Forgeries for other seats, for no recognisable seat, or from no person."""
