"""The chapter "Together"."""

from book.together.plain_words import PLAIN, SENTENCES

__all__ = ["PLAIN", "SENTENCES"]
