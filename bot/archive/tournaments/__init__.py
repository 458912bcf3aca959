"""The pages of tournaments, and their exports: made from what is published of a tournament alone."""
