"""What is wrong with settings, each fault in a sentence that says what to do. No sentence holds a secret."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from zoneinfo import available_timezones

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from bot.config.sections import (
    SECRETS,
    SECTIONS,
    ClockSettings,
    DatabaseSettings,
    IdentitySettings,
    MailboxSettings,
    Secrets,
    Section,
    SmtpSettings,
)
from bot.config.values import Expects, as_written, closest, did_you_mean

MIN_SECRET = 16
FORUM_KEY = re.compile(r"MENTAT_FORUM_.*")
"""Names in `.env` that look like the key of a forum (`bot.config.forum_checks`)."""


def strange_sections(tables: Mapping[str, Any]) -> Iterator[str]:
    """What stands in the file and is neither a section nor in one."""
    for name, content in tables.items():
        if name in SECTIONS or name == "forums":
            continue
        if isinstance(content, dict):
            yield f"[{name}] is not a section{did_you_mean(name, [*SECTIONS, 'forums'])}"
        elif homes := [section for section, model in SECTIONS.items() if name in _keys(model)]:
            yield f"{name} stands outside of any section: put it below {' or '.join(f'[{home}]' for home in homes)}."
        else:
            yield f"{name} is not a setting: delete the line, or put it into the section where it belongs."


def faults(error: ValidationError) -> Iterator[ErrorDetails]:
    """The faults in a section, without those that only follow from another one, like a port that cannot be known
    because the security is wrong."""
    return (each for each in error.errors(include_url=False) if each["type"] != "default_factory_not_called")


def sentence(section: str, model: type[Section], error: ErrorDetails) -> str:
    """What is wrong with one setting, and what it should be."""
    key = str(error["loc"][0])
    if error["type"] == "extra_forbidden":
        return _strange_key(section, model, key)
    expects = _keys(model)[key]
    if error["type"] == "missing":
        return f"[{section}] {key} is missing: give {expects}."
    value = error["input"]
    hint = ""
    if expects.startswith("a time zone") and isinstance(value, str):
        hint = closest(value, sorted(available_timezones()))
    elif error["type"] == "literal_error" and isinstance(value, str):
        hint = closest(value, re.findall("'([^']+)'", error["ctx"]["expected"]))
    elif isinstance(value, str) and re.fullmatch(r"[\d._]+|true|false", value):
        hint = f"{value} without quotes"
    written = _without_password(as_written(value))
    return f"[{section}] {key}: {written} is not {expects}{f' (did you mean {hint}?)' if hint else '.'}"


def _without_password(written: str) -> str:
    """A setting as it was written, with stars for a password in a URL."""
    return re.sub(r"(?i)(//[^:@/\s\"]*:|[?&]password=)[^@&\s\"]+", r"\1***", written)


def _strange_key(section: str, model: type[Section], key: str) -> str:
    if (section, key) == ("clock", "tempo"):
        return "[clock] tempo is a setting of each game: delete it, and start games with `mentat game new --tempo`."
    if re.search("password|secret", key, re.IGNORECASE):
        names = ", ".join(SECRETS)
        return f"[{section}] {key}: secrets do not belong in this file: delete the line and use .env ({names})."
    return f"[{section}] {key} is not a setting{did_you_mean(key, list(_keys(model)))}"


def strange_secrets(in_file: Mapping[str, str], env: Path) -> Iterator[str]:
    """Names in `.env` that look like ours and are none."""
    for name in in_file:
        if name.startswith("MENTAT_") and name not in SECRETS and not FORUM_KEY.fullmatch(name):
            yield f"{name} in {env} is not a setting{did_you_mean(name, list(SECRETS))}"


def missing(mailbox: MailboxSettings | None, smtp: SmtpSettings | None, known: Secrets, where: str) -> Iterator[str]:
    """What has no default and is not given."""
    secret = known.secret.get_secret_value()
    if len(secret) < MIN_SECRET:
        state = f"is shorter than {MIN_SECRET} characters" if secret else "is missing"
        yield (
            f"MENTAT_SECRET {state}: put 32 random characters under that name into {where} "
            "(`openssl rand -hex 16` makes some)."
        )
    if mailbox and mailbox.kind == "imap":
        if not mailbox.host:
            yield '[mailbox] host is missing: name your IMAP server, or set kind = "maildir".'
        if not mailbox.user:
            yield "[mailbox] user is missing: give the name that logs in to the IMAP server."
        if mailbox.auth == "password" and not known.imap_password.get_secret_value():
            yield f"MENTAT_IMAP_PASSWORD is missing: put the password of [mailbox] user into {where}."
    if smtp and smtp.kind == "smtp":
        if not smtp.host:
            yield '[smtp] host is missing: name your SMTP server, or set kind = "directory".'
        if smtp.user and smtp.auth == "password" and not known.smtp_password.get_secret_value():
            yield f"MENTAT_SMTP_PASSWORD is missing: put the password of [smtp] user into {where}."


def missing_for_tokens(sections: Mapping[str, Any], known: Secrets, where: str) -> Iterator[str]:
    """What is wanted for access tokens and for authorities of one's own."""
    oauth = sections.get("oauth")
    for name in ("mailbox", "smtp"):
        given = sections.get(name)
        if not given or given.kind not in ("imap", "smtp"):
            continue
        if given.ca_file and not given.ca_file.is_file():
            yield f"[{name}] ca_file: there is no file {given.ca_file}."
        if given.auth == "xoauth2" and not given.user:
            yield f"[{name}] user is missing: give the name that the access token is for."
        if given.auth == "xoauth2" and oauth and not (oauth.token_url and oauth.client_id):
            yield f'[oauth] token_url and client_id are missing: [{name}] auth = "xoauth2" needs both.'
        if given.auth == "xoauth2" and not known.oauth_refresh_token.get_secret_value():
            yield f'MENTAT_OAUTH_REFRESH_TOKEN is missing: [{name}] auth = "xoauth2" needs it in {where}.'


def contradictions(given: Mapping[str, Any]) -> Iterator[str]:
    """Settings that are right one by one and cannot be together."""
    mailbox: MailboxSettings | None = given.get("mailbox")
    clock: ClockSettings | None = given.get("clock")
    if mailbox and len({mailbox.folder, mailbox.processed, mailbox.shunted}) < 3:
        yield "[mailbox] folder, processed and shunted must be three different folders."
    if clock:
        for hours in (hours for hours in clock.reminder_hours if hours >= clock.step_hours):
            yield f"[clock] reminder_hours: {hours:g} is not below step_hours, which is {clock.step_hours:g}."
        if clock.minimum_hours > clock.step_hours:
            yield f"[clock] minimum_hours: {clock.minimum_hours:g} is above step_hours, which is {clock.step_hours:g}."
        if len(set(clock.days_off)) == 7:
            yield "[clock] days_off names every day of the week: leave one on which a deadline can fall."
    database: DatabaseSettings | None = given.get("database")
    if database and database.direct_url and not database.url:
        yield "[database] direct_url is another way to the server of url, which is missing: name that too."
    identity: IdentitySettings | None = given.get("identity")
    if identity and identity.mode == "token+sender+auth" and not (identity.authserv_id or identity.dkim):
        yield "[identity] mode asks for proof of senders: name your mail server with authserv_id, or set dkim = true."


def _keys(model: type[Section]) -> dict[str, str]:
    """The settings of a section as written in the file, each with the words for what it must be."""
    found: dict[str, str] = {}
    for name, field in model.model_fields.items():
        choices = getattr(field.annotation, "__args__", ())
        words = [part.words for part in field.metadata if isinstance(part, Expects)]
        key = field.validation_alias if isinstance(field.validation_alias, str) else name
        found[key] = words[0] if words else "one of " + ", ".join(f'"{choice}"' for choice in choices)
    return found
