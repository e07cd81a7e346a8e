#!/usr/bin/env python3
"""Compares `auto` of several builds, or of one under several environments, in turns.

    bench/tuner/versus.py [--rounds N] [--of NAME]... FOLDER COMMAND...

COMMAND: a `weir_tuner`, perhaps with variables before it: "A=1 build/release/bench/weir_tuner". NAME: the beginning of
pipelines' names; all by default. For each pipeline one line: the rate of the first command, and the others' by it,
early / late (weir_tuner --auto), medians of N rounds; at the end the geometric means.
"""
import argparse
import math
import statistics
import subprocess


def rates(command, folder, name):
    words = ["env", *command.split(), folder, "--auto", name]
    out = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        found, early, late = line.split("\t")
        if found == name:
            return float(early), float(late)
    raise SystemExit(f"expected a rate of {name}, found {out!r}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--of", action="append")
    parser.add_argument("folder")
    parser.add_argument("commands", nargs="+")
    args = parser.parse_args()
    listed = subprocess.run(
        ["env", *args.commands[0].split(), "--list"], capture_output=True, text=True, check=True
    ).stdout
    names = [line.split("\t")[1] for line in listed.splitlines()]
    logs = [[] for _ in args.commands]
    for name in names:
        if args.of and not any(name.startswith(one) for one in args.of):
            continue
        found = [[] for _ in args.commands]
        for _ in range(args.rounds):
            for command, into in zip(args.commands, found):
                into.append(rates(command, args.folder, name))
        medians = [[statistics.median(column) for column in zip(*rows)] for rows in found]
        ratios = [[a / b if b else math.nan for a, b in zip(row, medians[0])] for row in medians]
        for log, ratio in zip(logs, ratios):
            log.append(ratio)
        others = "\t".join(f"{early:.2f} / {late:.2f}" for early, late in ratios[1:])
        print(f"{name}\t{medians[0][1]:.0f}\t{others}", flush=True)
    for command, log in list(zip(args.commands, logs))[1:]:
        means = [math.exp(statistics.fmean(map(math.log, column))) for column in zip(*log)]
        print(f"{command}: geometric means {means[0]:.3f} / {means[1]:.3f} over {len(log)}")


if __name__ == "__main__":
    main()
