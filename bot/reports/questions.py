"""Questions in words: ``templates/questions/`` for the one asked, the table ``duty`` of the letters for all others.

Each prompt has ``text`` (what is wanted), ``short`` (a few words: "your shipment") and ``silent`` (what silence means).
The facts are what the question is about, ``faction``, and ``default`` (the default order in canonical words).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from jinja2 import TemplateError

from bot.reports.given import Wanted
from bot.wording.sentences import find, say

log = logging.getLogger(__name__)


def prompt(kind: str, about: Mapping[str, Any], faction: str) -> str:
    """What is wanted, in a sentence or two for the one asked, with what they have promised about it."""
    text = _part(kind, "text", about, faction, "")
    promised = about.get("promised")
    return f"{text} {_part('promised', 'text', {'promised': promised}, faction, '')}" if promised else text


def short(wanted: Wanted, faction: str) -> str:
    """What is wanted in a few words: "your shipment"."""
    return _part(wanted.kind, "short", wanted.about, faction, wanted.default)


def silent(wanted: Wanted, faction: str) -> str:
    """What happens if nothing is said; the default order in canonical words where there are no others for it, or where
    a promise may have changed it."""
    if wanted.about.get("promised"):
        return wanted.default
    return _part(wanted.kind, "silent", wanted.about, faction, wanted.default)


def duty(kind: str) -> str:
    """What somebody is asked, for those who may know only that: "a shipment"."""
    return say(f"duty.{kind}")


def worded(kind: str, part: str, about: Mapping[str, Any], faction: str, default: str) -> str:
    """One part of a prompt; KeyError if it is not written, jinja2.UndefinedError for a fact that is missing."""
    words = find(f"question.{kind}.{part}")
    if words is None:
        raise KeyError(kind, part)
    return words.render({"default": default, **about, "faction": faction})


def _part(kind: str, part: str, about: Mapping[str, Any], faction: str, default: str) -> str:
    try:
        return worded(kind, part, about, faction, default)
    except KeyError:
        log.warning("the question %s has no %r in templates/questions", kind, part)
    except (TemplateError, LookupError, TypeError, ValueError, AttributeError) as error:
        log.warning("the %r of the question %s cannot be filled in: %s", part, kind, error)
    return default if part == "silent" else say("duty.own", duty=duty(kind))
