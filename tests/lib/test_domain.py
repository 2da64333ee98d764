"""A domain is the same bound for a slider and for an argument."""

import math
import re

import pytest
import torch

from lib.domain import INFINITE, RADII, WIDTHS, Domain

TEMPERATURE = Domain("temperature", low=0, low_open=True)
RADIUS = Domain("radius", low=0)
SUBJECTS = Domain("subjects", low=3, high=10, integer=True)
SHARE = Domain("share", low=0, high=1)


@pytest.mark.parametrize(
    ("domain", "words"),
    [
        (TEMPERATURE, "must be a finite number greater than 0"),
        (RADIUS, "must be a finite number at least 0"),
        (SHARE, "must be a finite number from 0 to 1"),
        (SHARE._replace(high_open=True), "must be a finite number at least 0 and less than 1"),
        (SHARE._replace(low_open=True), "must be a finite number greater than 0 and at most 1"),
        (Domain("x", high=0.5), "must be a finite number at most 0.5"),
        (Domain("x"), "must be a finite number"),
        (SUBJECTS, "must be a whole number from 3 to 10"),
        (SUBJECTS._replace(high=10_000_000), "must be a whole number from 3 to 10000000"),
        (SUBJECTS._replace(high=math.inf), "must be a whole number at least 3"),
    ],
)
def test_the_domain_in_words(domain: Domain, words: str) -> None:
    assert domain.must == words


@pytest.mark.parametrize(
    ("domain", "value"),
    [
        (TEMPERATURE, 0),
        (TEMPERATURE, -1.0),
        (TEMPERATURE, math.nan),
        (TEMPERATURE, math.inf),
        (TEMPERATURE, -math.inf),
        (TEMPERATURE, "0.1"),
        (TEMPERATURE, True),
        (TEMPERATURE, None),
        (TEMPERATURE, 1j),
        (TEMPERATURE, [1.0]),
        (RADIUS, -1e-300),
        (SHARE, 1.0000001),
        (SHARE._replace(high_open=True), 1),
        (SUBJECTS, 2),
        (SUBJECTS, 11),
        (SUBJECTS, 3.5),
        (SUBJECTS, False),
    ],
)
def test_a_value_outside_is_refused_with_its_name_and_the_range(domain: Domain, value: object) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{domain.name} = {value!r}: {domain.must}")):
        domain.check(value)


@pytest.mark.parametrize(
    ("domain", "value"),
    [(TEMPERATURE, 1e-300), (RADIUS, 0), (SHARE, 0), (SHARE, 1.0), (SUBJECTS, 3), (SUBJECTS, 10)],
)
def test_a_value_inside_comes_back(domain: Domain, value: float) -> None:
    assert domain.check(value) == value


def test_a_tensor_of_one_number_comes_back_as_that_number() -> None:
    assert TEMPERATURE.check(torch.tensor(0.25)) == 0.25
    assert type(TEMPERATURE.check(torch.tensor(0.25))) is float


@pytest.mark.parametrize(
    "value", [torch.tensor(True), torch.tensor(math.nan), torch.tensor(1 + 1j), torch.ones(1)]
)
def test_other_tensors_are_refused(value: torch.Tensor) -> None:
    with pytest.raises(ValueError, match="must be a finite number greater than 0"):
        TEMPERATURE.check(value)


def test_a_whole_number_comes_back_as_an_integer() -> None:
    assert type(SUBJECTS.check(4.0)) is int
    assert type(SUBJECTS.check(torch.tensor(4))) is int


def test_a_huge_whole_number_is_no_infinity() -> None:
    assert Domain("n", low=0, integer=True).check(10**400) == 10**400


@pytest.mark.parametrize(
    ("domain", "label"),
    [
        (TEMPERATURE, "temperature"),
        (TEMPERATURE._replace(words="decoding temperature", symbol="T"), "decoding temperature T"),
        (Domain("rate_2", words="second learning rate"), "second learning rate"),
        (Domain("rate_2"), "rate 2"),
        (Domain("sigma_0", symbol="σ₀", unit="units of 1/√m"), "σ₀, in units of 1/√m"),
    ],
)
def test_a_parameter_is_called_by_its_words_and_symbol(domain: Domain, label: str) -> None:
    assert domain.label == label


def test_a_control_can_move_what_has_a_track_and_every_switch() -> None:
    assert not TEMPERATURE.offered
    assert TEMPERATURE._replace(track=(0.1, 1)).offered
    assert SHARE._replace(scale="switch").offered


def test_tracks_that_pages_share_lie_in_order() -> None:
    assert RADII[0] == 0
    assert tuple(sorted(RADII)) == RADII
    assert WIDTHS[-1] == INFINITE
    assert tuple(sorted(WIDTHS)) == WIDTHS
