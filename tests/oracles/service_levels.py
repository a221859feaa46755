#!/usr/bin/python3
"""service_levels.py NETWORK FOLDER: asks the running subnet manager (under
umad2sim) for the service level of every pair of hosts, in a fabric as netbound
writes it. FOLDER/sl.txt: one line per pair with source LID, destination LID and
level, as netbound reads them; FOLDER/path-sl.txt: GUID of the source's adapter,
destination LID and level, as ibdmchk -c reads them.

The answer to a path query is a PathRecord [InfiniBand specification,
volume 1, 15.2.5.16]: at byte 40 destination and source LID, at 53 the level."""
import ctypes
import re
import struct
import sys

SUBNET_PREFIX = 0xFE80000000000000
MANAGEMENT_CLASSES = (1, 0x81, 3)

library = ctypes.CDLL("libibmad.so.5")
library.mad_rpc_open_port.restype = ctypes.c_void_p
port = ctypes.c_void_p(
    library.mad_rpc_open_port(None, 0, (ctypes.c_int * 3)(*MANAGEMENT_CLASSES), 3)
)
manager = ctypes.create_string_buffer(512)
if not port or library.ib_resolve_smlid_via(manager, 2000, port) < 0:
    sys.exit("there is no subnet manager")

with open(sys.argv[1]) as file:
    adapters = [
        int(guid, 16)
        for guid in re.findall(r'^Ca\s+\d+\s+"H-([0-9a-f]+)"', file.read(), re.M)
    ]


def gid(adapter):
    """GUID of an adapter's only port: the next one."""
    return struct.pack(">QQ", SUBNET_PREFIX, adapter + 1)


record = ctypes.create_string_buffer(256)
with open(sys.argv[2] + "/sl.txt", "w") as of_lids, open(
    sys.argv[2] + "/path-sl.txt", "w"
) as of_guids:
    for source in adapters:
        for destination in adapters:
            if source == destination:
                continue
            if library.ib_path_query_via(
                port, gid(source), gid(destination), manager, record
            ) < 0:
                sys.exit(f"no path from {source:#x} to {destination:#x}")
            to, come_from = struct.unpack_from(">HH", record.raw, 40)
            level = record.raw[53] & 15
            print(come_from, to, level, file=of_lids)
            print(f"0x{source:016x} {to} {level}", file=of_guids)
