"""What the generators share: how operators are called, as weir_schema describes them."""

import json
import re
import subprocess


def operators(weir):
    """All operators, as the command WEIR tells."""
    text = subprocess.run([weir, "list", "--json"], check=True, capture_output=True).stdout
    return json.loads(text)["operators"]


def signatures(entry):
    """For each way to call the operator: the parameters by position, and those that have defaults."""
    by_name = {parameter["name"]: parameter for parameter in entry["parameters"]}
    for text in entry["signatures"]:
        words = re.sub(r"^\w+\(|\)$", "", text)
        names = re.findall(r"(?:^|, )(\w+)(:?)", words)
        yield ([by_name[name] for name, colon in names if not colon and name in by_name],
               [by_name[name] for name, colon in names if colon and name in by_name])


def is_single(positional, named):
    """Whether all that can be given is one thing that has a default: repeat(3)."""
    return not positional and len(named) == 1


def optional(entry):
    """What may be left out and goes into a struct of options."""
    return list({p["name"]: p for way in signatures(entry) if not is_single(*way) for p in way[1]}.values())


def camel(name):
    """ParallelCalls for parallel_calls."""
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def options_name(entry):
    """MapOptions for map."""
    return camel(entry["name"]) + "Options"


def wrapped(text, width):
    """Text as lines of at most so many characters."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines
