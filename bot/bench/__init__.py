"""The benchmarks: how quick Mentat is, told as ratios to the bare limits of the same machine in the same minute.

A rate alone says more about the machine than about the program. So each measure stands beside one of work that nobody
can avoid: a bare generator step for the engine, the bare work of a mail for a mail, a hundredth of the games for a
thousand of them.
"""
