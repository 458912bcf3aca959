"""Whether a mail really comes from where its From field says: Authentication-Results (RFC 8601) and DKIM (RFC 6376).

Both prove a domain, not a person: the server of the sender's domain let this mail pass. Of the results only those of
our own server count, known by its authserv-id, and of its fields only the topmost: a server puts its field above
everything that came with the mail, so a forged one stands below (section 5 of RFC 8601 wants it removed besides). A
domain counts where it is the domain of the From field or one above it, for the owner of that one rules both.

dkimpy checks DKIM signatures with a lookup that the caller gives: nothing here needs a network. A signature counts only
if it covers the From and Date fields and the whole body: with a length (``l=``) anybody could add orders at the end,
and with another Date it would be another mail. Signatures by SHA-1 do not count (RFC 8301). Only names of domains that
would count are looked up.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import dkim

from bot.mail.message import Incoming

_PAIR = re.compile(r'([A-Za-z0-9_.-]{1,80})\s*(?:/\s*\d{1,3}\s*)?=\s*("(?:\\.|[^"\\])*"|[^\s"]+)')
_UNKNOWN = ("none", "")


class AuthenticationResult(NamedTuple):
    """What a server says of one method: ``Result("dkim", "pass", {"header.d": "example.org"})``."""

    method: str
    outcome: str
    properties: Mapping[str, str]


def unproved_because(incoming: Incoming, raw: bytes, authserv_id: str, lookup: Lookup | None) -> str:
    """Why the sender is not proved; empty if they are: by our own server's word, or else by a signature of
    their domain.

    ``authserv_id`` names the server whose word counts, empty for none; with a ``lookup`` signatures are checked here:
    CannotAsk if the DNS gives no answer at present.
    """
    domain = _ascii(incoming.sender.rpartition("@")[2])
    doubts = []
    if authserv_id:
        doubt = _doubt(results_of(incoming.headers.get("authentication-results", ()), authserv_id), domain)
        if not doubt:
            return ""
        doubts.append(doubt)
    if lookup is not None:
        if is_signed_by(raw, lambda signer: stands_for(signer, domain), lookup):
            return ""
        doubts.append(f"no valid DKIM signature of {domain}")
    return "; ".join(doubts) or "nothing is set by which a sender could be proved"


def doubt_about(domain: str, fields: tuple[str, ...], authserv_id: str) -> str:
    """Why a sender of this domain is not proved by what a server found; empty if they are.

    >>> doubt_about("c.example", ("mx.b.example; dkim=pass header.d=c.example",), "mx.b.example")
    ''
    """
    return _doubt(results_of(fields, authserv_id), _ascii(domain))


def was_passed_on_by(domain: str, fields: tuple[str, ...], authserv_id: str) -> bool:
    """Whether a server found that a mail came by way of a domain, whoever wrote it: signed there, or sent from there,
    as the mails of a list are.

    >>> was_passed_on_by("lists.example", ("mx.b.example; dmarc=fail; spf=pass smtp.mailfrom=x@lists.example",),
    ...                  "mx.b.example")
    True
    """
    results = results_of(fields, authserv_id) or []
    return any(stands_for(signer, domain) for result in results for signer in _signers(result))


def results_of(fields: tuple[str, ...], authserv_id: str) -> list[AuthenticationResult] | None:
    """What a server found, from the topmost of its fields; None if it has put none.

    >>> results_of(("mx.a.example; spf=fail", "mx.b.example 1; dkim=pass (1024) header.d=c.example"), "mx.b.example")
    [AuthenticationResult(method='dkim', outcome='pass', properties={'header.d': 'c.example'})]
    """
    for field in fields:
        first, *others = _split(_without_comments(field))
        named = first.split()
        if named and named[0].strip('"').lower() == authserv_id.lower():
            return [result for other in others if (result := _result(other))]
    return None


def stands_for(signer: str, domain: str) -> bool:
    """Whether what is proved of one domain is proved of a sender in another: the same, or one above it.

    >>> stands_for("example.org", "mail.example.org"), stands_for("org", "example.org"), stands_for("e.org", "a-e.org")
    (True, False, False)
    """
    signer, domain = _ascii(signer), _ascii(domain)
    return bool(signer) and (signer == domain or ("." in signer and domain.endswith(f".{signer}")))


def _doubt(results: list[AuthenticationResult] | None, domain: str) -> str:
    """Why these results do not prove a sender of this domain. The policy of the domain (DMARC) counts before all."""
    if results is None:
        return "the mail server has put no word on who sent it"
    policies = [result for result in results if result.method == "dmarc" and result.outcome not in _UNKNOWN]
    for policy in policies:
        if policy.outcome != "pass":
            return f"the mail server says dmarc={policy.outcome[:20]}"
    if policies:
        known = all(stands_for(policy.properties.get("header.from", ""), domain) for policy in policies)
        return "" if known else f"the mail server speaks of another sender than {domain}"
    proved = any(stands_for(signer, domain) for result in results for signer in _signers(result))
    return "" if proved else f"the mail server found neither DKIM nor SPF of {domain} in order"


def _signers(result: AuthenticationResult) -> Iterator[str]:
    """The domains that a result proves."""
    if result.outcome != "pass":
        return
    names = {"dkim": ("header.d", "header.i"), "spf": ("smtp.mailfrom", "smtp.mfrom")}.get(result.method, ())
    for name in names:
        if name in result.properties:
            yield result.properties[name].rpartition("@")[2]


def _result(text: str) -> AuthenticationResult | None:
    pairs = [(name.lower(), value.strip('"').lower()) for name, value in _PAIR.findall(text)]
    if not pairs or not re.match(r"\s*[A-Za-z0-9-]+\s*(?:/\s*\d{1,3}\s*)?=", text):
        return None
    (method, outcome), *properties = pairs
    return AuthenticationResult(method, outcome, dict(properties))


def _split(text: str) -> list[str]:
    """The pieces between semicolons that are not in quotes."""
    pieces, quoted, escaped = [""], False, False
    for character in text:
        if character == ";" and not quoted:
            pieces.append("")
            continue
        pieces[-1] += character
        quoted ^= character == '"' and not escaped
        escaped = character == "\\" and quoted and not escaped
    return pieces


def _without_comments(text: str) -> str:
    kept, depth, quoted, escaped = [], 0, False, False
    for character in text:
        if escaped:
            escaped = False
        elif character == "\\" and (quoted or depth):
            escaped = True
        elif character == '"' and not depth:
            quoted = not quoted
        elif not quoted and (character == "(" or (character == ")" and depth)):
            depth += 1 if character == "(" else -1
            kept.append(" ")
            continue
        if not depth:
            kept.append(character)
    return "".join(kept)


def _ascii(domain: str) -> str:
    """A domain as it stands in the DNS. No letter is made another one first: the standard library's codec (RFC 3490)
    makes ss of ß, and straße.example and strasse.example are two domains (RFC 5891)."""
    labels = unicodedata.normalize("NFC", domain).lower().rstrip(".").split(".")
    return ".".join(label if label.isascii() else f"xn--{label.encode('punycode').decode('ascii')}" for label in labels)


Lookup = Callable[[bytes], bytes | None]
"""The TXT record of a name in the DNS, None if there is none; ``CannotAsk`` if that cannot be found out now."""

MOST_SIGNATURES = 5


class CannotAsk(Exception):
    """The DNS gives no answer."""


def is_signed_by(raw: bytes, counts: Callable[[str], bool], lookup: Lookup) -> bool:
    """Whether a message bears a valid signature of a domain that counts. CannotAsk if none is valid and the DNS gives
    no answer about one."""
    away: CannotAsk | None = None
    for index in range(MOST_SIGNATURES):
        try:
            checker = dkim.DKIM(raw, logger=_SilentLog())
            found = checker.verify_headerprep(index)
            if not found:
                break
            tags, covered, _ = found
            if _counts(checker, tags, covered, counts) and checker.verify(index, dnsfunc=_without_timeout(lookup)):
                return True
        except CannotAsk as problem:
            away = problem
        except Exception:  # dkimpy raises many kinds on a broken signature; another may be whole
            continue
    if away:
        raise away
    return False


def _counts(
    checker: dkim.DKIM, tags: Mapping[bytes, bytes], covered: Sequence[bytes], counts: Callable[[str], bool]
) -> bool:  # fmt: skip
    """Whether a signature would prove anything if it is valid."""
    dated = any(name.lower() == b"date" for name, _ in checker.headers)
    whole = b"l" not in tags and b"from" in covered and (b"date" in covered or not dated)
    return whole and not tags[b"a"].strip().endswith(b"sha1") and counts(tags[b"d"].decode("ascii", "replace"))


def ask_dns(name: bytes) -> bytes | None:
    """The TXT record of a name, from the DNS of this machine."""
    try:
        record: bytes | None = dkim.get_txt(name)
    except dkim.DnsTimeoutError as problem:
        raise CannotAsk(re.sub(r"\s+", " ", str(problem))[:200]) from problem
    return record


def _without_timeout(lookup: Lookup) -> Callable[..., bytes | None]:
    """The lookup as dkimpy calls it."""
    return lambda name, timeout=0: lookup(name)


class _SilentLog:
    """A log for dkimpy, which tells it much that comes from strangers."""

    def debug(self, *_: object) -> None: ...

    info = warning = error = debug
