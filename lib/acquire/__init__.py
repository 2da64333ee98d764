"""Xu and Chen: how a one-layer transformer acquires facts in pre-training and gives them out after fine-tuning."""
