"""The phases of a turn, one module each; ``rules.turn`` plays them in order."""
