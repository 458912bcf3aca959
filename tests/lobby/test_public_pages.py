"""The archive's page of open tables, with its feed and calendar: public information without any names."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import html5lib
import msgspec
import pytest

from bot.archive import shelf, site
from bot.archive.games import TableList
from bot.archive.lists import MOST_TABLES, table_files
from bot.lobby.requests import Open
from tests.lobby.people import Lobby
from tests.lobby.test_words_of_people import FOUR, table

ATOM = "{http://www.w3.org/2005/Atom}"
ADDRESS = "mentat@arrakis.example"


def links(page: bytes) -> dict[str, str]:
    tree = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page)
    return {"".join(a.itertext()): unquote(a.get("href")) for a in tree.iter("a")}


def test_each_table_has_a_button_that_joins_by_mail() -> None:
    found = links(table_files(TableList(ADDRESS, FOUR))["tables.html"])
    for each in FOUR:
        assert found[f"Join {each.id}"] == f"mailto:{ADDRESS}?subject=join {each.id}&body=join {each.id}"
    assert found["Open a table"].endswith("body=open a game")


def test_the_page_names_no_person() -> None:
    named = [msgspec.structs.replace(each, names=("Zebulon",), opener="Zebulon") for each in FOUR]
    assert table_files(TableList(ADDRESS, named)) == table_files(TableList(ADDRESS, FOUR))


def test_a_title_cannot_be_markup() -> None:
    hostile = table("ix-9", 1, title="<script>x</script>\u202e")
    files = table_files(TableList(ADDRESS, [hostile]))
    assert b"<script>" not in files["tables.html"]
    links(files["tables.html"])
    ElementTree.fromstring(files["tables.xml"])


@pytest.mark.parametrize("count", [0, 1, 5_000])
def test_a_lobby_of_any_size_has_a_page_a_feed_and_dates(count: int) -> None:
    every = [table(f"ix-{number}", number % 6) for number in range(count)]
    files = table_files(TableList(ADDRESS, every))
    assert sum(line.startswith("Join ") for line in links(files["tables.html"])) == min(count, MOST_TABLES)
    entries = ElementTree.fromstring(files["tables.xml"]).findall(f"{ATOM}entry")
    assert len(entries) == min(count, 50)
    assert files["tables.ics"].count(b"BEGIN:VEVENT") == min(count, MOST_TABLES)
    assert len(files["tables.html"]) < 250_000


def test_the_feed_tells_of_new_tables_first() -> None:
    entries = ElementTree.fromstring(table_files(TableList(ADDRESS, FOUR))["tables.xml"]).findall(f"{ATOM}entry")
    found = [entry.find(f"{ATOM}link") for entry in entries]
    assert {link.get("href") for link in found if link is not None} == {f"tables.html#{each.id}" for each in FOUR}
    assert len({entry.findtext(f"{ATOM}id") for entry in entries}) == len(FOUR)


def test_the_archive_shows_public_tables_and_no_private_one(lobby: Lobby, tmp_path: Path) -> None:
    public = lobby.opens("ann", Open(private=False))
    private = lobby.opens("bob", Open(private=True), kind="private")
    listed = shelf.open_tables(lobby.world.engine, lobby.world.settings)
    assert listed is not None
    site.build(tmp_path / "site", (), tables=listed)
    page = (tmp_path / "site" / "tables.html").read_text()
    assert public.id in page
    assert private.id not in page
    assert "ann@" not in page
    assert site.build(tmp_path / "site", (), tables=listed).written == 0
    assert "Open tables" in (tmp_path / "site" / "index.html").read_text()


def test_a_lobby_that_is_off_has_no_page(lobby: Lobby, tmp_path: Path) -> None:
    site.build(tmp_path / "site", ())
    assert not (tmp_path / "site" / "tables.html").exists()
    assert "tables.html" not in (tmp_path / "site" / "index.html").read_text()
