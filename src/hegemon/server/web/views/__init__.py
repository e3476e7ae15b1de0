"""The contents of the pages, as HTML."""
