"""All rows, in the order of the table."""

from peers.row import Rows
from peers.rows import arrays, images, numbers, parallel, records, text

ALL = Rows()
for part in (numbers, arrays, records, text, images, parallel):
    part.add_to(ALL)
