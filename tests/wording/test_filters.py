from __future__ import annotations

import pytest

from bot.wording import Sentence, filters


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{{ '5' | tokens }}", "5 tokens"),
        ("{{ '1' | tokens }}", "1 token"),
        ("{{ '3+2' | tokens('fremen') }}", "3 tokens and 2 Fedaykin"),
        ("{{ '0+1' | tokens('emperor') }}", "1 Sardaukar"),
        ("{{ '0+1' | tokens }}", "1 elite token"),
        ("{{ 3 | tokens }} {{ '0+2' | tokens('guild') }}", "3 tokens 2 elite tokens"),
        ("{{ '1+1' | tokens('guild') }}", "1 token and 1 elite"),
        ("{{ 'shield' | voiced }} {{ 'worthless' | voiced }}", "a shield a worthless card"),
        ("{{ 'Crysknife' | voiced }}", "Crysknife"),
        ("{{ 1 | plural('line') }}", "1 line"),
        ("{{ 0 | plural('line') }}", "0 lines"),
        ("{{ 2 | plural('territory') }}", "2 territories"),
        ("{{ 2 | plural('day') }}", "2 days"),
        ("{{ ['a', 'b', 'c'] | listed }}", "a, b and c"),
        ("{{ ['a'] | listed }}", "a"),
        ("{{ [] | listed }}", ""),
        ("{{ ['a', 'b', 'c'] | either }}", "a, b or c"),
        ("{{ [1, 2, 3, 4] | map('ordinal') | join(' ') }}", "1st 2nd 3rd 4th"),
        ("{{ [10, 11, 12, 13, 14] | map('ordinal') | join(' ') }}", "10th 11th 12th 13th 14th"),
        (
            "{{ [20, 21, 22, 23, 101, 111, 112, 113] | map('ordinal') | join(' ') }}",
            "20th 21st 22nd 23rd 101st 111th 112th 113th",
        ),
        ("{{ 'imperial-basin/9' | name }}", "Imperial Basin/9"),
        ("{{ 'polar-sink' | name }} {{ 'tueks-sietch' | name }}", "Polar Sink Tuek's Sietch"),
        ("{{ 'hidden-mobile-stronghold' | name }}", "Hidden Mobile Stronghold"),
        ("{{ 'axlotl-tanks' | name }} {{ 'heighliners' | name }}", "Axlotl Tanks Heighliners"),
        ("{{ 'nowhere/9' | name }}", "nowhere/9"),
        ("{{ 'guild' | name | upper }}", "GUILD"),
        ("{{ 'Feyd-Rautha' | strength }}", "6"),
        ("{{ 'Nobody' | strength }}", ""),
        ("{{ 'Zoal' | strength }}", "X"),
        ("{{ 3 | bounds(3) }}; {{ 0 | bounds(0) }}; {{ 0 | bounds(none) }}", "3; 0; >= 0"),
        ("{{ 3 | bounds(none) }}; {{ 0 | bounds(3) }}; {{ 1 | bounds(3) }}", ">= 3; <= 3; between 1 and 3"),
        ("{{ 5 | tenths }} {{ 10 | tenths }} {{ 15 | tenths }}", "0.5 1 1.5"),
        ("{{ 3.0 | halves }} {{ 3.5 | halves }}", "3 3.5"),
        ("{{ 26214400 | grouped }}", "26,214,400"),
        ("{{ [9] | sectors }}", "sector 9"),
        ("{{ [9, 10, 11] | sectors }}", "the sectors 9, 10 and 11"),
        ("{{ [] | sectors }}", "no sector"),
        ("{{ [9, 10] | sectors }}", "the sectors 9 and 10"),
        ("{{ 59 | hours }} {{ 60 | hours }} {{ 150 | hours }}", "0 h 1 h 2 h"),
        ("{{ 119 | span }} {{ 120 | span }} {{ 180 | span }}", "119 minutes 2 hours 3 hours"),
        ("{{ 59 | clock_span }} {{ 60 | clock_span }} {{ 125 | clock_span }}", "59 min 1 h 0 min 2 h 5 min"),
        ("{{ 'a\\x07b' | quoted }}", "'a\\x07b'"),
    ],
)
def test_a_filter_writes_as_people_do(written: str, said: str) -> None:
    assert Sentence(written, "a test").render({}) == said


def test_every_filter_stands_in_the_table_of_filters() -> None:
    made = {key for key, value in vars(filters).items() if getattr(value, "__module__", "") == filters.__name__}
    others = {"speaking", "spoken_edition", "order_as_spoken", "default_archive_name", "fold_name"}
    assert made - others == {*filters.FILTERS}
