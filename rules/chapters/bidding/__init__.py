"""The bidding round: the row of cards, the auction of each, bids, and what allies pledge for them (AH.VIII)."""
