"""Mutation testing: small errors put into the package on purpose, each of which some test must notice.

`make mutants` runs all of them, `make mutants ONLY=word` those with the word in their name or file. The lists are in
one file for each room; `test_list.py` holds them to the sources as they are.
"""
