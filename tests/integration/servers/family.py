"""A sound server on stdio with relatives.

    family.py orphan    starts a helper through a shell that ends, so that the helper is an orphan;
                        ends by itself when its input does, and leaves the helper behind
    family.py stubborn  ignores every polite signal and the end of its input, and so does the daemon
                        that it forks twice into a session of its own
"""

import os
import signal
import subprocess
import sys
import time

import mcp

HELPER = "sleep 3599"


def ignore_signals():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)


def sleep_for_ever():
    while True:
        time.sleep(3600)


def daemonise():
    """A grandchild in its own session, whose parent is gone."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    with open(os.devnull, "r+b") as null:
        for number in range(3):
            os.dup2(null.fileno(), number)
    sleep_for_ever()


def main():
    if sys.argv[1] == "orphan":
        subprocess.run(f"{HELPER} </dev/null >/dev/null 2>&1 &", shell=True, check=True)
        mcp.serve_stdio(mcp.Server())
    else:
        ignore_signals()
        daemonise()
        mcp.serve_stdio(mcp.Server())
        sleep_for_ever()


if __name__ == "__main__":
    main()
