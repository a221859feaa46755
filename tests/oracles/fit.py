#!/usr/bin/env python3
"""The fewest routers and links of every kind of network that fits, by trying all
parameters. Independent of netbound: capacities of grids, HyperX and trees by
their formulas, of Dragonflies by routing every pair of routers.

    fit.py NETBOUND     compares with netbound topology --fit
    fit.py              prints the rows of tests/topology/test_fit_search.c
"""
import csv
import io
import itertools
import subprocess
import sys
from fractions import Fraction as F
from math import ceil


def grid_rate(wraps, k):
    ways = 8 if wraps else 4
    if wraps and k == 2:
        return F(2)
    return F(ways, k) if k % 2 == 0 else F(ways * k, k * k - 1)


def lists(n, least, most, longest=None):
    """Descending lists of n radices; none exceeds twice another."""
    if n == 0:
        yield ()
        return
    for k in range(least, (most if longest is None else longest) + 1):
        for rest in lists(n - 1, max(least, (k + 1) // 2), most, k):
            if not rest or 2 * rest[-1] >= k:
                yield (k,) + rest


def product(radices):
    out = 1
    for k in radices:
        out *= k
    return out


def grids(wraps, terminals, radix, capacity):
    for n in range(1, 7):
        # rate 8/k, at most 8 k/(k^2 - 1): a longer dimension carries too little
        longest = 2
        while grid_rate(wraps, longest + 1) >= capacity:
            longest += 1
        for k in lists(n, 3 if wraps else 2, longest):
            routers = product(k)
            p = -(-terminals // routers)
            ports = p + sum(2 if x > 2 else 1 for x in k)
            if ports > radix or grid_rate(wraps, k[0]) / p < capacity:
                continue
            links = sum(routers if wraps else routers // x * (x - 1) for x in k)
            yield n, routers, links


def partitions(n, ports, longest):
    """Descending lists of n radices >= 2 with that many ports at most."""
    if n == 0:
        yield ()
        return
    for k in range(2, min(longest, ports - (n - 1) + 1) + 1):
        for rest in partitions(n - 1, ports - (k - 1), k):
            yield (k,) + rest


def hyperx(terminals, radix, capacity):
    for n in range(1, 7):
        for k in partitions(n, radix - 1, radix):
            ways = sum(x - 1 for x in k)
            routers = product(k)
            p = -(-terminals // routers)
            if ways + p <= radix and F(k[-1], p) >= capacity:
                yield n, routers, routers * ways // 2


def clos(terminals, radix, capacity):
    """Every tree of 2 or 3 levels; uniform traffic leaves a subtree of T of N
    terminals at T (1 - T/N)."""
    half = radix // 2
    for m1 in range(1, radix):
        for q1 in range(1, radix - m1 + 1):
            m2 = max(2, -(-terminals // m1))
            w1 = max(1, ceil(capacity * m1 * (1 - F(1, m2)) / q1))
            if m1 + w1 * q1 <= radix and m2 * q1 <= radix:
                yield 2, m2 + w1, m2 * w1 * q1
            if half * half >= terminals:
                continue
            for w1 in range(1, (radix - m1) // q1 + 1):
                for m2 in range(2, radix // q1):
                    m3 = max(2, -(-terminals // (m1 * m2)))
                    all_in = m1 * m2 * m3
                    if w1 * q1 < capacity * m1 * (1 - F(m1, all_in)):
                        continue
                    for q2 in range(1, radix - m2 * q1 + 1):
                        w2 = max(1, ceil(capacity * m1 * m2 * (1 - F(1, m3))
                                         / (w1 * q2)))
                        if m2 * q1 + w2 * q2 > radix or m3 * q2 > radix:
                            continue
                        yield (3, m3 * (m2 + w1) + w1 * w2,
                               m3 * (m2 * w1 * q1 + w1 * w2 * q2))


def dragonfly_rate(a, p, groups, trunking):
    """Uniform traffic, split evenly over paths with the fewest global channels,
    then the fewest local ones; group 0 represents all."""
    others = groups - 1
    links = trunking * others
    owner = [(2 * l + 1) * a // (2 * links) for l in range(links)]
    for l in range(links):  # the second half mirrors the first
        if l >= links - links // 2:
            owner[l] = a - 1 - owner[links - 1 - l]
    to = [[] for _ in range(others)]  # (router here, router there)
    for l in range(links):
        to[l % others].append((owner[l], owner[links - 1 - l]))
    rate = F(p, a * groups)
    local = [[F(1)] * a for _ in range(a)]
    most = F(0)
    for t in to:
        load = [F(0)] * trunking
        for s in range(a):
            for d in range(a):
                best = min((s != x) + (d != y) for x, y in t)
                ways = [i for i, (x, y) in enumerate(t)
                        if (s != x) + (d != y) == best]
                for i in ways:
                    x, y = t[i]
                    load[i] += F(1, len(ways))
                    if s != x:
                        local[s][x] += F(1, len(ways))
                    if d != y:
                        local[y][d] += F(1, len(ways))
        most = max(most, *load)
    # by symmetry, local channels of the destination's group count for group 0
    most = max([most] +
               [local[i][j] for i in range(a) for j in range(a) if i != j])
    return 1 / (rate * most)


def dragonfly(terminals, radix, capacity):
    """All a, p, groups and trunking; h is the least that bears the links."""
    found = []
    for a in range(1, radix):
        for p in range(1, radix - a + 1):
            h = radix + 1 - a - p
            first = max(2, -(-terminals // (a * p)))
            for groups in range(first, a * h + 2):
                least = max(1, ceil(capacity * a * p / groups))
                for t in range(least, a * h // (groups - 1) + 1):
                    found.append((groups * a,
                                  groups * (a * (a - 1) // 2) +
                                  groups * (groups - 1) // 2 * t,
                                  a, p, groups, t))
    for by in (0, 1):
        for row in sorted(found, key=lambda r: (r[by], r[1 - by])):
            rate = dragonfly_rate(*row[2:])
            if rate >= capacity:
                yield by, row[0], row[1]
                break


KINDS = {
    "torus": lambda *d: grids(True, *d),
    "mesh": lambda *d: grids(False, *d),
    "hyperx": hyperx,
    "clos": clos,
    "dragonfly": dragonfly,
}
DEMANDS = [
    ("torus", 100, 16, F(1)), ("torus", 1000, 24, F(1, 2)),
    ("torus", 10000, 24, F(1, 4)), ("torus", 100000, 16, F(1, 2)),
    ("mesh", 100, 16, F(1)), ("mesh", 1000, 24, F(1, 2)),
    ("mesh", 10000, 32, F(1, 4)), ("hyperx", 100, 16, F(1)),
    ("hyperx", 1000, 24, F(1)), ("hyperx", 10000, 48, F(1, 2)),
    ("hyperx", 100000, 64, F(1)), ("clos", 100, 16, F(1)),
    ("clos", 1000, 24, F(1)), ("clos", 3000, 24, F(1, 2)),
    ("clos", 10000, 48, F(1)), ("clos", 11664, 48, F(1)),
    ("clos", 20000, 64, F(1, 2)), ("clos", 30011, 64, F(1)),
    ("dragonfly", 100, 16, F(1)), ("dragonfly", 300, 16, F(1, 2)),
    ("dragonfly", 1000, 24, F(1)), ("dragonfly", 1000, 48, F(1)),
    ("dragonfly", 60, 24, F(1)), ("dragonfly", 97, 20, F(3, 4)),
    ("dragonfly", 200, 18, F(2, 3)), ("dragonfly", 333, 21, F(1)),
]


def best(kind, terminals, radix, capacity):
    found = [row[1:] for row in KINDS[kind](terminals, radix, capacity)]
    if not found:
        return None
    return min(r for r, _ in found), min(l for _, l in found)


def asked(netbound, kind, terminals, radix, capacity):
    fit = f"terminals={terminals},radix={radix},kind={kind},capacity={capacity}"
    out = subprocess.run([netbound, "topology", "--fit", fit, "--table",
                          "networks", "--format", "csv"],
                         capture_output=True, text=True, check=True).stdout
    rows = list(csv.DictReader(io.StringIO(out)))
    if not rows:
        return None
    return (min(int(r["routers"]) for r in rows),
            min(int(r["local_links"]) + int(r["global_links"]) for r in rows))


def main():
    for demand in DEMANDS:
        kind, terminals, radix, capacity = demand
        own = best(*demand)
        if len(sys.argv) > 1:
            other = asked(sys.argv[1], *demand)
            print("agrees" if own == other else "DIFFERS", *demand, own, other,
                  flush=True)
        elif own is not None:
            print(f'        {{ "{kind}", {terminals}, {radix}, '
                  f"{{ {capacity.numerator}, {capacity.denominator} }}, "
                  f"{own[0]}, {own[1]} }},", flush=True)


if __name__ == "__main__":
    main()
