"""Facts stored by training, then looked up in context: the models of Acquire and Recall as one."""
