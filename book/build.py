"""The former name of ``python -m book build``."""

from book.former import run_former

if __name__ == "__main__":
    run_former("book.build")
