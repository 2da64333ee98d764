"""Recalling a fact in context: Huang et al., Fine-Tuning Dynamics of In-Context Factual Recall."""
