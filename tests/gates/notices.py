#!/usr/bin/env python3
"""THIRD_PARTY_NOTICES.md names each crate of weir-parquet's Cargo.lock once, and no other."""

import collections
import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    lock = tomllib.loads((ROOT / "extensions/parquet/Cargo.lock").read_text())
    expected = {package["name"] for package in lock["package"]} - {"weir-parquet"}
    section = (ROOT / "THIRD_PARTY_NOTICES.md").read_text().partition("## In the extension weir-parquet\n")[2].partition("\n## ")[0]
    lists = re.findall(r"^\| ([a-z0-9_, -]+) \|", section, re.MULTILINE)
    lists += re.findall(r"on other systems: ([^.]*)\.", section)
    found = collections.Counter(re.findall(r"[a-z][a-z0-9_-]+", " ".join(lists)))
    found.pop("crates", None)
    wrong = [f"{name} is missing" for name in sorted(expected - found.keys())]
    wrong += [f"{name} is no crate of Cargo.lock" for name in sorted(found.keys() - expected)]
    wrong += [f"{name} is named {count} times" for name, count in found.items() if count > 1]
    print("\n".join(wrong) or f"{len(expected)} crates are named")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
