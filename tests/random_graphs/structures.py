"""How the value of an expression is built, without computing it: which order its keys have where no row says so.

A structure is a tuple or dict of structures, Nested(structure of an element) for a dataset, or None for a tensor.
"""

from values import Tensor, Unknown


class Nested:
    def __init__(self, element):
        self.element = element


def structure_of_value(value):
    if isinstance(value, tuple):
        return tuple(map(structure_of_value, value))
    if isinstance(value, dict):
        return {key: structure_of_value(member) for key, member in value.items()}
    if value is None or isinstance(value, (Tensor, Nested)):
        return value if isinstance(value, Nested) else None
    return Nested(value.structure()) if hasattr(value, "structure") else value


def bind(pattern, structure, names):
    """The names of a pattern, and what they stand for."""
    if isinstance(pattern, tuple):
        if not isinstance(structure, tuple) or len(structure) != len(pattern):
            raise Unknown("a pattern that does not fit")
        for part, member in zip(pattern, structure):
            bind(part, member, names)
    elif isinstance(pattern, dict):
        for key, part in pattern.items():
            if not isinstance(structure, dict) or key not in structure:
                raise Unknown("a pattern that does not fit")
            bind(part, structure[key], names)
    elif pattern != "_":
        names[pattern] = structure
    return names


class Inference:
    """Structures of expressions; `variables` maps names to values or structures."""

    def __init__(self, sources, transformations):
        self.sources = sources
        self.transformations = transformations

    def of(self, node, variables):
        kind = node.kind
        if kind == "name":
            return structure_of_value(variables[node.value])
        if kind == "tuple":
            return tuple(self.of(item, variables) for item in node.items)
        if kind == "dict":
            return {key: self.of(item, variables) for key, item in zip(node.value, node.items)}
        if kind == "if":
            return self.of(node.items[1], variables)
        if kind == "let":
            return self.of(node.items[1], variables | {node.value: self.of(node.items[0], variables)})
        if kind == "member":
            return self.of(node.items[0], variables)[node.value]
        if kind == "call":
            return self.of_call(node, variables)
        if kind == "pipe":
            return self.of_pipe(node, variables)
        return None

    def of_function(self, node, structure, variables):
        """Of what a lambda gives for an element."""
        return self.of(node.items[0], variables | bind(node.value, structure, {}))

    def of_call(self, node, variables):
        word = node.value[0]
        own = variables.get(word)
        if own is not None and hasattr(own, "parameters"):
            structures = [self.of(item, variables) for item in node.items]
            return self.of(own.body, own.variables | own.bind_structures(structures))
        if word == "assert":
            return self.of(node.items[2], variables)
        if word == "zip":
            structures = tuple(self.of(item, variables) for item in node.items)
            return Nested(elements(structures[0] if not isinstance(structures[0], Nested) else structures))
        if word in ("from_tensors", "from_tensor_slices", "empty"):
            return Nested(self.of(node.items[0], variables))
        return Nested(None) if word in self.sources else None

    def of_pipe(self, node, variables):
        word = node.value[0]
        source = self.of(node.items[0], variables)
        own = variables.get(word)
        if own is not None and hasattr(own, "parameters"):
            structures = [source] + [self.of(item, variables) for item in node.items[1:]]
            return self.of(own.body, own.variables | own.bind_structures(structures))
        if word == "reduce":
            return self.of(node.items[1], variables)
        if word == "enumerate":
            return Nested((None, source.element))
        if word == "map":
            return Nested(self.of_function(node.items[1], source.element, variables))
        if word in ("flat_map", "interleave"):
            return self.of_function(node.items[1], source.element, variables)
        return source


def elements(structure):
    """Of an element of zip."""
    if isinstance(structure, tuple):
        return tuple(map(elements, structure))
    if isinstance(structure, dict):
        return {key: elements(member) for key, member in structure.items()}
    return structure.element
