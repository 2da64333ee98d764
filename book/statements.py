"""The former name of ``python -m book``."""

import sys

from book.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
