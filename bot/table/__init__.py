"""One game over several days: the program's core around the rules, which has no database connection or clock of its
own."""
