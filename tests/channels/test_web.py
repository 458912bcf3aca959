"""Tests for how a forum's HTTP responses are handled, and which hosts receive its key."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from bot.channels import Refused, TooSoon, Unreachable
from bot.channels.discourse import HttpRefusal, Site

FORUM = "https://forum.example"


def site(answer: Callable[[httpx.Request], httpx.Response], clock: Callable[[], float] = lambda: 0.0) -> Site:
    made = Site(FORUM, {"Api-Key": "spice"}, clock=clock)
    made._client = httpx.Client(base_url=FORUM, transport=httpx.MockTransport(answer))
    return made


@pytest.mark.parametrize(("status", "kind", "words"), [
    (300, Refused, "the forum has moved to another place"), (399, Refused, "the forum has moved to another place"),
    (400, HttpRefusal, "the forum answered 400"), (499, HttpRefusal, "the forum answered 499"),
    (500, Unreachable, "the forum answered 500"), (503, Unreachable, "the forum answered 503"),
    (429, TooSoon, "too many requests"),
])  # fmt: skip
def test_an_answer_that_is_no_page_is_told_by_its_status(status: int, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind) as raised:
        site(lambda _: httpx.Response(status, json={})).send("PUT", "/t/1", {})
    assert (raised.type, str(raised.value)) == (kind, words)


def test_a_page_is_read() -> None:
    assert site(lambda _: httpx.Response(299, json={"posts": [1]})).get("/t/1") == {"posts": [1]}


@pytest.mark.parametrize(("error", "words"), [
    (httpx.ReadTimeout("read"), "the forum did not answer in time"),
    (httpx.ConnectError("refused"), "no answer from the forum: refused"),
])  # fmt: skip
def test_a_line_that_breaks_is_no_answer(error: Exception, words: str) -> None:
    def broken(_: httpx.Request) -> httpx.Response:
        raise error

    with pytest.raises(Unreachable, match=words):
        site(broken).get("/t/1")


@pytest.mark.parametrize(("location", "kind", "words"), [
    ("https://forum.example:spice/", Unreachable, "no answer from the forum: Invalid URL in location header"),
    ("https://evil.example/t/1", Refused, "the forum redirects us to evil.example"),
    ("http://forum.example/t/1", Refused, "the forum redirects us to forum.example"),
])  # fmt: skip
def test_the_key_goes_nowhere_else(location: str, kind: type[Exception], words: str) -> None:
    asked: list[str] = []

    def moved(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        return httpx.Response(302, headers={"Location": location})

    with pytest.raises(kind, match=words):
        site(moved).get("/t/1")
    assert asked == [f"{FORUM}/t/1"]


def test_a_forum_is_left_alone_for_the_longest_time_that_it_asked_for() -> None:
    now = [0.0]
    quiet = site(lambda _: httpx.Response(200, json=[]), lambda: now[0])
    quiet.be_quiet(30)
    quiet.be_quiet(10)
    now[0] = 29.0
    with pytest.raises(TooSoon) as raised:
        quiet.get("/t/1")
    assert raised.value.seconds == 1
    now[0] = 30.0
    assert quiet.get("/t/1") == []


@pytest.mark.parametrize(("address", "verified"), [(FORUM, True), ("http://127.0.0.1:8080", False)])
def test_a_forum_elsewhere_shows_its_certificate(monkeypatch: pytest.MonkeyPatch, address: str, verified: bool) -> None:
    made: dict[str, object] = {}
    monkeypatch.setattr(httpx, "Client", lambda **given: made.update(given))
    Site(address, {})
    assert made["verify"] is verified


def test_a_forum_elsewhere_without_tls_is_none() -> None:
    with pytest.raises(ValueError, match=r"must begin with https://, unlike http://forum\.example"):
        Site("http://forum.example", {})
