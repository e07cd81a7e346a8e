"""The lines of "One line of diff" in docs/frameworks.md give equal batches, with the arguments of their scripts."""

import itertools
import pathlib
import re

import pytest
import torch
from torch.utils.data import BatchSampler, DistributedSampler, RandomSampler, TensorDataset

import weir

PAGE = (pathlib.Path(__file__).resolve().parents[2] / "docs/frameworks.md").read_text()
LINES = re.findall(r"^\|(?: \[.*\]\(.*\))?(?: [\w/]+)?, ([\w/.-]+\.py) \| `(.*)` \| `(.*)` \|$", PAGE, re.MULTILINE)

IMAGES = TensorDataset(torch.arange(1500.0).reshape(500, 3), torch.arange(500))
SENTENCES = [{"input_ids": [i] * (i % 7 + 1), "labels": i % 2} for i in range(100)]


def listed(rows):
    """Images of several sizes are not stacked."""
    return tuple(zip(*rows, strict=True))


def padded(rows):
    """Sentences as long as the longest one."""
    ids = [torch.tensor(row["input_ids"]) for row in rows]
    return {
        "input_ids": torch.nn.utils.rnn.pad_sequence(ids, batch_first=True),
        "labels": torch.tensor([row["labels"] for row in rows]),
    }


def share():
    return DistributedSampler(IMAGES, num_replicas=2, rank=1)


# What each script passes, with its defaults.
ARGUMENTS = {
    "mnist/main.py": lambda: {"batch_size": 64, "num_workers": 1, "pin_memory": True, "shuffle": True},
    "imagenet/main.py": lambda: {
        "batch_size": 256,
        "shuffle": True,
        "num_workers": 4,
        "pin_memory": True,
        "sampler": None,
    },
    "dcgan/main.py": lambda: {"batch_size": 64, "shuffle": True, "num_workers": 2},
    "distributed/ddp-tutorial-series/multigpu.py": lambda: {
        "batch_size": 32,
        "pin_memory": True,
        "shuffle": False,
        "sampler": share(),
    },
    "references/classification/train.py": lambda: {
        "batch_size": 32,
        "sampler": RandomSampler(IMAGES),
        "num_workers": 16,
        "pin_memory": True,
        "collate_fn": None,
    },
    "references/detection/train.py": lambda: {
        "batch_sampler": BatchSampler(RandomSampler(IMAGES), 2, drop_last=True),
        "num_workers": 4,
        "collate_fn": listed,
    },
    "references/segmentation/train.py": lambda: {
        "batch_size": 8,
        "sampler": RandomSampler(IMAGES),
        "num_workers": 16,
        "collate_fn": listed,
        "drop_last": True,
    },
    "main_pretrain.py": lambda: {
        "sampler": share(),
        "batch_size": 64,
        "num_workers": 10,
        "pin_memory": True,
        "drop_last": True,
    },
    "mingpt/trainer.py": lambda: {
        "sampler": RandomSampler(IMAGES, replacement=True, num_samples=10**10),
        "shuffle": False,
        "pin_memory": True,
        "batch_size": 64,
        "num_workers": 4,
    },
    "examples/pytorch/text-classification/run_glue_no_trainer.py": lambda: {
        "shuffle": True,
        "collate_fn": padded,
        "batch_size": 8,
    },
}


def batches(line, script, **options):
    """Up to 300 batches of each of two epochs of the loader that the line makes."""
    rows = SENTENCES if "text" in script else IMAGES
    torch.manual_seed(1)
    options = ARGUMENTS[script]() | options
    names = {"torch": torch, "weir": weir, "DataLoader": torch.utils.data.DataLoader}
    if line.startswith("from "):
        exec(line, names)
        line = "loader = DataLoader("
    call = re.sub(r"^(return|\w+ =) ", "", line)
    loader = eval(f"{call}rows, **options)", names | {"rows": rows, "options": options})
    found = []
    for epoch in range(2):
        if isinstance(loader.sampler, DistributedSampler):
            loader.sampler.set_epoch(epoch)
        found.append(list(itertools.islice(loader, 300)))
    return len(loader), found


def test_each_line_has_its_script():
    assert [script for script, _, _ in LINES] == list(ARGUMENTS) and len(LINES) == 10


@pytest.mark.parametrize(("script", "line", "ours"), LINES, ids=[script for script, _, _ in LINES])
@pytest.mark.filterwarnings("ignore:.*pin_memory")
def test_batches_are_equal(script, line, ours):
    # Which processes make torch's batches changes none.
    expected = batches(line, script, num_workers=0)
    assert "weir" in ours and "weir" not in line
    torch.testing.assert_close(batches(ours, script), expected, rtol=0, atol=0)
