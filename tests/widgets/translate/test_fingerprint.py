"""Fingerprints: alike for functions that do the same, in any process, and for no others."""

import subprocess
import sys
from functools import partial
from typing import NamedTuple

import pytest
import torch

from widgets.translate.fingerprint import Unknown, fingerprint


class Pair(NamedTuple):
    x: float
    y: float


def scaled(by):
    def function(x):
        return by * x

    return function


def own_sum():
    def function(n):
        return n and n + function(n - 1)

    return function


SAMPLES = (
    lambda: scaled(2.0),
    lambda: partial(scaled, 3.0),
    lambda: scaled(torch.tensor([1.0, 2.0])),
    lambda: scaled([scaled(1.0), {"a": Pair(1.0, 2.0)}]),
    own_sum,
)


def all_of_them() -> list[str]:
    return [fingerprint(make()) for make in SAMPLES]


def test_what_does_the_same_is_alike_and_nothing_else():
    assert all_of_them() == all_of_them()
    assert len(set(all_of_them())) == len(SAMPLES)


def test_another_process_says_the_same():
    code = f"from {__name__} import all_of_them; print(*all_of_them())"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.split() == all_of_them()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (scaled(2.0), scaled(2)),
        (scaled(0.0), scaled(-0.0)),
        (scaled(True), scaled(1)),
        (scaled(torch.zeros(2)), scaled(torch.zeros(1, 2))),
        (scaled(torch.zeros(2)), scaled(torch.zeros(2, dtype=torch.float64))),
        (scaled((1, 2)), scaled([1, 2])),
        (scaled(Pair(1, 2)), scaled((1, 2))),
        (scaled(NamedTuple("Pair", x=float, y=float)), scaled(NamedTuple("Pair", y=float, x=float))),
        *[((lambda x: x), (lambda x: -x))],
        (torch.Tensor.sin, torch.Tensor.cos),
    ],
)
def test_a_small_difference_is_one(one, other):
    def known(thing):
        try:
            return fingerprint(thing)
        except Unknown:
            return object()

    assert known(one) != known(other)


def test_what_may_differ_in_another_process_has_none():
    with pytest.raises(Unknown):
        fingerprint(scaled({1, 2}))
    with pytest.raises(Unknown):
        fingerprint(eval("lambda x: x"))
    with pytest.raises(Unknown):
        fingerprint(scaled(torch.zeros(2).to_sparse()))


def test_what_is_not_there_yet_has_none():
    def function():
        return later

    with pytest.raises(Unknown):
        fingerprint(function)
    later = 1
    assert function() == later


def test_the_code_around_a_function_counts(monkeypatch):
    from widgets.translate import fingerprint as module

    before = fingerprint(scaled(2.0))
    monkeypatch.setattr(module, "code_digest", lambda files: "changed")
    module._files.cache_clear()
    try:
        assert fingerprint(scaled(2.0)) != before
    finally:
        module._files.cache_clear()
