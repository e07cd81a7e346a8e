"""google/seqio, mixtures: tasks drawn by their rates, some in mixtures of their own, and rates that change."""

from __future__ import annotations

import pathlib

import numpy as np
from ports import check_elements, check_parts, check_positions

import weir

SEED = 42
TASKS = {"cola": 40, "mnli": 90, "wmt": 150}
EXPLORED = [(0, [1.0, 0.0, 0.0]), (40, [0.5, 0.5, 0.0]), (80, [0.125, 0.375, 0.5])]


def write_data(folder: pathlib.Path) -> dict[str, str]:
    """A file for each task, of as many lines, each with inputs and targets."""
    files = {}
    for task, count in TASKS.items():
        files[task] = str(folder / f"{task}.tsv")
        lines = (f"{task} question {n}\tanswer {n * n}\n" for n in range(count))
        pathlib.Path(files[task]).write_text("".join(lines))
    return files


def examples(file: str) -> weir.Dataset:
    return weir.text_line(file).map(
        lambda line: dict(zip(["inputs", "targets"], weir.fn.decode_csv(line, ["string"] * 2, delim="\t"), strict=True))
    )


def rate(count: int, maximum: int, temperature: float) -> float:
    """In proportion to the number of examples, up to a maximum; a temperature evens it out."""
    return min(count, maximum) ** (1 / temperature)


def mixture(files: dict[str, str], tasks: list[weir.Dataset] | None = None) -> weir.Dataset:
    """`wmt` at rate 3, and at rate 1 a mixture of `cola` and `mnli`, whose rates follow from their sizes."""
    rates = [rate(TASKS[task], maximum=80, temperature=2.0) for task in ("cola", "mnli")]
    weights = [*(one / sum(rates) for one in rates), 3.0]
    return weir.sample_from_datasets(
        tasks or [examples(file) for file in files.values()], weights, seed=SEED, stop_on_empty=True
    )


def curriculum(tasks: list[weir.Dataset]) -> weir.Dataset:
    """First `cola` alone, then more and more of the others."""
    rates = weir.schedule(EXPLORED, interpolation="linear")
    return weir.sample_from_datasets(tasks, rates, seed=SEED, stop_on_empty=True)


def test_a_mixture_of_mixtures(tmp_path: pathlib.Path) -> None:
    mixed = mixture(write_data(tmp_path))
    check_elements(mixed, "seqio_mixture")
    check_positions(mixed)


def test_rates_that_change(tmp_path: pathlib.Path) -> None:
    tasks = [examples(file).repeat() for file in write_data(tmp_path).values()]
    mixed = curriculum(tasks)
    check_elements(mixed.take(160), "seqio_curriculum")
    check_positions(mixed, 120)


def test_shares(tmp_path: pathlib.Path) -> None:
    """Endless tasks have their rates' shares, drawn or exact, and a position fits other rates."""
    files = write_data(tmp_path)
    tasks = [examples(file).repeat() for file in files.values()]
    drawn = [example["inputs"].split()[0].decode() for example in mixture(files, tasks).take(4000)]
    shares = np.array([drawn.count(task) for task in TASKS]) / 4000
    rates = np.array([40**0.5, 80**0.5])
    want = np.append(rates / rates.sum(), 3.0) / 4
    np.testing.assert_allclose(shares, want, atol=0.03)
    exact = weir.mix_datasets(tasks, [0.25, 0.25, 0.5])
    counted = [example["inputs"].split()[0].decode() for example in exact.take(400)]
    assert [counted.count(task) for task in TASKS] == [100, 100, 200]
    iterator = exact.iterator()
    for _ in range(8):
        next(iterator)
    other = weir.mix_datasets(tasks, [0.0, 0.0, 1.0]).iterator(checkpoint=iterator.save())
    assert [next(other)["inputs"] for _ in range(2)] == [b"wmt question 4", b"wmt question 5"]


def test_in_parts(tmp_path: pathlib.Path) -> None:
    """Each rank draws from its own part of a task."""
    files = write_data(tmp_path)
    other = examples(files["mnli"]).repeat()
    check_parts(
        examples(files["wmt"]),
        lambda part: weir.sample_from_datasets([part.repeat(), other], weir.schedule([(0, [0.75, 0.25])]), seed=SEED),
        30,
    )
