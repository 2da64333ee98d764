"""The chapter "Recognise"."""

from book.recognise.plain_words import PLAIN, SENTENCES

__all__ = ["PLAIN", "SENTENCES"]
