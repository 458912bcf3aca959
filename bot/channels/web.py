"""Requests to a forum's API: JSON out and JSON in, and every way in which that fails told as an error of channels.

An answer that is not whole, not JSON, or of the server's own failing says nothing of what was done: Unreachable. A 4xx
is a no. Once a server has asked for patience (RFC 9110, Retry-After) it is left in peace for that long.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar
from urllib.parse import urlsplit

import httpx

from bot.channels.channel import Refused, TooSoon, Unreachable

PATIENCE = 60.0
"Seconds to wait where a server asks for patience without saying how much."
REDIRECTIONS = 3
_LOOPBACK = ("localhost", "127.0.0.1", "::1")

Query = Mapping[str, str | int | Sequence[str | int]]


P = ParamSpec("P")
T = TypeVar("T")


def unreachable_if_malformed(method: Callable[P, T]) -> Callable[P, T]:
    """Decorates a method that reads answers of a forum: JSON of another form than its API's counts as no answer
    (Unreachable)."""

    @wraps(method)
    def asked(*given: P.args, **named: P.kwargs) -> T:
        try:
            return method(*given, **named)
        except (LookupError, TypeError, ValueError, AttributeError) as strange:
            raise Unreachable(f"the forum answered something else than its API says: {strange!r}") from strange

    return asked


class No(Refused):
    """A forum's no: the status of HTTP, and its words."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words or f"the forum answered {status}")
        self.status = status


class Site:
    """A forum at its address. The key goes with every request, so only to that address, and only over TLS."""

    def __init__(
        self,
        address: str,
        headers: Mapping[str, str],
        seconds: float = 20.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        parts = urlsplit(address)
        if parts.scheme != "https" and parts.hostname not in _LOOPBACK:
            raise ValueError(f"the address of a forum begins with https://, not {address}")
        self.address = address.rstrip("/")
        self._client = httpx.Client(
            base_url=self.address,
            headers={"Accept": "application/json", **headers},
            timeout=seconds,
            verify=parts.scheme == "https",
        )
        self._clock = clock
        self._quiet_until = 0.0

    def get(self, path: str, query: Query | None = None) -> Any:
        """What is at a path."""
        response = self._send(lambda: self._client.get(path, params=query))
        for _ in range(REDIRECTIONS):
            if not response.has_redirect_location:
                break
            target = response.url.join(response.headers["Location"])
            if (target.scheme, target.netloc) != (response.url.scheme, response.url.netloc):
                raise Refused(f"the forum sends us to {target.host}")
            response = self._send(partial(self._client.get, target))
        return self._read(response)

    def send(self, method: str, path: str, body: object) -> Any:
        """Have something done, told as JSON."""
        return self._read(self._send(lambda: self._client.request(method, path, json=body)))

    def give(self, path: str, form: Mapping[str, str], name: str, picture: bytes) -> Any:
        """Send a picture."""
        files = {"file": (name, picture, "image/png")}
        return self._read(self._send(lambda: self._client.post(path, data=form, files=files)))

    def be_quiet(self, seconds: float) -> None:
        """Ask nothing for some time."""
        self._quiet_until = max(self._quiet_until, self._clock() + seconds)

    def _send(self, ask: Callable[[], httpx.Response]) -> httpx.Response:
        rest = self._quiet_until - self._clock()
        if rest > 0:
            raise TooSoon("the forum asked for patience", rest)
        try:
            return ask()
        except httpx.TimeoutException as late:
            raise Unreachable("the forum did not answer in time") from late
        except httpx.HTTPError as broken:
            raise Unreachable(f"no answer from the forum: {broken}") from broken

    def _read(self, response: httpx.Response) -> Any:
        status = response.status_code
        if status == 429:
            seconds = _patience(response)
            self.be_quiet(seconds)
            raise TooSoon("too many requests", seconds)
        if status >= 500:
            raise Unreachable(f"the forum answered {status}")
        if status >= 300 and status < 400:
            raise Refused(f"the forum has moved to {response.headers.get('Location', 'another place')}")
        try:
            answer = _decoded(response)
        except ValueError as strange:
            raise Unreachable(f"the forum answered {status} with something that is not JSON") from strange
        if status >= 400:
            raise No(status, _words(answer))
        return answer


def _decoded(response: httpx.Response) -> Any:
    """What a server says in JSON, with a question mark for each half of a surrogate pair: JSON may spell one by itself,
    and no text may hold it that is to be stored or sent on (RFC 8259, 8.2). ValueError for what is no JSON, or is
    nested too deeply."""
    try:
        return json.loads(json.dumps(response.json(), ensure_ascii=False).encode("utf-8", "replace"))
    except RecursionError as deep:
        raise ValueError("it is nested too deeply") from deep


def _patience(response: httpx.Response) -> float:
    """How long a server wants us to wait: seconds or an hour, in its header or in its answer."""
    told = response.headers.get("Retry-After", "").strip()
    if told.isdecimal():
        return max(1.0, float(told))
    try:
        return max(1.0, (parsedate_to_datetime(told) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        pass
    try:
        return max(1.0, float(_decoded(response)["extras"]["wait_seconds"]))
    except (ValueError, KeyError, TypeError):
        return PATIENCE


def _words(answer: object) -> str:
    """What a forum says of its no: Discourse has `errors`; each field may be a text or a list of texts."""
    if not isinstance(answer, dict):
        return ""
    found: list[str] = []
    for value in answer.values():
        for word in value if isinstance(value, list) else [value]:
            if isinstance(word, str):
                found.append(word)
    return " ".join(found)
