"""A front for an IMAP server that lacks TLS, STARTTLS and XOAUTH2.

It handles the conversation until a client has logged in, and then passes everything on. With `strips_starttls` it acts
as a man in the middle who hides the offer of STARTTLS. With `preauth` it greets a client as if it had already logged
in.
"""

from __future__ import annotations

import base64
import contextlib
import json
import select
import socket
import ssl
import threading
from dataclasses import dataclass, field


@dataclass
class Front:
    """A front that runs on loopback for the duration of a `with` block."""

    server_port: int
    context: ssl.SSLContext | None = None
    starttls: bool = False
    strips_starttls: bool = False
    preauth: bool = False
    users: dict[str, str] = field(default_factory=dict)
    """The users' passwords on the server behind, for clients that log in with an access token."""
    tokens: set[str] = field(default_factory=set)
    seen: list[bytes] = field(default_factory=list)
    """The commands before the login, as received. Those sent without encryption are marked with `clear: `."""

    host = "127.0.0.1"

    def __enter__(self) -> Front:
        self._listener = socket.create_server((self.host, 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with (
            contextlib.suppress(OSError, ValueError),
            socket.create_connection((self.host, self.server_port)) as server,
        ):
            if self.context and not self.starttls:
                client = self.context.wrap_socket(client, server_side=True)
            server.makefile("rb").readline()
            offered = self._offered(client)
            client.sendall(b"* PREAUTH welcome\r\n" if self.preauth else b"* OK [%s] ready\r\n" % offered)
            client = self._talk(client, server)
            self._pass_on(client, server)
        with contextlib.suppress(OSError):
            client.close()

    def _offered(self, client: socket.socket) -> bytes:
        offers = b"CAPABILITY IMAP4rev1 SASL-IR"
        if self.starttls and not isinstance(client, ssl.SSLSocket) and not self.strips_starttls:
            offers += b" STARTTLS LOGINDISABLED"
        return offers + b" AUTH=XOAUTH2"

    def _talk(self, client: socket.socket, server: socket.socket) -> socket.socket:
        """Talk to a client until it has logged in. Return the connection to it, which may be encrypted by then."""
        lines = client.makefile("rb")
        while line := lines.readline():
            self.seen.append(line if isinstance(client, ssl.SSLSocket) else b"clear: " + line)
            tag, command, *rest = line.split()
            match command.upper():
                case b"CAPABILITY":
                    client.sendall(b"* " + self._offered(client) + b"\r\n" + tag + b" OK these\r\n")
                case b"STARTTLS" if self.context:
                    client.sendall(tag + b" OK begin\r\n")
                    client = self.context.wrap_socket(client, server_side=True)
                    lines = client.makefile("rb")
                case b"AUTHENTICATE":
                    if rest[1:]:
                        answer = rest[1]
                    else:
                        client.sendall(b"+ \r\n")
                        answer = lines.readline()
                    user, token = self._who(answer)
                    if token in self.tokens:
                        server.sendall(b'%s LOGIN "%s" "%s"\r\n' % (tag, user.encode(), self.users[user].encode()))
                        return client
                    complaint = json.dumps({"status": "400", "schemes": "Bearer", "scope": "https://mail.example/"})
                    client.sendall(b"+ " + base64.b64encode(complaint.encode()) + b"\r\n")
                    assert lines.readline().strip() == b"", "the complaint must be answered with nothing"
                    client.sendall(tag + b" NO [AUTHENTICATIONFAILED] Invalid credentials\r\n")
                case b"LOGIN":
                    server.sendall(line)
                    return client
                case _:
                    client.sendall(tag + b" BAD not here\r\n")
        raise OSError("the client is gone")

    def _who(self, answer: bytes) -> tuple[str, str]:
        user, auth, *_ = base64.b64decode(answer).decode().split("\1")
        return user.removeprefix("user="), auth.removeprefix("auth=Bearer ")

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        while True:
            read_already = isinstance(client, ssl.SSLSocket) and client.pending()
            for end in [client] if read_already else select.select([client, server], [], [], 30)[0]:
                data = end.recv(65_536)
                if not data:
                    return
                (server if end is client else client).sendall(data)
