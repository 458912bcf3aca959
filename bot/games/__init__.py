"""Open games and the services built on them: transactions, letters, notices, identity, silent players, proof."""
