"""A token endpoint on loopback (RFC 6749). It exchanges a refresh token for access tokens, as a large provider does,
and tells a mail server who owns a token (RFC 7662, queried with the token itself, as Dovecot does)."""

from __future__ import annotations

import json
import threading
import urllib.parse
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any


@dataclass
class TokenEndpointServer:
    """A token endpoint that runs for the duration of a `with` block. `answer` holds the next answers (status,
    document)."""

    refresh_token: str = "refresh-0"
    rotates: bool = False
    expires_in: int = 3600
    answer: tuple[int, Any] | None = None
    asked: list[dict[str, str]] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    holders: dict[str, str] = field(default_factory=dict)
    """The owner of each token, for mail servers that ask. Any other token is inactive."""
    out_of_order: bool = False
    """True if the answers to mail servers are useless."""
    examined: list[str] = field(default_factory=list)
    """The tokens about which mail servers have asked."""

    def __enter__(self) -> TokenEndpointServer:
        self._server = HTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/token"

    @property
    def introspection_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/introspection"

    def _respond(self, form: dict[str, str]) -> tuple[int, Any]:
        self.asked.append(form)
        if self.answer:
            return self.answer
        if form.get("grant_type") != "refresh_token" or form.get("refresh_token") != self.refresh_token:
            return 400, {"error": "invalid_grant", "error_description": "Token has been expired or revoked."}
        self.given.append(f"access-{len(self.given)}")
        document = {"access_token": self.given[-1], "token_type": "Bearer", "expires_in": self.expires_in}
        if self.rotates:
            self.refresh_token = f"refresh-{len(self.given)}"
            document["refresh_token"] = self.refresh_token
        return 200, document

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self._answer(*endpoint._respond(dict(urllib.parse.parse_qsl(body))))

            def do_GET(self) -> None:
                token = self.headers.get("Authorization", "").removeprefix("Bearer ")
                endpoint.examined.append(token)
                holder = endpoint.holders.get(token)
                document = {"active": bool(holder), "username": holder or "nobody@arrakis.example"}
                self._answer(*((500, {}) if endpoint.out_of_order else (200, document)))

            def _answer(self, status: int, document: Any) -> None:
                raw = document if isinstance(document, bytes) else json.dumps(document).encode()
                self.send_response(status)
                if status in (301, 302, 307, 308):
                    self.send_header("Location", endpoint.url)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, format: str, *args: object) -> None:
                """Log nothing."""

        return Handler
