"""`mentat forum test`: a forum tried, with the permissions that are missing."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated

import typer

from bot.channels.channel import Limits
from bot.cli.session import (
    CONFIG,
    NO,
    WRONG_USE,
    AsJson,
    Config,
    Session,
    answer_json,
    fail,
    open_session,
    print_line,
)
from bot.forum.forums import forum_of
from bot.forum.trial import Step, Trial
from bot.mail.servers.mailbox import MailboxUnavailable
from bot.service import loop
from bot.service.mail_servers import open_mailbox, open_transport
from bot.service.system_clock import utc_now
from bot.store.only_one import AlreadyRunning
from bot.wording.filters import plural

_MARKS = {"well": "ok", "cannot": "none", "wrong": "WRONG", "left": "left"}


def try_forum(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The forum, as the settings name it.")],
    wait: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="How long to wait where it takes its time.")
    ] = 180.0,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Try a forum: open a thread, post, read, change, and say what it answered and which permission is missing.

    Nothing of games is touched; the thread stays there until somebody removes it. Exits 1 if anything is wrong.
    Example: `mentat forum test arrakis`
    """
    session = open_session(config)
    forum = session.settings.forums.get(name)
    if forum is None:
        known = ", ".join(session.settings.forums) or "none"
        fail(f"There is no forum {name!r} in the settings ([forums.NAME]); there are: {known}.", WRONG_USE)
    if forum.kind == "paste":
        if as_json:
            answer_json({"forum": name, "well": True, "steps": [], "limits": None})
        else:
            print_line(
                f"Nothing can be tried in {name}, where you post by hand; `mentat forum show GAME` gives what to post."
            )
        return
    channel = forum_of(name, session.settings, session.engine, lambda: open_transport(session.settings)).channel("")
    between = _fetching(session) if forum.kind == "list" else time.sleep
    trial = Trial(channel, forum.kind, secrets.token_hex(3), utc_now, wait, between)
    if forum.kind == "list" and not as_json:
        print_line(f"Mails go to {forum.address} and must come back, which may take some minutes.")
    steps = []
    for step in trial.steps():
        steps.append(step)
        if not as_json:
            _tell(step)
    wrong = sum(step.state == "wrong" for step in steps)
    if as_json:
        limits = {**asdict(channel.limits), "dialect": channel.limits.dialect.value}
        answer_json({"forum": name, "well": not wrong, "steps": [asdict(step) for step in steps], "limits": limits})
    else:
        print_line(_limits(channel.limits))
        if trial.thread is not None and forum.kind != "list":
            print_line(f"The thread {trial.thread.url or trial.thread.id} is yours to remove.")
        print_line("All is well." if not wrong else f"{plural(wrong, 'thing')} to mend.")
    if wrong:
        raise typer.Exit(NO)


def _fetching(session: Session) -> Callable[[float], None]:
    """Let time pass, and fetch mail unless somebody else does."""

    def between(seconds: float) -> None:
        time.sleep(seconds)
        mailbox = open_mailbox(session.settings)
        try:
            loop.poll(session.moderator, mailbox)
        except (AlreadyRunning, MailboxUnavailable):
            pass
        finally:
            mailbox.close()

    return between


def _tell(step: Step) -> None:
    style = {"wrong": "red", "left": "yellow"}.get(step.state, "")
    line = f"{_MARKS[step.state]:6}{step.name}: {step.told}"
    print_line(line, style=style)
    if step.advice:
        print_line(f"      {step.advice}")


def _limits(limits: Limits) -> str:
    told = [
        f"{limits.characters_at_least} to {limits.characters} characters a post",
        f"{limits.seconds_between_posts:g} seconds between two",
        "any number in a row" if limits.posts_in_a_row is None else f"{limits.posts_in_a_row} in a row",
        "pictures" if limits.pictures else "no pictures",
        f"posts {'can' if limits.revisable else 'cannot'} be changed",
        limits.dialect.value,
    ]
    return f"      limits: {', '.join(told)}"
