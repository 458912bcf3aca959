"""The demo: a whole game by mail on this machine, played by scripted players who know nothing but the mails they
get."""
