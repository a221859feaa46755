#!/usr/bin/python3
"""follow_tables.py NETWORK TABLES: follows the forwarding tables of TABLES
(opensm-lfts.dump) from every host to every other of a fabric as netbound writes
it. Prints the largest number of pairs that share a channel between switches, the
largest that a permutation puts on one (the largest matching of the pairs of a
channel, by augmenting paths), and the number of pairs that do not arrive."""
import re
import sys


def read_network(path):
    """The end of each port's cable, (node, port) to (node, port), and the adapters."""
    leads, hosts, node = {}, [], None
    with open(path) as file:
        for line in file:
            if found := re.match(r'(Switch|Ca)\s+\d+ "[SH]-([0-9a-f]+)"', line):
                node = int(found[2], 16)
                if found[1] == "Ca":
                    hosts.append(node)
            elif found := re.match(
                r'\[(\d+)\](?:\([0-9a-f]+\))?\s+"[SH]-([0-9a-f]+)"\[(\d+)\]', line
            ):
                leads[node, int(found[1])] = int(found[2], 16), int(found[3])
    return leads, hosts


def read_tables(path):
    """Ports by (switch, LID), and the LID of each adapter."""
    port, lid, switch = {}, {}, None
    with open(path) as file:
        for line in file:
            if found := re.match(r"Unicast lids .* guid 0x([0-9a-f]+) ", line):
                switch = int(found[1], 16)
            elif found := re.match(r"0x([0-9a-f]+) (\d+) # (\w+)", line):
                port[switch, int(found[1], 16)] = int(found[2])
                if found[3] == "Channel":
                    guid = re.search(r"portguid 0x([0-9a-f]+)", line)[1]
                    lid[int(guid, 16) - 1] = int(found[1], 16)
    return port, lid


def follow(leads, port, lid, source, destination):
    """The channels between switches on the path; None: it does not arrive."""
    at, way = leads[source, 1][0], []
    while len(way) < 1000:
        out = port.get((at, lid[destination]))
        if (at, out) not in leads:
            return None
        if leads[at, out][0] == destination:
            return way
        way.append((at, out))
        at = leads[at, out][0]
    return None


def matching(pairs):
    """The largest number of pairs that share no source and no destination."""
    of, taken = {}, {}
    for source, destination in pairs:
        of.setdefault(source, []).append(destination)

    def place(source, seen):
        for destination in of[source]:
            if destination not in seen:
                seen.add(destination)
                if destination not in taken or place(taken[destination], seen):
                    taken[destination] = source
                    return True
        return False

    return sum(place(source, set()) for source in of)


leads, hosts = read_network(sys.argv[1])
port, lid = read_tables(sys.argv[2])
users, lost = {}, 0
for source in hosts:
    for destination in hosts:
        if source == destination:
            continue
        way = follow(leads, port, lid, source, destination)
        lost += way is None
        for channel in way or []:
            users.setdefault(channel, []).append((source, destination))
print(
    max(map(len, users.values())), max(map(matching, users.values())), lost, sep=","
)
