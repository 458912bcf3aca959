"""The line to a stand-in of a forum without a server: each request is answered where it is made, faults included."""

from __future__ import annotations

import json

import httpx

from tests.channels.faulty_server import INSTEAD, Answer, FaultyServer, Query


class InMemory(httpx.BaseTransport):
    """Brings requests to a stand-in. Beside the faults that its server knows, ``say:`` and JSON of a status, headers
    and an answer is what is answered instead."""

    def __init__(self, standin: FaultyServer) -> None:
        self._standin = standin

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        forum, body = self._standin, request.read()
        fault = self._fault(request.method)
        if fault.startswith("say:"):
            status, headers, answer = json.loads(fault.removeprefix("say:"))
            return httpx.Response(status, headers=headers, content=json.dumps(answer).encode(), request=request)
        match fault:
            case "drop" | "late":
                if fault == "late":
                    forum.under_way.append(lambda: self._ask(request, body))
                raise httpx.RemoteProtocolError("the connection ended")
            case "page200" | "page502":
                return httpx.Response(int(fault[4:]), content=b"<h1>One moment, please</h1>", request=request)
        if request.method != "GET":
            forum.arrive()
        if fault == "twice":
            self._ask(request, body)
        status, headers, answer = self._ask(request, body)
        if fault in ("lost", "half"):
            raise httpx.RemoteProtocolError("the answer is not whole")
        if fault == "slow":
            raise httpx.ReadTimeout("it takes too long")
        if fault == "few" and "post_stream" in answer:
            answer["post_stream"]["posts"] = answer["post_stream"]["posts"][:1]
        instead = INSTEAD.get(fault or "") if status == 200 else None
        written = instead or json.dumps(answer).encode()
        return httpx.Response(status, headers=headers, content=written, request=request)

    def _ask(self, request: httpx.Request, body: bytes) -> tuple[int, list[tuple[str, str]], Answer]:
        query: Query = {}
        for name, value in request.url.params.multi_items():
            query.setdefault(name, []).append(value)
        return self._standin.reply(request.method, request.url.path, query, request.headers, body)

    def _fault(self, method: str) -> str:
        faults = self._standin.faults
        if not faults or (faults[0].startswith("write:") and method == "GET"):
            return ""
        return faults.pop(0).removeprefix("write:")
