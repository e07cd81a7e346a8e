"""The Rust of tools/generate-bindings: weir-sys/src/bindings.rs and weir/src/operators.rs."""

from . import schema

SCALARS = {"char": "c_char", "void": "c_void", "float": "f32", "double": "f64", "int32_t": "i32", "int64_t": "i64",
           "uint8_t": "u8", "uint32_t": "u32", "uint64_t": "u64"}
KEYWORDS = set("""as async await box break const continue crate do dyn else enum extern false final fn for if impl in let
    loop macro match mod move mut override priv pub ref return self static struct super trait true try type typeof unsafe
    unsized use virtual where while yield abstract become""".split())
# The type of an operator's parameter; for others an Expression takes the notation itself.
TYPES = {"int": "Int", "bool": "Bool", "string": "Text", "seed": "Seed", "dtype": "DTypeName", "spec": "SpecText",
         "value": "Value", "function": "Function", "dataset": "Operand", "datasets": "Datasets", "files": "Files",
         "list of values": "Values", "list of datasets": "DatasetList", "value or dataset": "ValueOrDataset"}
BINDINGS_TOP = """// Written by tools/generate-bindings from include/weir/weir.h; edit that.

use std::os::raw::{c_char, c_void};

"""
OPERATORS_TOP = """// Written by tools/generate-bindings from what the library says of its operators; edit their definitions in src/.

use crate::pipeline::*;

"""


def identifier(name):
    return "r#" + name if name in KEYWORDS else name


def type_of(type_):
    """A C type."""
    if type_.function:
        return f"Option<unsafe extern \"C\" fn{signature(type_.function)}>"
    out = SCALARS.get(type_.name, type_.name)
    for const in type_.pointers:
        out = ("*const " if const else "*mut ") + out
    return f"[{out}; {type_.array}]" if type_.array else out


def signature(function):
    """`(user_data: *mut c_void) -> i32`."""
    takes = ", ".join(f"{identifier(p.name)}: {type_of(p.type)}" for p in function.parameters)
    gives = type_of(function.result)
    return f"({takes})" + ("" if gives == "c_void" else f" -> {gives}")


def doc(text, indent=""):
    """A comment of the header. What is indented there is no Rust, and brackets are no links."""
    out = []
    fenced = False
    for line in text.splitlines():
        indented = line.startswith("  ")
        if indented != fenced and line:
            out.append("```" if fenced else "```text")
            fenced = indented
        out.append(line if fenced else line.replace("[", "\\[").replace("]", "\\]").replace("<", "\\<"))
    if fenced:
        out.append("```")
    return "".join(f"{indent}/// {line}".rstrip() + "\n" for line in out)


def initial(type_, value, structs):
    """One value of an initialiser."""
    if type_.array:
        return f"[{value[0]}; {type_.array}]"
    if isinstance(value, list):
        return struct_value(structs[type_.name], value, structs)
    if type_.function:
        return "None"
    if type_.pointers:
        return "core::ptr::null()" if type_.pointers[-1] else "core::ptr::null_mut()"
    if value.startswith("sizeof("):
        return f"core::mem::size_of::<{value[7:-1]}>() as u32"
    return f"{value}.0" if type_.name == "double" else value


def struct_value(struct, values, structs):
    parts = [f"{identifier(f.name)}: {initial(f.type, v, structs)}" for f, v in zip(struct.fields, values, strict=False)]
    rest = [f"{identifier(f.name)}: {initial(f.type, '0', structs)}" for f in struct.fields[len(values):]]
    return f"{struct.name} {{ {', '.join(parts + rest)} }}"


def declarations(header, layout):
    """weir-sys/src/bindings.rs. `layout` has the sizes that the binary interface is held to."""
    structs = {struct.name: struct for struct in header.structs}
    out = [BINDINGS_TOP]
    for constant in header.constants:
        signed = "i32" if abs(constant.value) < 2**31 else "i64"
        kind = "u64" if constant.value >= 2**63 else "u32" if constant.unsigned else signed
        value = "u64::MAX" if constant.value == 2**64 - 1 else str(constant.value)
        out.append(f"{doc(constant.doc)}pub const {constant.name}: {kind} = {value};\n")
    out.append("\npub use crate::dlpack::DLManagedTensorVersioned;\n")
    # Of Arrow's C data interface, whose structs other crates have.
    out.extend(f"\n#[repr(C)]\npub struct {name} {{\n    _private: [u8; 0],\n}}\n" for name in ("ArrowSchema", "ArrowArrayStream"))
    for struct in header.structs:
        derived = "Clone, Copy, Debug" + (", PartialEq, Eq, Hash, Default" if len(struct.fields) == 1 else "")
        fields = "".join(f"    pub {identifier(f.name)}: {type_of(f.type)},\n" for f in struct.fields)
        out.append(f"\n{doc(struct.doc)}#[repr(C)]\n#[derive({derived})]\npub struct {struct.name} {{\n{fields}}}\n")
        if struct.initial:
            out.append(f"\nimpl {struct.name} {{\n    /// What `{struct.name.upper()}_INIT` says.\n"
                       f"    pub const INIT: Self = {struct_value(struct, struct.initial, structs)};\n}}\n")
    checks = "".join(f"const _: () = assert!(core::mem::size_of::<{name}>() == {size});\n"
                     for name, size in layout.items() if name in structs)
    out.append(f"\n// The sizes on a machine with pointers of 64 bits, the only kind that the library is built for.\n{checks}")
    out.append("\nextern \"C\" {\n")
    out.append("\n".join(f"{doc(f.doc, '    ')}    pub fn {f.name}{signature(f)};\n" for f in header.functions))
    return "".join(out) + "}\n"


def comment(text, indent=""):
    """A description out of the schema."""
    return doc("\n".join(schema.wrapped(text, 100)), indent)


def parameter_docs(positional, note, indent):
    """The parameters of a function as a list."""
    lines = []
    for parameter in positional:
        if parameter.get("doc"):
            default = f" `()` stands for the default, `{parameter['default']}`." if note else ""
            lines.append(f"* `{parameter['name']}`: {parameter['doc']}{default}")
    return ("///\n" if not indent else f"{indent}///\n") + "".join(doc(line, indent) for line in lines) if lines else ""


def options_struct(entry):
    """MapOptions and its setters."""
    optional = schema.optional(entry)
    if not optional:
        return ""
    name = schema.options_name(entry)
    fields = "".join(f"    {identifier(p['name'])}: {TYPES.get(p['type'], 'Expression')},\n" for p in optional)
    out = [f"/// What `{entry['name']}` takes beside its arguments. Each begins as its default.\n"
           f"#[derive(Clone, Debug, Default)]\n#[must_use]\npub struct {name} {{\n{fields}}}\n\nimpl {name} {{\n"
           "    /// All as their defaults.\n    pub fn new() -> Self {\n        Self::default()\n    }\n"]
    for p in optional:
        field, kind = identifier(p["name"]), TYPES.get(p["type"], "Expression")
        out.append(f"\n{comment(p.get('doc', ''), '    ')}    ///\n    /// Default: `{p['default']}`.\n"
                   f"    pub fn {field}(mut self, value: impl Into<{kind}>) -> Self {{\n"
                   f"        self.{field} = value.into();\n        self\n    }}\n")
    return "".join(out) + "}\n\n"


def function(entry, way, suffix, indent):
    """A function for one way to call an operator, and one with options if it has any."""
    positional, named = way
    single = schema.is_single(positional, named)
    takes_options = bool(named) and not single
    given = named if single else positional
    member = entry["kind"] != "source"
    name = identifier(entry["name"] + suffix)
    begin = "&self, " if member else ""
    takes = ", ".join(f"{identifier(p['name'])}: impl Into<{TYPES.get(p['type'], 'Expression')}>" for p in given)
    before, after = ("self.then(", ")") if member else ("Pipeline::begin(", ")")
    call = f"OperatorCall::new(\"{entry['name']}\")"
    call += "".join(f".named(\"{p['name']}\", {p['name']}.into())" if single else
                    f".positional({identifier(p['name'])}.into())" for p in given)
    head = f"{indent}#[must_use]\n{indent}pub fn "
    text = comment(entry["doc"], indent)
    details = parameter_docs(given, single, indent)
    if not takes_options:
        return (f"{text}{details}{head}{name}({(begin + takes).rstrip(', ')}) -> Pipeline {{\n"
                f"{indent}    {before}{call}{after}\n{indent}}}\n\n")
    options = schema.options_name(entry)
    passed = ", ".join([identifier(p["name"]) for p in given] + [f"{options}::new()"])
    with_name = f"{entry['name']}{suffix}_with"
    call += "".join(f".named(\"{p['name']}\", options.{identifier(p['name'])})" for p in named)
    target = f"self.{with_name}" if member else with_name
    link = f"Pipeline::{with_name}" if member else with_name
    return (f"{text}{details}{indent}///\n{indent}/// [`{link}`] takes options as well.\n"
            f"{head}{name}({(begin + takes).rstrip(', ')}) -> Pipeline {{\n{indent}    {target}({passed})\n{indent}}}\n\n"
            f"{indent}/// [`{link[:-5]}`] with options.\n{head}{with_name}({begin}{takes}{', ' if takes else ''}options: "
            f"{options}) -> Pipeline {{\n{indent}    {before}{call}{after}\n{indent}}}\n\n")


def functions(entry, indent):
    """The first way to call an operator has its name; the other, which says where to begin, `_from`."""
    return "".join(function(entry, way, suffix, indent)
                   for way, suffix in zip(schema.signatures(entry), ["", "_from"], strict=False))


def methods(operators):
    """weir/src/operators.rs."""
    sources = [entry for entry in operators if entry["kind"] == "source"]
    members = [entry for entry in operators if entry["kind"] != "source"]
    parts = [OPERATORS_TOP, *map(options_struct, operators), *(functions(entry, "") for entry in sources),
             "impl Pipeline {\n", "".join(functions(entry, "    ") for entry in members).rstrip("\n"), "\n}\n"]
    return "".join(parts)
