"""The switches of the live figures outside the assumptions: what they offer to drop, and where theorems are tried."""

from collections.abc import Sequence

RECALL = (
    "none",
    "layers",
    "relu",
    "gelu",
    "biases",
    "norm",
    "residual",
    "adam",
    "momentum",
    "decay",
    "noise",
)
"""The relaxations of Huang et al.'s model, by the keys of ``RELAXATIONS``."""
COLD = {
    "temperature": 0.0018,
    "rate_1": 17_900.0,
    "rate_2": 1000.0,
    "steps_1": 1,
    "steps_2": 1500,
    "perturbation_radius": 1e-4,
}
"""Where Theorems 1 and 3 of Huang et al. are tried: at a low temperature, with one large step."""
RECOGNISE = (
    "none",
    "scale",
    "heads",
    "layers",
    "gelu",
    "biases",
    "norm",
    "residual",
    "adam",
    "momentum",
    "decay",
    "noise",
    "matrices",
)
"""The relaxations of Yang et al.'s model."""
ACQUIRE = (
    "none",
    "scale",
    "heads",
    "layers",
    "gelu",
    "biases",
    "norm",
    "residual",
    "adam",
    "momentum",
    "decay",
    "minibatch",
    "noise",
    "matrices",
)
"""The relaxations of Xu and Chen's model."""


def dropping(menu: Sequence[str], name: str, **values: float) -> dict[str, float]:
    """The settings of a run without this assumption of the menu."""
    return {"relaxation": menu.index(name), **values}
