#!/usr/bin/python3
"""Jobs on fabrics, computed from the files alone: loads, the worst permutation,
effective bisection over all matchings, and placement, compared with
netbound audit --hosts. Usage: jobs.py NETBOUND [SEED]. Prints every difference
and the number of comparisons."""
import csv
import io
import itertools
import random
import re
import subprocess
import sys
from collections import defaultdict
from fractions import Fraction

NETBOUND = sys.argv[1]
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 1
NETWORKS = [("fattree:k=2,n=3", "minhop"), ("fattree:k=4,n=2", "updown:tables=router"),
            ("clos:down=4x3x2,up=2x2", "ftree"), ("torus:3x3,terminals=2", "lash"),
            ("ring:5,terminals=2", "minhop"), ("hypercube:3", "nue"),
            ("clos:down=2x5,up=3", "dfsssp"), ("mesh:3x2,terminals=3", "updown:tables=router")]


def run(*words):
    return subprocess.run([NETBOUND, *words], capture_output=True, text=True,
                          check=True).stdout


def read_fabric(path):
    """Cables by (node, port), the hosts' names, and each host's LID."""
    cable, name, lid, node = {}, {}, {}, None
    for line in open(path):
        head = re.match(r'(Ca|Switch)\s+\d+ "(\S+)"\s+# "([^"]*)"', line)
        if head:
            node = head[2]
            name[node] = head[3]
        end = re.match(r'\[(\d+)\](?:\(\w+\))?\s+"(\S+)"\[(\d+)\]', line)
        if end:
            cable[node, int(end[1])] = end[2], int(end[3])
            own = re.search(r"# lid (\d+)", line)
            if node.startswith("H") and own:
                lid[node] = int(own[1])
    return cable, name, lid


def read_tables(path):
    """table[switch][lid] is a port; switches by their id."""
    table, switch = defaultdict(dict), None
    for line in open(path):
        head = re.search(r"of switch .*guid 0x(\w+)", line)
        if head:
            switch = "S-" + head[1]
        entry = re.match(r"0x(\w+) (\d+)", line)
        if entry:
            table[switch][int(entry[1], 16)] = int(entry[2])
    return table


def path(cable, table, lid, source, target):
    """The channels between switches that a packet takes."""
    at, _ = cable[source, 1]
    channels = []
    while True:
        port = table[at][lid[target]]
        after, _ = cable[at, port]
        if after == target:
            return channels
        channels.append((at, port))
        at = after


def most_matched(pairs):
    """The largest set of pairs without a common source or target."""
    targets, partner = defaultdict(list), {}
    for s, t in pairs:
        targets[s].append(t)

    def extend(s, seen):
        for t in targets[s]:
            if t in seen:
                continue
            seen.add(t)
            if t not in partner or extend(partner[t], seen):
                partner[t] = s
                return True
        return False

    return sum(extend(s, set()) for s in list(targets))


def matchings(hosts):
    if not hosts:
        yield []
        return
    for i in range(1, len(hosts)):
        rest = hosts[1:i] + hosts[i + 1:]
        for other in matchings(rest):
            yield [(hosts[0], hosts[i])] + other


def bisection(hosts, paths):
    total, count = Fraction(0), 0
    sets = ([hosts] if len(hosts) % 2 == 0 else
            [hosts[:i] + hosts[i + 1:] for i in range(len(hosts))])
    for some in sets:
        for matching in matchings(some):
            both = [p for a, b in matching for p in ((a, b), (b, a))]
            used = defaultdict(int)
            for pair in both:
                for c in paths[pair]:
                    used[c] += 1
            rates = [min([Fraction(1)] + [Fraction(1, used[c])
                                          for c in paths[pair]])
                     for pair in both]
            total += sum(rates) / len(both)
            count += 1
    return total / count


def parts_below(cable, level, switches, top):
    """The part of each switch when only levels up to top remain."""
    part = {s: s for s in switches}

    def root(s):
        while part[s] != s:
            s = part[s]
        return s

    for (node, _), (other, _) in cable.items():
        if node in part and other in part and max(level[node],
                                                  level[other]) <= top:
            part[root(node)] = root(other)
    return {s: root(s) for s in switches}


def levels_of(cable, switches, hosts):
    """Distance to the nearest switch with hosts: right for trees drawn here,
    whose leaves all have hosts and no other switch has."""
    level = {cable[h, 1][0]: 0 for h in hosts}
    while len(level) < len(switches):
        for (node, _), (other, _) in cable.items():
            if node in level and other in switches:
                level.setdefault(other, level[node] + 1)
    return level


def placement(cable, switches, hosts, job, is_tree):
    level = levels_of(cable, switches, hosts)
    depth = max(level.values()) + 1 if is_tree else 2
    at = {h: cable[h, 1][0] for h in hosts}
    rows, together = [], 0
    for top in range(depth):
        part = ({s: s for s in switches} if top == 0 else
                parts_below(cable, level, switches, top) if is_tree else
                {s: 0 for s in switches})
        mine, room = defaultdict(int), defaultdict(int)
        for h in hosts:
            room[part[at[h]]] += 1
        for h in job:
            mine[part[at[h]]] += 1
        least, left = 0, len(job)
        for size in sorted(room.values(), reverse=True):
            if left > 0:
                left -= size
                least += 1
        same = sum(n * (n - 1) for n in mine.values())
        rows.append([top, len(mine), least, max(mine.values()),
                     same - together])
        together = same
    return rows


def answer(network, tables, names):
    """Quantities, and the rows of table placement."""
    words = ["audit", "file:" + network, "--routing", "file:" + tables,
             "--hosts", names, "--alone", "--matchings", "4000"]
    values = {row["quantity"]: row for row in csv.DictReader(
        io.StringIO(run(*words, "--format", "csv")))}
    table = csv.DictReader(io.StringIO(run(*words, "--format", "csv",
                                           "--table", "placement")))
    rows = [[int(float(row[k])) for k in ("level", "parts", "least_parts",
                                          "most_hosts", "pairs")]
            for row in table]
    return values, rows


def main():
    draw = random.Random(SEED)
    compared = wrong = 0

    def compare(what, ours, theirs):
        nonlocal compared, wrong
        compared += 1
        if ours != theirs:
            wrong += 1
            print(what, "netbound", ours, "plainly", theirs)

    for number, (topology, scheme) in enumerate(NETWORKS):
        network, tables = f"{number}.ibnetdiscover", f"{number}.lft"
        run("topology", topology, "--network", network)
        run("load", "--topology", "file:" + network, "--routing", scheme,
            "--forwarding", tables)
        cable, name, lid = read_fabric(network)
        table = read_tables(tables)
        hosts = [n for n in name if n.startswith("H")]
        switches = [n for n in name if n.startswith("S")]
        for _ in range(4):
            job = draw.sample(hosts, draw.randint(3, min(7, len(hosts))))
            if len({cable[h, 1][0] for h in job}) < 2:
                continue
            paths = {(s, t): path(cable, table, lid, s, t)
                     for s in job for t in job if s != t}
            over = defaultdict(list)
            for pair, channels in paths.items():
                for c in channels:
                    over[c].append(pair)
            most = max(map(len, over.values()))
            worst = max(map(most_matched, over.values()))
            names = ",".join(name[h].split()[0] for h in job)
            values, rows = answer(network, tables, names)
            what = f"{topology} {scheme} {names}:"
            compare(what + " hosts", int(values["job_hosts"]["value"]),
                    len(job))
            compare(what + " load", float(values["max_channel_load"]["value"]),
                    most)
            compare(what + " worst",
                    float(values["worst_case_channel_load"]["value"]), worst)
            compare(what + " throughput",
                    round(float(values["throughput"]["value"]), 9),
                    round(min(1.0, (len(job) - 1) / most), 9))
            mean = float(bisection(job, paths))
            lower, upper = (float(values["effective_bisection"][k])
                            for k in ("lower", "upper"))
            slack = 2 * (upper - lower) + 1e-9
            compare(what + f" bisection {mean} [{lower}, {upper}]",
                    lower - slack <= mean <= upper + slack, True)
            is_tree = int(float(values["levels"]["value"])) > 0
            compare(what + " placement", rows,
                    placement(cable, switches, hosts, job, is_tree))
    print(f"{compared} numbers, {wrong} differ")


main()
