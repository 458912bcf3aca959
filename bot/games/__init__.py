"""Open games and what the rooms above are built on: transactions, letters, notices, identity, silent players, proof."""
