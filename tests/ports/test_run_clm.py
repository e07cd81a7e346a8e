"""huggingface/transformers, run_clm.py: texts, 16 at a time, as one row of tokens that is cut into blocks."""

from __future__ import annotations

import json
import pathlib

import numpy as np
from ports import check_elements, check_parts, check_positions

import weir

BLOCK, GROUP = 32, 16


def write_data(folder: pathlib.Path) -> pathlib.Path:
    """75 texts as JSON lines, some of them empty, with what nobody reads beside them."""
    draws = np.random.RandomState(22)
    path = folder / "train.jsonl"
    words = ["größe", "tea", '"quoted"', "a\tb", "naïve", "line\nbreak", "日本", "plain", "words"]
    with path.open("w") as file:
        for n in range(75):
            text = " ".join(draws.choice(words, size=draws.randint(9)))
            file.write(json.dumps({"id": n, "text": text, "meta": {"tags": [n]}}, ensure_ascii=n % 2 == 0) + "\n")
    return path


def blocks(lines: weir.Dataset) -> weir.Dataset:
    """The tokens are the texts' bytes; what is left of 16 texts is left out."""

    def tokens(line):
        numbers = weir.fn.cast(weir.fn.decode_raw(line.text, weir.uint8), "int64")
        return {"input_ids": numbers, "attention_mask": weir.fn.ones_like(numbers)}

    return (
        lines.map(tokens)
        .window(GROUP)
        .flat_map(lambda group: weir.zip(group).pack(BLOCK, strategy="concat", drop_remainder=True))
        .map(lambda x: {**weir.fn.only(x, ["input_ids", "attention_mask"]), "labels": x.input_ids})
    )


def test_elements_are_those_of_the_original(tmp_path: pathlib.Path) -> None:
    lines = weir.jsonl(str(write_data(tmp_path)), {"text": str})
    check_elements(blocks(lines), "run_clm")
    check_positions(blocks(lines))
    check_positions(blocks(lines.shuffle(50, seed=1)).batch(4).repeat(), 60)
    check_parts(lines, blocks)
