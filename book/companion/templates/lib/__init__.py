"""The papers' models in pure torch."""
