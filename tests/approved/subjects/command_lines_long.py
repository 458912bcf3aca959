"""Commands as `command_lines` has them: the many that take long together."""

from __future__ import annotations

from dataclasses import replace

from tests.approved.subjects import command_lines

SUBJECT = replace(command_lines.SUBJECT, name="command-lines-long")
