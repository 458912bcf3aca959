"""The games of one database that are open, and what is known of each: its proof, its observers, its rules."""
