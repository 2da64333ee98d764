"""Chapter "Recall": Huang, Nichani, Lee, Ge, *Fine-Tuning Dynamics of In-Context Factual Recall in Transformers*."""
