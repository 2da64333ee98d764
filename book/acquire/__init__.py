"""The chapter "Acquire and extract"."""

from book.acquire.plain_words import PLAIN, SENTENCES

__all__ = ["PLAIN", "SENTENCES"]
