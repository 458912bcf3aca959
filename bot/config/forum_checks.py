"""The forums of the settings, `[forums.NAME]`: each is read, and what is wrong with it told in a sentence.

What a kind of forum needs must be there, and what is for another kind must not: it would have no effect, and whoever
wrote it would not know. No sentence holds a key.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import SecretStr, ValidationError

from bot.config import complaints
from bot.config.sections import ForumSettings
from bot.config.values import closest

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_SECRET = re.compile("password|secret|key|token", re.IGNORECASE)

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
    """The line of `.env` that holds the key of a forum.

    >>> key_name("arrakis-list")
    'MENTAT_FORUM_ARRAKIS_LIST_KEY'
    """
    return f"MENTAT_FORUM_{name.upper().replace('-', '_')}_KEY"


def read(tables: object) -> tuple[dict[str, ForumSettings], list[str]]:
    """The forums that can be read, and what is wrong with the others."""
    if not isinstance(tables, dict):
        return {}, ["forums must be sections: write [forums.NAME] on a line of its own and its settings below it."]
    forums: dict[str, ForumSettings] = {}
    problems: list[str] = []
    for name, table in tables.items():
        section = f"forums.{name}"
        if not isinstance(table, dict):
            problems.append(f"[forums] {name}: each forum has a section of its own, like [forums.arrakis]: name it so.")
        elif not _NAME.fullmatch(name):
            said = "small letters, digits and dashes, 40 at most, like [forums.arrakis-list]"
            problems.append(f"[{section}] is no name for a forum: it has {said}.")
        else:
            try:
                forums[name] = ForumSettings.model_validate(table)
            except ValidationError as error:
                found = (_sentence(name, details) for details in complaints.faults(error))
                problems += dict.fromkeys(found)
    return forums, problems


def _sentence(name: str, error: Any) -> str:
    key = str(error["loc"][0])
    if error["type"] == "extra_forbidden" and _SECRET.search(key):
        return (
            f"[forums.{name}] {key}: secrets do not belong in this file: delete the line and put {key_name(name)} "
            "into .env."
        )
    if key == "kind" and error["input"] == "misago":
        return (
            f'[forums.{name}] kind: Mentat cannot write in a Misago forum: post there by hand, with kind = "paste", or '
            "delete the section."
        )
    return complaints.sentence(f"forums.{name}", ForumSettings, error)


def keys(forums: Mapping[str, ForumSettings], given: Mapping[str, str]) -> dict[str, SecretStr]:
    """The keys of the forums that need one and have it, from `.env` and the environment."""
    wanted = {name: given.get(key_name(name), "") for name, forum in forums.items() if forum.kind in _WITH_KEY}
    return {name: SecretStr(key) for name, key in wanted.items() if key}


def strange_keys(
    tables: object, forums: Mapping[str, ForumSettings], in_file: Mapping[str, str], env: Path
) -> Iterator[str]:
    """Keys in `.env` of forums that there are not, or that need none."""
    unread = {name for name in tables if name not in forums} if isinstance(tables, dict) else set()
    with_key = [name for name, forum in forums.items() if forum.kind in _WITH_KEY]
    known = {key_name(name): name for name in (*unread, *with_key)}
    without = {key_name(name): name for name in forums if name not in with_key}
    for line in in_file:
        if not complaints.FORUM_KEY.fullmatch(line) or line in known:
            continue
        if line in without:
            yield f"{line} in {env}: [forums.{without[line]}] is of a kind that needs no key: delete the line."
        elif nearest := closest(line, list(known)):
            yield f"{line} in {env} is not a setting: did you mean {nearest}?"
        else:
            yield f"{line} in {env} is the key of no forum: delete the line, or write a section [forums.NAME] for it."


def missing(forums: Mapping[str, ForumSettings], known: Mapping[str, SecretStr], where: str) -> Iterator[str]:
    """What a kind of forum needs and is not given."""
    for name, forum in forums.items():
        for key in _OF_KIND[forum.kind]:
            if key in _NEEDED and not getattr(forum, key):
                yield f"[forums.{name}] {key} is missing: {_NEEDED[key]}."
        if forum.kind in _WITH_KEY and name not in known:
            yield f"{key_name(name)} is missing: put the API key of [forums.{name}] username into {where}."


def contradictions(forums: Mapping[str, ForumSettings], given: Mapping[str, Any]) -> Iterator[str]:
    """Settings that are right one by one and cannot be together."""
    places: dict[object, str] = {}
    for name, forum in forums.items():
        yield from _misplaced(name, forum)
        if not (forum.url or forum.address):
            continue
        place = places.setdefault((forum.url, forum.category, forum.address.lower()), name)
        if place != name:
            yield f"[forums.{name}] is the same place as [forums.{place}]: leave one of them."
    mentat, identity = given.get("mentat"), given.get("identity")
    if mentat and identity and not mentat.plus_addressing and not identity.authserv_id:
        for name in (name for name, forum in forums.items() if forum.kind == "list"):
            yield (
                f"[forums.{name}] a list needs plus_addressing in [mentat], or authserv_id in [identity]: without "
                "either anybody could write in the name of the list."
            )


def _misplaced(name: str, forum: ForumSettings) -> Iterator[str]:
    for key in dict.fromkeys(key for settings in _OF_KIND.values() for key in settings):
        kinds = [kind for kind, settings in _OF_KIND.items() if key in settings]
        if key in forum.model_fields_set and forum.kind not in kinds:
            wanted = " or ".join(f'"{kind}"' for kind in kinds)
            yield f'[forums.{name}] {key} is for kind = {wanted}, not for "{forum.kind}": delete the line.'
