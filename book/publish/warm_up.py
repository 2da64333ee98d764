"""What warm kernels need not do each: the last of what their common process imports.

Every page with a figure asks on which files it depends, and translates a program: here all files are read, and torch
makes the tables that a first translation needs. What is there by now is no rubbish, and no kernel looks through it; for
new rubbish it looks rarely, since a translation makes many objects and drops few.
"""

from __future__ import annotations

import gc

import torch

from book.ledger.boxes import ROOT
from book.ledger.registry import pages
from widgets.dependencies import closure
from widgets.translate import trace

torch.set_num_threads(1)  # tensors are small here: more threads only wait for each other
closure(*(path for page in pages() if (path := ROOT / f"{page}.ipynb").exists()))
trace.compile(lambda x: x + 1, [torch.zeros(1, dtype=torch.float64)])
gc.freeze()
gc.set_threshold(100_000)
