"""Settings as a game master writes them, with secrets in `.env`, in credentials and in the environment: what Mentat
takes them for, down to the servers that it would log in to, or all that is said to be wrong with them.

An input is the sections of `config.toml` with their values; a text that begins with "=" is written as it stands behind
that, for dates and for what is no value at all.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from random import Random
from typing import Any, get_args
from unittest import mock

from bot.config import ClockSettings, Settings, SettingsError, changed_clock, load_settings
from bot.config.archive_policy import policy, policy_of
from bot.config.sections import SECRETS, SECTIONS, ForumSettings
from bot.config.values import DATABASE_EXPECTED
from bot.identity.list_mail import subscribed_address
from bot.resources import example_file
from bot.service import mail_servers
from tests.approved.subject import Subject

HERE = "HERE"
_SHORT = {
    "mentat": {"address": "mentat@arrakis.example", "game_master": "gm@arrakis.example"},
    "mailbox": {"host": "imap.arrakis.example", "user": "mentat"},
    "smtp": {"host": "smtp.arrakis.example", "user": "mentat"},
}
_ENV = {
    "MENTAT_SECRET": "a-secret-of-enough-length", "MENTAT_IMAP_PASSWORD": "inward", "MENTAT_SMTP_PASSWORD": "outward"
}  # fmt: skip
_TOKENS = {"token_url": "https://oauth2.example.org/token", "client_id": "mentat"}
_LIST = {"kind": "list", "address": "dune@lists.example.org"}
_DISCOURSE = {"kind": "discourse", "url": "https://forum.arrakis.example/", "category": 5, "username": "mentat"}
_FORUMS = {
    "arrakis": _DISCOURSE, "bazaar": {**_DISCOURSE, "url": "http://localhost:8080"},
    "dune-list": {**_LIST, "authserv_id": "lists.example.org"}, "bgg": {"kind": "paste", "dialect": "bgg"},
}  # fmt: skip
_WORDS = (
    "", "x", "tls", "none", "starttls", "imap", "maildir", "smtp", "directory", "password", "xoauth2", "xoauth", "json",
    "info", "off", "20:00", "8:05", "24:00", "23:59", "8", "8:60", "hidden", "delayed:1", "delayed:0", "delayed:15",
    "delayed:16", "public", "full", "public-only", "Europe/Berlin", "Europe/Berln", "True", "true", "12", "1.5", "a b",
    "gm@arrakis.example", "a@b, c@d", "list", "paste", "misago", "discourse", "bgg", "bbcod", "X-MailFrom",
    "X MailFrom",
    "dune@lists.example.org", "INBOX", "Mentat/Processed", "ca.pem", "config.toml", "Maildir", "~/mail", "/var/mail",
    "token+sender+auth", "token+sender+auht", "several", "one-person", "take", "propose", "phases", "changes",
    "https://forum.arrakis.example", "http://forum.arrakis.example", "http://localhost:8080", "http://[::1]:0/",
    "https://forum.arrakis.example/?a=b", "https://forum.arrakis.example/#a", "https://me@forum.arrakis.example",
    "https://", "http://127.0.0.1/token", "http://localhost.example/", "ftp://dune.example.org", "https://dune .org",
    "sqlite:///other.db", "sqlite:////var/lib/mentat.db", "sqlite:///", "sqlite:///a?b", "sqlite://other.db",
    "postgresql://mentat@db.example.org/mentat", "postgresql://mentat:melange@db.example.org/mentat",
    "postgresql://db.example.org:5432/mentat?sslmode=require", "postgresql://db.example.org", "mysql://a@b/c",
    "postgresql://a@b/c?password=d", "postgresql://a@b/c#d", "postgresql://a@b/c?nothing=1", "postgresql://a@b:0/c",
    "=2026-12-24", "=08:00:00", "=inf", "=", "=[", "=1979-05-27T07:32:00Z", "=nan",
)  # fmt: skip
_LISTS: Sequence[Any] = (
    [], ["saturday", "sunday"], ["saturday", "SUNDAY"], [6], [24, 6], [24], [0], [8760], [8761], [0.5, "6"], ["DE"],
    ["de", " us-ca "], ["2026-12-24", "ZZ"], ["=2026-12-24"], ["DE", "DE-XX"], [True], {"a": 1},
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "saturday"],
)  # fmt: skip
_SECRETS = ("", "x", "fifteen-letters", "sixteen--letters", "a-secret-of-enough-length", "p@ss w/rd:é", "inward\r\n")
_NAMES = ("arrakis", "bazaar", "dune-list", "bgg", "Arrakis", "a_b", "-a", "a" * 40, "a" * 41)


def _seeds() -> Iterator[str]:
    yield _input(_SHORT)
    yield _input(tomllib.loads(example_file("config.example.toml").read_text(encoding="utf-8")))
    forum_keys = {"MENTAT_FORUM_ARRAKIS_KEY": "key", "MENTAT_FORUM_BAZAAR_KEY": "word"}
    yield _input({**_SHORT, "forums": _FORUMS}, {**_ENV, **forum_keys})
    for name, forum in _FORUMS.items():
        yield _input({**_SHORT, "forums": {name: forum}}, {**_ENV, **forum_keys})
    yield _input({**_SHORT, "mentat": {**_SHORT["mentat"], "plus_addressing": False}, "forums": {"a": _LIST}})
    tokens = {name: {**_SHORT[name], "auth": "xoauth2"} for name in ("mailbox", "smtp")}
    yield _input({**_SHORT, **tokens, "oauth": _TOKENS}, {**_ENV, "MENTAT_OAUTH_REFRESH_TOKEN": "refresh"})
    server = {"url": "postgresql://mentat@db.example.org/mentat", "direct_url": "postgresql://mentat@db/mentat"}
    yield _input({**_SHORT, "database": server}, {**_ENV, "MENTAT_DATABASE_PASSWORD": "p@ss w/rd:é"})
    yield _input(_SHORT, {}, _ENV)
    yield _input({**_SHORT, "mailbox": {"kind": "maildir"}, "smtp": {"kind": "directory"}})
    clock = {"step_hours": 24, "reminder_hours": [24, 6], "minimum_hours": 24.5, "days_off": ["sunday"]}
    yield _input({**_SHORT, "clock": clock, "identity": {"mode": "token+sender+auth", "dkim": True}})


def _input(
    toml: Any, env: Mapping[str, str] = _ENV, credentials: Mapping[str, str] | None = None, **environment: str
) -> str:
    return json.dumps([toml, env, credentials, environment], default=str)


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    """One to three settings, secrets or sections that are otherwise."""
    toml, env, credentials, environment = json.loads(text)
    for _ in range(chance.choice((1, 1, 2, 3))):
        match chance.randrange(12):
            case 0:
                env = _another_secret(chance, env)
            case 1:
                credentials = chance.choice((None, _another_secret(chance, credentials or {})))
            case 2:
                environment = _another_secret(chance, environment)
            case 3 | 4 | 5:
                toml = {**toml, "forums": _other_forums(chance, toml.get("forums", {}))}
            case 6:
                toml = _another_section(chance, toml, json.loads(chance.choice(others))[0])
            case _:
                name = chance.choice(list(SECTIONS))
                section = toml.get(name, {})
                if isinstance(section, dict):
                    toml = {**toml, name: _another_setting(chance, section, SECTIONS[name])}
    return _input(toml, env, credentials, **environment)


def _another_secret(chance: Random, given: Mapping[str, str]) -> dict[str, str]:
    forum_keys = [f"MENTAT_FORUM_{name.upper().replace('-', '_')}_KEY" for name in (*_NAMES[:5], "arakis", "a")]
    name = chance.choice([*SECRETS, *SECRETS, *forum_keys, "MENTAT_SECRETS", "MENTAT_X", "OTHER"])
    changed = {**given, name: chance.choice(_SECRETS)}
    if chance.randrange(3) == 0:
        del changed[chance.choice(list(changed))]
    return changed


def _another_section(chance: Random, toml: Any, other: Any) -> Any:
    match chance.randrange(4):
        case 0:
            return {name: section for name, section in toml.items() if name != chance.choice(list(toml))}
        case 1:
            return {**toml, chance.choice(("mailbx", "forum", "step_hours", "kind", "spice", "timezone")): 1}
        case 2:
            return {**toml, chance.choice((*SECTIONS, "mailbx", "xyzzy")): chance.choice(({}, 1, "", [], {"a": 1}))}
    name = chance.choice(list(other or toml))
    return {**toml, name: (other or toml)[name]}


def _other_forums(chance: Random, forums: Any) -> Any:
    forums = forums if isinstance(forums, dict) else {}
    match chance.randrange(6):
        case 0:
            return chance.choice((1, [], {**forums, chance.choice(_NAMES): 1}))
        case 1:
            return {name: forum for name, forum in forums.items() if chance.randrange(2)}
        case 2:
            return {**forums, chance.choice(_NAMES): chance.choice(list(_FORUMS.values()))}
    name = chance.choice([*forums, chance.choice(_NAMES)])
    forum = forums.get(name) or chance.choice(list(_FORUMS.values()))
    return {**forums, name: _another_setting(chance, forum, ForumSettings) if isinstance(forum, dict) else forum}


def _another_setting(chance: Random, section: Mapping[str, Any], model: Any) -> Any:
    """A section in which one setting is otherwise, is gone, or has another name."""
    keys = list(model.model_fields)
    key = chance.choice(keys)
    match chance.randrange(8):
        case 0 if section:
            gone = chance.choice(list(section))
            return {name: value for name, value in section.items() if name != gone}
        case 1:
            named = chance.choice((key[:-1], f"{key}s", "password", "api_key", "tempo", "from", "secret_word"))
            return {**section, named: 1}
    return {**section, key: _another_value(chance, model.model_fields[key], section.get(key))}


def _another_value(chance: Random, field: Any, now: Any) -> Any:
    limits = [value for part in _metadata(field) for value in _limits_of(part)]
    if limits and chance.randrange(2):
        limit = chance.choice(limits)
        return chance.choice((limit, limit + 1, limit - 1, float(limit), limit + 0.5, limit - 0.5))
    if isinstance(now, (int, float)) and chance.randrange(2):
        return now + chance.choice((-1, 1))
    choices = [choice for choice in get_args(field.annotation) if isinstance(choice, str)]
    if choices and chance.randrange(2):
        return chance.choice((chance.choice(choices), chance.choice(choices)[:-1]))
    return chance.choice((chance.choice(_WORDS), chance.choice(_WORDS), chance.choice(_LISTS), True, False, 0, 1, 999,
                          1000, 1001, -1, 0.5))  # fmt: skip


def _metadata(field: Any) -> Iterator[Any]:
    yield from field.metadata
    for part in get_args(field.annotation):
        for inner in getattr(part, "__metadata__", ()):
            yield from getattr(inner, "metadata", (inner,))


def _limits_of(part: Any) -> list[float]:
    found = [getattr(part, name, None) for name in ("ge", "gt", "le", "lt")]
    return [value for value in found if isinstance(value, (int, float))]


def _toml(tables: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """The text of a file with these sections."""
    for name, value in tables.items():
        if not isinstance(value, dict):
            yield f"{name} = {_written(value)}"
    for name, value in tables.items():
        if isinstance(value, dict):
            yield f"[{above}{name}]"
            yield from _toml(value, f"{above}{name}.")


def _written(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, str) and value.startswith("="):
        return value[1:]
    return json.dumps(value)


def _told(text: str) -> str:
    toml, env, credentials, environment = json.loads(text)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        config = place / "config.toml"
        config.write_text("\n".join(_toml(toml)), encoding="utf-8")
        (place / ".env").write_text(
            "".join(f"{name}={json.dumps(value, ensure_ascii=False)}\n" for name, value in env.items()),
            encoding="utf-8",
        )
        known = {**environment, "HOME": str(place / "home")}
        if credentials is not None:
            (place / "credentials").mkdir()
            known["CREDENTIALS_DIRECTORY"] = str(place / "credentials")
            for name, secret in credentials.items():
                (place / "credentials" / name).write_text(secret, encoding="utf-8", newline="")
        with mock.patch.dict(os.environ, known, clear=True):
            told = "\n".join(_of_settings(config))
    return re.sub(r"(is not valid TOML): .*?\. Text", r"\1. Text", told.replace(folder, HERE))


def _of_settings(config: Path) -> Iterator[str]:
    try:
        settings = load_settings(config)
    except SettingsError as error:
        yield from error.problems
        return
    yield from _all_of(settings)
    yield f"database: {settings.database_place}, {settings.database_direct}"
    yield f"operator: {settings.operator}, sender: {settings.sender}, tags apart: {settings.identity.tags_apart}"
    for name in settings.forums:
        yield f"forum {name}: by hand {settings.is_by_hand(name)}, member as {subscribed_address(settings, name)}"
    shown = policy(settings.archive.running, settings.archive.ended)
    yield f"archive: {shown.words}, {policy_of(shown.words)}"
    yield from _servers(settings)
    for changes in ({"step_hours": 6}, {"days_off": ["monday"], "grace_hours": 336.5}, {"step_hours": 1, "x": 2}):
        yield f"{changes}: {_changed(settings.clock, changes)}"
    yield DATABASE_EXPECTED


def _all_of(settings: Settings) -> Iterator[str]:
    """Every setting, in the order in which they stand."""
    for name, section in settings:
        if name in ("forums", "forum_keys", "secrets"):
            continue
        yield f"[{name}] " + " ".join(f"{key}={value!s}" for key, value in section)
    for name, forum in settings.forums.items():
        yield f"[forums.{name}] " + " ".join(f"{key}={value!s}" for key, value in forum)
    secrets = {**dict(settings.secrets), **settings.forum_keys}
    yield "secrets: " + " ".join(f"{name}={value.get_secret_value()!r}" for name, value in secrets.items())


def _servers(settings: Settings) -> Iterator[str]:
    servers = (mail_servers.imap_server(settings), mail_servers.smtp_server(settings))
    for server in servers:
        named = {field.name: getattr(server, field.name) for field in fields(server)}
        tokens = named.pop("tokens")
        named.pop("tls_context")
        yield f"{type(server).__name__}: {named}, tokens {tokens and (tokens._endpoint, tokens._file)}"
    opened = (mail_servers.open_mailbox(settings), mail_servers.open_kept_mail(settings),
              mail_servers.open_transport(settings))  # fmt: skip
    yield " ".join(type(each).__name__ for each in opened)


def _changed(clock: ClockSettings, changes: Mapping[str, Any]) -> str:
    try:
        made = changed_clock(clock, changes)
    except SettingsError as error:
        return str(error)
    return f"{made.step_hours:g} {made.days_off} {made.grace_hours:g}, set: {sorted(made.model_fields_set)}"


SUBJECT = Subject("configurations", ("bot.config", "bot.service.mail_servers"), _seeds, _vary, _told)
