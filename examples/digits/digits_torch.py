#!/usr/bin/env python3
"""The job of digits.py with PyTorch: weir's pipelines, torch's network.

digits_torch.py [--data FOLDER] [--epochs N]
"""

import argparse
import pathlib

import torch
from digits import HIDDEN, PIXELS, testing, training

import weir


def main():
    """Trains, and tests at the end. Returns 1 if the network has not learned enough."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(__file__).parent / "data")
    parser.add_argument("--epochs", type=int, default=30)
    options = parser.parse_args()
    torch.manual_seed(1)
    network = torch.nn.Sequential(torch.nn.Linear(PIXELS, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, 10))
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9)
    decay = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.95)
    train = weir.torch.loader(training(options.data))
    for _ in range(options.epochs):
        for images, labels in train:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(network(images), labels).backward()
            optimizer.step()
        decay.step()
    right = count = 0
    with torch.no_grad():
        for images, labels in weir.torch.loader(testing(options.data)):
            right += int((network(images).argmax(1) == labels).sum())
            count += len(labels)
    print(f"accuracy on the test set: {right / count:.4f}")
    return 0 if right / count >= 0.97 or options.epochs < 30 else 1


if __name__ == "__main__":
    raise SystemExit(main())
