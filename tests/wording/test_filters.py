"""What the filters of sentences write."""

from __future__ import annotations

import pytest

from bot.wording import filters
from bot.wording.sentences import Sentence


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{{ '5' | tokens }}", "5 tokens"),
        ("{{ '1' | tokens }}", "1 token"),
        ("{{ '3+2' | tokens('fremen') }}", "3 tokens and 2 Fedaykin"),
        ("{{ '0+1' | tokens('emperor') }}", "1 Sardaukar"),
        ("{{ '0+1' | tokens }}", "1 elite token"),
        ("{{ 1 | plural('line') }}", "1 line"),
        ("{{ 2 | plural('territory') }}", "2 territories"),
        ("{{ 2 | plural('day') }}", "2 days"),
        ("{{ ['a', 'b', 'c'] | listed }}", "a, b and c"),
        ("{{ ['a'] | listed }}", "a"),
        ("{{ [] | listed }}", ""),
        ("{{ ['a', 'b', 'c'] | either }}", "a, b or c"),
        ("{{ 'imperial-basin/9' | name }}", "Imperial Basin/9"),
        ("{{ 'nowhere/9' | name }}", "nowhere/9"),
        ("{{ 'guild' | name | upper }}", "GUILD"),
        ("{{ 'Feyd-Rautha' | strength }}", "6"),
        ("{{ 'Nobody' | strength }}", ""),
        ("{{ 3.0 | halves }} {{ 3.5 | halves }}", "3 3.5"),
        ("{{ 26214400 | grouped }}", "26,214,400"),
        ("{{ [9] | sectors }}", "sector 9"),
        ("{{ [9, 10, 11] | sectors }}", "the sectors 9, 10 and 11"),
        ("{{ [] | sectors }}", "no sector"),
        ("{{ 150 | hours }}", "2 h"),
        ("{{ 119 | span }} {{ 120 | span }}", "119 minutes 2 hours"),
        ("{{ 59 | clock_span }} {{ 60 | clock_span }} {{ 125 | clock_span }}", "59 min 1 h 0 min 2 h 5 min"),
        ("{{ 'a\\x07b' | quoted }}", "'a\\x07b'"),
    ],
)
def test_a_filter_writes_as_people_do(written: str, said: str) -> None:
    assert Sentence(written, "a test").render({}) == said


def test_every_filter_stands_in_the_table_of_filters() -> None:
    made = {key for key, value in vars(filters).items() if getattr(value, "__module__", "") == filters.__name__}
    assert made == {*filters.FILTERS}
