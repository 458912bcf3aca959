"""One game over days, as a pure core: no connection, no clock of its own."""
