"""A long report cut into posts: between turns where that can be, else where a phase ends, never inside a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

ROOM = 400  # for the first line of a post


@dataclass(frozen=True, slots=True)
class Part:
    """A turn, or what comes after the last: its ``number`` (0 for the latter), what opens it and again opens the rest
    of it in a post of its own, and its text in pieces that stay whole."""

    number: int
    opening: str
    again: str
    units: Sequence[str]

    @property
    def whole(self) -> str:
        """All of it."""
        return "\n\n".join([self.opening, *self.units])


@dataclass(slots=True)
class Post:
    """What one post holds: its text, and the numbers of the parts in it."""

    texts: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The post without its first line."""
        return "\n\n".join(self.texts)

    def add(self, text: str, number: int) -> None:
        """Put a text at the end."""
        self.texts.append(text)
        if number not in self.numbers:
            self.numbers.append(number)


def cut(parts: Sequence[Part], limit: int) -> list[Post]:
    """The parts in as few posts as their order lets."""
    room = limit - ROOM
    posts = [Post()]
    for part in parts:
        if _fits(posts[-1], part.whole, room):
            posts[-1].add(part.whole, part.number)
        elif len(part.whole) <= room:
            posts.append(Post([part.whole], [part.number]))
        else:
            _spread(posts, part, room)
    return [post for post in posts if post.texts]


def _fits(post: Post, text: str, room: int) -> bool:
    return len(post.text) + 2 + len(text) <= room


def _spread(posts: list[Post], part: Part, room: int) -> None:
    """A part that no post can hold, from a post of its own on."""
    opening = part.opening
    if posts[-1].texts:
        posts.append(Post())
    for unit in part.units:
        text = f"{opening}\n\n{unit}" if opening else unit
        if posts[-1].texts and not _fits(posts[-1], text, room):
            posts.append(Post())
            text = f"{part.again}\n\n{unit}"
        posts[-1].add(text, part.number)
        opening = ""
