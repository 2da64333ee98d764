"""The chapter's live demos, one module for each: which controls, which charts. The dynamics are in ``lib.recall``."""
