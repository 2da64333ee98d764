"""The chapter "Recognise"."""
