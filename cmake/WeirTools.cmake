# Targets that are run by hand.
