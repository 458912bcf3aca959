"""One game over several days: the core of the program around the rules, without a database connection or a clock of its
own."""
