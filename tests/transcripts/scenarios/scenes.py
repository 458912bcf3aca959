"""Scenes of other rooms' tests, by module (``tests.transcripts.scenes``)."""

from __future__ import annotations

from functools import partial

from tests.transcripts.scenario import add
from tests.transcripts.scenes import play_scenes, scenes

for _module, _names in scenes().items():
    add(f"scenes-{_module.replace('.test_', '-')}", partial(play_scenes, _module, _names))
