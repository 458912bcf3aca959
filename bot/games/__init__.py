"""Open games and what other rooms need of them: transactions, letters, notices, identity, silent players, proof."""
