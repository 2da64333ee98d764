"""The two-layer linear network of Saxe, McClelland and Ganguli (2013)."""
