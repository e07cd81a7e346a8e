#!/usr/bin/env python3
"""What csv, text_line and fixed_length_record give of generated files is what Python's csv and gzip modules read there.

    files_test.py WEIR [FILES] [SEED]

Tables have one to seven columns, fields with delimiters, quotes and line ends inside, all three line ends, with and without
the last one; texts have lines that are empty, long or end in \\r. A third of the files are gzip, half of them of several
members. WEIR_FILES in the environment sets another default than 1,000 files. The seed is printed on failure.
"""

import csv
import gzip
import io
import os
import pathlib
import random
import subprocess
import sys
import tempfile

FILES_A_RUN = 25
DELIMITERS = [",", ";", "\t", "|", " "]
LETTERS = "abcXYZ019 .-_'"


def quoted(text):
    """A string as weir prints it; all characters are ASCII."""
    names = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
    return '"' + "".join(names.get(c, c) for c in text) + '"'


class Case:
    """Files that one pipeline reads, and the lines that it should print."""

    def __init__(self, generator, folder):
        self.random = generator
        self.folder = folder
        self.names = []

    def write(self, content):
        """Adds a file, gzip or not."""
        name = self.folder / f"{len(self.names)}.bin"
        if self.random.random() < 0.33:
            cut = self.random.randrange(len(content) + 1) if self.random.random() < 0.5 else 0
            data = gzip.compress(content[:cut]) + gzip.compress(content[cut:]) if cut else gzip.compress(content)
        else:
            data = content
        name.write_bytes(data)
        self.names.append(str(name))
        # Read back by the module that the test trusts.
        return gzip.open(name).read() if data is not content else content

    def files(self):
        return "[" + ", ".join(quoted(name) for name in self.names) + "]"


def field(generator, delimiter):
    size = generator.choice([0, 1, 3, 8, 40] + [3000] * (generator.random() < 0.02))
    special = delimiter + '"\r\n' if generator.random() < 0.3 else ""
    return "".join(generator.choice(LETTERS + special) for _ in range(size))


def written(value, delimiter, in_quotes):
    """A field of a table, in quotes if it needs them. Python's own writer leaves some line ends bare."""
    if in_quotes or any(c in value for c in delimiter + '"\r\n'):
        return '"' + value.replace('"', '""') + '"'
    return value


def tables(generator, folder, count):
    case = Case(generator, folder)
    delimiter = generator.choice(DELIMITERS)
    columns = generator.randrange(1, 8)
    select = sorted(generator.sample(range(columns), generator.randrange(1, columns + 1)))
    header = generator.random() < 0.3
    # The files of a list name the same columns.
    names = [field(generator, delimiter) for _ in range(columns)]
    expected = []
    for _ in range(count):
        rows = [[str(generator.randrange(-10**18, 10**18))] + [field(generator, delimiter) for _ in range(columns - 1)]
                for _ in range(generator.choice([0, 1, 2, 30, 200]))]
        out = io.StringIO(newline="")
        end = generator.choice(["\n", "\r\n", "\r"])
        if header:
            out.write(delimiter.join(written(name, delimiter, True) for name in names) + end)
        often = generator.choice([0, 0.5, 1])
        for row in rows:
            out.write(delimiter.join(written(value, delimiter, generator.random() < often) for value in row) + end)
        text = out.getvalue()
        if rows and generator.random() < 0.3:
            text = text[:-len(end)]
        read = case.write(text.encode()).decode()
        parsed = list(csv.reader(io.StringIO(read, newline=""), delimiter=delimiter))[1 if header else 0:]
        assert parsed == rows, "the generator wrote what csv reads otherwise"
        for row in parsed:
            values = [row[i] if i == 0 else quoted(row[i]) for i in select]
            expected.append("(" + ", ".join(values) + (",)" if len(values) == 1 else ")"))
    types = ", ".join("int64" if i == 0 else '""' for i in select)
    return (f"csv({case.files()}, [{types}], delim: {quoted(delimiter)}, header: {str(header).lower()}, "
            f"select: {select}, compression: \"auto\")", expected)


def texts(generator, folder, count):
    case = Case(generator, folder)
    expected = []
    for _ in range(count):
        lines = ["".join(generator.choice(LETTERS + "\r") for _ in range(generator.choice([0, 1, 7, 100, 5000])))
                 for _ in range(generator.randrange(40))]
        end = generator.choice(["\n", "\r\n"])
        text = end.join(lines) + (end if generator.random() < 0.7 else "")
        read = case.write(text.encode()).decode()
        parts = read.split("\n")
        # The end of the file ends no line that has no bytes.
        if parts[-1].replace("\r", "") == "":
            parts.pop()
        expected += [quoted(part.replace("\r", "")) for part in parts]
    return f"text_line({case.files()}, compression: \"auto\")", expected


def records(generator, folder, count):
    case = Case(generator, folder)
    size = generator.choice([1, 2, 7, 300])
    header = generator.choice([0, 5])
    footer = generator.choice([0, 3])
    expected = []
    for _ in range(count):
        body = "".join(generator.choice(LETTERS) for _ in range(size * generator.randrange(60)))
        read = case.write(("h" * header + body + "f" * footer).encode()).decode()
        body = read[header:len(read) - footer]
        expected += [quoted(body[i:i + size]) for i in range(0, len(body), size)]
    return (f"fixed_length_record({case.files()}, {size}, header_bytes: {header}, footer_bytes: {footer}, "
            "compression: \"auto\")", expected)


def main():
    weir = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else int(os.environ.get("WEIR_FILES", "1000"))
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    done = 0
    rows = 0
    while done < count:
        generator = random.Random(seed)
        kind = generator.choice([tables, tables, texts, records])
        with tempfile.TemporaryDirectory() as name:
            text, expected = kind(generator, pathlib.Path(name), FILES_A_RUN)
            run = subprocess.run([weir, "run", "-e", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            got = run.stdout.decode().splitlines()
        if got != expected or run.returncode != 0:
            at = next((i for i, pair in enumerate(zip(got, expected)) if pair[0] != pair[1]), min(len(got), len(expected)))
            print(f"seed {seed}: {len(got)} lines, expected {len(expected)}; the first that differs is {at}")
            print(f"got      {got[at:at + 1]}\nexpected {expected[at:at + 1]}\n{run.stderr.decode()[:500]}\n{text[-200:]}")
            return 1
        done += FILES_A_RUN
        rows += len(expected)
        seed += 1
    print(f"{done} files, {rows} rows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
