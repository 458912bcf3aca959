"""More mail from people who want to play for somebody else. They use a reply address that is almost right, a letter
that its owner has forwarded, or their own mail with stolen parts.

Each function makes one such mail, as in ``tests.moderator.forgeries``.
"""

from __future__ import annotations

from email import policy
from email.message import EmailMessage

from bot.mail.identity import reply_token
from tests.moderator.forgeries import (
    EVIL,
    OWN,
    RIVAL,
    SECOND,
    Forgery,
    mail,
    orders,
    reply_address,
    token,
    with_from,
    word,
)
from tests.moderator.table import ADDRESS, GAME, World

HOST = "arrakis.example"


def to(local: str, host: str = HOST) -> Forgery:
    """Forge a mail from the player's own address to a reply address in which TOKEN stands for their token."""
    return lambda world: mail(world, sender=OWN, to=f"{local.replace('TOKEN', token(world))}@{host}")


def to_field(value: str) -> Forgery:
    """Forge a mail from the player's own address with this exact To field."""
    return lambda world: mail(world, sender=OWN, to="place@holder.example").replace(
        b"To: place@holder.example", f"To: {value.replace('TOKEN', token(world))}".encode()
    )


def field(name: str, value: str = "mentat+TOKEN@arrakis.example") -> Forgery:
    """Forge a mail from the player's own address, with the token in a field that never names recipients."""
    return lambda world: mail(world, sender=OWN, to=ADDRESS, **{name: value.replace("TOKEN", token(world))})


def subject(text: str) -> Forgery:
    return lambda world: mail(world, sender=OWN, to=ADDRESS, subject=text.replace("TOKEN", token(world)))


def own_mail(world: World, *lines: str, **fields: str) -> bytes:
    """Return a mail from the rival to their own reply address."""
    return mail(world, *lines, sender=RIVAL, to=f"mentat+{world.token('harkonnen')}@{HOST}", **fields)


def multipart(world: World, *parts: tuple[str, str, str], to: str = ADDRESS, sender: str = RIVAL) -> bytes:
    """Return a mail with these parts, each with its type and file name."""
    message = EmailMessage(policy=policy.SMTP)
    message["From"], message["To"], message["Subject"] = sender, to, "Re: orders"
    message["Message-ID"] = f"<{world.now.timestamp()}@evil.example>"
    message.set_content("status\n")
    for text, kind, name in parts:
        main, sub = kind.split("/")
        if main == "message":
            inner = EmailMessage(policy=policy.SMTP)
            inner["From"], inner["To"], inner["Subject"] = ADDRESS, OWN, "your report"
            inner.set_content(text)
            message.add_attachment(inner)
        elif name:
            message.add_attachment(text, subtype=sub, filename=name)
        else:
            message.add_alternative(text, subtype=sub)
    return message.as_bytes()


def letter_with_form(world: World) -> str:
    return next(letter.text for letter in world.letters("guild") if "[form " in letter.text)


def ticked_form(world: World) -> str:
    text = letter_with_form(world)
    return text[text.index("[form ") : text.index("]", text.index("[end of form")) + 1].replace("[ ]", "[x]")


def section(world: World) -> str:
    return "\n".join(["status", f"[#{token(world)}]", *orders(world)])


def rival_address(world: World) -> str:
    return f"mentat+{world.token('harkonnen')}@{HOST}"


def sent_back(world: World, *fields: str, sender: str = "") -> bytes:
    """Return a letter to Guild, byte for byte, with other header fields above it."""
    raw = next(letter for letter in world.letters("guild") if "[form " in letter.text).message.as_bytes()
    if sender:
        raw = raw.replace(b"From: Mentat <mentat@arrakis.example>", f"From: {sender}".encode(), 1)
    number = f"X-Way: {world.now.isoformat()}\r\n"
    return (number + "".join(f"{each}\r\n" for each in fields)).encode() + raw


def without_mark(raw: bytes) -> bytes:
    """Remove the header fields that identify our letters."""
    rows = raw.split(b"\n")
    return b"\n".join(row for row in rows if not row.startswith((b"X-Mentat", b"Message-ID", b"Auto-Submitted")))


AIMED: dict[str, Forgery] = {
    "a percent sign for the plus": to("mentat%2BTOKEN"),
    "a hyphen for the plus": to("mentat-TOKEN"),
    "an equals sign for the plus": to("mentat=TOKEN"),
    "the token without its last character": lambda w: mail(w, sender=OWN, to=f"mentat+{token(w)[:-1]}@{HOST}"),
    "the token with one character more": to("mentat+TOKENa"),
    "the token twice": to("mentat+TOKENTOKEN"),
    "the token backwards": lambda w: mail(w, sender=OWN, to=f"mentat+{token(w)[::-1]}@{HOST}"),
    "the token with hyphens": lambda w: mail(w, sender=OWN, to=f"mentat+{token(w)[:8]}-{token(w)[8:]}@{HOST}"),
    "the token behind another plus": to("mentat+x+TOKEN"),
    "the token before another plus": to("mentat+TOKEN+x"),
    "the token alone": to("TOKEN"),
    "the token at another name": to("baron+TOKEN"),
    "the token at a name that begins like ours": to("mentatx+TOKEN"),
    "the token at another host": to("mentat+TOKEN", "arrakis.example.evil.example"),
    "the token at a host below ours": to("mentat+TOKEN", "mx.arrakis.example"),
    "the envelope sender of a letter": to("mentat+b-TOKEN"),
    "the token of the envelope sender as one for replies": lambda w: mail(
        w, sender=OWN, to=f"mentat+{w.table().seats['guild'].bounce_token}@{HOST}"
    ),
    "the address by which observers leave": lambda w: mail(w, sender=OWN, to=f"mentat+u-{token(w)}@{HOST}"),
    "the address of a seat as an observer's, with a word behind it": to("mentat+u-TOKENx"),
    "a token made with another secret": lambda w: mail(
        w, sender=OWN, to=f"mentat+{reply_token(b'melange', GAME, 'guild', 0)}@{HOST}"
    ),
    "a token of the next generation, guessed": lambda w: mail(
        w, sender=OWN, to=f"mentat+{'b' * 16}@{HOST}"
    ),
    "the token in wide letters": lambda w: to_field(
        "mentat+" + "".join(chr(ord(c) + 0xFEE0) for c in token(w)) + f"@{HOST}"
    )(w),
    "the token in the name of To": to_field('"mentat+TOKEN@arrakis.example" <mentat@arrakis.example>'),
    "the token in a comment of To": to_field("mentat@arrakis.example (mentat+TOKEN@arrakis.example)"),
    "the token as quoted local part": to_field('"mentat+TOKEN"@arrakis.example'),
    "the token as name of a group": to_field("mentat+TOKEN@arrakis.example: x@evil.example;"),
    "the token in an encoded word of To": lambda w: to_field(f"{word(reply_address(w))} <{ADDRESS}>")(w),
    "the token in Reply-To": field("Reply_To"),
    "the token in Sender": field("Sender"),
    "the token in Errors-To": field("Errors_To"),
    "the token in Return-Path": field("Return_Path"),
    "the token in List-Post": field("List_Post", "<mailto:mentat+TOKEN@arrakis.example>"),
    "the token in a Received field": field(
        "Received", "from evil.example for <mentat+TOKEN@arrakis.example>; Tue, 26 Nov 2024 20:00:00 +0000"
    ),
    "the token in X-Token": field("X_Token", "TOKEN"),
    "the token in X-Mentat-Token": field("X_Reply_Token", "TOKEN"),
    "the token in Comments": field("Comments", "[#TOKEN]"),
    "the token in Keywords": field("Keywords", "[#TOKEN]"),
    "the token in Thread-Topic": field("Thread_Topic", "Re: [#TOKEN]"),
    "the token in the Message-ID": lambda w: mail(
        w, sender=OWN, to=ADDRESS, message_id=f"<{GAME}.guild.3.{token(w)}@players.example>"
    ),
    "the token in a Message-ID of another host": field("In_Reply_To", f"<{GAME}.guild.0.TOKEN@evil.example>"),
    "a shortened Message-ID of ours": lambda w: mail(
        w, sender=OWN, to=ADDRESS, In_Reply_To=f"<{GAME}.guild.0.{token(w)[:12]}@{HOST}>"
    ),
    "the token in the subject without brackets": subject("Re: #TOKEN"),
    "the token in the subject in other brackets": subject("Re: (#TOKEN)"),
    "the token in the subject in wide brackets": subject("Re: ［＃TOKEN］"),
    "the token in the subject, broken": lambda w: mail(
        w, sender=OWN, to=ADDRESS, subject=f"Re: [#{token(w)[:7]} {token(w)[7:]}]"
    ),
    "an empty group with the player's address as its name": lambda w: with_from(w, f"{OWN}:;"),
    "the player's address and a full stop": lambda w: with_from(w, f"{OWN}."),
    "the player's address with a space in it": lambda w: with_from(w, "guild @players.example"),
    "the player's address with two full stops": lambda w: with_from(w, "guild@players..example"),
    "the player's address as an encoded word in brackets": lambda w: with_from(w, f"<{word(OWN)}>"),
    "the player's address in percent signs": lambda w: with_from(w, "guild%40players.example@evil.example"),
    "a bang path": lambda w: with_from(w, "evil.example!guild%players.example@evil.example"),
    "the player's address in a quoted name that ends early": lambda w: with_from(w, f'"Guild \\" <{OWN}>" <{EVIL}>'),
    "the player's address behind a quote that never ends": lambda w: with_from(w, f'"<{OWN}> {EVIL}'),
    "the player's address in a comment that never ends": lambda w: with_from(w, f"{EVIL} (<{OWN}>"),
    "a soft hyphen in the player's address": lambda w: with_from(w, "gui\u00adld@players.example"),
    "an accent on a letter of the player's address": lambda w: with_from(w, "guıld@players.example"),
    "a long s in the player's domain": lambda w: with_from(w, "guild@player\u017f.example"),
    "letters from right to left": lambda w: with_from(w, "\u202edliug@players.example"),
    "an ideographic full stop": lambda w: with_from(w, "guild@players\u3002example"),
    "a sub-address of the player's": lambda w: with_from(w, "guild+mentat@players.example"),
    "the player's address with an equals sign": lambda w: with_from(w, "guild=players.example@evil.example"),
    "a list that writes for the player": lambda w: with_from(w, f'"{OWN} via Dune" <dune@lists.example>'),
    "From in another field": lambda w: mail(w).replace(b"From: ", b"From : x\r\nX-From: ", 1),
    "Apparently-From": lambda w: mail(w, Apparently_From=OWN),
    "X-Sender and X-Google-Original-From": lambda w: mail(w, X_Sender=OWN, X_Google_Original_From=OWN),
    "Resent-Sender and Resent-Reply-To": lambda w: mail(w, Resent_Sender=OWN, Resent_Reply_To=OWN),
    "On-Behalf-Of": lambda w: mail(w, X_MS_Exchange_On_Behalf_Of=OWN),
    "results of a server that nobody trusts": lambda w: mail(
        w, Authentication_Results=f"mx.{HOST}; dmarc=pass header.from=players.example"
    ),
    "the player's token in the subject, from a rival at their own": lambda w: own_mail(
        w, "status", subject=f"Re: [#{token(w)}]"
    ),
    "the player's token in Delivered-To, from a rival at their own": lambda w: own_mail(
        w, "status", Delivered_To=reply_address(w)
    ),
    "the player's reply address as a line, from a rival": lambda w: own_mail(w, "status", reply_address(w), *orders(w)),
    "the player's reply address after To:, from a rival": lambda w: own_mail(
        w, "status", f"To: <mailto:{reply_address(w)}>", *orders(w)
    ),
    "a copied subject with the player's token, from a rival": lambda w: own_mail(
        w, "status", f"Subject: Re: [sietch-12] your turn [#{token(w)}]", *orders(w)
    ),
    "the player's token in an attached text, from a rival": lambda w: multipart(
        w, (section(w), "text/plain", "orders.txt"), to=rival_address(w)
    ),
    "the player's form in an attached text, from a rival": lambda w: multipart(
        w, (ticked_form(w), "text/plain", "orders.txt"), to=rival_address(w)
    ),
    "the player's form, quoted, from a rival": lambda w: own_mail(
        w, "status", *(f"> {row}" for row in ticked_form(w).splitlines())
    ),
    "the player's form within one of the rival's": lambda w: own_mail(
        w, "[form 0123456789]", *ticked_form(w).splitlines(), "[end of form 0123456789]"
    ),
}  # fmt: skip
"""Forgeries about which Guild's player is told."""

NOBODYS: dict[str, Forgery] = {
    "the letter enclosed, from a rival": lambda w: multipart(w, (letter_with_form(w), "message/rfc822", "")),
    "the letter enclosed, from a rival at their own": lambda w: multipart(
        w, (letter_with_form(w), "message/rfc822", ""), to=rival_address(w)
    ),
    "the letter redirected": lambda w: sent_back(w, f"Resent-From: {RIVAL}", f"Resent-To: {ADDRESS}"),
    "the letter redirected without its mark": lambda w: without_mark(sent_back(w, f"Resent-From: {RIVAL}")),
    "the letter as if the player had written it": lambda w: sent_back(w, sender=OWN),
    "what the doctor sends": lambda w: mail(w, sender=OWN, X_Mentat="doctor 12345"),
    "an observer's token that was never given": lambda w: mail(
        w, sender=EVIL, to=f"mentat+{reply_token(b'spice', SECOND, f'observer {EVIL}', 0)}@{HOST}"
    ),
    "the game master's address with a seat's token of nobody": lambda w: mail(
        w, "pause", "game replace sietch-12 guild x@y.example", sender="gm@arrakis.example",
        to="mentat+aaaabbbbccccdddd@arrakis.example",
    ),
    "a command as subject": lambda w: mail(w, "", sender=EVIL, to=ADDRESS, subject="freeze guild"),
}  # fmt: skip
"""Forgeries for other seats, or for no recognisable seat."""
