"""One game over several days, as a pure core without a connection or a clock of its own."""
