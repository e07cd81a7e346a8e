"""Lightning and Accelerate take weir's loaders as they are."""

import json
import os
import subprocess
import sys
import threading

import accelerate
import lightning
import pytest
import ranks
import torch
from torch.utils.data import TensorDataset

import weir

ROWS = TensorDataset(torch.arange(24.0).reshape(12, 2), torch.arange(12.0))


def loaders():
    table = weir.from_tensor_slices((ROWS.tensors[0].numpy(), ROWS.tensors[1].numpy()))
    return {
        "loader": weir.torch.loader(table.batch(4)),
        "DataLoader": weir.torch.DataLoader(ROWS, batch_size=4, num_workers=2),
        "shuffled": weir.torch.DataLoader(ROWS, batch_size=4, shuffle=True, num_workers=2),
        "torch": torch.utils.data.DataLoader(ROWS, batch_size=4),
    }


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)
        torch.nn.init.zeros_(self.layer.weight)
        torch.nn.init.zeros_(self.layer.bias)
        self.losses = []

    def training_step(self, batch, _):
        loss = (self.layer(batch[0])[:, 0] - batch[1]).square().mean()
        self.losses.append(loss.item())
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 1e-4)


def fit(loader, epochs=2, **options):
    model = Model()
    trainer = lightning.Trainer(
        max_epochs=epochs,
        accelerator="cpu",
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        enable_checkpointing=False,
        **options,
    )
    trainer.fit(model, loader)
    return model.losses, trainer


@pytest.mark.parametrize("name", ["loader", "DataLoader"])
def test_lightning(name):
    expected, _ = fit(loaders()["torch"])
    losses, trainer = fit(loaders()[name])
    assert losses == expected and len(losses) == 6
    assert trainer.train_dataloader.__class__.__module__.startswith("weir")


class Seen(lightning.LightningModule):
    """Remembers its batches."""

    def __init__(self):
        super().__init__()
        self.seen = []
        self.layer = torch.nn.Linear(1, 1)

    def training_step(self, batch, _):
        self.seen.append((self.current_epoch, batch.tolist()))
        return self.layer(batch[:, None].float()).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.0)


@pytest.mark.parametrize("name", ["rows", "wrapped"])
def test_lightning_resumes_at_each_step(name, tmp_path):
    def made():
        if name == "rows":
            generator = torch.Generator().manual_seed(3)
            return weir.torch.DataLoader(weir.range(7), batch_size=3, shuffle=True, num_workers=2, generator=generator)
        return weir.torch.DataLoader(weir.torch.loader(weir.range(7).shuffle(7, seed=3).batch(3)), batch_size=None)

    def trained(callbacks, path=None):
        model = Seen()
        trainer = lightning.Trainer(
            max_epochs=3,
            accelerator="cpu",
            logger=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            enable_checkpointing=bool(callbacks),
            callbacks=callbacks,
        )
        trainer.fit(model, made(), ckpt_path=path)
        return model.seen

    keep = lightning.pytorch.callbacks.ModelCheckpoint
    whole = trained([keep(dirpath=tmp_path, filename="{step}", every_n_train_steps=1, save_top_k=-1)])
    assert len(whole) == 9 and [batch for _, batch in whole[:3]] != [batch for _, batch in whole[3:6]]
    for step in range(1, 9):
        assert trained([], tmp_path / f"step={step}.ckpt") == whole[step:]


def test_accelerate():
    accelerator = accelerate.Accelerator(cpu=True)
    expected = [batch[1].tolist() for batch in loaders()["torch"]]
    for name in ("loader", "DataLoader"):
        prepared = accelerator.prepare(loaders()[name])
        for _ in range(2):
            assert [batch[1].tolist() for batch in prepared] == expected
    shuffled = accelerator.prepare(loaders()["shuffled"])
    assert sorted(x for batch in shuffled for x in batch[1].tolist()) == list(range(12))


class Threads(torch.utils.data.Dataset):
    """Says which thread of which process reads."""

    def __len__(self):
        return 8

    def __getitem__(self, at):
        return at, os.getpid(), threading.get_ident()


def test_accelerate_keeps_the_threads():
    accelerator = accelerate.Accelerator(cpu=True)
    prepared = accelerator.prepare(weir.torch.DataLoader(Threads(), num_workers=2, prefetch_factor=3))
    rows = [[int(x) for x in row] for row in prepared]
    assert [row[0] for row in rows] == list(range(8)) and {row[1] for row in rows} == {os.getpid()}
    assert len({row[2] for row in rows} - {threading.get_ident()}) == 2
    assert prepared.prefetch_factor == 3
    iterator = iter(prepared)
    next(iterator), next(iterator)
    again = accelerator.prepare(weir.torch.DataLoader(Threads(), num_workers=2))
    again.load_state_dict(prepared.state_dict())
    assert [int(row[0]) for row in again] == list(range(2, 8))
    # Others stay what they are.
    plain = accelerator.prepare(torch.utils.data.DataLoader(Threads(), num_workers=1, multiprocessing_context="fork"))
    assert os.getpid() not in {int(row[1]) for row in plain}


def test_accelerate_saves_a_wrapped_loader(tmp_path):
    def prepared():
        options = accelerate.DataLoaderConfiguration(use_stateful_dataloader=True)
        accelerator = accelerate.Accelerator(cpu=True, dataloader_config=options)
        made = weir.torch.DataLoader(weir.torch.loader(weir.range(7).batch(2)), batch_size=None)
        return accelerator, accelerator.prepare(made)

    accelerator, loader = prepared()
    iterator = iter(loader)
    next(iterator), next(iterator)
    accelerator.save_state(tmp_path)
    resumed, again = prepared()
    resumed.load_state(tmp_path)
    assert [batch.tolist() for batch in again] == [[4, 5], [6]]
    skipped = accelerator.skip_first_batches(prepared()[1], 3)
    assert [batch.tolist() for batch in skipped] == [[6]]


def test_accelerate_makes_no_processes_of_threads():
    options = accelerate.DataLoaderConfiguration(use_stateful_dataloader=True)
    accelerator = accelerate.Accelerator(cpu=True, dataloader_config=options)
    with pytest.raises(TypeError, match="which has state_dict itself"):
        accelerator.prepare(weir.torch.DataLoader(ROWS, batch_size=4, num_workers=2))


def test_ranks_of_accelerate(tmp_path):
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", ranks.__file__]
    subprocess.run([*command, str(tmp_path)], check=True, env=os.environ | {"OMP_NUM_THREADS": "1"})
    first, second = (json.loads((tmp_path / str(rank)).read_text()) for rank in range(2))
    assert len(first) == 10
    for name, epochs in first.items():
        for mine, others in zip(epochs, second[name], strict=True):
            assert len(mine) == len(others) and sorted(mine + others) == list(range(16)), name
