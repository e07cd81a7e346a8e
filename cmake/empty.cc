// A library needs a file of its own; all others come from the floors.
