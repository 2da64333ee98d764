"""The chapter "Together"."""

from book.paper import TOGETHER, Paper
from book.together.plain_words import PLAIN, SENTENCES

__all__ = ["PAPER", "PLAIN", "SENTENCES"]

PAPER = Paper(
    room=TOGETHER,
    chapter="Together",
    name="this book",
    authors="the Facts in Motion developers",
    title="Facts in Motion",
    where="this book",
    link="index.html",
)
"""Not a paper: what this book finds where the papers' models work together."""
