"""A companion to another paper: the command that lays one out, and the files that it is made of, ``templates/``."""
