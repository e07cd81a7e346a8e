"""Reads the text of a document into a tree. It knows what the model knows, and raises Unknown for the rest."""

import re

from syntax import BINARY, IF, Node
from values import DTYPES, Unknown

_TOKEN = re.compile(r"""
    (?P<space> (?:\s|\#[^\n]*)+ )
  | (?P<float> \d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+) )
  | (?P<integer> 0x[0-9a-fA-F]+ | \d+ )
  | (?P<string> "(?:[^"\\]|\\.)*" )
  | (?P<word> [A-Za-z_][A-Za-z0-9_]* )
  | (?P<sign> -> | \*\* | // | == | != | <= | >= | \.\.\. | [-+*/%<>|()\[\]{}:,.=@$] )
""", re.VERBOSE)

_RESERVED = set("if then else let in or and not true false none auto inf nan newaxis param".split())


def _unescape(body):
    def one(match):
        mark = match.group(1)
        if mark[0] == "x":
            return bytes([int(mark[1:], 16)])
        if mark[0] == "u":
            return chr(int(mark[2:-1], 16)).encode()
        return {"n": b"\n", "t": b"\t", "r": b"\r", '"': b'"', "\\": b"\\"}[mark]

    out, at = b"", 0
    for match in re.finditer(r'\\(x[0-9a-fA-F]{2}|u\{[0-9a-fA-F]+\}|[ntr"\\])', body):
        out += body[at:match.start()].encode() + one(match)
        at = match.end()
    return out + body[at:].encode()


class _Parser:
    def __init__(self, text):
        self.tokens = []  # (kind, text, whether it touches the one before)
        at, touches = 0, False
        while at < len(text):
            match = _TOKEN.match(text, at)
            if not match:
                raise Unknown(f"token at {text[at:at + 20]!r}")
            at = match.end()
            if match.lastgroup == "space":
                touches = False
                continue
            self.tokens.append((match.lastgroup, match.group(), touches))
            touches = True
        self.tokens.append(("end", "", False))
        self.at = 0

    # ---- Tokens ----

    def peek(self, ahead=0):
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)][1]

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def has(self, text):
        kind, found, _ = self.tokens[self.at]
        return found == text and kind != "string"

    def take(self, text):
        if not self.has(text):
            return False
        self.at += 1
        return True

    def expect(self, text):
        if not self.take(text):
            raise Unknown(f"expected {text!r}, found {self.peek()!r}")

    def key(self):
        kind, text, _ = self.next()
        if kind not in ("word", "string"):
            raise Unknown(f"a key {text!r}")
        return _unescape(text[1:-1]).decode() if kind == "string" else text

    def until(self, closing, member):
        out = []
        while not self.take(closing):
            out.append(member())
            if not self.has(closing):
                self.expect(",")
        return out

    # ---- Documents ----

    def document(self):
        names, items = [], []
        while self.take("let"):
            names.append(self.next()[1])
            self.expect("=")
            items.append(self.argument())
        items.append(self.pipeline())
        if self.tokens[self.at][0] != "end":
            raise Unknown(f"after the pipeline: {self.peek()!r}")
        return Node("document", tuple(names), items)

    def pipeline(self):
        node = self.expression(IF)
        while self.take("|"):
            word = self.next()[1]
            names, items = self.arguments()
            node = Node("pipe", (word, names), [node, *items])
        return node

    def arguments(self):
        if not self.has("(") or not self.tokens[self.at][2]:
            raise Unknown("arguments")
        self.at += 1

        def member():
            if self.tokens[self.at][0] == "word" and self.peek(1) == ":":
                word = self.next()[1]
                self.at += 1
            else:
                word = None
            return word, self.argument()

        members = self.until(")", member)
        return tuple(word for word, _ in members), [item for _, item in members]

    def argument(self):
        start = self.at
        pattern = self.pattern()
        if pattern is not None and self.take("->"):
            return Node("lambda", pattern, [self.pipeline()])
        self.at = start
        return self.pipeline()

    def pattern(self):
        """A pattern, or None where there is none."""
        kind, text, _ = self.tokens[self.at]
        if kind == "word" and text not in _RESERVED:
            self.at += 1
            return text
        if text == "(":
            self.at += 1
            parts = []
            while not self.take(")"):
                parts.append(self.pattern())
                comma = self.take(",")
                if parts[-1] is None or (not comma and not self.has(")")):
                    return None
            return parts[0] if len(parts) == 1 and not comma else tuple(parts)
        if text == "{":
            self.at += 1
            parts = {}
            while not self.take("}"):
                if self.tokens[self.at][0] not in ("word", "string"):
                    return None
                key = self.key()
                parts[key] = self.pattern() if self.take(":") else key
                if parts[key] is None or (not self.take(",") and not self.has("}")):
                    return None
            return parts
        return None

    # ---- Expressions ----

    def expression(self, least):
        if self.take("if"):
            items = [self.expression(IF)]
            for word in ("then", "else"):
                self.expect(word)
                items.append(self.expression(IF))
            return Node("if", None, items)
        if self.take("let"):
            word = self.next()[1]
            self.expect("=")
            value = self.expression(IF)
            self.expect("in")
            return Node("let", word, [value, self.expression(IF)])
        return self.operation(BINARY["or"])

    def operation(self, strong):
        if strong == BINARY["**"]:
            return self.power()
        if strong == BINARY["and"] + 1 and self.take("not"):
            return Node("unary", "not", [self.operation(strong)])
        if strong == BINARY["**"] - 1:
            if self.take("-"):
                return Node("unary", "-", [self.operation(strong)])
            return self.power()
        node = self.operation(strong + 1)
        while BINARY.get(self.peek()) == strong and self.tokens[self.at][0] != "string":
            node = Node("binary", self.next()[1], [node, self.operation(strong + 1)])
        return node

    def power(self):
        node = self.postfix()
        if self.take("**"):
            node = Node("binary", "**", [node, self.operation(BINARY["**"] - 1)])
        return node

    def postfix(self):
        node = self.primary()
        while True:
            kind, text, touches = self.tokens[self.at]
            if text == "[" and touches and kind == "sign":
                self.at += 1
                node = Node("index", None, [node, *self.until("]", self.place)])
            elif text == "." and kind == "sign":
                self.at += 1
                kind, text, _ = self.tokens[self.at]
                if kind == "float":  # x.0.1
                    self.at += 1
                    for part in text.split("."):
                        node = Node("member", int(part), [node])
                elif kind == "integer":
                    self.at += 1
                    node = Node("member", int(text), [node])
                else:
                    node = Node("member", self.key(), [node])
            else:
                return node

    def place(self):
        if self.take("..."):
            return Node("ellipsis")
        if self.take("newaxis"):
            return Node("newaxis")
        given, items = [], []
        for part in range(3):
            if part and not self.take(":"):
                break
            bare = self.has(":") or self.has(",") or self.has("]")
            given.append(not bare)
            if not bare:
                items.append(self.pipeline())
        if len(given) == 1:
            return items[0]
        return Node("slice", tuple(given + [False] * (3 - len(given))), items)

    def primary(self):
        kind, text, _ = self.next()
        if kind == "integer":
            return Node("integer", int(text, 0))
        if kind == "float" or text in ("inf", "nan"):
            return Node("float", float(text))
        if kind == "string":
            return Node("string", _unescape(text[1:-1]))
        if text in ("true", "false"):
            return Node("boolean", text == "true")
        if text in ("none", "auto"):
            return Node("none")
        if text == "[":
            return Node("list", None, self.until("]", self.pipeline))
        if text == "{":
            return self.dict()
        if text == "(":
            start = self.at
            items = self.until(")", self.pipeline)
            grouped = len(items) == 1 and self.tokens[self.at - 2][1] != ","
            return items[0] if grouped and self.at > start else Node("tuple", None, items)
        if kind != "word" or text in _RESERVED:
            raise Unknown(f"an expression that begins with {text!r}")
        if self.has("(") and self.tokens[self.at][2]:
            names, items = self.arguments()
            return Node("call", (text, names), items)
        return Node("dtype", text) if text in DTYPES else Node("name", text)

    def dict(self):
        keys = []

        def member():
            alone = self.tokens[self.at][0] == "word"
            keys.append(self.key())
            if self.take(":"):
                return self.pipeline()
            if not alone:
                raise Unknown("a quoted key alone")
            return Node("name", keys[-1])

        items = self.until("}", member)
        return Node("dict", tuple(keys), items)


def parse(text):
    return _Parser(text).document()
