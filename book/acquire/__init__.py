"""The chapter "Acquire and extract": its pages, demos and plots."""
