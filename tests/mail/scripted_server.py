"""An IMAP server with a single inbox and with faults: it answers OK but does nothing, withholds a mail, or truncates
it.

It implements as much of RFC 3501, MOVE (RFC 6851) and UIDPLUS (RFC 4315) as Mentat uses. `commands` counts the commands
that it received. A fault affects the mails in `faulty`, or all mails if that is None.
"""

from __future__ import annotations

import contextlib
import re
import socketserver
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Literal

Fault = Literal[
    "",
    "empty answer",  # FETCH ends with OK but without a response
    "no body",  # the response has flags but no body
    "NIL",
    "empty body",  # an empty literal
    "half a body",  # a correctly framed literal that is shorter than RFC822.SIZE
    "half, and its end denied",  # the same, and if asked for the end, the server answers as if the mail continued
    "short frame",  # the literal announces fewer bytes than follow
    "long frame",  # the literal announces more bytes than follow
    "fetch refused",
    "hangs up",  # at each FETCH of the mail
    "no size",  # RFC822.SIZE is missing
    "size refused",
    "moves nothing",
    "hangs up at MOVE",
    "moves a copy",  # MOVE copies the mail, and the original stays
    "move refused",
    "copies nothing",
    "copies and hangs up",
    "copy refused",
    "flag without effect",  # STORE ends with OK, but the mail is not flagged as Deleted
    "flag refused",
    "hangs up at STORE",
    "flag forgotten",  # the next session does not know the flag
    "expunge refused",
]
HIDES: tuple[Fault, ...] = (
    "empty answer", "no body", "NIL", "empty body", "half a body", "half, and its end denied", "short frame",
    "long frame", "fetch refused", "hangs up", "no size", "size refused",
)  # fmt: skip
KEEPS: tuple[Fault, ...] = ("moves nothing", "move refused", "hangs up at MOVE")
KEEPS_COPIED: tuple[Fault, ...] = (
    "copies nothing", "copy refused", "flag without effect", "flag refused", "hangs up at STORE",
)  # fmt: skip


class ScriptedServer:
    """An IMAP server that runs on loopback for the duration of a `with` block."""

    host = "127.0.0.1"

    def __init__(self, fault: Fault = "", extensions: str = "MOVE UIDPLUS") -> None:
        self.fault: Fault = fault
        self.faulty: set[int] | None = None
        self.extensions = extensions
        self.validity = 1
        self.new_validity_each_time = False
        self.sizes_are_estimates = False
        self.always_announces = False
        self.inbox: dict[int, bytes] = {}
        self.deleted: set[int] = set()
        self.folders: dict[str, list[bytes]] = {"INBOX": []}
        self.commands: Counter[str] = Counter()
        self.lock = threading.Lock()
        self._next = 1

    def __enter__(self) -> ScriptedServer:
        world = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                with contextlib.suppress(OSError, _HungUp):
                    _Session(world, self.rfile, self.wfile).talk()

        socketserver.ThreadingTCPServer.daemon_threads = True
        self._server = socketserver.ThreadingTCPServer((self.host, 0), Handler)
        self._server.block_on_close = False
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def deliver(self, raw: bytes) -> int:
        with self.lock:
            number = self._next
            self._next += 1
            self.inbox[number] = raw
        return number

    def remove(self, uid: int) -> None:
        """Remove a message, as a person does with a mail program."""
        with self.lock:
            del self.inbox[uid]

    @property
    def waiting(self) -> set[int]:
        return self.inbox.keys() - self.deleted

    def moved_to(self, name: str) -> list[bytes]:
        return self.folders.get(name, [])


class _HungUp(Exception):
    pass


class _Session:
    def __init__(self, world: ScriptedServer, incoming: object, outgoing: object) -> None:
        self.world, self.incoming, self.outgoing = world, incoming, outgoing
        self.announced = -1

    def send(self, *lines: bytes) -> None:
        self.outgoing.write(b"".join(line + b"\r\n" for line in lines))  # type: ignore[attr-defined]
        self.outgoing.flush()  # type: ignore[attr-defined]

    def talk(self) -> None:
        self.send(b"* OK ready")
        while line := self.incoming.readline():  # type: ignore[attr-defined]
            tag, _, rest = line.rstrip(b"\r\n").partition(b" ")
            words = rest.decode().split()
            name = " ".join(words[:2] if words[0].upper() == "UID" else words[:1]).upper()
            with self.world.lock:
                self.world.commands[name] += 1
                answer = getattr(self, "on_" + name.lower().replace(" ", "_"))(rest.decode())
                self.send(*answer[:-1], tag + b" " + answer[-1])
                if name == "LOGOUT":
                    return

    def has(self, fault: Fault, uid: int) -> bool:
        world = self.world
        return world.fault == fault and (world.faulty is None or uid in world.faulty)

    # --- sessions and folders ------------------------------------------------------------------------------------

    def on_capability(self, _: str) -> list[bytes]:
        return [f"* CAPABILITY IMAP4rev1 {self.world.extensions}".encode(), b"OK done"]

    def on_login(self, _: str) -> list[bytes]:
        if self.world.fault == "flag forgotten":
            self.world.deleted.clear()
        return [b"OK logged in"]

    def on_logout(self, _: str) -> list[bytes]:
        return [b"* BYE", b"OK done"]

    def on_list(self, rest: str) -> list[bytes]:
        asked = rest.split()[-1].strip('"')
        found = [name for name in self.world.folders if asked in ("*", name)]
        return [*(f'* LIST () "/" "{name}"'.encode() for name in found), b"OK done"]

    def on_create(self, rest: str) -> list[bytes]:
        self.world.folders.setdefault(rest.split()[-1].strip('"'), [])
        return [b"OK done"]

    def on_subscribe(self, _: str) -> list[bytes]:
        return [b"OK done"]

    def on_select(self, _: str) -> list[bytes]:
        world = self.world
        world.validity += world.new_validity_each_time
        self.announced = len(world.inbox)
        return [
            f"* {self.announced} EXISTS".encode(),
            rb"* FLAGS (\Seen \Deleted)",
            f"* OK [UIDVALIDITY {world.validity}]".encode(),
            b"OK [READ-WRITE] selected",
        ]

    def on_status(self, rest: str) -> list[bytes]:
        name = rest.split()[1].strip('"')
        held = len(self.world.folders[name])
        return [f'* STATUS "{name}" (MESSAGES {held} UIDNEXT {held + 1})'.encode(), b"OK done"]

    def on_noop(self, _: str) -> list[bytes]:
        if self.announced == len(self.world.inbox) and not self.world.always_announces:
            return [b"OK done"]
        self.announced = len(self.world.inbox)
        return [f"* {self.announced} EXISTS".encode(), b"OK done"]

    def on_idle(self, _: str) -> list[bytes]:
        self.send(*([b"+ idling", b"* %d EXISTS" % len(self.world.inbox)][: 1 + self.world.always_announces]))
        self.world.lock.release()  # let other connections continue in the meantime
        try:
            self.incoming.readline()  # type: ignore[attr-defined]  # DONE
        finally:
            self.world.lock.acquire()
        return [b"OK done"]

    def on_uid_search(self, rest: str) -> list[bytes]:
        asked = re.search(r"UID (\d+)", rest[4:])
        found = sorted(self.world.waiting & ({int(asked[1])} if asked else self.world.waiting))
        announced = [f"* {len(self.world.inbox)} EXISTS".encode()] if self.world.always_announces else []
        return [*announced, " ".join(["* SEARCH", *map(str, found)]).encode(), b"OK done"]

    # --- mails ---------------------------------------------------------------------------------------------------

    def on_uid_fetch(self, rest: str) -> list[bytes]:
        uids, items = rest.split()[2], rest.split(maxsplit=3)[3]
        asked = [uid for uid in _numbers(uids) if uid in self.world.inbox]
        refused: Fault = "size refused" if "SIZE" in items else "fetch refused"
        if any(self.has(refused, uid) for uid in asked):
            return [b"NO [SERVERBUG] cannot be read"]
        return [*(line for uid in asked for line in self._answer(uid, items)), b"OK fetched"]

    def _answer(self, uid: int, items: str) -> list[bytes]:
        raw, begins = self.world.inbox[uid], f"* {sorted(self.world.inbox).index(uid) + 1} FETCH (UID {uid}".encode()
        if "SIZE" in items:
            size = 3 * len(raw) if self.world.sizes_are_estimates else len(raw)
            return [begins + (b")" if self.has("no size", uid) else b" RFC822.SIZE %d)" % size)]
        if self.has("hangs up", uid):
            raise _HungUp
        if self.has("empty answer", uid):
            return []
        part = items.strip("()").replace("BODY.PEEK", "BODY")
        if "HEADER" in part:
            raw = raw[: raw.index(b"\r\n\r\n") + 4]
        elif self.has("half a body", uid) or self.has("half, and its end denied", uid):
            raw = raw[: len(raw) // 2]
        piece = re.search(r"<(\d+)\.(\d+)>", part)
        if piece:
            part = part.replace(piece[0], f"<{piece[1]}>")
            raw = self.world.inbox[uid] if self.has("half, and its end denied", uid) else raw
            raw = raw[int(piece[1]) : int(piece[1]) + int(piece[2])]
            if self.has("half a body", uid):
                return [begins + b" BODY[] {%d}" % len(raw), raw + b")"]
        named = begins + f" {part} ".encode()
        if self.has("no body", uid):
            return [begins + b" FLAGS ())"]
        if self.has("NIL", uid):
            return [named + b"NIL)"]
        if self.has("empty body", uid):
            return [named + b"{0}", b")"]
        told = len(raw)
        told -= (told // 3) * self.has("short frame", uid)
        told += 1000 * self.has("long frame", uid)
        return [named + b"{%d}" % told, raw + b")"]

    def on_uid_move(self, rest: str) -> list[bytes]:
        (uid,), folder = _numbers(rest.split()[2]), rest.split()[3].strip('"')
        if self.has("hangs up at MOVE", uid):
            raise _HungUp
        if self.has("move refused", uid):
            return [b"NO [OVERQUOTA] the mailbox is full"]
        if uid in self.world.inbox and not self.has("moves nothing", uid):
            self.world.folders[folder].append(self.world.inbox[uid])
            if not self.has("moves a copy", uid):
                return [*self._expunged(uid), b"OK moved"]
        return [b"OK moved"]

    def on_uid_copy(self, rest: str) -> list[bytes]:
        (uid,), folder = _numbers(rest.split()[2]), rest.split()[3].strip('"')
        if self.has("copy refused", uid):
            return [b"NO [OVERQUOTA] the mailbox is full"]
        if uid in self.world.inbox and not self.has("copies nothing", uid):
            self.world.folders[folder].append(self.world.inbox[uid])
        if self.has("copies and hangs up", uid):
            raise _HungUp
        return [b"OK [COPYUID 1 %d 1] copied" % uid]

    def on_uid_store(self, rest: str) -> list[bytes]:
        (uid,) = _numbers(rest.split()[2])
        if self.has("hangs up at STORE", uid):
            raise _HungUp
        if self.has("flag refused", uid):
            return [b"NO [NOPERM] not yours"]
        if not self.has("flag without effect", uid):
            self.world.deleted.add(uid)
        return [b"OK stored"]

    def on_uid_expunge(self, rest: str) -> list[bytes]:
        (uid,) = _numbers(rest.split()[2])
        if self.has("expunge refused", uid):
            return [b"NO [NOPERM] not yours"]
        return [*(self._expunged(uid) if uid in self.world.deleted else []), b"OK expunged"]

    def _expunged(self, uid: int) -> list[bytes]:
        place = sorted(self.world.inbox).index(uid) + 1
        del self.world.inbox[uid]
        self.world.deleted.discard(uid)
        self.announced = len(self.world.inbox)
        return [f"* {place} EXPUNGE".encode()]


def _numbers(uids: str) -> list[int]:
    return list(_spread(uids))


def _spread(uids: str) -> Iterator[int]:
    for part in uids.split(","):
        first, _, last = part.partition(":")
        yield from range(int(first), int(last or first) + 1)
