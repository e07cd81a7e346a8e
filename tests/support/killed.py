"""A program that is killed with SIGKILL while it runs, for tests of what it leaves behind."""

import signal
import socket
import subprocess
import sys


def live(command, line_count, moment=0, errors=None):
    """Runs `command` until it has printed `line_count` lines, and kills it `moment` turns of an empty loop later. Yields
    whether it was killed, and the lines. Standard error goes to the file `errors`, if there is one."""
    reader, writer = socket.socketpair()
    # Holds only a few lines, so that no life gets far ahead.
    writer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
    process = subprocess.Popen(command, stdout=writer, stderr=errors)
    writer.close()
    lines = []
    with reader, reader.makefile() as out:
        while len(lines) < line_count and (line := out.readline()):
            lines.append(line)
        if len(lines) == line_count:
            for _ in range(moment):
                pass
            process.send_signal(signal.SIGKILL)
        status = process.wait()
        lines += out.readlines()
    if status not in (0, -signal.SIGKILL):
        sys.exit(f"expected a run that ends well or is killed, found status {status}: {' '.join(command)}")
    return status != 0, lines
