"""Lightning and Accelerate take weir's loaders as they are."""

import accelerate
import lightning
import pytest
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


def test_accelerate():
    accelerator = accelerate.Accelerator(cpu=True)
    expected = [batch[1].tolist() for batch in loaders()["torch"]]
    for name in ("loader", "DataLoader"):
        prepared = accelerator.prepare(loaders()[name])
        for _ in range(2):
            assert [batch[1].tolist() for batch in prepared] == expected
    shuffled = accelerator.prepare(loaders()["shuffled"])
    assert sorted(x for batch in shuffled for x in batch[1].tolist()) == list(range(12))
