"""The chapter's live figures."""
