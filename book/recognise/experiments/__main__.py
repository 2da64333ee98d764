"""``python -m book experiments recognise figure-1|agreement|constants|seeds [--workers N|ADDRESS] [--quick]``."""

from book.experiments import Experiment
from book.former import run_former
from book.recognise.experiments import constants, figure_1
from book.recognise.experiments.figure_1 import EPOCHS, RATE, TESTED, TOLERANCE

SHARED = {"rate": RATE, "epochs": EPOCHS, "tested": TESTED, "tolerance": TOLERANCE}
EXPERIMENTS = {
    "figure-1": Experiment(figure_1.trained, figure_1.figure_1, SHARED),
    "agreement": Experiment(figure_1.agreement, figure_1.agreements, {"rate": RATE}),
    "constants": Experiment(constants.constants, constants.cells_of_constants, {"draws": constants.DRAWS}),
    "seeds": Experiment(constants.seeds, constants.cells_of_seeds, {"seeds": constants.SEEDS}),
}

if __name__ == "__main__":
    run_former("book.recognise.experiments")
