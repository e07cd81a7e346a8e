#!/usr/bin/env python3
"""Reads Weir.jl without Julia: every file parses, its declarations are those of weir.h, and its calls fit them.

    julia_test.py

Needs tree-sitter with its grammars of Julia and C, which tools/test-julia installs. weir.h is read here by another parser
than the one that made the declarations.
"""

import pathlib
import re
import sys

import tree_sitter_c
import tree_sitter_julia
from tree_sitter import Language, Parser

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PACKAGE = ROOT / "bindings/julia/Weir.jl"
SCALARS = {"char": "UInt8", "void": "Cvoid", "float": "Float32", "double": "Float64", "int32_t": "Int32", "int64_t": "Int64",
           "uint32_t": "UInt32", "uint64_t": "UInt64", "DLManagedTensorVersioned": "Cvoid", "ArrowArrayStream": "Cvoid"}


def nodes(node, kind):
    """All nodes of a kind, from the top."""
    if node.type == kind:
        yield node
    for child in node.children:
        yield from nodes(child, kind)


def text(node):
    return node.text.decode()


def c_type(declaration):
    """The type of a parameter, field or function of C in Julia's words."""
    base = text(declaration.child_by_field_name("type")).split()[-1]
    out = SCALARS.get(base, base)
    declarator = declaration.child_by_field_name("declarator")
    if declarator is not None and any(nodes(declarator, "function_declarator")) and any(nodes(declarator, "parenthesized_declarator")):
        return "Ptr{Cvoid}"
    while declarator is not None and declarator.type in ("pointer_declarator", "abstract_pointer_declarator"):
        out = f"Ptr{{{out}}}"
        declarator = declarator.child_by_field_name("declarator")
    if declarator is not None and declarator.type == "array_declarator":
        out = f"NTuple{{{text(declarator.child_by_field_name('size'))}, {out}}}"
    return out


def of_header():
    """The functions and structs of weir.h: name to types, the result last."""
    # The macro before each function is none of C's words.
    source = (ROOT / "include/weir/weir.h").read_text().replace("WEIR_API ", "").replace("#ifdef __cplusplus", "#if 0")
    tree = Parser(Language(tree_sitter_c.language())).parse(source.encode())
    functions, structs = {}, {}
    for declaration in nodes(tree.root_node, "declaration"):
        found = next(nodes(declaration, "function_declarator"), None)
        if found is None:
            continue
        name = text(found.child_by_field_name("declarator"))
        takes = [p for p in found.child_by_field_name("parameters").children if p.type == "parameter_declaration"]
        types = [c_type(p) for p in takes if text(p) != "void"]
        result = text(declaration.child_by_field_name("type"))
        gives = SCALARS.get(result, result)
        if declaration.child_by_field_name("declarator").type == "pointer_declarator":
            gives = f"Ptr{{{gives}}}"
        functions[name] = [*types, gives]
    for struct in nodes(tree.root_node, "struct_specifier"):
        body = struct.child_by_field_name("body")
        if body is not None:
            structs[text(struct.child_by_field_name("name"))] = [
                c_type(field) for field in body.children if field.type == "field_declaration"]
    return functions, structs


def typed(node):
    """`name::Type` to `Type`."""
    return text(node).split("::", 1)[1].replace(" ", "").replace(",", ", ")


def of_package(tree):
    """What capi.jl declares, in the same form."""
    functions, structs = {}, {}
    for macro in nodes(tree.root_node, "macrocall_expression"):
        words = text(macro)
        if not words.startswith("@ccall libweir."):
            continue
        call = next(nodes(macro, "call_expression"))
        name = text(call).split("(", 1)[0].removeprefix("libweir.")
        arguments = [a for a in next(nodes(call, "argument_list")).children if a.type == "typed_expression"]
        functions[name] = [*(typed(a) for a in arguments), words.rsplit("::", 1)[1]]
    for struct in nodes(tree.root_node, "struct_definition"):
        lines = text(struct).splitlines()
        structs[lines[0].split()[1]] = [line.strip().split("::")[1].replace(", ", ",").replace(",", ", ")
                                        for line in lines[1:-1]]
    return functions, structs


def unknown_types(structs):
    """Types of fields that are neither Julia's nor a struct of capi.jl."""
    for name, fields in structs.items():
        for word in re.findall(r"[A-Za-z_]\w*", " ".join(fields)):
            if word not in structs and word not in {"Ptr", "NTuple", *SCALARS.values()}:
                yield f"struct {name}: {word} is not declared"


def differences(what, expected, found):
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            yield f"{what} {name}: weir.h has {expected.get(name)}, capi.jl has {found.get(name)}"


def argument_count(call):
    """How many arguments a call has, or nothing where that cannot be told."""
    arguments = next(nodes(call, "argument_list"))
    given = [a for a in arguments.children if a.is_named]
    return None if any(a.type == "splat_expression" for a in given) else len(given)


def wrong_calls(name, tree, functions):
    """Calls of functions of weir.h that don't exist or get another number of arguments."""
    for call in nodes(tree.root_node, "call_expression"):
        called = text(call.children[0])
        if not called.startswith("weir_"):
            continue
        known = called in functions
        if not known and called in STRUCTS and argument_count(call) in (0, len(STRUCTS[called]), None):
            continue
        if not known or argument_count(call) not in (len(functions[called]) - 1, None):
            yield f"{name}:{call.start_point[0] + 1}: {text(call)}: no such function of weir.h"


def wrong_dtypes():
    """Types of Julia whose name in the notation is not that of their dtype."""
    source = (PACKAGE / "src/values.jl").read_text()
    names = dict(re.findall(r"(\w+) => \"(\w+)\"", source))
    found = re.findall(r"WEIR_DTYPE_(\w+) => (\w+)", source)
    if len(found) != 15:
        yield f"values.jl: expected 15 dtypes, found {len(found)}"
    for dtype, kind in found:
        if dtype != "BFLOAT16" and names.get(kind, kind.lower()) != dtype.lower():
            yield f"values.jl: {kind} has the name {names.get(kind, kind.lower())}, expected {dtype.lower()}"


STRUCTS = {}


def main():
    julia = Parser(Language(tree_sitter_julia.language()))
    functions, structs = of_header()
    STRUCTS.update(structs)
    problems = []
    files = sorted(PACKAGE.rglob("*.jl"))
    for file in files:
        tree = julia.parse(file.read_bytes())
        name = file.relative_to(ROOT).as_posix()
        for kind in ("ERROR",):
            problems += [f"{name}:{bad.start_point[0] + 1}: doesn't parse: {text(bad)[:60]!r}"
                         for bad in nodes(tree.root_node, kind)]
        if tree.root_node.has_error and not problems:
            problems.append(f"{name}: something is missing")
        if file.name == "capi.jl":
            declared, laid_out = of_package(tree)
            problems += differences("function", functions, declared)
            problems += differences("struct", structs, laid_out)
            problems += unknown_types(laid_out)
        else:
            problems += wrong_calls(name, tree, functions)
    problems += wrong_dtypes()
    for sample in re.findall(r"```julia\n(.*?)```", (PACKAGE / "README.md").read_text(), re.DOTALL):
        if julia.parse(sample.encode()).root_node.has_error:
            problems.append(f"README.md: doesn't parse: {sample[:60]!r}")
    if len(functions) < 70 or len(files) < 6:
        problems.append(f"expected 70 functions and 6 files, found {len(functions)} and {len(files)}")
    print("\n".join(problems + [f"{len(files)} files, {len(functions)} functions, {len(structs)} structs, "
                                f"{len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
