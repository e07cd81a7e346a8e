#!/usr/bin/env python3
"""Sizes, offsets and init bytes of the public structs equal the committed struct_layout.txt.

    struct_layout.py SOURCE [--update]

Reads the structs from weir.h, lets the compiler measure them, and compares. A struct that begins with struct_size
has a WEIR_..._INIT macro; its bytes are part of the ABI, since they are compiled into every caller.
"""

import difflib
import pathlib
import re
import subprocess
import sys
import tempfile


def structs_of(header):
    """The structs of the header as {name: [field, ...]}, in their order."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    structs = {}
    for name, body, alias in re.findall(r"typedef struct (\w+) \{(.*?)\}\s*(\w+);", text, flags=re.S):
        if name != alias or "{" in body:
            sys.exit(f"struct_layout: {name} is not of the form 'typedef struct NAME {{ ... }} NAME;'")
        structs[name] = [field_name(name, field) for field in body.split(";") if field.strip()]
    declared = len(re.findall(r"\b(?:struct|union)\s+\w*\s*\{", text))
    if declared != len(structs):
        sys.exit(f"struct_layout: found {declared} structs or unions and could read {len(structs)}")
    return structs


def field_name(struct, field):
    """The name that a field's declaration declares."""
    match = re.search(r"\(\*\s*(\w+)\)", field) or re.search(r"(\w+)\s*(\[\w+\])?\s*$", field)
    if not match or "," in field and "(" not in field:
        sys.exit(f"struct_layout: cannot read the field '{field.strip()}' of {struct}; declare one field at a time")
    return match.group(1)


def program(structs, header):
    """A C program that prints the layout."""
    out = ["#include <stddef.h>", "#include <stdio.h>", "#include <string.h>", "#include <weir/weir.h>",
           "static void bytes(const char* name, const void* data, size_t size) {",
           "  const unsigned char* p = data;",
           '  printf("%s init", name);',
           '  for (size_t i = 0; i < size; ++i) printf("%s%02x", i % 8 ? "" : " ", p[i]);',
           '  printf("\\n");', "}", "int main(void) {"]
    for name, fields in structs.items():
        out.append(f'  printf("{name} size %zu align %zu\\n", sizeof({name}), _Alignof({name}));')
        for field in fields:
            out.append(f'  printf("{name}.{field} offset %zu size %zu\\n", offsetof({name}, {field}), '
                       f'sizeof((({name}*)0)->{field}));')
        macro = name.upper() + "_INIT"
        if re.search(rf"#define {macro}\b", header):
            out.append(f'  {{ static const {name} v = {macro}; bytes("{name}", &v, sizeof(v)); }}')
        elif fields[0] == "struct_size":
            sys.exit(f"struct_layout: {name} begins with struct_size but has no {macro}")
    return "\n".join(out + ["  return 0;", "}"])


def measure(source):
    """The layout of all public structs as lines."""
    header = (source / "include/weir/weir.h").read_text()
    with tempfile.TemporaryDirectory() as folder:
        code = pathlib.Path(folder, "layout.c")
        code.write_text(program(structs_of(header), header))
        subprocess.run(["cc", "-std=c11", "-I", source / "include", code, "-o", code.with_suffix("")], check=True)
        return subprocess.run([code.with_suffix("")], check=True, capture_output=True, text=True).stdout


def main():
    source = pathlib.Path(sys.argv[1])
    committed = source / "tests/gates/struct_layout.txt"
    if not (source / "include/weir/weir.h").exists():
        print("include/weir/weir.h is missing")
        return 1
    layout = measure(source)
    if "--update" in sys.argv:
        committed.write_text(layout)
        return 0
    expected = committed.read_text() if committed.exists() else ""
    if layout == expected:
        return 0
    print(*difflib.unified_diff(expected.splitlines(), layout.splitlines(), "committed", "found", lineterm=""), sep="\n")
    print("struct_layout: if this is meant, write it into docs/api-changes.md and run "
          "tests/gates/struct_layout.py . --update")
    return 1


if __name__ == "__main__":
    sys.exit(main())
