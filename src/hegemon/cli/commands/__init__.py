"""The commands of `hegemon`, one module each."""
