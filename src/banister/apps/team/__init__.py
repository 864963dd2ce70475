"""A team that shares one budget: accounts, requests, who says yes, and what was asked."""
