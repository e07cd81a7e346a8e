"""tf.data's names: those that work here, and what to write for the others."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

# What the methods of tf.data's datasets that have another name, or none, are here.
_METHODS = {
    "with_options": "write options(...)",
    "dense_to_ragged_batch": "write ragged_batch(n)",
    "dense_to_sparse_batch": "write sparse_batch(n, row_shape)",
    "make_one_shot_iterator": "write iter(dataset)",
    "make_initializable_iterator": "write dataset.iterator(params={...})",
    "get_next": "write next(iter(dataset))",
    "numpy": "write list(dataset); elements are NumPy arrays",
    "output_types": "write dataset.spec",
    "output_shapes": "write dataset.spec",
    "map_with_index": "write enumerate().map(f)",
    "for_each": "write a loop over the dataset, or map(f)",
    "to_list": "write list(dataset)",
    "write": "write save(path), or weir.RecordWriter",
    "shuffle_batch": "write shuffle(n).batch(n)",
    "unravel": "write unbatch()",
    "fold": "write reduce(initial, f)",
    "len": "write len(dataset), or cardinality()",
}
# What tf.data, tf and tf.io have at their top.
_NAMES = {
    "data": "weir.Dataset, weir.AUTOTUNE and the sources, such as weir.tfrecord, are in weir itself",
    "io": "its functions are in weir.fn, such as weir.fn.parse_example",
    "image": "its functions are in weir.fn, such as weir.fn.resize",
    "strings": "its functions are in weir.fn, such as weir.fn.string_split",
    "random": "its functions are in weir.fn, such as weir.fn.random_uniform",
    "experimental": "weir has what is there under its own names: see weir.help()",
    "TFRecordDataset": "write weir.tfrecord(files)",
    "TextLineDataset": "write weir.text_line(files)",
    "FixedLengthRecordDataset": "write weir.fixed_length_record(files, record_bytes)",
    "CsvDataset": "write weir.csv(files, columns)",
    "make_csv_dataset": "write weir.csv(files, columns)",
    "SqlDataset": "write weir.sql(driver, connection, query, spec)",
    "Options": "write dataset.options(...)",
    "DatasetSpec": 'write weir.Spec("dataset<int64>")',
    "TensorSpec": 'write weir.Spec("float32[28, 28]")',
    "TFRecordWriter": "write weir.RecordWriter(file)",
    "TFRecordOptions": 'write weir.RecordWriter(file, compression="gzip")',
    "FixedLenFeature": 'a feature is written as its dtype and shape, "float32[3]", in weir.fn.parse_example',
    "VarLenFeature": 'a feature is written "varlen(int64)" in weir.fn.parse_example',
    "function": "functions for map and others are traced as they are",
    "numpy_function": "write weir.py_function(f, spec=...)",
    "case": "write weir.cond, one in another",
    "switch_case": "write weir.cond, one in another",
    "while_loop": "write weir.range(n).reduce(state, f)",
    "get_single_element": "write dataset.get_single_element()",
    "repeat": "write dataset.repeat(n)",
    "bool": "write weir.bool_",
}
# Parameters of tf.data that weir lacks. Their default there, None, is accepted.
_PARAMETERS = {
    "name": "operators have no names; leave it out",
    "deterministic": "the elements keep their order; leave it out",
    "dtype": "write map(lambda x: weir.fn.cast(x, dtype)) after it",
    "row_splits_dtype": "row splits are int64; leave it out",
    **dict.fromkeys(("compression", "element_spec", "reader_func", "wait"), "the folder says it; leave it out"),
    "shard_func": "how many files there are is a parameter of its own, if any; leave it out",
    "window_size_func": "write window_size",
}
# What functions of tf and its modules are here; those that have another name alone.
_FUNCTIONS = {
    **dict.fromkeys(("add", "subtract", "multiply", "divide", "equal", "less", "greater"), "write the operator"),
    **dict.fromkeys(("image", "io", "linalg", "math", "random", "strings"), "its functions are in weir.fn itself"),
    **dict.fromkeys(("map_fn", "vectorized_map"), "write weir.fn.rows(x, f)"),
    **dict.fromkeys(("case", "cond", "py_function"), "see weir.cond and weir.py_function"),
    "clip_by_value": "write weir.fn.clip",
    "constant": "write the number, list or array",
    "fill": "write weir.fn.full",
    "range": "write weir.fn.arange",
    "slice": "write x[a:b]",
}


def _nearest(name: str, known: Iterable[str]) -> str:
    found = difflib.get_close_matches(name, [word for word in known if not word.startswith("_")], 1, 0.7)
    return f"; did you mean {found[0]}?" if found else ""


def missing_method(name: str, known: Iterable[str]) -> str:
    """What to say of a method that datasets don't have."""
    said = f"a dataset has no {name}"
    return f"{said}; {_METHODS[name]}" if name in _METHODS else said + _nearest(name, known)


def missing_name(name: str, known: Iterable[str], functions: Iterable[str], methods: Iterable[str]) -> str:
    """What to say of a name that the package doesn't have."""
    said = f"module 'weir' has no attribute {name!r}"
    if name in _NAMES:
        return f"{said}; {_NAMES[name]}"
    if name in functions:
        return f"{said}; it is a function of expressions: weir.fn.{name}"
    if name in methods:
        return f"{said}; it is a method of datasets: dataset.{name}(...)"
    return said + _nearest(name, known)


def missing_parameter(name: str) -> str:
    """What to write in place of one of tf.data's parameters; empty if it has none of this name."""
    return _PARAMETERS.get(name, "")


def missing_function(name: str, known: Iterable[str]) -> str:
    """What to say of a function that expressions don't have."""
    said = f"module 'weir.fn' has no attribute {name!r}"
    if name.startswith("reduce_") and name[len("reduce_") :] in known:
        return f"{said}; write weir.fn.{name[len('reduce_') :]}"
    return f"{said}; {_FUNCTIONS[name]}" if name in _FUNCTIONS else said + _nearest(name, known)
