"""Notifications to other systems."""
