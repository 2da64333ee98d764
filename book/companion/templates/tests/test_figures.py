"""The live figure: its page's own code, run in Node, comes to what torch does, and no slider leads to nonsense."""

import math

from book.linear.curves.figure import figure
from book.linear.curves.program import DOMAINS, training
from book.linear.curves.statements import learning_curve
from livetorch.ledger.outcomes import OUTCOMES
from livetorch.program import reports
from livetorch.site import maps
from livetorch.stored_maps import model_of

NEVER_REACHED = {"strong_step", "weak_step"}
"""NaN where a run ends before."""


def test_the_page_judges_every_cell_of_its_map_as_torch_does(tmp_path):
    """Its coarsest cells are every fourth position of both sliders. A digit has an outcome's place twice, or 1 more."""
    judged = maps.found(model_of(figure().figure), {}, tmp_path)["judged"][0]
    cells = [
        {"imbalance": 0.05 * x, "correlation": 0.05 * y} for y in range(0, 19, 4) for x in range(0, 31, 4)
    ]
    keys = [result.key for result in learning_curve.at_each(cells)]
    assert [OUTCOMES[int(digit) // 2] for digit in judged] == keys
    assert {"holds", "outside"} <= set(keys)


def test_no_slider_leads_to_a_number_that_is_none():
    ends = [{domain.name: end} for domain in DOMAINS for end in domain.track[:2]]
    for settings, report in zip(ends, reports(training(), ends), strict=True):
        for name, value in report._asdict().items():
            if name not in NEVER_REACHED:
                assert all(map(math.isfinite, value.double().flatten().tolist())), (settings, name)
