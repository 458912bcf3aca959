"""Who sits with whom: from the history of a tournament and a seed to a draw that anybody can compute again.

``draw`` is the way in. What is wished for is ordered (``bot.competition.draws.Cost``): what comes first is never given
up for what comes after it.
"""
