"""The chapter "Together"."""

from book.paper import TOGETHER, Paper

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
