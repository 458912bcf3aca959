"""Open games, and what other rooms use them for: transactions, letters, notices, identity, silent players, proof."""
