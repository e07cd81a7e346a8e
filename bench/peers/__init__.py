"""What bench/compare is made of: rows, the systems that run them, the processes, the page."""
