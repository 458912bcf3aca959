"""Sheets: what players leave with Mentat to be done in their stead when its time comes.

``reading`` is the language (``when price < 5: bid 5``), ``knowledge`` what a seat may know when a sheet is asked, and
``conditions`` whether a condition holds by that.
"""
