"""Many games played by mail in two installations of Mentat, and what came of them compared.

The same made-up people play the same games in each: one process with a file, and several processes with a server. Time
is told by the simulation and stands still while mail is taken, so both handle the same mails at the same moments, and
every event and every letter must be the same. ``people`` write the mails, ``installation`` is what they write to,
``playing`` leads the games round by round, ``outcome`` is what is compared.
"""
