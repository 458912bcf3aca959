"""A TCP proxy that understands enough IMAP and SMTP to break the connection at any command and any response.

It passes on whole commands and whole responses, including their literals (RFC 3501 section 4.3), and asks the schedule
what should happen to each. It can also hide extensions, and change the mailbox's UIDVALIDITY between two connections.
"""

from __future__ import annotations

import contextlib
import re
import smtplib
import socket
import threading
import time
from collections.abc import Iterator
from typing import BinaryIO, Literal

from tests.mail.faults.schedule import Fault, Schedule

Protocol = Literal["imap", "smtp"]

TO_SERVER: tuple[Fault, ...] = ("refused", "lost", "halved", "done and cut", "doubled", "late", "stalled")
TO_CLIENT: tuple[Fault, ...] = ("lost", "halved", "doubled", "swapped", "left out", "late", "stalled")
A_MOMENT = 0.005

_LITERAL = re.compile(rb"\{(\d+)\+?\}\r\n$")
_VALIDITY = re.compile(rb"\[UIDVALIDITY (\d+)\]")
_NOT_OFFERED = {"MOVE": b"UID MOVE ", "UIDPLUS": b"UID EXPUNGE ", "IDLE": b"IDLE"}


class FaultyProxy:
    """A proxy in front of a server on loopback, for the duration of a `with` block."""

    host = "127.0.0.1"

    def __init__(self, protocol: Protocol, server_port: int, schedule: Schedule) -> None:
        self.protocol = protocol
        self.server_port = server_port
        self.schedule = schedule
        self.epoch = 0
        """The number of times that the mailbox's UIDVALIDITY has changed."""
        self._listener = socket.create_server((self.host, 0))
        self.port: int = self._listener.getsockname()[1]
        self._links: list[_Link] = []
        self._thread = threading.Thread(target=self._accept, name=f"faulty {protocol}", daemon=True)

    def __enter__(self) -> FaultyProxy:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for link in self._links:
            link.cut()
        self._thread.join(timeout=10)

    def hand_over(self, letter: bytes) -> None:
        """Deliver a letter to the server over a separate connection, so that the server gets it twice."""
        with smtplib.SMTP(self.host, self.server_port) as again:
            again.sendmail(
                "proxy@faults.example",
                ["anybody@faults.example"],
                letter.removesuffix(b".\r\n").replace(b"\r\n..", b"\r\n."),
            )

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            match self.schedule.draw(f"{self.protocol} connection", ("refused", "lost", "halved"), weight=0.5):
                case "refused":
                    with contextlib.suppress(OSError):
                        client.sendall(b"* BYE busy\r\n" if self.protocol == "imap" else b"421 4.3.2 busy\r\n")
                    client.close()
                    continue
                case "lost":
                    client.close()
                    continue
                case "halved":
                    with contextlib.suppress(OSError):
                        client.sendall(b"* O" if self.protocol == "imap" else b"22")
                    client.close()
                    continue
            if self.protocol == "imap" and self.schedule.happens("UIDVALIDITY changed", 0.02):
                self.epoch += 1
            link = _Link(self, client, socket.create_connection((self.host, self.server_port)))
            self._links.append(link)
            link.start()


class _Link:
    """A connection, with a thread for each direction."""

    def __init__(self, proxy: FaultyProxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy = proxy
        self._client = client
        self._server = server
        for end in (client, server):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._swallow: bytes | None = None
        """The start of the response that is withheld from the client: its tag, or b"" for any response."""
        self._letter_follows = False

    def start(self) -> None:
        for work in (self._to_server, self._to_client):
            threading.Thread(target=self._pump, args=(work,), daemon=True).start()

    def cut(self) -> None:
        for end in (self._client, self._server):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _pump(self, work: object) -> None:
        assert callable(work)
        with contextlib.suppress(OSError, ValueError):
            work()
        self.cut()
        with contextlib.suppress(OSError):
            (self._client if work == self._to_server else self._server).close()

    def _to_server(self) -> None:
        schedule, imap = self._proxy.schedule, self._proxy.protocol == "imap"
        with self._client.makefile("rb") as incoming:
            while command := self._command(incoming):
                tag, _, rest = command.rstrip(b"\r\n").partition(b" ")
                if imap and any(rest.upper().startswith(_NOT_OFFERED.get(name, b"\0")) for name in schedule.missing):
                    self._client.sendall(tag + b" BAD this server has no such command\r\n")
                    continue
                name = b" ".join(rest.split()[: 2 if rest.upper().startswith(b"UID") else 1] if imap else [tag])
                where = f"{self._proxy.protocol} {name.decode('ascii', 'replace').upper()[:12]}"
                match schedule.draw(where if len(command) < 1000 else "smtp letter", TO_SERVER):
                    case "refused":
                        later = tag + b" NO [UNAVAILABLE] later\r\n" if imap else b"451 4.3.0 later\r\n"
                        self._client.sendall(later)
                        if not imap and (len(command) > 1000 or rest):
                            return  # the server's response to this command cannot be known
                        continue
                    case "lost":
                        return
                    case "halved":
                        self._server.sendall(command[: len(command) // 2])
                        return
                    case "done and cut":
                        self._swallow = tag + b" " if imap else b""
                    case "doubled" if command.endswith(b"\r\n.\r\n"):
                        self._proxy.hand_over(command)
                    case "doubled" if command.upper() != b"DATA\r\n":
                        self._server.sendall(command)
                    case "late":
                        time.sleep(A_MOMENT)
                    case "stalled":
                        for _ in _units(incoming):
                            pass
                        return
                self._server.sendall(command)

    def _command(self, incoming: BinaryIO) -> bytes:
        line = incoming.readline()
        if self._proxy.protocol == "smtp" and self._letter_follows:
            self._letter_follows = False
            letter = [line]
            while line and line != b".\r\n":
                line = incoming.readline()
                letter.append(line)
            return b"".join(letter)
        return line

    def _to_client(self) -> None:
        schedule = self._proxy.schedule
        held = b""
        with self._server.makefile("rb") as incoming:
            for answer in _units(incoming):
                if self._swallow is not None:
                    if answer.startswith(self._swallow):
                        return
                    continue
                answer = self._as_told(answer)
                untagged = answer.startswith((b"* ", b"+ "))
                match schedule.draw(f"{self._proxy.protocol} answer", TO_CLIENT, weight=0.5):
                    case "lost":
                        return
                    case "halved":
                        self._client.sendall(answer[: len(answer) // 2])
                        return
                    case "doubled":
                        answer += answer
                    case "swapped" if untagged and not held:
                        held = answer
                        continue
                    case "left out" if untagged:
                        continue
                    case "late":
                        time.sleep(A_MOMENT)
                    case "stalled":
                        for _ in _units(incoming):
                            pass
                        return
                if self._proxy.protocol == "smtp" and answer.startswith(b"354"):
                    self._letter_follows = True
                self._client.sendall(answer + held)
                held = b""

    def _as_told(self, answer: bytes) -> bytes:
        """Return an answer as if from a server without the missing extensions and with the changed UIDVALIDITY."""
        if self._proxy.protocol != "imap":
            return answer
        if not answer.startswith(b"* ") or answer.startswith((b"* CAPABILITY ", b"* OK [CAPABILITY ")):
            for name in self._proxy.schedule.missing:
                answer = re.sub(rb" " + re.escape(name.encode()) + rb"(?=[ \]\r])", b"", answer)
        return _VALIDITY.sub(lambda found: b"[UIDVALIDITY %d]" % (int(found[1]) + self._proxy.epoch), answer)


def _units(incoming: BinaryIO) -> Iterator[bytes]:
    """Yield lines, each together with its literals."""
    while line := incoming.readline():
        whole = line
        while literal := _LITERAL.search(line):
            whole += incoming.read(int(literal[1]))
            line = incoming.readline()
            whole += line
        yield whole
