"""Makes a document smaller while something stays true of it."""

from syntax import Node, call, integer, name

_SMALL = {"integer": Node("integer", 1), "float": Node("float", 1.0), "string": Node("string", b"")}


def _replaced(node, path, new):
    if not path:
        return new
    items = list(node.items)
    items[path[0]] = _replaced(items[path[0]], path[1:], new)
    return node.with_items(items)


def _paths(node, path=()):
    yield path, node
    for i, item in enumerate(node.items):
        yield from _paths(item, (*path, i))


def _without(node, i):
    """A call, list, tuple, dict or document without one of its items."""
    items = node.items[:i] + node.items[i + 1:]
    if node.kind in ("call", "pipe"):
        at = i - (node.kind == "pipe")
        word, names = node.value
        return Node(node.kind, (word, names[:at] + names[at + 1:]), items)
    if node.kind in ("dict", "document"):
        return Node(node.kind, node.value[:i] + node.value[i + 1:], items)
    return node.with_items(items)


def _simpler(node):
    """What may stand in place of a node."""
    if node.kind == "document":
        for i in range(len(node.items) - 1):
            yield _without(node, i)
        return
    if node.kind == "lambda":
        names = [node.value] if isinstance(node.value, str) else []
        for word in names:
            yield node.with_items([name(word)])
        return
    if node.kind == "pipe":
        yield node.items[0]
        yield call("range", integer(2))
        yield call("range", integer(5))
        body = node.items[1] if len(node.items) > 1 else None
        if body is not None and body.kind == "lambda":
            yield body.items[0]
    elif node.kind in _SMALL and node.value != _SMALL[node.kind].value:
        if node.kind == "integer":
            for smaller in (0, 1, 2, node.value // 2, node.value - 1):
                if smaller < node.value:
                    yield integer(smaller)
        yield _SMALL[node.kind]
    else:
        yield from (item for item in node.items if item.kind not in ("lambda", "slice", "ellipsis", "newaxis"))
        if node.kind in ("call", "binary", "unary", "if", "let", "index", "member"):
            yield integer(1)
            yield Node("boolean", True)
    if node.kind in ("list", "tuple", "dict", "call", "pipe"):
        first = 1 if node.kind == "pipe" else 0
        for i in range(first, len(node.items)):
            yield _without(node, i)


def shrink(tree, still, tries=5000):
    """The smallest document found of which still(document) is true."""
    again = True
    while again:
        again = False
        # Large parts first.
        for path, node in sorted(_paths(tree), key=lambda place: -len(str(place[1]))):
            for new in _simpler(node):
                candidate = _replaced(tree, path, new)
                if len(str(candidate)) >= len(str(tree)):
                    continue
                tries -= 1
                if tries < 0:
                    return tree
                if still(candidate):
                    tree, again = candidate, True
                    break
            if again:
                break
    return tree
