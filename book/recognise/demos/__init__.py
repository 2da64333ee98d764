"""The chapter's live demos, one module for each: which controls, which charts; dynamics are in ``lib``."""
