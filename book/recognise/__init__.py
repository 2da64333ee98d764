"""Chapter "Recognise": Yang, Kailkhura, Wang, Liang, *Training Dynamics of Transformers to Recognize Word …*."""
