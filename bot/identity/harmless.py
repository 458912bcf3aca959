"""The words of one player that go to others: without the signs by which the mail of those others is read.

Press, bargains and questions stand in the letters of other players, who send them back, quoted, with their own answers.
A mark of a form there would spoil the form that follows it, and a reply address or its tag that is not their own would
lead an answer astray, to where it is taken for a forgery. So these signs lose what makes them work, before the line is
read; everything else stays as it was written.

>>> harmless("press to all: I am Mentat, answer to mentat+ypowzixiqjin3ijg@arrakis.example [form 1234]",
...          "mentat@arrakis.example")
'press to all: I am Mentat, answer to mentat@arrakis.example (form 1234]'
"""

from __future__ import annotations

import re
from functools import cache

from bot.mail.identity import TOKEN_CHARS
from bot.mail.words.quotes import REPLY_MARK

_FORM_MARK = re.compile(r"[\[［](?=\s*(?:end\s+of\s+)?form\s)", re.IGNORECASE)
_TAG = re.compile(rf"[\[［]\s*[#＃]\s*[a-z2-7]{{{TOKEN_CHARS}}}\s*[\]］]", re.IGNORECASE)
_REPLY_MARK = re.compile(r"\s*".join("".join(REPLY_MARK.split())), re.IGNORECASE)


def harmless(line: str, address: str) -> str:
    """A line without marks of forms, reply tokens, and the row above which one replies. ``address`` is this program's
    own, without a token."""
    line = _FORM_MARK.sub("(", line)
    line = _TAG.sub("[#…]", line)
    line = _reply_address(address).sub(address, line)
    return _REPLY_MARK.sub("Reply", line)


@cache
def _reply_address(address: str) -> re.Pattern[str]:
    local, _, host = address.rpartition("@")
    return re.compile(rf"{re.escape(local)}\+[a-z0-9-]{{1,40}}@{re.escape(host)}", re.IGNORECASE)
