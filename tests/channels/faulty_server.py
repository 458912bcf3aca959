"""The HTTP server of a forum stand-in, on loopback, with faults on request. Each fault affects the next request.

- drop: the connection ends, and nothing is done. late: it ends; the request is carried out before the next write.
- lost, half: the request is carried out, but no answer arrives, or only half of it. slow: the answer comes too late.
- few: only the first post is returned. twice: the request arrives twice.
- null, deep: the request is carried out, but the answer is empty, or consists of a hundred thousand nested lists.
- page502, page200: another program answers with a page instead of an API response.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property, partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

INSTEAD = {"null": b"null", "deep": b"[" * 100_000 + b"]" * 100_000}
"""The content returned instead of the answer, by fault."""

Answer = dict[str, Any]
Query = dict[str, list[str]]


class FaultyServer:
    """A server that returns a stand-in's answers, or causes the requested faults."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        "A fault with the prefix `write:` affects the next request that writes something."
        self.under_way: list[Callable[[], object]] = []
        self.asked: list[str] = []

    @cached_property
    def address(self) -> str:
        """Return the address of the server, which starts on first use."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @cached_property
    def _server(self) -> ThreadingHTTPServer:
        class Handler(_Handler):
            standin = self

        served = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        served.daemon_threads = True
        Thread(target=served.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return served

    def reply(
        self, method: str, path: str, query: Query, headers: Any, body: bytes
    ) -> tuple[int, list[tuple[str, str]], Answer]:
        """Return the status, the headers and the answer to a request."""
        raise NotImplementedError

    def stop(self) -> None:
        if "_server" not in vars(self):
            return
        self._server.shutdown()
        self._server.server_close()

    def arrive(self) -> None:
        """Carry out the requests that were given up, before the next request that writes something."""
        while self.under_way:
            self.under_way.pop(0)()


class _Handler(BaseHTTPRequestHandler):
    standin: FaultyServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_GET(self) -> None:
        self._do()

    def do_POST(self) -> None:
        self._do()

    def do_PUT(self) -> None:
        self._do()

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _do(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = urlsplit(self.path)
        forum = self.standin
        forum.asked.append(f"{self.command} {parts.path}")
        fault = self._fault(forum.faults)
        if fault == "drop":
            self.close_connection = True
            return
        if fault and fault.startswith("page"):
            html = [("Content-Type", "text/html")]
            self._send(int(fault[4:]), b"<html><h1>One moment, please</h1></html>", html)
            return
        ask = partial(forum.reply, self.command, parts.path, parse_qs(parts.query), self.headers, body)
        if fault == "late":
            self.close_connection = True
            forum.under_way.append(ask)
            return
        if self.command != "GET":
            forum.arrive()
        if fault == "twice":
            ask()
        status, headers, answer = ask()
        if fault == "lost":
            self.close_connection = True
            return
        if fault == "slow":
            time.sleep(1.2)
        if fault == "few" and "post_stream" in answer:
            answer["post_stream"]["posts"] = answer["post_stream"]["posts"][:1]
        instead = INSTEAD.get(fault or "") if status == 200 else None
        written = instead or json.dumps(answer).encode()
        headers = [("Content-Type", "application/json; charset=utf-8"), *headers]
        with suppress(OSError):
            if fault == "half":
                self.close_connection = True
                self._send(status, written[: len(written) // 2], headers, len(written))
            else:
                self._send(status, written, headers)

    def _fault(self, faults: list[str]) -> str | None:
        if not faults:
            return None
        where, _, what = faults[0].rpartition(":")
        if where == "write" and self.command == "GET":
            return None
        faults.pop(0)
        return what

    def _send(self, status: int, body: bytes, headers: list[tuple[str, str]], length: int | None = None) -> None:
        self.send_response(status)
        for name, value in [("Content-Length", str(len(body) if length is None else length)), *headers]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
