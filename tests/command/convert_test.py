#!/usr/bin/env python3
"""What `weir convert` must not lose on its way from one format to another, and how `info` and `head` read the same files.

    convert_test.py WEIR
"""

import io
import json
import sys
import tarfile
import tempfile

from file_tools_test import Tool, check, equal, failures


def rows_of(tool, name):
    return [json.loads(line) for line in tool.read(name).splitlines()]


def many_fields(tool):
    """As many as an element has parts, and no file with more is read in part."""
    tool.write("sparse.jsonl", "".join(f'{{"k{i}": {i}}}\n' for i in range(1, 1500)))
    tool("convert", "sparse.jsonl", "sparse2.jsonl")
    equal([row[f"k{i}"] for i, row in enumerate(rows_of(tool, "sparse2.jsonl"), 1)], list(range(1, 1500)), "the value of each row")
    wide = lambda count: {f"k{i}": i for i in range(count)}
    rows = [{"a": 1, "object": wide(5000), "middle": wide(1500), "objects": [wide(4096)]}, {"a": 2, "object": {}, "middle": wide(1500), "objects": []}]
    tool.write("nested.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    tool("convert", "nested.jsonl", "nested2.jsonl")
    equal(rows_of(tool, "nested2.jsonl"), rows, "objects of many members are json")
    check("object: json" in tool("info", "nested.jsonl") and "k1499: int64}, objects: json" in tool.out, tool.out[-200:])
    tool.write("most.jsonl", json.dumps(wide(4095)) + "\n")
    check("k4094: 4094}" in tool("head", "most.jsonl"), "the last of as many as there may be")
    with tarfile.open(tool.folder / "many.tar", "w") as archive:
        for i in range(1100):
            member = tarfile.TarInfo(f"a.e{i}")
            member.size = 1
            archive.addfile(member, io.BytesIO(b"x"))
    check("e1099: string" in tool("info", "many.tar"), "extensions of an archive")
    before = tool.names()
    tool.write("more.jsonl", json.dumps(wide(4096)) + "\n")
    tool.write("more.csv", ",".join(wide(4096)) + "\n")
    tool.write("missing.jsonl", json.dumps(wide(2100)) + "\n{}\n")
    for name in ("more.jsonl", "more.csv", "missing.jsonl"):
        tool("convert", name, "more2.jsonl", status=2)
        check(f"at most 4096 parts in all, where one that some rows lack has two, found more in {name}" in tool.err, tool.err)
        tool("info", name, status=2)
    equal(set(tool.names()) - set(before), {"more.jsonl", "more.csv", "missing.jsonl"}, "no file in part")


def examples_without_features(tool):
    tool.write("lacking.jsonl", '{"a": null, "b": null}\n{"a": 1, "b": "x"}\n')
    tool("convert", "lacking.jsonl", "lacking.tfrecord")
    tool("convert", "lacking.tfrecord", "lacking.csv")
    equal(tool.read("lacking.csv"), b"a,b\n,\n1,x\n", "features that are all missing")
    tool.write("nothing.jsonl", '{"a": null}\n')
    tool("convert", "nothing.jsonl", "nothing.tfrecord")
    tool("convert", "nothing.tfrecord", "nothing.csv", status=2)
    check("rows with columns, found none in any row" in tool.err, tool.err)
    # TensorFlow writes such an Example as no bytes.
    field = lambda number, content: bytes([number << 3 | 2, len(content)]) + content
    example = field(1, field(1, field(1, b"n") + field(2, field(3, field(1, b"\7")))))
    rows = ", ".join('"' + "".join(f"\\x{byte:02x}" for byte in data) + '"' for data in (b"", example, b""))
    tool.run(f'from_list([{rows}]) | save("empty")')
    tool("convert", "empty", "empty.tfrecord")
    check("kind         TFRecord of tf.Example\n" in tool("info", "empty.tfrecord") and "1 of 3" in tool.out, tool.out)
    equal(tool.run(tool.out.rsplit("\n\n", 1)[1]), "{n: 0}\n{n: 7}\n{n: 0}\n", "its document")
    equal(tool("head", "empty.tfrecord").split(), ["n:", "int64", "-", "7", "-"], "head of it")
    tool("convert", "empty.tfrecord", "empty.jsonl")
    equal([row["n"] for row in rows_of(tool, "empty.jsonl")], [None, 7, None], "objects of it")
    tool("convert", "empty.tfrecord", "empty.csv")
    equal(tool.read("empty.csv"), b'n\n""\n7\n""\n', "a table of it")
    tool("convert", "empty.tfrecord", "empty2.tfrecord")
    equal(tool.read("empty2.tfrecord"), tool.read("empty.tfrecord"), "the same records")
    tool.run('from_list(["", ""]) | save("strings")')
    tool("convert", "strings", "strings.tfrecord")
    check("kind         TFRecord of bytes\n" in tool("info", "strings.tfrecord"), tool.out)
    tool("convert", "strings.tfrecord", "strings.csv")
    equal(tool.read("strings.csv"), b'record\n""\n""\n', "strings are no Examples")


def main():
    with tempfile.TemporaryDirectory() as folder:
        tool = Tool(sys.argv[1], folder)
        many_fields(tool)
        examples_without_features(tool)
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
