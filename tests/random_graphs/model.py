"""The model: what a document gives, computed from its tree row by row.

    World(folder)                  what its files are looked up in
    lines, complete = run(tree, World(…), limit)

Written from the notation's definition and tf.data's kernels, in integers, floats and lists of Python.
"""

import functions
import pipelines
from functions import number
from pipelines import AUTO_CYCLE, END, Dataset, Error, World
from shuffling import seeds_of
from structures import Inference, bind
from syntax import arguments_of
from values import (DTYPES, Failed, Open, Tensor, Unknown, float_of_int, is_integer, map_leaves, scalar, settle,
                    value_text, wrap)


class Function:
    """A lambda and the variables that it sees."""

    def __init__(self, evaluator, node, variables):
        self.evaluator = evaluator
        self.parameters = node.value
        self.body = node.items[0]
        self.variables = variables

    def bound(self, *arguments):
        """The variables of a call: several arguments are taken apart by a tuple of patterns."""
        pattern = self.parameters
        return self.variables | bind(pattern, arguments[0] if len(arguments) == 1 else arguments, {})

    def bind_structures(self, structures):
        return bind(self.parameters, structures[0] if len(structures) == 1 else tuple(structures), {})

    def __call__(self, *arguments):
        world = self.evaluator.world
        world.calls.append(world.shuffles)
        try:
            return self.evaluator.value(self.body, self.bound(*arguments))
        finally:
            world.calls.pop()

    def written_out(self, *arguments):
        """As a `let` of the document's own is called: its text stands in place of the call."""
        return self.evaluator.value(self.body, self.bound(*arguments))

    def of_rows(self):
        """For a transformation: what it gives is no literal."""
        return lambda *arguments: settle(self(*arguments))


class Evaluator:
    """Expressions to values: tensors, tuples, dicts, Datasets and Functions."""

    def __init__(self, world):
        self.world = world
        self.inference = Inference(SOURCES, TRANSFORMATIONS)

    def value(self, node, variables):
        self.world.step()
        return getattr(self, "_" + node.kind)(node, variables)

    # ---- Literals and names ----

    def _integer(self, node, _):
        return Tensor("int64", (), [node.value], literal=True)

    def _float(self, node, _):
        return Tensor("float32", (), [node.value], literal=True)

    def _string(self, node, _):
        return Tensor("string", (), [node.value], literal=True)

    def _boolean(self, node, _):
        return Tensor("bool", (), [node.value], literal=True)

    def _none(self, node, _):
        return None

    def _dtype(self, node, _):
        return node.value

    def _spec(self, node, _):
        return node.value

    def _name(self, node, variables):
        if node.value not in variables:
            raise Unknown(f"the name {node.value}")
        value = variables[node.value]
        if isinstance(value, Failed):
            raise value
        return value

    # ---- Structure ----

    def _list(self, node, variables):
        if not node.items:
            return Tensor("float32", (0,), [], literal=True)
        return functions.list_of([self.value(item, variables) for item in node.items])

    def _tuple(self, node, variables):
        return tuple(self.value(item, variables) for item in node.items)

    def _dict(self, node, variables):
        return {key: self.value(item, variables) for key, item in zip(node.value, node.items)}

    def _member(self, node, variables):
        owner = self.value(node.items[0], variables)
        if not isinstance(owner, (tuple, dict)):
            raise Unknown("a member of a tensor")
        return owner[node.value]

    def _lambda(self, node, variables):
        return Function(self, node, variables)

    # ---- Operators ----

    def _binary(self, node, variables):
        a, b = (self.value(item, variables) for item in node.items)
        return functions.operate(node.value, a, b)

    def _unary(self, node, variables):
        x = self.value(node.items[0], variables)
        return functions.elementwise(lambda entry: not entry, "bool", x) if node.value == "not" \
            else functions.negate(x)

    def _if(self, node, variables):
        condition = self.value(node.items[0], variables)
        if condition.shape != () or condition.dtype != "bool":
            raise Unknown("a condition that is no bool")
        out = settle(self.value(node.items[1 if condition.data[0] else 2], variables))
        if condition.data[0] or isinstance(out, (Tensor, Dataset)):
            return out
        # The first branch says the order of the keys.
        structure = self.inference.of(node.items[1], variables)
        return map_leaves(lambda _, leaf: leaf, structure, out)

    def _let(self, node, variables):
        value = self.value(node.items[0], variables)
        return self.value(node.items[1], variables | {node.value: value})

    def _index(self, node, variables):
        x = self.value(node.items[0], variables)
        return functions.index(x, [self.place(item, variables) for item in node.items[1:]])

    def place(self, node, variables):
        if node.kind == "ellipsis":
            return functions.ELLIPSIS
        if node.kind == "newaxis":
            return functions.NEWAXIS
        if node.kind == "slice":
            items = iter(node.items)
            return tuple(number(self.value(next(items), variables)) if given else None for given in node.value)
        return number(self.value(node, variables))

    # ---- Calls ----

    def _call(self, node, variables):
        word = node.value[0]
        positional, named = arguments_of(node)
        own = variables.get(word)
        if isinstance(own, Function):
            if named:
                raise Unknown("named arguments of a function of the document")
            return own.written_out(*(self.value(item, variables) for item in positional))
        if word == "random_uniform":
            # Any number will do: which one is drawn is the library's own affair.
            self.world.drawn = True
            return scalar("int64", 0)
        if word not in SOURCES and word not in DTYPES and word not in functions.FUNCTIONS:
            raise Unknown(f"the function {word}")
        if word == "empty":
            positional = [None]
        # What is joined may differ in shape: it is no tensor yet.
        parts = word in ("concat", "stack", "string_join") and positional[0].kind == "list"
        positional = [None if item is None
                      else [self.value(part, variables) for part in item.items] if parts and item is positional[0]
                      else self.value(item, variables) for item in positional]
        named = {key: self.value(item, variables) for key, item in named.items()}
        if word in SOURCES:
            dataset = SOURCES[word](self.world, *positional, **named)
            dataset.structure = lambda: self.inference.of(node, variables).element
            return dataset
        if word in DTYPES:
            return functions.cast(*positional, word)
        return functions.FUNCTIONS[word](*positional, **named)

    def _pipe(self, node, variables):
        word = node.value[0]
        own = variables.get(word)
        if word not in TRANSFORMATIONS and not isinstance(own, Function):
            raise Unknown(f"the transformation {word}")
        source = self.value(node.items[0], variables)
        positional, named = arguments_of(node)
        positional = [self.value(item, variables) for item in positional]
        named = {key: self.value(item, variables) for key, item in named.items()}
        if isinstance(own, Function):
            return own.written_out(source, *positional)
        if not isinstance(source, Dataset):
            raise Unknown("a pipe after what is no dataset")
        out = TRANSFORMATIONS[word](self.world, source, *positional, **named)
        if isinstance(out, Dataset):
            out.structure = lambda: self.inference.of(node, variables).element
        return out


# ---- Sources and transformations: their arguments ----------------------------------------------------------------


def _range(world, *bounds, start=None, stop=None, step=None, dtype="int64"):
    numbers = [number(bound) for bound in bounds]
    numbers = [0, *numbers] if len(numbers) == 1 else numbers
    first = numbers[0] if numbers else number(start) if start else 0
    last = numbers[1] if len(numbers) > 1 else number(stop)
    by = numbers[2] if len(numbers) > 2 else number(step) if step else 1
    convert = (lambda value: wrap(dtype, value)) if is_integer(dtype) else lambda value: float_of_int(dtype, value)
    return pipelines.range_of(world, first, last, by, lambda value: scalar(dtype, convert(value)))


def _from_tensors(world, value):
    value = settle(value)
    return pipelines.values(world, lambda: [value])


def _from_tensor_slices(world, value):
    return pipelines.from_tensor_slices(world, settle(value))


def _empty(world, _):
    return pipelines.values(world, lambda: [])


def _zip(world, *datasets):
    structure = datasets[0] if not isinstance(datasets[0], Dataset) else datasets
    return pipelines.zip_of(world, structure)


def _pair(seed):
    """`seed: n` and `seed: (a, b)` as the pair that kernels receive."""
    if seed is None:
        raise Unknown("a drawn seed")
    return seeds_of(tuple(map(number, seed)) if isinstance(seed, tuple) else number(seed))


def _list_files(world, pattern, shuffle=None, seed=None):
    shuffled = shuffle is None or shuffle.data[0]
    return pipelines.list_files(world, [entry.decode() for entry in pattern.data], shuffled,
                                _pair(seed) if shuffled else None)


def _tfrecord(world, files, compression=None, num_parallel_reads=None, on_corrupt=None):
    if on_corrupt is not None:
        raise Unknown("on_corrupt")
    if isinstance(files, Tensor):
        files = pipelines.values(world, lambda entries=files.data: (scalar("string", entry) for entry in entries))
    return pipelines.tfrecord(world, files, compression.data[0].decode() if compression else "",
                              number(num_parallel_reads) if num_parallel_reads else 1)


def _map(world, source, f, num_parallel_calls=None, deterministic=None):
    return pipelines.map_of(world, source, f.of_rows())


def _interleave(world, source, f, cycle_length=None, block_length=None, num_parallel_calls=None, deterministic=None):
    cycle = AUTO_CYCLE if cycle_length is None else number(cycle_length)
    block = 1 if block_length is None else number(block_length)
    if cycle < 1 or block < 1:
        raise Failed
    return pipelines.interleave(world, source, f, cycle, block)


def _batch(world, source, n, drop_remainder=None, num_parallel_calls=None):
    if number(n) < 1:
        raise Failed
    return pipelines.batch(world, source, number(n), drop_remainder is not None and drop_remainder.data[0])


def _shuffle(world, source, buffer_size, seed=None, reshuffle_each_iteration=None):
    if number(buffer_size) < 1:
        raise Failed
    reshuffle = reshuffle_each_iteration is None or reshuffle_each_iteration.data[0]
    return pipelines.shuffle_of(world, source, number(buffer_size), _pair(seed), reshuffle)


def _reduce(world, source, initial, f):
    return pipelines.reduce(source, settle(initial), f.of_rows())


SOURCES = {"range": _range, "from_tensors": _from_tensors, "from_tensor_slices": _from_tensor_slices,
           "empty": _empty, "zip": _zip, "list_files": _list_files, "tfrecord": _tfrecord}
TRANSFORMATIONS = {
    "map": _map,
    "filter": lambda world, source, f: pipelines.filter_of(world, source, f.of_rows()),
    "flat_map": lambda world, source, f: pipelines.interleave(world, source, f, 1, 1),
    "interleave": _interleave,
    "concatenate": lambda world, source, other: pipelines.concatenate(world, source, other),
    "enumerate": lambda world, source, start=None: pipelines.enumerate_of(world, source, number(start) if start else 0),
    "take": lambda world, source, n: pipelines.take(world, source, number(n)),
    "skip": lambda world, source, n: pipelines.skip(world, source, number(n)),
    "repeat": lambda world, source, count=None: pipelines.repeat(world, source, number(count) if count else -1),
    "shuffle": _shuffle,
    "batch": _batch,
    "ignore_errors": lambda world, source, log=None: pipelines.ignore_errors(world, source),
    "prefetch": lambda world, source, n: pipelines.passing(world, source),
    "reduce": _reduce,
}


# ---- Documents ---------------------------------------------------------------------------------------------------


class Document:
    """A document that is built once and may be iterated several times, counting on its epochs."""

    def __init__(self, tree, world):
        self.evaluator = Evaluator(world)
        self.variables = {}
        for word, item in zip(tree.value, tree.items):
            self.variables = self.variables | {word: self.let(item)}
        self.root = tree.items[-1]
        # A terminal computes its one element at each iteration.
        self.terminal = self.root.kind == "pipe" and self.root.value[0] == "reduce"
        self.dataset = None if self.terminal else self.evaluator.value(self.root, self.variables)

    def let(self, node):
        """What is computed may fail: each use of it does, then."""
        try:
            return self.evaluator.value(node, self.variables)
        except Failed as failure:
            return failure

    def lines(self, limit):
        """Up to `limit` printed rows, and "end" where there are no more."""
        if self.terminal:
            value = pipelines.call(self.evaluator.value, self.root, self.variables)
            return [_line(value), "end"][:limit]
        rows, out = self.dataset.open(), []
        while len(out) < limit:
            row = rows.next()
            if row is END:
                out.append("end")
                break
            out.append(_line(row))
        return out


def _line(row):
    if isinstance(row, Error):
        return f"error: {row.code}"
    try:
        return value_text(row)
    except Failed as failure:
        return f"error: {failure.code}"


def run(tree, folder=".", limit=1000, again=0):
    """The lines of a document, and those of a second iteration that follows `again` rows of a first one.

    Raises Failed where it does not build, Open where the notation leaves its rows open.
    """
    results = []
    for guess in range(3):
        world = World(folder, guess=guess)
        lines = Document(tree, world).lines(limit)
        second = lines
        if world.shuffles:
            document = Document(tree, World(folder, guess=guess))
            document.lines(again)
            second = document.lines(limit)
        if world.drawn:
            raise Open
        results.append((lines, second))
        if not world.guessed:
            break
    if any(result != results[0] for result in results):
        raise Open
    return results[0]
