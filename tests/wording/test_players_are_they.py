"""Tests that players, game masters and all other people are "they" in sentences, names, docstrings and comments.

The test skips strings in code, because they hold the words in which players' mails and questions are read.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

import bot
import rules
from bot.wording import sources

SINGULAR = re.compile(r"(?<![^\W_])(?:he|him|his|himself|she|her|hers|herself)(?![^\W_])", re.IGNORECASE)
"""These pronouns, also as parts of names."""

ROOMS = (Path(rules.__file__).parent, Path(bot.__file__).parent, Path(__file__).parents[1])


def words_about_code(source: str) -> Iterator[tuple[int, str]]:
    """Yield the docstrings, comments and names of a module, each with its line number."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.COMMENT, tokenize.NAME):
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value


def test_players_are_they_in_sentences() -> None:
    assert [name for name, source in sources().items() if SINGULAR.search(source)] == []


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_players_are_they_in_docstrings_comments_and_names(room: Path) -> None:
    found = [
        f"{path.relative_to(room)}:{line}: {words}"
        for path in sorted(room.rglob("*.py"))
        for line, words in words_about_code(path.read_text(encoding="utf-8"))
        if SINGULAR.search(words)
    ]
    assert found == []


def test_words_about_code_are_its_docstrings_comments_and_names() -> None:
    source = '"""Module."""\nhis_mail = "she said"  # note\n"""What it is."""\n'
    assert list(words_about_code(source)) == [(2, "his_mail"), (2, "# note"), (1, "Module."), (3, "What it is.")]
    assert [words for _, words in words_about_code(source) if SINGULAR.search(words)] == ["his_mail"]
