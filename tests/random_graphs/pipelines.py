"""The operators of the model, one row at a time.

A Dataset opens Rows; their next() gives an element, an Error or END. Opening follows tf.data's kernels: all but shuffle
open their inputs when they are opened themselves, shuffle at its first row; concatenate opens the second one when the
first has ended, flat_map and interleave open what their function gives. A shuffle takes its seeds when it is opened.
"""

import glob

import records
from shuffling import Samples, SeedGenerator
from values import Failed, Unknown, map_leaves, scalar, slices, stack, value_text

END = object()
AUTO_CYCLE = 8


class Error:
    __slots__ = ("code",)

    def __init__(self, code):
        self.code = code


class World:
    """What all pipelines of one run share."""

    def __init__(self, folder=".", steps=10000, guess=0):
        self.folder = folder
        # Rows that may be made before the document counts as endless.
        self.steps = steps
        # How to order what the notation leaves open: a document whose rows depend on it has no expectation.
        self.guess = guess
        # Set where that was asked, and where a number was drawn.
        self.guessed = False
        self.drawn = False
        # For each terminal that is being computed, the seeds of the shuffles that it opens.
        self.drains = []
        # How many shuffles there are, and for each call of a function how many there were before it.
        self.shuffles = 0
        self.calls = []

    def step(self):
        self.steps -= 1
        if self.steps < 0:
            raise Unknown("too many rows")


class Dataset:
    """`open` gives new Rows; `structure`, a function too, says how an element is built: see structures.py."""

    def __init__(self, world, open_rows, structure=None):
        self.world = world
        self.open = open_rows
        self.structure = structure

    def printed(self):
        return "dataset([" + ", ".join(map(value_text, drain(self))) + "])"


def drain(dataset):
    """All elements; an error is that of the whole."""
    world = dataset.world
    world.drains.append({})
    try:
        rows, out = dataset.open(), []
        while (row := rows.next()) is not END:
            if isinstance(row, Error):
                raise Failed(row.code)
            out.append(row)
        return out
    finally:
        world.drains.pop()


class Rows:
    """An open dataset with one input, by default one that passes its rows on."""

    def __init__(self, world, source):
        self.world = world
        self.source = source.open()

    def next(self):
        self.world.step()
        return self.source.next()


def operator(rows):
    """Makes of a class of Rows a function (world, inputs and parameters …) -> Dataset."""
    def make(world, *arguments):
        return Dataset(world, lambda: rows(world, *arguments))
    return make


def call(function, *arguments):
    """What a function returns for a row: a value or an Error."""
    try:
        return function(*arguments)
    except Failed as failure:
        return Error(failure.code)


# ---- Sources -----------------------------------------------------------------------------------------------------


class _Values(Rows):
    """Values and Errors, made one by one by a generator."""

    def __init__(self, world, values):
        self.world = world
        self.values = iter(values())

    def next(self):
        self.world.step()
        return next(self.values, END)


values = operator(_Values)


def range_of(world, start, stop, step, convert):
    if step == 0:
        raise Failed
    return values(world, lambda: map(convert, range(start, stop, step)))


def from_tensor_slices(world, value):
    members = []

    def collect(leaf):
        if not leaf.shape:
            raise Failed
        members.append(slices(leaf))
        return len(members) - 1

    places = map_leaves(collect, value)
    if len({len(rows) for rows in members}) != 1:
        raise Failed
    return values(world, lambda: (map_leaves(lambda place: members[place][i], places)
                                  for i in range(len(members[0]))))


def list_files(world, patterns, shuffle, seed):
    names = sorted({file.encode() for pattern in patterns for file in glob.glob(pattern, root_dir=world.folder)})
    if not names:
        raise Failed
    found = values(world, lambda: (scalar("string", file) for file in names))
    return shuffle_of(world, found, len(names), seed, True) if shuffle else found


def _records_of(world, file, compression):
    def rows():
        try:
            found, damaged = records.read(world.folder, file, compression)
        except Failed as failure:
            yield Error(failure.code)
            return
        for record in found:
            yield scalar("string", record)
        if damaged:
            yield Error("data_loss")
    return values(world, rows)


def tfrecord(world, files, compression, reads):
    def open_file(name):
        return _records_of(world, name.data[0].decode(), compression)
    return interleave(world, files, open_file, reads, 1)


class _Zip(Rows):
    def __init__(self, world, structure):
        self.world = world
        self.inputs = []

        def open_input(dataset):
            self.inputs.append(dataset.open())
            return len(self.inputs) - 1
        self.places = map_leaves(open_input, structure)

    def next(self):
        self.world.step()
        # All inputs go on, also past the one that ends.
        rows = [source.next() for source in self.inputs]
        if any(row is END for row in rows):
            return END
        for row in rows:
            if isinstance(row, Error):
                return row
        return map_leaves(lambda place: rows[place], self.places)


zip_of = operator(_Zip)


# ---- Transformations ---------------------------------------------------------------------------------------------


class _Map(Rows):
    def __init__(self, world, source, function):
        super().__init__(world, source)
        self.function = function

    def next(self):
        row = super().next()
        return row if row is END or isinstance(row, Error) else call(self.function, row)


class _Filter(_Map):
    def next(self):
        while True:
            row = Rows.next(self)
            if row is END or isinstance(row, Error):
                return row
            verdict = call(self.function, row)
            if isinstance(verdict, Error):
                return verdict
            if verdict.shape:
                return Error("invalid_argument")
            if verdict.data[0]:
                return row


class _Interleave(Rows):
    def __init__(self, world, source, function, cycle_length, block_length):
        super().__init__(world, source)
        self.function = function
        self.block_length = block_length
        self.slots = [None] * cycle_length
        self.slot = 0
        self.given = 0
        self.ended = False

    def advance(self):
        self.slot = (self.slot + 1) % len(self.slots)
        self.given = 0

    def next(self):
        while not self.ended or any(self.slots):
            self.world.step()
            if self.slots[self.slot]:
                row = self.slots[self.slot].next()
                if isinstance(row, Error):
                    return row
                if row is END:
                    self.slots[self.slot] = None
                    self.advance()
                    continue
                self.given += 1
                if self.given == self.block_length:
                    self.advance()
                return row
            if self.ended:
                self.advance()
                continue
            row = self.source.next()
            if row is END:
                self.ended = True
                continue
            inner = row if isinstance(row, Error) else call(self.function, row)
            if isinstance(inner, Error):
                return inner
            opened = call(inner.open)
            if isinstance(opened, Error):
                return opened
            self.slots[self.slot] = opened
        return END


class _Concatenate(Rows):
    def __init__(self, world, source, other):
        super().__init__(world, source)
        self.other = other
        self.structure = None
        self.first = source

    def next(self):
        row = super().next()
        if row is END and self.other is not None:
            self.source, self.other = self.other.open(), None
            self.structure = self.first.structure()
            row = self.source.next()
        if self.structure is None or row is END or isinstance(row, Error):
            return row
        return map_leaves(lambda _, leaf: leaf, self.structure, row)


class _Enumerate(Rows):
    def __init__(self, world, source, start):
        super().__init__(world, source)
        self.number = start

    def next(self):
        row = super().next()
        if row is END:
            return END
        number, self.number = self.number, self.number + 1
        if isinstance(row, Error):
            return row
        return Error("out_of_range") if number >= 1 << 63 else (scalar("int64", number), row)


class _Take(Rows):
    def __init__(self, world, source, count):
        super().__init__(world, source)
        self.left = count

    def next(self):
        if self.left == 0:
            return END
        row = super().next()
        if row is not END and not isinstance(row, Error):
            self.left -= 1
        return row


class _Skip(_Take):
    def next(self):
        while True:
            row = Rows.next(self)
            if row is END or isinstance(row, Error) or self.left == 0:
                return row
            self.left -= 1


class _Nothing(Rows):
    def __init__(self, world):
        self.world = world

    def next(self):
        return END


class _Repeat(Rows):
    def __init__(self, world, source, count):
        super().__init__(world, source)
        self.again = source
        self.left = count

    def next(self):
        while self.left > 0:
            row = super().next()
            if row is not END:
                return row
            # The input of the next epoch is opened before the count is looked at.
            self.left -= 1
            self.source = self.again.open()
        return END


class _Endless(Rows):
    def __init__(self, world, source):
        super().__init__(world, source)
        self.again = source
        self.gave = False
        self.ended = False

    def next(self):
        while not self.ended:
            row = super().next()
            if row is not END:
                self.gave = self.gave or not isinstance(row, Error)
                return row
            # An input that gives nothing would be opened for ever.
            self.ended = not self.gave
            if self.gave:
                self.source, self.gave = self.again.open(), False
        return END


class _Shuffle(Rows):
    def __init__(self, world, dataset):
        self.world = world
        self.dataset = dataset
        self.samples = Samples(dataset.take_seeds())
        self.source = None
        self.ended = False
        self.buffer = []

    def next(self):
        self.source = self.source or self.dataset.source.open()
        while not self.ended and len(self.buffer) < self.dataset.size:
            row = super().next()
            if isinstance(row, Error):
                return row
            if row is END:
                self.ended = True
            else:
                self.buffer.append(row)
        if not self.buffer:
            return END
        place = next(self.samples) % len(self.buffer)
        row, self.buffer[place] = self.buffer[place], self.buffer[0]
        self.buffer.pop(0)
        return row


class _ShuffleDataset(Dataset):
    def __init__(self, world, source, size, seed, reshuffle):
        super().__init__(world, lambda: _Shuffle(world, self))
        self.source = source
        self.size = size
        self.seeds = SeedGenerator(seed, reshuffle)
        world.shuffles += 1
        self.number = world.shuffles

    def take_seeds(self):
        world = self.world
        if not world.drains:
            return next(self.seeds)
        # What a terminal drains of a dataset that others use too has an order that nothing fixes.
        world.guessed = True
        if world.guess == 1:
            return next(self.seeds)
        seeds = world.drains[-1].get(self.number)
        if seeds is None:
            seeds = world.drains[-1][self.number] = self.seeds.anew()
            if world.guess == 2 and world.calls and self.number <= world.calls[-1]:
                next(seeds)
                next(seeds)
        return next(seeds)


class _Batch(Rows):
    def __init__(self, world, source, size, drop_remainder):
        super().__init__(world, source)
        self.size = size
        self.drop_remainder = drop_remainder
        self.ended = False

    def next(self):
        gathered = []
        while len(gathered) < self.size and not self.ended:
            row = super().next()
            if isinstance(row, Error):
                return row
            if row is END:
                self.ended = True
            else:
                gathered.append(row)
        if not gathered or (len(gathered) < self.size and self.drop_remainder):
            return END
        return call(map_leaves, lambda *entries: stack(entries), *gathered)


class _IgnoreErrors(Rows):
    def next(self):
        while isinstance(row := super().next(), Error):
            pass
        return row


map_of = operator(_Map)
filter_of = operator(_Filter)
interleave = operator(_Interleave)
enumerate_of = operator(_Enumerate)
ignore_errors = operator(_IgnoreErrors)
batch = operator(_Batch)
passing = operator(Rows)
_take, _skip, _repeat, _endless = map(operator, (_Take, _Skip, _Repeat, _Endless))
concatenate, _nothing = operator(_Concatenate), operator(_Nothing)


def take(world, source, count):
    return _nothing(world) if count == 0 else _take(world, source, count)


def skip(world, source, count):
    return _nothing(world) if count < 0 else _skip(world, source, count)


def repeat(world, source, count):
    return _nothing(world) if count == 0 else _endless(world, source) if count < 0 else _repeat(world, source, count)


def shuffle_of(world, source, size, seed, reshuffle):
    return _ShuffleDataset(world, source, size, seed, reshuffle)


def reduce(dataset, state, function):
    world = dataset.world
    world.drains.append({})
    try:
        rows = dataset.open()
        while (row := rows.next()) is not END:
            if isinstance(row, Error):
                raise Failed(row.code)
            state = map_leaves(lambda _, new: new, state, function(state, row))
        return state
    finally:
        world.drains.pop()
