"""The data that a paste channel must remember, in memory instead of in a database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.channels import Gone, Post
from bot.channels.paste import Block


@dataclass
class KeptInMemory:
    """The data that a paste channel must remember, for as long as the program runs."""

    by_number: dict[int, Block] = field(default_factory=dict)
    by_thread: dict[str, dict[str, Post | Gone]] = field(default_factory=dict)

    def blocks(self) -> Sequence[Block]:
        return [self.by_number[number] for number in sorted(self.by_number)]

    def put_block(self, block: Block) -> None:
        self.by_number[block.number] = block

    def posts(self, thread: str) -> Sequence[Post | Gone]:
        return list(self.by_thread.get(thread, {}).values())

    def put_post(self, thread: str, post: Post | Gone) -> None:
        self.by_thread.setdefault(thread, {})[post.id] = post
