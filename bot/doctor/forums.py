"""The forums of the settings: do they answer, do they let Mentat in, and can anybody be believed on a list?"""

from __future__ import annotations

from collections.abc import Iterator

from bot.channels.channel import ChannelError, NotPossible, Refused, TooSoon
from bot.config import ForumSettings, Settings
from bot.forum.opening import open_channel
from bot.identity.list_mail import subscribed_address
from bot.monitoring.finding import Finding


def examine(settings: Settings) -> Iterator[Finding]:
    """Look at each; nothing is written there."""
    for name, forum in settings.forums.items():
        about = f"forum {name}"
        if forum.kind == "paste":
            yield Finding(about, "well", "you post there by hand: `mentat forum show` has what is to be posted")
        elif forum.kind == "list":
            yield from _list(about, name, forum, settings)
        else:
            yield _reached(about, name, forum, settings)


def _list(about: str, name: str, forum: ForumSettings, settings: Settings) -> Iterator[Finding]:
    address = subscribed_address(settings, name)
    yield Finding(about, "well", f"Mentat is to be a member of {forum.address} as {address}")
    if not (forum.authserv_id or forum.envelope_header):
        told = "nothing proves who posts there, so nobody can play by posts"
        yield Finding(about, "note", told, f"Set authserv_id or envelope_header in [forums.{name}] (docs/forum.md).")


def _reached(about: str, name: str, forum: ForumSettings, settings: Settings) -> Finding:
    try:
        open_channel(name, settings).messages_since(None)
    except (NotPossible, TooSoon):
        pass  # it has answered
    except Refused as no:
        return Finding(
            about, "wrong", f"{forum.url} does not let Mentat in: {no}", f"`mentat forum test {name}` says more."
        )
    except ChannelError as away:
        return Finding(
            about, "wrong", f"{forum.url} cannot be reached: {away}", "No game waits for it; try again later."
        )
    return Finding(about, "well", f"{forum.url} answers, and lets Mentat in as {forum.username}")
