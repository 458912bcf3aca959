"""Long runs of random games: every card and power played hard, everything watched, what occurred counted."""
