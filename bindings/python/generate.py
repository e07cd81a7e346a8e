#!/usr/bin/env python3
"""Writes the methods of datasets, the functions of expressions, and their stubs, from what the library says of itself.

    generate.py LIBRARY FOLDER

LIBRARY is libweir.so; FOLDER gets _operators.py, fn.py and a .pyi for each. The build runs it, so an operator or
function that is added to the library is there without a change here.
"""

import ctypes
import json
import keyword
import pathlib
import re
import sys
import textwrap

TOP = '"""{what} Written by generate.py from the library\'s schema when the package is built."""\n'
CODE_TOP = """
from typing import Any

from ._apply import MISSING, Entry, Parameter, apply, chosen, renamed
"""
STUB_TOP = """
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypeVar, overload

from numpy.typing import ArrayLike, DTypeLike
from typing_extensions import Self

from . import _core
from ._function import PyFunction
from ._trace import Value

_Int: TypeAlias = int | Value
_Bool: TypeAlias = bool | Value
_String: TypeAlias = str | bytes | os.PathLike[str] | Value
_Seed: TypeAlias = int | tuple[int, int] | Value | None
_Function: TypeAlias = Callable[..., Any] | PyFunction | str
_Spec: TypeAlias = Any
_DType: TypeAlias = DTypeLike | str
_Any: TypeAlias = Any
_T = TypeVar("_T")
"""
APPLY = '''    def apply(self, transformation=None, *, transformation_func=None):
        """`transformation(dataset)`, so that functions of datasets can stand in a chain of methods.

        `transformation_func` is tf.data's name for it.
        """
        return (transformation or transformation_func)(self)

'''
DTYPES = """bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64
    complex128""".split()
# The type of an argument, by the type that the schema gives to the parameter; others take any value.
STUB_TYPES = {
    "int": "_Int",
    "bool": "_Bool",
    "string": "_String",
    "seed": "_Seed",
    "function": "_Function",
    "spec": "_Spec",
    "dtype": "_DType",
}


class Bytes(ctypes.Structure):
    """weir_bytes."""

    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_uint64), ("owner", ctypes.c_uint64)]


def schema_of(library):
    """The schema of a library."""
    loaded = ctypes.CDLL(str(library))
    out = Bytes()
    if loaded.weir_schema(None, ctypes.c_uint64(0), ctypes.c_uint32(0), ctypes.byref(out), None) != 0:
        sys.exit("generate.py: the library gives no schema")
    text = ctypes.string_at(out.data, out.size).decode()
    loaded.weir_bytes_release(ctypes.byref(out))
    return json.loads(text)


def name_of(word):
    """A name that Python allows."""
    return word + "_" if keyword.iskeyword(word) else word


def default_of(parameter):
    """The default of a parameter as Python writes it, or MISSING where Python has no word for it."""
    text = parameter.get("default")
    known = {"none": "None", "true": "True", "false": "False", "auto": '"auto"'}
    if text in known:
        return known[text]
    if text is not None and (re.fullmatch(r'-?\d+(\.\d+)?|"[^"\\]*"', text)):
        return text
    if text is not None and parameter["type"] == "dtype":
        return f'"{text}"'
    return "MISSING"


def entry_name(entry):
    """The name of the table entry of an operator or function."""
    return f"_{entry['name'].upper()}_"


def entry_of(entry):
    """An operator or function as a table entry."""
    kind = "function" if entry["kind"] == "function" else entry["kind"]
    lines = [f"{entry_name(entry)} = Entry(\n    {entry['name']!r},\n    {kind!r},\n    (\n"]
    for parameter in entry["parameters"]:
        words = [repr(parameter["name"]), repr(parameter["type"]), repr(parameter["required"])]
        words.append(f"default={default_of(parameter)}")
        words += ["positional=True"] if parameter["name"] in positional_of(entry) else []
        words += ["auto=True"] if parameter.get("auto") else []
        words += ["none=True"] if parameter.get("none") else []
        words += [f"takes={parameter['takes']!r}"] if parameter.get("takes") else []
        lines.append(f"        Parameter({', '.join(words)}),\n")
    return "".join(lines) + "    ),\n)\n"


def words_of(signature):
    """The names in a signature, each with the colon that one with a default has."""
    inside = re.sub(r"^\w+\(|\)$", "", signature)
    return re.findall(r"(?:^|, )(\w+:?)", re.sub(r'"[^"]*"', '""', inside))


def positional_of(entry):
    """The parameters that have no default in one of the ways to call it."""
    return {word for signature in entry["signatures"] for word in words_of(signature) if not word.endswith(":")}


def ways_of(entry):
    """The parameters in each way to call it."""
    for signature in entry["signatures"]:
        names = [word.rstrip(":") for word in words_of(signature)]
        yield [
            {**p, "required": f"{p['name']}:" not in words_of(signature)}
            for name in names
            for p in entry["parameters"]
            if p["name"] == name
        ]


def takes(parameters, stub):
    """The parameters of a function in Python: those that are required first, as the notation has them."""
    out = []
    for parameter in parameters:
        name = name_of(parameter["name"])
        kind = STUB_TYPES.get(parameter["type"], "_Any")
        if parameter.get("auto"):
            kind += ' | Literal["auto"]'
        # None is the default of all that have one.
        if (parameter.get("none") or not parameter["required"]) and kind not in ("_Any", "_Seed"):
            kind += " | None"
        if parameter["type"] == "datasets":
            out.append(f"*{name}: _Any" if stub else f"*{name}")
        elif parameter["required"]:
            out.append(f"{name}: {kind}" if stub else name)
        else:
            out.append(f"{name}: {kind} = ..." if stub else f"{name}={default_of(parameter)}")
    return out


def documentation(entry, indent):
    """A docstring."""
    parts = [entry["doc"]]
    described = [f"{name_of(p['name'])}: {p['doc']}" for p in entry["parameters"] if p.get("doc")]
    if described:
        parts.append(
            "Args:\n"
            + "\n".join(textwrap.fill(d, 100, initial_indent="    ", subsequent_indent="        ") for d in described)
        )
    parts += [f"Result: {entry['result']}"] if entry.get("result") else []
    parts += [f"Cost: {entry['cost']}"] if entry.get("cost") else []
    if entry.get("example"):
        output = textwrap.indent(entry.get("output", "").rstrip(), "    ")
        parts.append(f"In a text:\n\n    {entry['example']}\n\ngives\n\n{output}")
    text = "\n\n".join(part if "\n" in part else textwrap.fill(part, 104) for part in parts)
    text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    text = text[:-1] + '\\"' if text.endswith('"') else text
    return textwrap.indent(f'"""{text}\n"""\n', indent, lambda line: bool(line.strip()))


def code(entry, method):
    """A function or method."""
    indent = "    " if method else ""
    name = name_of(entry["name"])
    left = "self" if method else "None"
    ways = list(ways_of(entry))
    head = ["self"] if method else []
    if len(ways) > 1:
        orders = tuple(" ".join(name_of(p["name"]) + ("" if p["required"] else ":") for p in way) for way in ways)
        body = f"apply({entry_name(entry)}, {left}, *chosen({entry_name(entry)}, {orders!r}, arguments, named))"
        head += ["*arguments", "**named"]
    else:
        values = "".join(f", {name_of(p['name'])}" for p in entry["parameters"])
        body = f"apply({entry_name(entry)}, {left}{values})"
        head += takes(ways[0], stub=False)
    aliases = {theirs: name_of(p["name"]) for p in entry["parameters"] for theirs in p.get("aliases", ())}
    names = "".join(f", {theirs}={ours!r}" for theirs, ours in aliases.items())
    text = documentation(entry, indent + "    ")
    decorator = f"{indent}@renamed({entry_name(entry)}{names})\n"
    return f"{decorator}{indent}def {name}({', '.join(head)}):\n{text}{indent}    return {body}\n"


def stub(entry, method, result):
    """The declaration of a function or method, once for each way to call it, and once more with tf.data's names."""
    indent = "    " if method else ""
    ways = list(ways_of(entry))
    theirs = [[{**p, "name": p.get("aliases", [p["name"]])[0]} for p in way] for way in ways]
    ways += [way for way in theirs if way not in ways]
    out = []
    for way in ways:
        head = (["self"] if method else []) + takes(way, stub=True)
        out += [f"{indent}@overload\n"] if len(ways) > 1 else []
        out.append(f"{indent}def {name_of(entry['name'])}({', '.join(head)}) -> {result}: ...\n")
    return "".join(out)


def result_of(entry):
    """The type of what an operator returns."""
    if entry["kind"] == "terminal":
        return {"cardinality": "int", "save": "None"}.get(entry["name"], "Any")
    return "Self" if entry["kind"] == "transformation" else "Dataset"


def module(what, entries, names, body):
    """The text of a module of functions."""
    tables = "\n".join(map(entry_of, entries))
    listed = "".join(f'    "{name}",\n' for name in sorted(names))
    return f"{TOP.format(what=what)}{CODE_TOP}\n{tables}\n\n{body}\n\n__all__ = [\n{listed}]\n"


def operators(schema):
    """The modules of operators: code and stub."""
    entries = schema["operators"]
    # What takes a generator has a function of its own in the package.
    entries = [e for e in entries if all(p.get("takes") != "nothing" for p in e["parameters"])]
    sources = [entry for entry in entries if entry["kind"] == "source"]
    methods = [entry for entry in entries if entry["kind"] != "source"]
    names = ["Operators", *(name_of(entry["name"]) for entry in sources)]
    doc = '    """The transformations and terminals, as methods of datasets."""\n\n    __slots__ = ()\n\n'
    body = "class Operators:\n" + doc + APPLY + "\n".join(code(entry, True) for entry in methods)
    body += "\n\n" + "\n\n".join(code(entry, False) for entry in sources)
    statics = [name for name in names[1:] if name not in {name_of(entry["name"]) for entry in methods}]
    body += (
        '\n\nclass Sources:\n    """The sources, as tf.data has them: Dataset.range(5)."""\n\n    __slots__ = ()\n\n'
    )
    body += "".join(f"    {name} = staticmethod({name})\n" for name in statics)
    what = "Sources as functions, transformations and terminals as methods."
    text = TOP.format(what=what) + STUB_TOP + "from ._dataset import Dataset\n\nclass Operators:\n"
    text += "    def apply(self, transformation: Callable[[Self], _T] = ..., *,\n"
    text += "              transformation_func: Callable[[Self], _T] = ...) -> _T: ...\n"
    text += "".join(stub(entry, True, result_of(entry)) for entry in methods) + "\n"
    text += "".join(stub(entry, False, result_of(entry)) for entry in sources) + "\nclass Sources:\n"
    text += "".join(
        "".join(f"    {'@staticmethod' + chr(10) + '    ' if line.startswith('def') else ''}{line}\n" for line in made)
        for made in (stub(entry, False, result_of(entry)).splitlines() for entry in sources)
    )
    text += "\n__all__ = [\n" + "".join(f'    "{name}",\n' for name in sorted(names)) + "]\n"
    return module(what, entries, names, body), text


def conversion(dtype):
    """The function that each numeric dtype's name is."""
    return {
        "name": dtype,
        "kind": "function",
        "signatures": [f"{dtype}(x)"],
        "doc": f"Casts to {dtype}, as `cast` does.",
        "parameters": [{"name": "x", "type": "tensor", "required": True}],
    }


EXTENDED = """

def __getattr__(name):
    # What extensions bring.
    from ._aliases import missing_function
    from ._apply import extended

    if name.startswith("_") or (function := extended(name, "function")) is None:
        raise AttributeError(missing_function(name, __all__))
    return function
"""


def functions(schema):
    """The modules of functions: code and stub."""
    entries = [entry for entry in schema["functions"] if entry["kind"] == "function"]
    known = {entry["name"] for entry in entries}
    entries += [conversion(dtype) for dtype in DTYPES if dtype not in known]
    names = [name_of(entry["name"]) for entry in entries]
    what = "The functions of expressions."
    text = TOP.format(what=what) + STUB_TOP + "\n" + "".join(stub(entry, False, "Any") for entry in entries)
    text += "\n__all__ = [\n" + "".join(f'    "{name}",\n' for name in sorted(names)) + "]\n"
    body = "\n\n".join(code(entry, False) for entry in entries) + EXTENDED
    return module(what, entries, names, body), text


def main():
    """Writes the four files."""
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    schema = schema_of(sys.argv[1])
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for name, (text, stubs) in {"_operators": operators(schema), "fn": functions(schema)}.items():
        (folder / f"{name}.py").write_text(text)
        (folder / f"{name}.pyi").write_text(stubs)


if __name__ == "__main__":
    main()
