"""tensorflow/docs, tutorials/keras/text_classification.ipynb: a folder of reviews as numbers of words."""

from __future__ import annotations

import collections
import pathlib
import re
import string

import numpy as np
from ports import check_elements, check_parts, check_positions, stored

import weir

SEED = 42
WORDS = 60  # the vocabulary, with the empty word and the unknown one
LENGTH = 12


def write_data(folder: pathlib.Path) -> pathlib.Path:
    """A folder of 20 reviews for each of two classes."""
    draws = np.random.RandomState(18)
    words = [
        "The",
        "film",
        "was",
        "GOOD",
        "bad,",
        "plot",
        "I've",
        "seen",
        "(twice)",
        "it's",
        "so-so",
        "<br />",
        "10/10!",
    ]
    words += [f"word{n}" for n in range(60)]
    for label in ("neg", "pos"):
        (folder / "train" / label).mkdir(parents=True)
        for n in range(20):
            text = " ".join(draws.choice(words, size=draws.randint(3, 20), p=shares(len(words))))
            (folder / "train" / label / f"{n}_{n % 10}.txt").write_text(text)
    return folder / "train"


def shares(count: int) -> np.ndarray:
    """Those of words in a text: a few make up most of it."""
    weights = 1 / np.arange(2, count + 2)
    return weights / weights.sum()


def files_of(folder: pathlib.Path, subset: str) -> tuple[list[str], np.ndarray]:
    """Names and labels in the order of text_dataset_from_directory, which holds a fifth back for validation."""
    names = [str(path) for label in ("neg", "pos") for path in sorted((folder / label).iterdir())]
    labels = np.repeat(np.arange(2, dtype=np.int32), 20)
    np.random.RandomState(SEED).shuffle(names)
    np.random.RandomState(SEED).shuffle(labels)
    cut = len(names) * 4 // 5
    return (names[:cut], labels[:cut]) if subset == "training" else (names[cut:], labels[cut:])


def reviews(files: tuple[list[str], np.ndarray]) -> weir.Dataset:
    """Batches of texts and labels, in Keras's order."""
    return (
        weir.from_tensor_slices(files)
        .shuffle(32, seed=SEED)
        .map(lambda name, label: (weir.fn.read_file(name), label), num_parallel_calls="auto")
        .batch(4)
    )


def standardized(text):
    """Lower case, without line breaks and punctuation."""
    plain = weir.fn.regex_replace(weir.fn.lower(text), "<br />", " ")
    return weir.fn.regex_replace(plain, f"[{re.escape(string.punctuation)}]", "")


def vocabulary_of(texts: weir.Dataset) -> list[bytes]:
    """The most frequent words, of equally frequent ones the last of the alphabet first."""
    words = texts.unbatch().flat_map(lambda text: weir.from_tensor_slices(weir.fn.string_split(standardized(text))))
    counts = collections.Counter(words)
    ordered = sorted(counts, key=lambda word: (counts[word], word), reverse=True)
    return [b"", b"[UNK]", *ordered[: WORDS - 2]]


def vectorized(batches: weir.Dataset, vocabulary: list[bytes]) -> weir.Dataset:
    """Each text as LENGTH numbers of words: cut, or filled up with 0; a word that isn't in the vocabulary is 1."""

    def numbers(text):
        words = weir.fn.string_split(standardized(text))[:LENGTH]
        return weir.fn.lookup(weir.fn.pad(words, [[0, LENGTH - weir.fn.size(words)]]), vocabulary, 1)

    return batches.map(lambda texts, labels: (weir.fn.rows(texts, numbers), labels))


def test_elements_are_those_of_the_original(tmp_path: pathlib.Path) -> None:
    folder = write_data(tmp_path)
    training = reviews(files_of(folder, "training"))
    # As the original does, the vocabulary is taken from the training part.
    vocabulary = vocabulary_of(training.map(lambda texts, _: texts))
    assert vocabulary == stored("text_classification_vocabulary")[0][""].tolist()
    check_elements(training, "text_classification_raw")
    check_elements(vectorized(training, vocabulary), "text_classification_training")
    validation = vectorized(reviews(files_of(folder, "validation")), vocabulary)
    check_elements(validation, "text_classification_validation")
    check_positions(vectorized(training, vocabulary))
    check_positions(validation.cache().prefetch("auto"))


def test_in_parts(tmp_path: pathlib.Path) -> None:
    names, labels = files_of(write_data(tmp_path), "training")
    files = weir.from_tensor_slices((names, labels))

    def pipeline(part: weir.Dataset) -> weir.Dataset:
        texts = part.shuffle(32, seed=SEED).map(lambda name, label: (weir.fn.read_file(name), label))
        return vectorized(texts.batch(4), [b"", b"[UNK]", b"film", b"plot"])

    check_parts(files, pipeline)
