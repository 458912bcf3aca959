"""The phases of a turn, one module each; ``rules.engine.turn`` plays them in order."""
