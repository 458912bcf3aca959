"""Tests that shipped files are found in a package and in a clone, and that a missing one is reported in a sentence."""

import re
from pathlib import Path

import pytest

import bot


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Replace the real package and repository with empty ones."""
    package = tmp_path / "bot"
    package.mkdir()
    monkeypatch.setattr(bot, "_PACKAGE", package)
    monkeypatch.setattr(bot, "_REPOSITORY", tmp_path)
    return package, tmp_path


def test_templates_of_the_package_go_before_those_of_the_repository(places: tuple[Path, Path]) -> None:
    package, repository = places
    (repository / "templates").mkdir()
    assert bot.templates_dir() == repository / "templates"
    (package / "templates").mkdir()
    assert bot.templates_dir() == package / "templates"


def test_a_missing_folder_of_templates_is_told(places: tuple[Path, Path]) -> None:
    package, repository = places
    sentence = f"templates is missing from {package} and from {repository}: restore it, or reinstall Mentat."
    with pytest.raises(bot.ResourceError, match=f"^{re.escape(sentence)}$"):
        bot.templates_dir()


def test_a_template_is_read_by_its_path(places: tuple[Path, Path]) -> None:
    (places[0] / "templates/parts").mkdir(parents=True)
    (places[0] / "templates/parts/table.txt").write_text("Shai-Hulud · {{ turn }}", encoding="utf-8")
    assert bot.template_source("parts/table.txt") == "Shai-Hulud · {{ turn }}"


@pytest.mark.parametrize(
    ("content", "reason"), [(None, "No such file or directory"), (b"\xff\xfe", "it is not UTF-8 text")]
)
def test_a_missing_or_broken_template_is_told(places: tuple[Path, Path], content: bytes | None, reason: str) -> None:
    templates = places[0] / "templates"
    templates.mkdir()
    if content is not None:
        (templates / "report.txt").write_bytes(content)
    sentence = f"The template {templates}/report.txt cannot be read ({reason}): restore it, or reinstall Mentat."
    with pytest.raises(bot.ResourceError, match=f"^{re.escape(sentence)}$"):
        bot.template_source("report.txt")
