"""Documents as trees, and their text.

A node has a kind, a value and items:

    integer float string boolean none   value: the literal
    name ellipsis newaxis dtype          value: the word
    list tuple                           items: members
    dict                                 value: keys; items: members
    binary unary                         value: the operator; items: operands
    if                                   items: condition, then, else
    let                                  value: the name; items: what it stands for, the expression that uses it
    call                                 value: (function, names of arguments or None); items: arguments
    pipe                                 value: (transformation, names of arguments or None); items: input, arguments
    index                                items: what is indexed, positions
    slice                                value: which of start, stop and step are given; items: those
    member                               value: a key or a position; items: whose member it is
    lambda                               value: the pattern; items: the body
    spec                                 value: its text
    document                             value: names of the lets; items: what they stand for, the pipeline

A pattern is a name, a tuple of patterns, or a dict from keys to patterns.
"""

from values import is_word, quoted


class Node:
    __slots__ = ("kind", "value", "items")

    def __init__(self, kind, value=None, items=()):
        self.kind = kind
        self.value = value
        self.items = tuple(items)

    def with_items(self, items):
        return Node(self.kind, self.value, items)

    def nodes(self):
        """This node and all below it."""
        yield self
        for item in self.items:
            yield from item.nodes()

    def __str__(self):
        return text_of(self)


def integer(value):
    return Node("unary", "-", [Node("integer", -value)]) if value < 0 else Node("integer", value)


def name(word):
    return Node("name", word)


def call(function, *arguments, **named):
    return Node("call", (function, (None,) * len(arguments) + tuple(named)), [*arguments, *named.values()])


def pipe(source, transformation, *arguments, **named):
    names = (None,) * len(arguments) + tuple(named)
    return Node("pipe", (transformation, names), [source, *arguments, *named.values()])


def binary(operator, a, b):
    return Node("binary", operator, [a, b])


def function(pattern, body):
    return Node("lambda", pattern, [body])


def arguments_of(node):
    """(positional, named) arguments of a call or a pipe, without its input."""
    items = node.items[1:] if node.kind == "pipe" else node.items
    names = node.value[1]
    positional = [item for word, item in zip(names, items) if word is None]
    return positional, {word: item for word, item in zip(names, items) if word is not None}


# ---- Text --------------------------------------------------------------------------------------------------------

# How strongly what a node stands for holds together; a weaker one stands in parentheses.
PIPE, IF, OR, AND, NOT, COMPARE, SUM, PRODUCT, MINUS, POWER, POSTFIX = range(11)
BINARY = {"or": OR, "and": AND, "+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "//": PRODUCT, "%": PRODUCT,
          "**": POWER} | dict.fromkeys(["==", "!=", "<", "<=", ">", ">="], COMPARE)


def strength(node):
    if node.kind == "pipe":
        return PIPE
    if node.kind in ("if", "let", "lambda"):
        return IF
    if node.kind == "binary":
        return BINARY[node.value]
    if node.kind == "unary":
        return NOT if node.value == "not" else MINUS
    return POSTFIX


def text_of(node, least=PIPE):
    text = _TEXT[node.kind](node)
    return f"({text})" if strength(node) < least else text


def _float(node):
    text = repr(node.value)
    return text if any(mark in text for mark in ".en") else text + ".0"


def _dict(node):
    members = []
    for key, item in zip(node.value, node.items):
        alone = item.kind == "name" and item.value == key
        members.append(key if alone else f"{_key(key)}: {text_of(item)}")
    return "{" + ", ".join(members) + "}"


def _key(key):
    return key if is_word(key) else quoted(key.encode())


def _binary(node):
    strong = BINARY[node.value]
    a, b = node.items
    # Comparisons do not chain, and powers bind to the right.
    left = strong + 1 if strong in (COMPARE, POWER) else strong
    right = MINUS if strong == POWER else strong + 1
    return f"{text_of(a, left)} {node.value} {text_of(b, right)}"


def _unary(node):
    if node.value == "not":
        return f"not {text_of(node.items[0], NOT)}"
    return f"-{text_of(node.items[0], MINUS + 1)}"


def _if(node):
    a, b, c = (text_of(item, IF) for item in node.items)
    return f"if {a} then {b} else {c}"


def _let(node):
    return f"let {node.value} = {text_of(node.items[0], IF)} in {text_of(node.items[1], IF)}"


def _arguments(names, items):
    return ", ".join(text_of(item) if word is None else f"{word}: {text_of(item)}"
                     for word, item in zip(names, items))


def _index(node):
    return f"{text_of(node.items[0], POSTFIX)}[{', '.join(map(text_of, node.items[1:]))}]"


def _slice(node):
    items = iter(node.items)
    start, stop, step = (text_of(next(items), IF) if given else "" for given in node.value)
    return f"{start}:{stop}:{step}" if node.value[2] else f"{start}:{stop}"


def _member(node):
    owner = text_of(node.items[0], POSTFIX)
    return f"{owner}.{node.value if isinstance(node.value, int) else _key(node.value)}"


def pattern_text(pattern):
    if isinstance(pattern, tuple):
        return "(" + ", ".join(map(pattern_text, pattern)) + (",)" if len(pattern) == 1 else ")")
    if isinstance(pattern, dict):
        members = [key if part == key else f"{_key(key)}: {pattern_text(part)}" for key, part in pattern.items()]
        return "{" + ", ".join(members) + "}"
    return pattern


def _document(node):
    lets = [f"let {word} = {text_of(item)}\n" for word, item in zip(node.value, node.items)]
    return "".join(lets) + text_of(node.items[-1])


_TEXT = {
    "integer": lambda node: str(node.value),
    "float": _float,
    "string": lambda node: quoted(node.value),
    "boolean": lambda node: "true" if node.value else "false",
    "none": lambda node: "none",
    "name": lambda node: node.value,
    "dtype": lambda node: node.value,
    "spec": lambda node: node.value,
    "ellipsis": lambda node: "...",
    "newaxis": lambda node: "newaxis",
    "list": lambda node: "[" + ", ".join(map(text_of, node.items)) + "]",
    "tuple": lambda node: "(" + ", ".join(map(text_of, node.items)) + (",)" if len(node.items) == 1 else ")"),
    "dict": _dict,
    "binary": _binary,
    "unary": _unary,
    "if": _if,
    "let": _let,
    "call": lambda node: f"{node.value[0]}({_arguments(node.value[1], node.items)})",
    "pipe": lambda node: (f"{text_of(node.items[0])} | "
                          f"{node.value[0]}({_arguments(node.value[1], node.items[1:])})"),
    "index": _index,
    "slice": _slice,
    "member": _member,
    "lambda": lambda node: f"{pattern_text(node.value)} -> {text_of(node.items[0])}",
    "document": _document,
}
