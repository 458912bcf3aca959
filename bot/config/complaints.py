"""Faults in settings, each put as a sentence that says what to do. No sentence contains a secret or a key.

Each forum has its own section, `[forums.NAME]`. It must contain the settings that its kind of forum needs. Settings for
another kind of forum are an error: they would have no effect, and the game master who wrote them would not notice.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import SecretStr, ValidationError
from pydantic_core import ErrorDetails

from bot.config.sections import (
    SECRETS,
    SECTIONS,
    ClockSettings,
    DatabaseSettings,
    ForumSettings,
    IdentitySettings,
    MailboxSettings,
    Secrets,
    Section,
    SmtpSettings,
)
from bot.config.time_zones import ZoneRefused, write_zone
from bot.config.values import Expects, as_written, closest, did_you_mean

MIN_SECRET = 16
FORUM_KEY = re.compile(r"MENTAT_FORUM_.*")
"""Names in `.env` that look like the name of a forum's key."""


def strange_sections(tables: Mapping[str, Any]) -> Iterator[str]:
    for name, content in tables.items():
        if name in SECTIONS or name == "forums":
            continue
        if isinstance(content, dict):
            yield f"[{name}] is not a section{did_you_mean(name, [*SECTIONS, 'forums'])}"
        elif homes := [section for section, model in SECTIONS.items() if name in _keys(model)]:
            yield f"{name} is outside any section: put it below {' or '.join(f'[{home}]' for home in homes)}."
        else:
            yield f"{name} is not a setting: delete the line, or put it into the section where it belongs."


def faults(error: ValidationError) -> Iterator[ErrorDetails]:
    """Yield the faults of a section, leaving out those that only result from another fault: if `security` is wrong,
    there is no default for the port either."""
    return (each for each in error.errors(include_url=False) if each["type"] != "default_factory_not_called")


def fault_sentence(section: str, model: type[Section], error: ErrorDetails) -> str:
    key = str(error["loc"][0])
    if error["type"] == "extra_forbidden":
        return _strange_key(section, model, key)
    expects = _keys(model)[key]
    if error["type"] == "missing":
        return f"[{section}] {key} is missing: give {expects}."
    value = error["input"]
    hint = ""
    if expects.startswith("a time zone") and isinstance(value, str):
        refused = error.get("ctx", {}).get("error")
        if isinstance(refused, ZoneRefused):
            hint = " or ".join(map(write_zone, refused.near[: None if refused.why == "several" else 1]))
    elif error["type"] == "literal_error" and isinstance(value, str):
        hint = closest(value, re.findall("'([^']+)'", error["ctx"]["expected"]))
    elif isinstance(value, str) and re.fullmatch(r"[\d._]+|true|false", value):
        hint = f"{value} without quotes"
    written = _without_password(as_written(value))
    return f"[{section}] {key}: {written} is not {expects}{f' (did you mean {hint}?)' if hint else '.'}"


def _without_password(written: str) -> str:
    return re.sub(r"(?i)(//[^:@/\s\"]*:|[?&]password=)[^@&\s\"]+", r"\1***", written)


def _strange_key(section: str, model: type[Section], key: str) -> str:
    if (section, key) == ("clock", "tempo"):
        return "[clock] tempo is a setting of each game: delete it, and start games with `mentat game new --tempo`."
    if re.search("password|secret", key, re.IGNORECASE):
        names = ", ".join(SECRETS)
        return f"[{section}] {key}: secrets do not belong in this file: delete the line and use .env ({names})."
    return f"[{section}] {key} is not a setting{did_you_mean(key, list(_keys(model)))}"


def strange_secrets(in_file: Mapping[str, str], env: Path) -> Iterator[str]:
    for name in in_file:
        if name.startswith("MENTAT_") and name not in SECRETS and not FORUM_KEY.fullmatch(name):
            yield f"{name} in {env} is not a setting{did_you_mean(name, list(SECRETS))}"


def missing(mailbox: MailboxSettings | None, smtp: SmtpSettings | None, known: Secrets, where: str) -> Iterator[str]:
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
        yield "[database] direct_url only adds a second way to the server of url, which is missing: set url, too."
    identity: IdentitySettings | None = given.get("identity")
    if identity and identity.mode == "token+sender+auth" and not (identity.authserv_id or identity.dkim):
        yield "[identity] mode asks for proof of senders: name your mail server with authserv_id, or set dkim = true."


def _keys(model: type[Section]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, field in model.model_fields.items():
        choices = getattr(field.annotation, "__args__", ())
        words = [part.words for part in field.metadata if isinstance(part, Expects)]
        key = field.validation_alias if isinstance(field.validation_alias, str) else name
        found[key] = words[0] if words else "one of " + ", ".join(f'"{choice}"' for choice in choices)
    return found


_FORUM_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_SECRET_WORD = re.compile("password|secret|key|token", re.IGNORECASE)

_OF_KIND = {
    "discourse": ("url", "category", "username"),
    "list": ("address", "envelope_header", "authserv_id"),
    "paste": ("dialect",),
}
_NEEDED = {
    "url": 'give its address, like "https://forum.arrakis.example"',
    "category": "give the number of the category for games, as its address has it",
    "username": "give the name of Mentat's account there",
    "address": "give the address to which members of the list write",
    "dialect": 'say how posts are marked up there, one of "bbcode", "bgg", "markdown", "text"',
}
_WITH_KEY = ("discourse",)


def key_name(name: str) -> str:
    """Return the name under which a forum's key is stored in `.env`.

    >>> key_name("arrakis-list")
    'MENTAT_FORUM_ARRAKIS_LIST_KEY'
    """
    return f"MENTAT_FORUM_{name.upper().replace('-', '_')}_KEY"


def read_forums(tables: object) -> tuple[dict[str, ForumSettings], list[str]]:
    if not isinstance(tables, dict):
        return {}, ["forums must be sections: write [forums.NAME] on its own line and its settings below it."]
    forums: dict[str, ForumSettings] = {}
    problems: list[str] = []
    for name, table in tables.items():
        section = f"forums.{name}"
        if not isinstance(table, dict):
            problems.append(f"[forums] {name}: each forum needs its own section, like [forums.arrakis]: add one.")
        elif not _FORUM_NAME.fullmatch(name):
            said = "up to 40 lowercase letters, digits and hyphens, like [forums.arrakis-list]"
            problems.append(f"[{section}] cannot be the name of a forum: use {said}.")
        else:
            try:
                forums[name] = ForumSettings.model_validate(table)
            except ValidationError as error:
                found = (_forum_fault(name, details) for details in faults(error))
                problems += dict.fromkeys(found)
    return forums, problems


def _forum_fault(name: str, error: Any) -> str:
    key = str(error["loc"][0])
    if error["type"] == "extra_forbidden" and _SECRET_WORD.search(key):
        return (
            f"[forums.{name}] {key}: secrets do not belong in this file: delete the line and put {key_name(name)} "
            "into .env."
        )
    if key == "kind" and error["input"] == "misago":
        return (
            f'[forums.{name}] kind: Mentat cannot write in a Misago forum: post there by hand, with kind = "paste", or '
            "delete the section."
        )
    return fault_sentence(f"forums.{name}", ForumSettings, error)


def keys_of_forums(forums: Mapping[str, ForumSettings], given: Mapping[str, str]) -> dict[str, SecretStr]:
    wanted = {name: given.get(key_name(name), "") for name, forum in forums.items() if forum.kind in _WITH_KEY}
    return {name: SecretStr(key) for name, key in wanted.items() if key}


def strange_forum_keys(
    tables: object, forums: Mapping[str, ForumSettings], in_file: Mapping[str, str], env: Path
) -> Iterator[str]:
    unread = {name for name in tables if name not in forums} if isinstance(tables, dict) else set()
    with_key = [name for name, forum in forums.items() if forum.kind in _WITH_KEY]
    known = {key_name(name): name for name in (*unread, *with_key)}
    without = {key_name(name): name for name in forums if name not in with_key}
    for line in in_file:
        if not FORUM_KEY.fullmatch(line) or line in known:
            continue
        if line in without:
            yield f"{line} in {env}: [forums.{without[line]}] is of a kind that needs no key: delete the line."
        elif nearest := closest(line, list(known)):
            yield f"{line} in {env} is not a setting: did you mean {nearest}?"
        else:
            yield f"{line} in {env} belongs to no forum: delete the line, or write a section [forums.NAME] for it."


def missing_for_forums(
    forums: Mapping[str, ForumSettings], known: Mapping[str, SecretStr], where: str
) -> Iterator[str]:
    for name, forum in forums.items():
        for key in _OF_KIND[forum.kind]:
            if key in _NEEDED and not getattr(forum, key):
                yield f"[forums.{name}] {key} is missing: {_NEEDED[key]}."
        if forum.kind in _WITH_KEY and name not in known:
            yield f"{key_name(name)} is missing: put the API key of [forums.{name}] username into {where}."


def forum_contradictions(forums: Mapping[str, ForumSettings], given: Mapping[str, Any]) -> Iterator[str]:
    places: dict[object, str] = {}
    for name, forum in forums.items():
        yield from _misplaced_settings(name, forum)
        if not (forum.url or forum.address):
            continue
        place = places.setdefault((forum.url, forum.category, forum.address.lower()), name)
        if place != name:
            yield f"[forums.{name}] is the same place as [forums.{place}]: delete one of them."
    mentat, identity = given.get("mentat"), given.get("identity")
    if mentat and identity and not mentat.plus_addressing and not identity.authserv_id:
        for name in (name for name, forum in forums.items() if forum.kind == "list"):
            yield (
                f"[forums.{name}] a list needs plus_addressing in [mentat], or authserv_id in [identity]: with "
                "neither, anybody could write in the list's name."
            )


def _misplaced_settings(name: str, forum: ForumSettings) -> Iterator[str]:
    for key in dict.fromkeys(key for settings in _OF_KIND.values() for key in settings):
        kinds = [kind for kind, settings in _OF_KIND.items() if key in settings]
        if key in forum.model_fields_set and forum.kind not in kinds:
            wanted = " or ".join(f'"{kind}"' for kind in kinds)
            yield f'[forums.{name}] {key} is for kind = {wanted}, not for "{forum.kind}": delete the line.'
