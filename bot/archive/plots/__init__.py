"""What a finished game looks like in figures: small drawings of our own, each with the table that it was drawn from."""
