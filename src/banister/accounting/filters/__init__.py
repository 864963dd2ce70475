"""Filters: one file for each currency, and the filter that several of them make."""

from banister.accounting.filters.filter import DUST, SPARE, AsYouGo, Filter, Guard, Total, filter_for

__all__ = ["DUST", "SPARE", "AsYouGo", "Filter", "Guard", "Total", "filter_for"]
