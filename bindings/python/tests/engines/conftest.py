"""What the tests of engines share."""

import weir

# Elements of all kinds that have Arrow columns, out of an x.
ELEMENT = (
    "{x, text: as_string(x), yes: x % 3 == 0, rows: [[float32(x), 0.5], [1.0, 2.0]], "
    "words: string_split(as_string(x * x), \"4\"), pair: (x * 2, {half: float16(x % 5)})}"
)


def document(number, inner=f"shuffle(50, seed: 7) | map(x -> {ELEMENT})", source="range(1000)"):
    """A document with so many parts."""
    return f"{source} | partition({number}, p -> p | {inner})"


def digest_of(elements, spec):
    """The digest of elements that come from an iterator."""
    return weir.digest(weir.from_generator(lambda: elements, str(spec)))
