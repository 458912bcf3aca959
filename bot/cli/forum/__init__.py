"""`mentat forum`: how it stands with the forums, and what a game master does with them by hand."""
