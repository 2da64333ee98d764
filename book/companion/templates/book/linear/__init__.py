"""The chapter on Saxe, McClelland and Ganguli (2013)."""
