"""``python -m book experiments together NAME [--workers N|ADDRESS] [--quick|--large]``: the tables of this chapter."""

from book.experiments import Experiment

EXPERIMENTS: dict[str, Experiment] = {}
