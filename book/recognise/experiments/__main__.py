"""``python -m book experiments recognise figure-1|agreement|constants|seeds [--workers N|ADDRESS] [--quick]``."""

from book.experiments import Experiment
from book.recognise.experiments import agreement, failing_starts, figure_1, hidden_constants
from book.recognise.experiments.paper_model import EPOCHS, PAPER, RATE
from book.recognise.experiments.training import TOLERANCE

EXPERIMENTS = {
    "figure-1": Experiment(
        figure_1.trained,
        figure_1.cells,
        {"rate": RATE, "epochs": EPOCHS, "tested": PAPER.tested, "tolerance": TOLERANCE},
    ),
    "agreement": Experiment(agreement.agreement, agreement.cells, {"rate": RATE}),
    "constants": Experiment(
        hidden_constants.constants, hidden_constants.cells, {"draws": hidden_constants.DRAWS}
    ),
    "seeds": Experiment(failing_starts.failures, failing_starts.cells, {"seeds": failing_starts.SEEDS}),
}
