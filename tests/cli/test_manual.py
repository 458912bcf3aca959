"""Tests that the manual page lists every command with all its options, and that groff reports no errors."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from bot import VERSION
from tests.cli.conftest import Mentat


def test_the_manual_page_has_every_command_with_its_options(mentat: Mentat) -> None:
    page = mentat("manual").out.replace("\\-", "-")
    assert f'"Mentat {VERSION}"' in page
    commands = re.findall(r"(?m)^\.SS mentat (.*)$", page)
    assert {"run", "upgrade", "game archive \\fIGAME\\fR \\fIDIR\\fR"} <= set(commands)
    assert len(commands) > 80
    run = page.partition("\n.SS mentat run\n")[2].partition("\n.SS ")[0]
    assert "\\fB--config\\fR \\fIFILE\\fR" in run
    assert "\\fB--verbose, -v\\fR\n" in run


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed (apt-get install groff)")
def test_groff_finds_nothing_wrong_with_it(mentat: Mentat) -> None:
    page = mentat("manual").out
    read = ["groff", "-man", "-ww", "-K", "utf8", "-T", "utf8"]
    found = subprocess.run(read, input=page, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")
    assert "moderator of the board game Dune" in found.stdout
