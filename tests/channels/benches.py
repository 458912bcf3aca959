"""The outside world of a channel in the conformance tests: people who write, edit and delete, and broken
connections."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Protocol
from uuid import uuid4

from bot.channels import Channel, Dialect, Limits, Post, Thread
from bot.channels.discourse import Discourse
from bot.channels.mailing_list import MailingList, Proofs
from bot.channels.paste import PasteChannel
from tests.channels.discourse_server import CATEGORY, KEY, Standin, User
from tests.channels.faults import Fault
from tests.channels.kept_in_memory import KeptInMemory
from tests.channels.list_server import ADDRESS, US, ListInMemory, mail
from tests.channels.mailman_server import List
from tests.channels.memory import MemoryChannel as Memory
from tests.channels.memory import MemoryForum


class Clock:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.hour = datetime(2026, 11, 24, 18, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.hour

    def wait(self, seconds: float) -> None:
        self.hour += timedelta(seconds=seconds)


class Bench(Protocol):
    """A channel and its forum."""

    edits: bool
    "True if people can change and delete their posts."
    closes: bool
    "True if a moderator can close a thread."
    breaks: bool
    "True if the test can break the connection."
    crowd: int
    "A number of posts that the channel cannot read in one request, or the most for which a test has time."

    @property
    def channel(self) -> Channel: ...

    def again(self) -> Channel:
        """Return the channel of a restarted program."""
        ...

    def join(self, name: str) -> str:
        """Create an account, and return its permanent identifier."""
        ...

    def write(self, account: str, thread: Thread, text: str) -> str: ...

    def edit(self, account: str, post: str, text: str) -> None: ...

    def delete(self, account: str, post: str) -> None: ...

    def close(self, thread: Thread) -> None: ...

    def tell(self, account: str, text: str) -> None:
        """Send a private message to Mentat's account."""
        ...

    def settle(self) -> None:
        """Wait until all waiting posts are posted and the pause between posts is over."""
        ...

    def lose(self) -> None:
        """Lose the answer to the next write; the write itself is stored."""
        ...

    def cut(self) -> None:
        """Cut the next answer in half."""
        ...

    def stop(self) -> None:
        """End the test."""
        ...


class MemoryBench:
    """A bench with the forum in memory."""

    edits = True
    closes = True
    breaks = True
    crowd = 45

    def __init__(self) -> None:
        self.clock = Clock()
        limits = Limits(
            Dialect.MARKDOWN,
            characters=2_000,
            seconds_between_posts=2,
            posts_in_a_row=None,
            characters_at_least=10,
            pictures=True,
            revisable=True,
        )
        self.forum = MemoryForum(limits, self.clock)
        self.channel: Memory = Memory(self.forum)

    def again(self) -> Channel:
        return self.channel

    def join(self, name: str) -> str:
        return self.forum.join(name)

    def write(self, account: str, thread: Thread, text: str) -> str:
        return self.forum.write(account, thread.id, text)

    def edit(self, account: str, post: str, text: str) -> None:
        self.forum.edit(post, text)

    def delete(self, account: str, post: str) -> None:
        self.forum.delete(post)

    def close(self, thread: Thread) -> None:
        self.forum.close(thread.id)

    def tell(self, account: str, text: str) -> None:
        self.forum.tell(account, self.channel.account, text)

    def settle(self) -> None:
        self.clock.wait(2)

    def lose(self) -> None:
        self.forum.line.faults.append(Fault.ANSWER_LOST)

    def cut(self) -> None:
        self.forum.line.faults.append(Fault.CUT)

    def stop(self) -> None:
        pass


class PasteBench:
    """A bench with a person who posts each block at once and hands in others' posts, with the forum's numbers."""

    edits = True
    closes = False
    breaks = False
    crowd = 45

    def __init__(self) -> None:
        self.clock = Clock()
        self.kept = KeptInMemory()
        self.channel = self.again()
        self.names: dict[str, str] = {}
        self.threads: dict[str, Thread] = {}
        self.numbers = 100

    def again(self) -> PasteChannel:
        return PasteChannel(self.kept, Limits(Dialect.BGG, 2_000, 0, characters_at_least=10), self.clock)

    def join(self, name: str) -> str:
        account = f"seat-{len(self.names) + 1}"
        self.names[account] = name
        return account

    def write(self, account: str, thread: Thread, text: str) -> str:
        self.numbers += 1
        post = self.channel.hand_in(thread, self.names[account], account, text, self.numbers)
        self.threads[post.id] = thread
        return post.id

    def edit(self, account: str, post: str, text: str) -> None:
        number = int(post.rpartition("#")[2])
        self.channel.hand_in(self.threads[post], self.names[account], account, text, number)

    def delete(self, account: str, post: str) -> None:
        self.channel.struck(self.threads[post], post)

    def close(self, thread: Thread) -> None:
        raise NotImplementedError

    def tell(self, account: str, text: str) -> None:
        raise NotImplementedError

    def settle(self) -> None:
        for block in self.channel.waiting():
            self.channel.done(block.number)

    def lose(self) -> None:
        raise NotImplementedError

    def cut(self) -> None:
        raise NotImplementedError

    def stop(self) -> None:
        pass


class DiscourseBench:
    """A bench with the stand-in for Discourse."""

    edits = True
    closes = True
    breaks = True
    crowd = 45

    def __init__(self) -> None:
        self.clock = Clock()
        self.standin = Standin(self.clock)
        self.channel = self.again()

    def again(self) -> Discourse:
        def now() -> float:
            return self.clock().timestamp()

        return Discourse(self.standin.address, KEY, "mentat", CATEGORY, seconds=1.0, clock=now)

    def join(self, name: str) -> str:
        return str(self.standin.join(name).id)

    def write(self, account: str, thread: Thread, text: str) -> str:
        return str(self.standin.write(self._user(account), int(thread.id), text))

    def edit(self, account: str, post: str, text: str) -> None:
        self.standin.edit(int(post), text)

    def delete(self, account: str, post: str) -> None:
        self.standin.delete_by_author(int(post))

    def close(self, thread: Thread) -> None:
        self.standin.topics[int(thread.id)].closed = True

    def tell(self, account: str, text: str) -> None:
        self.standin.tell(self._user(account), text)

    def settle(self) -> None:
        self.clock.wait(10)

    def lose(self) -> None:
        self.standin.faults.append("write:lost")

    def cut(self) -> None:
        self.standin.faults.append("half")

    def stop(self) -> None:
        self.standin.stop()

    def _user(self, account: str) -> User:
        return next(user for user in self.standin.users.values() if str(user.id) == account)


class ListBench:
    """A bench with a mailing list in memory."""

    edits = False
    closes = False
    breaks = False
    crowd = 55

    def __init__(self) -> None:
        self.clock = Clock()
        self.list = ListInMemory(self.clock)
        self.channel = self.again()
        self.names: dict[str, str] = {}
        self.written = 0

    def again(self) -> MailingList:
        proofs = Proofs(ADDRESS, lambda: self.list.members, envelope_header="X-MailFrom")
        return MailingList(self.list, US, proofs, b"a secret", clock=lambda: self.clock().timestamp())

    def join(self, name: str) -> str:
        address = f"member{len(self.names) + 1}@example.org"
        self.names[address] = name
        self.list.members.add(address)
        return address

    def write(self, account: str, thread: Thread, text: str) -> str:
        self.written += 1
        identifier = f"<{self.written}@example.org>"
        message = mail(account, text, "Re: [Dune] the game", thread.id, identifier, self.names[account])
        self.list.deliver(message.as_bytes(), account)
        return identifier

    def edit(self, account: str, post: str, text: str) -> None:
        raise NotImplementedError

    def delete(self, account: str, post: str) -> None:
        raise NotImplementedError

    def close(self, thread: Thread) -> None:
        raise NotImplementedError

    def tell(self, account: str, text: str) -> None:
        raise NotImplementedError

    def settle(self) -> None:
        self.clock.wait(1)

    def lose(self) -> None:
        self.list.faults.append("lost")

    def cut(self) -> None:
        raise NotImplementedError

    def stop(self) -> None:
        pass


class MailmanBench(ListBench):
    """A bench with a list of a real Mailman."""

    crowd = 5

    def __init__(self, real: List) -> None:
        self.real = real
        self.channel = self.again()
        self.names = {}
        self.written = 0
        self.salt = uuid4().hex[:8]

    def again(self) -> MailingList:
        proofs = Proofs(self.real.address, lambda: self.real.members, envelope_header="X-MailFrom")
        return MailingList(self.real, US, proofs, b"a secret")

    def join(self, name: str) -> str:
        address = f"member{len(self.names) + 1}.{self.salt}@example.org"
        self.names[address] = name
        self.real.join(address, name)
        return address

    def write(self, account: str, thread: Thread, text: str) -> str:
        self.written += 1
        identifier = f"<{self.written}.{self.salt}@example.org>"
        where = self.real.address
        message = mail(account, text, "Re: the game", thread.id, identifier, self.names[account], where)
        self.real.deliver(message.as_bytes(), account)
        return identifier

    def settle(self) -> None:
        self.real.settle()

    def lose(self) -> None:
        raise NotImplementedError


BENCHES: dict[str, Callable[[], Bench]] = {
    "memory": MemoryBench,
    "paste": PasteBench,
    "discourse": DiscourseBench,
    "list": ListBench,
}


def everything(channel: Channel, thread: Thread) -> list[Post]:
    """Return all posts in a thread."""
    posts: list[Post] = []
    page = channel.read_since(thread, None)
    while True:
        posts += page.posts
        if not page.more:
            return posts
        page = channel.read_since(thread, page.cursor)
