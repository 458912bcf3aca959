"""What one machine holds: how many games, and what binds first.

``load`` says how many mails games make, from people who sleep and think; ``costs`` measures on this machine what a mail
and a letter take; ``queueing`` lets a day of mails come to some workers and finds how long they wait; ``limits`` puts
it together for numbers of games.
"""
