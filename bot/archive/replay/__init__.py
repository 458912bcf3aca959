"""The stepper: `replay.html`, on which a finished game is watched again, step by step, as anybody saw it."""
