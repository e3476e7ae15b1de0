"""Notices to players whose pages are closed, by Web Push."""
