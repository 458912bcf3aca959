"""The subjects, each the ``SUBJECT`` of a module of its own, which says what is told of an input."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from tests.approved.subject import Subject


def _found() -> list[Subject]:
    return [import_module(f"{__name__}.{module.name}").SUBJECT for module in iter_modules(__path__)]


SUBJECTS: dict[str, Subject] = {subject.name: subject for subject in _found()}
