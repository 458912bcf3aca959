"""The stand-in for Misago beside a real one: it is asked the same and answers nothing that the real one does not."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from bot.channels.channel import Thread
from bot.channels.misago import Misago
from tests.channels.benches import Clock, MisagoBench, MisagoStandinBench
from tests.channels.in_memory import InMemory
from tests.channels.misago_server import PASSWORD, MisagoServer
from tests.channels.misago_standin import CATEGORY, Standin
from tests.channels.misago_standin import PASSWORD as STANDIN_PASSWORD

TOKEN = "a" * 32
EQUAL = {
    "detail",
    "code",
    "post",
    "title",
    "content",
    "event_type",
    "page",
    "pages",
    "count",
    "previous",
    "before",
    "edits",
}
"What is told in so many words, wherever the forum and whoever asks."


class Somebody:
    """A guest, and our account once they have signed in."""

    def __init__(self, address: str) -> None:
        self._client = httpx.Client(base_url=address, headers={"Referer": f"{address}/", "Accept": "application/json"})
        self._client.cookies.set("csrftoken", TOKEN, domain="127.0.0.1")

    def ask(self, method: str, path: str, body: object = None, token: bool = True) -> tuple[int, Any]:
        [cookie] = [cookie for cookie in self._client.cookies.jar if cookie.name == "csrftoken"]
        headers = {"X-CSRFToken": cookie.value or ""} if token else {}
        answer = self._client.request(method, path, json=body, headers=headers)
        return answer.status_code, answer.json()


def story(bench: MisagoBench | MisagoStandinBench, address: str, category: int) -> Iterator[tuple[str, int, Any]]:
    """What is asked, and the status and the answer."""
    guest, us = Somebody(address), Somebody(address)

    def told(who: Somebody, method: str, path: str, body: object = None, token: bool = True) -> tuple[str, int, Any]:
        return f"{method} {path} by {'us' if who is us else 'a guest'}: {body}", *who.ask(method, path, body, token)

    yield told(us, "GET", "/api/auth/")
    yield told(us, "POST", "/api/auth/", {"username": "mentat", "password": "wrong"})
    yield told(us, "POST", "/api/auth/", {"username": "mentat", "password": PASSWORD})
    yield told(us, "POST", "/api/auth/", {"username": "mentat", "password": PASSWORD})
    yield told(us, "GET", "/api/auth/")
    me = us.ask("GET", "/api/auth/")[1]["id"]
    for title, text, where in (
        ("x", "The first post.", category),
        ("x" * 91, "The first post.", category),
        ("A thread of a game", "x", category),
        ("A thread of a game", "The first post.", 999),
    ):
        yield told(us, "POST", "/api/threads/", {"title": title, "category": where, "post": text})
    number = us.ask(
        "POST", "/api/threads/", {"title": "A thread of a game", "category": category, "post": "The first post."}
    )[1]["id"]
    thread, posts = Thread(str(number)), f"/api/threads/{number}/posts/"
    chani = bench.join("chani_77")
    for text in ("", "abcd", "x" * 60_001, "  A word of ours.\n\n"):
        yield told(us, "POST", posts, {"post": text})
    first, ours = (post["id"] for post in us.ask("GET", posts)[1]["post_set"]["results"])
    bench.write(chani, thread, "A word of theirs.")
    theirs = us.ask("GET", posts)[1]["post_set"]["results"][-1]["id"]
    for who in (us, guest):
        yield told(who, "GET", posts)
        yield told(who, "GET", "/api/private-threads/")
        for post in (first, theirs, 999_999):
            yield told(who, "GET", f"{posts}reply_editor/?reply={post}")
            yield told(who, "GET", f"{posts}{post}/post_editor/")
        yield told(who, "PUT", f"{posts}{first}/", {"post": "The first post, changed."})
        yield told(who, "PUT", f"{posts}{first}/", {"post": "abcd"})
        for title in ("x", "The thread of another game"):
            yield told(who, "PATCH", f"/api/threads/{number}/", [{"op": "replace", "path": "title", "value": title}])
        yield told(who, "GET", f"/api/threads/{number + 999}/posts/")
        yield told(who, "POST", f"/api/threads/{number + 999}/posts/", {"post": "A word of ours."})
    yield told(us, "PUT", f"{posts}{theirs}/", {"post": "The first post, changed."})
    yield told(us, "POST", posts, {"post": "A word of ours."}, token=False)
    for count in range(bench.crowd):
        bench.write(chani, thread, f"Chat, number {count}.")
        if count in (19, 20, 21, 22, bench.crowd - 1):
            for page in ("", "?page=1", "?page=2", "?page=3"):
                yield told(us, "GET", f"{posts}{page}")
    status, feed = us.ask("GET", f"/api/users/{me}/posts/")
    yield "our newest posts", status, {"results": feed["results"][:2]}
    status, feed = us.ask("GET", f"/api/users/{me}/threads/")
    yield "our newest threads", status, {"results": feed["results"][:1]}
    bench.tell(chani, "A word for you alone.")
    status, listed = us.ask("GET", "/api/private-threads/")
    yield "private threads", status, {"results": listed["results"][:1]}
    private = listed["results"][0]["id"]
    for who in (us, guest):
        yield told(who, "GET", f"/api/private-threads/{private}/posts/")
    bench.delete(chani, f"{number}.{theirs}")
    bench.close(thread)
    yield told(us, "GET", f"{posts}reply_editor/?reply={theirs}")
    yield told(us, "GET", f"{posts}reply_editor/?reply={ours}")
    yield told(us, "GET", f"{posts}{ours}/post_editor/")
    yield told(us, "GET", f"{posts}?page=2")
    yield told(us, "POST", posts, {"post": "A word of ours."})
    yield told(us, "PUT", f"{posts}{ours}/", {"post": "A word of ours, changed."})
    yield told(
        us, "PATCH", f"/api/threads/{number}/", [{"op": "replace", "path": "title", "value": "The thread of a game"}]
    )


def differences(standin: Any, real: Any, where: str) -> list[str]:
    """Where the stand-in answers what a real forum does not."""
    if isinstance(standin, dict) and isinstance(real, dict):
        return [
            found
            for name, value in standin.items()
            for found in (
                differences(value, real[name], f"{where} {name}") if name in real else [f"{where}: no {name}"]
            )
        ]
    if isinstance(standin, list) and isinstance(real, list) and len(standin) == len(real):
        pairs = enumerate(zip(standin, real, strict=True))
        return [found for number, (ours, theirs) in pairs for found in differences(ours, theirs, f"{where} {number}")]
    told = bool(EQUAL & set(where.split()[-2:])) or isinstance(standin, bool)
    alike = standin == real if told else type(standin) is type(real)
    return [] if alike else [f"{where}: {standin!r} and not {real!r}"]


@pytest.mark.slow
def test_the_stand_in_answers_as_a_real_misago_does(misago: MisagoServer) -> None:
    real, bench = MisagoBench(misago), MisagoStandinBench()
    bench.crowd, bench.standin.hurried = real.crowd, True
    from_standin = story(bench, bench.standin.address, 3)
    from_real = story(real, misago.address, misago.category)
    found = []
    for (what, status, answer), (_, real_status, real_answer) in zip(from_standin, from_real, strict=True):
        if status != real_status:
            found.append(f"{what}: {status} and not {real_status} {real_answer}")
        else:
            found += [f"{what}: {difference}" for difference in differences(answer, real_answer, "")]
    bench.stop()
    assert found == []


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_we_sign_in_at_a_forum_whatever_its_host_is_called(host: str) -> None:
    clock = Clock()
    standin = Standin(clock)
    channel = Misago(f"http://{host}", "mentat", STANDIN_PASSWORD, CATEGORY, clock=lambda: clock().timestamp())
    channel._site._client._transport = InMemory(standin)
    channel._site._client._mounts = {}
    thread, _ = channel.open_thread("The game of sietch-7", "Welcome to the game.", "key")
    assert [post.author for post in channel.read_since(thread, None).posts] == ["mentat"]
