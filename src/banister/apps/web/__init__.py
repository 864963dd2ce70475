"""The foundation of every page of the house: who may come in, what a page looks like, work that takes long.

A program of pages makes a `Site`, adds its own routes to `site.app`, and hands it to `serve`. Nothing here knows what
the pages are about; nothing outside `apps/` knows that there are pages. It needs the extra `web`.
"""
