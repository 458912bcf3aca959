"""More games at tables than the quick run has time for."""

from __future__ import annotations

from dataclasses import replace

from tests.approved.subjects import tables

SUBJECT = replace(tables.SUBJECT, name="tables-long")
