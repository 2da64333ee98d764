"""The chapter "Recall"."""

from book.recall.plain_words import PLAIN, SENTENCES

__all__ = ["PLAIN", "SENTENCES"]
