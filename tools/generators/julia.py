"""The Julia of tools/generate-bindings: capi.jl and operators.jl."""

from . import schema

SCALARS = {"char": "UInt8", "void": "Cvoid", "float": "Float32", "double": "Float64", "int32_t": "Int32",
           "int64_t": "Int64", "uint8_t": "UInt8", "uint32_t": "UInt32", "uint64_t": "UInt64"}
KEYWORDS = set("""baremodule begin break catch const continue do else elseif end export false finally for function global
    if import let local macro module quote return struct true try using while""".split())
CAPI_TOP = """# Written by tools/generate-bindings from include/weir/weir.h; edit that.

"""
OPERATORS_TOP = """# Written by tools/generate-bindings from what the library says of its operators; edit their definitions in src/.

"""


def identifier(name):
    return name + "_" if name in KEYWORDS else name


def type_of(type_):
    """A C type."""
    if type_.function:
        return "Ptr{Cvoid}"
    # Others are structs of DLPack or Arrow.
    out = SCALARS.get(type_.name, type_.name if type_.name.startswith("weir_") else "Cvoid")
    for _ in type_.pointers:
        out = f"Ptr{{{out}}}"
    return f"NTuple{{{type_.array}, {out}}}" if type_.array else out


def doc(text, name):
    """A docstring, in which nothing is interpolated."""
    text = text.replace("\\", "\\\\").replace("$", "\\$").replace('"""', '\\"\\"\\"')
    return f'"""\n    {name}\n\n{text}\n"""\n'


def initial(type_, value, structs):
    if type_.array:
        return f"({', '.join(value)})"
    if isinstance(value, list):
        struct = structs[type_.name]
        return f"{type_.name}({', '.join(initial(f.type, v, structs) for f, v in zip(struct.fields, value, strict=True))})"
    if type_.pointers or type_.function:
        return "C_NULL"
    if value.startswith("sizeof("):
        return f"sizeof({value[7:-1]})"
    return value


def declarations(header):
    """capi.jl."""
    structs = {struct.name: struct for struct in header.structs}
    out = [CAPI_TOP]
    for constant in header.constants:
        signed = "Int32" if abs(constant.value) < 2**31 else "Int64"
        kind = "UInt64" if constant.value >= 2**63 else "UInt32" if constant.unsigned else signed
        value = "typemax(UInt64)" if constant.value == 2**64 - 1 else f"{kind}({constant.value})"
        out.append(f"const {constant.name} = {value}\n")
    for struct in header.structs:
        fields = "".join(f"    {identifier(f.name)}::{type_of(f.type)}\n" for f in struct.fields)
        out.append(f"\nstruct {struct.name}\n{fields}end\n")
        if struct.initial:
            values = ", ".join(initial(f.type, v, structs) for f, v in zip(struct.fields, struct.initial, strict=True))
            out.append(f"{struct.name}() = {struct.name}({values})\n")
        elif len(struct.fields) == 1 and not struct.fields[0].type.array:
            out.append(f"{struct.name}() = {struct.name}(0)\n")
    for function in header.functions:
        names = ", ".join(identifier(p.name) for p in function.parameters)
        takes = ", ".join(f"{identifier(p.name)}::{type_of(p.type)}" for p in function.parameters)
        call = f"@ccall libweir.{function.name}({takes})::{type_of(function.result)}"
        out.append(f"\n{function.name}({names}) =\n    {call}\n")
    return "".join(out)


def function(entry, way):
    """A function for one way to call an operator. What transforms a pipeline is made to stand after |>."""
    positional, named = way
    single = schema.is_single(positional, named)
    keywords = [] if single else [f"{identifier(p['name'])}=nothing" for p in named]
    takes = [identifier(p["name"]) for p in positional]
    if single:
        takes = [f"{identifier(named[0]['name'])}=nothing"]
    given = [f"argument(:{kind(p)}, {identifier(p['name'])})" for p in positional]
    given += [f"argument(:{kind(p)}, {identifier(p['name'])}, \"{p['name']}\")" for p in named]
    name = entry["name"]
    head = f"{name}({', '.join(takes)}{'; ' if keywords else ''}{', '.join(keywords)})"
    made = "Pipeline" if entry["kind"] == "source" else "Transformation"
    lines = [entry["doc"]]
    for p in positional + named:
        default = f" Default: `{p['default']}`." if p in named else ""
        lines.append(f"- `{p['name']}`: {p.get('doc', '')}{default}")
    text = "\n".join("\n".join(schema.wrapped(line, 100)) for line in [lines[0], "", *lines[1:]]).rstrip("\n")
    body = f"call(\"{name}\"" + "".join(f", {part}" for part in given) + ")"
    return f"\n{doc(text, head)}{head} =\n    {made}({body})\n"


def kind(parameter):
    """int, list_of_values: how a value of the parameter is written."""
    return parameter["type"].replace(" ", "_")


def methods(operators):
    """operators.jl."""
    return OPERATORS_TOP.rstrip("\n") + "\n" + "".join(
        function(entry, way) for entry in operators for way in schema.signatures(entry))
