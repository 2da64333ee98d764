"""The chapter "Together"."""
