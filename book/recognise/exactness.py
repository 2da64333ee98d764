"""Where the chapter's figures are exact; below each stands the module that it rests on."""

ORBITS = (
    "At any width and any number of samples, if no irrelevant word stands in two places and the start treats all "
    "irrelevant words of a type alike. Of a random start, noise of relative size 1/√m is left out. Gradient flow is "
    "integrated with an error of 10⁻⁶ a step."
)
"""``lib.recognise.orbit``, ``lib.recognise.random_start``, ``lib.recognise.gradient_flow``."""
STEPS = f"{ORBITS} Gradient descent has no such error: its steps are those of the transformer."
"""``lib.recognise.gram``."""
