"""Reads include/weir/weir.h: constants, structs, initialisers and functions, with their comments.

It knows the C that a header for other languages needs, and stops at anything else, so that nothing is left out
silently.
"""

import re
from dataclasses import dataclass, field


@dataclass
class Type:
    """A type: the name of what it is made of, then one entry per `*` that says whether it points to something const."""
    name: str
    pointers: list = field(default_factory=list)
    array: int = 0
    function: "Function" = None  # what it points to, if that is a function


@dataclass
class Name:
    """A parameter or field."""
    name: str
    type: Type


@dataclass
class Function:
    name: str
    result: Type
    parameters: list
    doc: str = ""


@dataclass
class Struct:
    name: str
    fields: list
    doc: str = ""
    initial: list = None  # what WEIR_..._INIT says, nested as the fields are


@dataclass
class Constant:
    name: str
    value: int
    unsigned: bool
    doc: str = ""


@dataclass
class Header:
    constants: list
    structs: list
    functions: list


class Reader:
    """Tokens of one declaration, from left to right."""

    def __init__(self, text):
        self.tokens = re.findall(r"\w+|[^\s\w]", text)
        self.at = 0

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, *expected):
        token = self.peek()
        if expected and token not in expected:
            raise ValueError(f"expected {' or '.join(expected)}, found {token!r} in {' '.join(self.tokens)}")
        self.at += 1
        return token

    def base(self):
        """`const char* *`, up to the name."""
        const = False
        while self.peek() in ("const", "struct"):
            const = self.take() == "const" or const
        out = Type(self.take())
        while self.peek() == "*":
            self.take()
            out.pointers.append(const)
            const = self.peek() == "const"
            if const:
                self.take()
        return out

    def declaration(self):
        """A parameter or a field with its name."""
        type_ = self.base()
        if self.peek() == "(":
            self.take("("), self.take("*")
            name = self.take()
            self.take(")")
            return Name(name, Type("", [False], function=Function("", type_, self.parameters())))
        name = self.take() if re.match(r"\w", self.peek()) else ""
        if self.peek() == "[":
            self.take("[")
            type_.array = int(self.take())
            self.take("]")
        return Name(name, type_)

    def parameters(self):
        self.take("(")
        out = []
        if self.peek() == "void" and self.peek(1) == ")":
            self.take()
        while self.peek() != ")":
            out.append(self.declaration())
            if self.peek() != ")":
                self.take(",")
        self.take(")")
        return out

    def initial(self):
        """`{ sizeof(weir_view), 0, {NULL, 0} }` as nested lists of words."""
        if self.peek() != "{":
            words = []
            depth = 0
            while depth > 0 or self.peek() not in (",", "}"):
                word = self.take()
                depth += (word == "(") - (word == ")")
                words.append(word)
            return "".join(words)
        self.take("{")
        out = []
        while self.peek() != "}":
            out.append(self.initial())
            if self.peek() != "}":
                self.take(",")
        self.take("}")
        return out


def plain(comment):
    """The text of a comment."""
    lines = re.sub(r"^/\*|\*/$", "", comment.strip()).splitlines()
    return "\n".join(re.sub(r"^\s*\*? ?", "", line, count=1).rstrip() for line in lines).strip("\n").strip()


def constant(match, doc):
    """The value of a #define that is a number, else nothing."""
    value = match["value"].strip()
    if value == "UINT64_MAX":
        return Constant(match["name"], 2**64 - 1, True, doc)
    number = re.fullmatch(r"\(?(-?\d+)(u?)\)?", value)
    return Constant(match["name"], int(number[1]), bool(number[2]), doc) if number else None


def read(text):
    """Everything in the header that another language needs."""
    out = Header([], [], [])
    initials = {}
    # Comments within declarations are of no use here, and those of one field stay with the header.
    declaration = re.compile(
        r"(?P<comment>/\*.*?\*/)"
        r"|typedef struct (?P<struct>\w+) \{(?P<fields>.*?)\n\} \w+;"
        r"|WEIR_API(?P<function>[^;]*);"
        r"|#define (?P<name>\w+)(?P<arguments>\([^)]*\))?(?P<value>(?:\\\n|[^\n])*)", re.S)
    doc, end = "", 0
    for match in declaration.finditer(text):
        if match["comment"]:
            doc, end = plain(match["comment"]), match.end()
            continue
        # A comment belongs to what stands right below it.
        above = doc if text[end:match.start()].strip() == "" and text[end:match.start()].count("\n") == 1 else ""
        if match["struct"]:
            body = re.sub(r"/\*.*?\*/", "", match["fields"], flags=re.S)
            fields = [Reader(line).declaration() for line in body.split(";") if line.strip()]
            out.structs.append(Struct(match["struct"], fields, above))
        elif match["function"]:
            reader = Reader(match["function"])
            result = reader.base()
            out.functions.append(Function(reader.take(), result, reader.parameters(), above))
        elif match["name"].endswith("_INIT"):
            value = re.sub(r"/\*.*?\*/", "", match["value"].replace("\\\n", ""), flags=re.S)
            initials[match["name"][:-len("_INIT")].lower()] = Reader(value).initial()
        elif not match["arguments"]:
            value = re.sub(r"/\*.*?(\*/|$)", "", match["value"], flags=re.S)
            found = constant({"name": match["name"], "value": value}, above)
            if found:
                out.constants.append(found)
    for struct in out.structs:
        struct.initial = initials.pop(struct.name, None)
    if initials:
        raise ValueError(f"no struct for {', '.join(initials)}")
    return out
