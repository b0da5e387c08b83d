"""Reads runs, finished or not; prints tables and analyses, draws figures, shows every debate."""
