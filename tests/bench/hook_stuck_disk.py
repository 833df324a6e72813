#!/usr/bin/env python3
"""Does a hook call end on a disk that never answers? `hook_stuck_disk.py BINARY`

Mounts a file system (FUSE, by hand) whose server says hello and then nothing, and lets the hook look into it: it sleeps in the
kernel as on a network disk that went away, where no handler of a signal would run. It must end in silence with exit code 0 all the
same. Needs root and /dev/fuse; without them it says so and does nothing.
"""
import ctypes
import json
import os
import struct
import subprocess
import sys
import tempfile
import threading
import time

# Its limit is 250 ms after the event is read; the machine may be busy.
LIMIT = 1.0

FUSE_INIT = 26
IN_HEADER = struct.Struct("<IIQQIIII")
# Version 7.31, and what else a server tells in its answer.
INIT_OUT = struct.pack("<IIIIHHIIHHI", 7, 31, 65536, 0, 12, 10, 65536, 1, 32, 0, 0).ljust(64, b"\0")


def say_hello(device):
    request = os.read(device, 1 << 17)
    _, operation, unique, *_ = IN_HEADER.unpack(request[: IN_HEADER.size])
    assert operation == FUSE_INIT, operation
    os.write(device, struct.pack("<IiQ", 16 + len(INIT_OUT), 0, unique) + INIT_OUT)


def main():
    binary = os.path.abspath(sys.argv[1])
    libc = ctypes.CDLL(None, use_errno=True)
    with tempfile.TemporaryDirectory() as folder:
        try:
            device = os.open("/dev/fuse", os.O_RDWR)
            options = "fd=%d,rootmode=40000,user_id=0,group_id=0" % device
            if libc.mount(b"stuck", folder.encode(), b"fuse.stuck", 0, options.encode()) != 0:
                raise OSError(ctypes.get_errno(), "mount")
        except OSError as error:
            print("no file system to try: %s" % error)
            return
        server = threading.Thread(target=say_hello, args=[device])
        server.start()
        event = {
            "session_id": "stuck",
            "cwd": folder,
            "hook_event_name": "PreToolUse",
            "tool_name": "Read",
            "tool_input": {"file_path": folder + "/repo/a.py"},
        }
        began = time.monotonic()
        child = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            said, _ = child.communicate(json.dumps(event).encode(), timeout=10)
            took = time.monotonic() - began
        finally:
            libc.umount2(folder.encode(), 2)
            os.close(device)
            server.join()
        print("a disk that never answers: ended with %d after %.2f s" % (child.returncode, took))
        if child.returncode != 0 or said or not 0.2 < took < LIMIT:
            sys.exit("it should have ended with 0, in silence, after a quarter of a second: %r" % said)


main()
