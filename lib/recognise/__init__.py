"""Word co-occurrence: one-layer transformers that learn to recognise two words together (Yang et al., 2024)."""
