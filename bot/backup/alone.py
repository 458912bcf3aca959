"""Makes sure that nobody else works on a database: no service, and no worker of another machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from bot.service.workers.presence import living
from bot.store.database import Engine, backend_of, name_of
from bot.store.direct import Direct
from bot.store.holding import while_held
from bot.store.only_one import AlreadyRunning, only_one


@contextmanager
def alone(engine: Engine, *works: str) -> Iterator[None]:
    """Hold the locks of these works, and that of a service, for as long as the block runs. AlreadyRunning if anybody is
    at work."""
    with ExitStack() as held:
        if backend_of(engine).several:  # who begins after this look does not get beside "running"
            direct = Direct(engine, "mentat")
            held.callback(direct.close)
            if at_work := living(while_held(engine), direct):
                hosts = ", ".join(sorted({each.host for each in at_work}))
                raise AlreadyRunning(f"A `mentat run` is at work with {name_of(engine)} on {hosts}; stop it first.")
        for work in ("running", *works):
            held.enter_context(only_one(engine, work))
        yield
