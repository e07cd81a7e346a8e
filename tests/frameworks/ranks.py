"""One of two ranks under Accelerate: writes the rows that it got to the file RANK of the folder that it is given."""

import json
import os
import pathlib
import sys

import accelerate
import torch

import weir


def loaders():
    """What Accelerate prepares, which has the 16 rows in each epoch."""
    rows = weir.range(16).shuffle(16, seed=1)
    batches = weir.torch.loader(rows.batch(2))
    spawned = {"num_workers": 1, "multiprocessing_context": "spawn"}
    return {
        "alone": batches,
        "torch": torch.utils.data.DataLoader(weir.torch.loader(rows.batch(2)), batch_size=None),
        "weir": weir.torch.DataLoader(weir.torch.loader(rows.batch(2)), batch_size=None),
        "batched": torch.utils.data.DataLoader(weir.torch.loader(rows), batch_size=2),
        "spawned": torch.utils.data.DataLoader(weir.torch.loader(rows), batch_size=2, **spawned),
        "map": weir.torch.DataLoader(list(range(16)), batch_size=2, num_workers=2),
    }


def main():
    """Reads two epochs with either way to share out."""
    found = {}
    for dispatch in (True, False):
        options = accelerate.DataLoaderConfiguration(dispatch_batches=dispatch)
        accelerator = accelerate.Accelerator(cpu=True, dataloader_config=options)
        for name, loader in loaders().items():
            if dispatch or name not in ("torch", "weir"):  # Accelerate shards no loader without a batch_size
                prepared = accelerator.prepare(loader)
                found[f"{name} {dispatch}"] = [[x for batch in prepared for x in batch.tolist()] for _ in range(2)]
    pathlib.Path(sys.argv[1], os.environ["RANK"]).write_text(json.dumps(found))
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
