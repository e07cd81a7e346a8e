"""All rows, in the order of the table."""

from peers.row import Rows
from peers.rows import arrays, images, many, numbers, parallel, positions, records, sequences, starting, text, training

ALL = Rows()
for part in (numbers, arrays, records, text, sequences, images, parallel, starting, positions, many, training):
    part.add_to(ALL)
