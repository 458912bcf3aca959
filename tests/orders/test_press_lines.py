"""Press of several lines."""

import pytest

from bot.language.lines import WITHOUT_END, fold_press, unfold_press


@pytest.mark.parametrize(
    ("lines", "as_one"),
    [
        (["bid 5", "pass"], ["bid 5", "pass"]),
        (["press to all: hm", "bid 5"], ["press to all: hm", "bid 5"]),
        (["press to all:", "a", "end press", "bid 5"], ["press to all: a", "bid 5"]),
        (["press to all: a", "b", "> end press", "c"], ["press to all: a⏎b", "c"]),
        (["press to all:", "a", "press to guild:", "b", "end press"],
         [f"press {WITHOUT_END}: press to all:⏎a⏎press to guild:⏎b⏎end press"]),
        (["press to all: a", "press to guild:", "b", "end press"], ["press to all: a", "press to guild: b"]),
        (["press to all:", "bid 5"], [f"press {WITHOUT_END}: press to all:⏎bid 5"]),
        (["press to all:"], ["press to all:"]),
        (["Unsigned press to guild:", "a: b", "endpress"], ["Unsigned press to guild: a: b"]),
        (["end press"], ["end press"]),
    ],
)  # fmt: skip
def test_what_stands_between_press_and_its_end_is_one_line(lines: list[str], as_one: list[str]) -> None:
    assert fold_press(lines) == as_one


def test_the_words_have_their_lines_again() -> None:
    assert unfold_press(fold_press(["press to all:", "a", "b", "end press"])[0]) == "press to all: a\nb"
