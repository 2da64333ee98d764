"""The chapter "Acquire and extract"."""
