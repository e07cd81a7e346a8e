"""Programs that are killed with SIGKILL while they run, for tests of what they leave behind."""

import pathlib
import signal
import socket
import subprocess
import sys


def live_together(commands, line_count, moment=0, errors=None):
    """Runs all commands until they have printed `line_count` lines together, and kills them `moment` turns of an empty
    loop later, the last one first. Returns whether one of them was killed, and the lines. Standard error goes to the file
    `errors`, if there is one."""
    reader, writer = socket.socketpair()
    # Holds only a few lines, so that no life gets far ahead.
    writer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
    processes = [subprocess.Popen(command, stdout=writer, stderr=errors) for command in commands]
    writer.close()
    lines = []
    with reader, reader.makefile() as out:
        while len(lines) < line_count and (line := out.readline()):
            lines.append(line)
        if len(lines) == line_count:
            for _ in range(moment):
                pass
            for process in reversed(processes):
                process.send_signal(signal.SIGKILL)
        statuses = [process.wait() for process in processes]
        lines += out.readlines()
    for status, command in zip(statuses, commands):
        if status not in (0, -signal.SIGKILL):
            said = pathlib.Path(errors.name).read_text(errors="replace") if errors else ""
            sys.exit(f"expected a run that ends well or is killed, found status {status}: {' '.join(command)}\n{said}")
    return any(statuses), lines


def live(command, line_count, moment=0, errors=None):
    """The same for one command."""
    return live_together([command], line_count, moment, errors)
