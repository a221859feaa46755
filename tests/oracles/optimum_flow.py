"""Best throughput of given traffic: maximum concurrent flow.

Over flows f >= 0 to each destination t, with the arcs of optimum_networks.py,

    maximise theta:  out - in = theta rate(s, t)   at the node where s begins
                     sum over t of f <= bandwidth  on every channel

directly, without symmetry, by HiGHS. Only "torus:8x8" with uniform traffic and a
stretch uses translations: only destination 0, and the channels of a direction
together.

Each value is checked from both sides: by theta of the flows scaled to the
bandwidths, and with the dual lengths y of the channels by

    theta <= sum of bandwidth y / sum of rate(s, t) distance_y(s, t).
"""
import csv
import sys
import time

import numpy as np
from optimum_networks import (Rows, build, find_arcs, find_ratio,
                              find_shortest, find_traffic, minimise)

OUT = "data/reference/optimum_flow.csv"
PATHS = ("any", "minimal", "3/2")
ABILENE = "file:data/topologies/abilene.txt"
RANDOM = "file:data/topologies/oracle-random.txt,directed=yes"


def own(*names):
    return [f"file:data/traffic/oracle-{name}.csv" for name in names]


GRID = ["uniform", "transpose", "bit-complement"]
ASKED = [
    ("ring:8", ["uniform", "tornado", *own("8")]),
    ("torus:4x4", [*GRID, "tornado", *own("16a", "16b")]),
    ("torus:5x5", [*GRID, "tornado", *own("25a", "25b")]),
    ("torus:8x8", [*GRID, "tornado", *own("64a", "64b")]),
    ("mesh:4x4", [*GRID, *own("16a", "16b")]),
    ("hypercube:4", ["transpose", "bit-reverse"]),
    ("complete:8", own("8")),
    ("ccc:3", ["uniform", *own("24")]),
    ("dragonfly:h=1", ["uniform", "adversarial:offset=1"]),
    ("dragonfly:h=2", ["uniform", "adversarial:offset=1"]),
    (ABILENE, ["uniform"]),
    (RANDOM, ["uniform", *own("7")]),
]
BY_TRANSLATION = {("torus:8x8", "uniform", "3/2")}


def find_classes(net, is_reduced):
    """[channel] the index of its load constraint."""
    if not is_reduced:
        return np.arange(len(net.channels))
    to_origin = [net.moves[a][b] for a, b, _, _ in net.channels]
    return np.unique(to_origin, return_inverse=True)[1]


def find_theta(net, traffic, paths, is_reduced):
    """Its lower and upper bound."""
    kind = find_classes(net, is_reduced)
    bandwidth = np.zeros(kind.max() + 1)
    bandwidth[kind] = [float(w) for _, _, w, _ in net.channels]
    demands = []
    for t in range(1 if is_reduced else net.routers):
        rate = {s: float(traffic[s][t]) for s in range(net.routers)
                if s != t and traffic[s][t]}
        if rate:
            demands.append((find_arcs(net, t, paths, rate), rate))
    balance, load, theta = Rows(), Rows(), 0
    load.count, column = len(bandwidth), 1
    for arcs, rate in demands:
        columns = column + np.arange(len(arcs.channel))
        is_on = arcs.head > 0
        balance.add(balance.count + arcs.tail - 1, columns, 1)
        balance.add((balance.count + arcs.head - 1)[is_on], columns[is_on], -1)
        for s, x in rate.items():
            balance.add(balance.count + arcs.start[s] - 1, theta, -x)
        load.add(kind[arcs.channel], columns, 1)
        balance.count += arcs.nodes - 1
        column += len(columns)
    cost = np.zeros(column)
    cost[theta] = -1
    x, y = minimise(cost, load, bandwidth, balance, np.zeros(balance.count),
                    (0, None))
    used = load.matrix(column) @ x / bandwidth
    ways = sum(x * find_shortest(arcs, y[kind[arcs.channel]])[arcs.start[s]]
               for arcs, rate in demands for s, x in rate.items())
    return x[theta] / used.max(), bandwidth @ y / ways


def main():
    with open(OUT, "w", encoding="ascii", newline="") as file:
        file.write(
            "# Made by tests/oracles/optimum_flow.py: the largest multiple of "
            "the traffic that\n# the channels carry; those of the terminals "
            "are unlimited. paths: minimal are the\n# shortest (dragonfly: of "
            "those with fewest global channels); a number is the\n# stretch, "
            "of distances in hops, rounded down. ratio: of small denominator, "
            "within\n# 2e-12 of the value; not proven.\n")
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["topology", "traffic", "paths", "throughput_absolute",
                      "ratio"])
        for topology, names in ASKED:
            net = build(topology)
            for name in names:
                traffic = find_traffic(net, topology, name)
                for paths in PATHS:
                    begin = time.process_time()
                    is_reduced = (topology, name, paths) in BY_TRANSLATION
                    lower, upper = find_theta(net, traffic, paths, is_reduced)
                    value = (lower + upper) / 2
                    seconds = time.process_time() - begin
                    print(topology, name, paths, value, upper - lower,
                          find_ratio(value), f"{seconds:.1f} s",
                          file=sys.stderr, flush=True)
                    assert abs(upper - lower) < 1e-11
                    out.writerow([topology, name, paths, f"{value:.12g}",
                                  find_ratio(value)])


if __name__ == "__main__":
    main()
