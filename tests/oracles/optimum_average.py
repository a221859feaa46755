"""The oblivious routing that does best on a sample of permutations.

Source: TowlesDallyBoyd2003. Over unit flows f of each pair (i, j)

    minimise the mean of g_x:  sum over i of f_(i, x(i)),c <= g_x bandwidth_c

for all channels c and permutations x. The program has all pairs and all channels
and uses no symmetry. Instead, the sample is closed under the automorphisms of
the network, and all of these are searched for. The mean over such a sample is an
invariant convex function, so one of the best routings is invariant; for it a
permutation and its image have equal values.

Permutation x of the routers is drawn from stream (seed, x) of Philox 4x32-10
[Salmon2011] by Fisher and Yates' method, as `netbound permutations` does.

Each value is checked from both sides: by the loads of the flows found, and by
the dual, where each pair takes its shortest path at best.
"""
import csv
import sys
import time

import numpy as np
from optimum_networks import (Rows, build, find_arcs, find_ratio,
                              find_shortest, minimise)

OUT = "data/reference/optimum_average.csv"
RANDOM = "file:data/topologies/oracle-random.txt,directed=yes"
ASKED = [("ring:4", 3, 1), ("ring:5", 4, 1), ("ring:6", 5, 7),
         ("mesh:2x3", 6, 1), ("mesh:3x3", 3, 2), ("torus:3x3", 3, 1),
         ("complete:4", 5, 1), ("hypercube:3", 4, 1), (RANDOM, 10, 1)]


def draw_word(seed, task, position):
    """The 64-bit words of one block."""
    x = [position, 0, task, 0]
    k = [seed, 0]
    for _ in range(10):
        p, q = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
        x = [(q >> 32) ^ x[1] ^ k[0], q % 2 ** 32,
             (p >> 32) ^ x[3] ^ k[1], p % 2 ** 32]
        k = [(k[0] + 0x9E3779B9) % 2 ** 32, (k[1] + 0xBB67AE85) % 2 ** 32]
    return x[1] << 32 | x[0], x[3] << 32 | x[2]


def draw(seed, task, n):
    words = (w for position in range(n) for w in draw_word(seed, task, position))
    image = list(range(n))
    for i in range(n, 1, -1):
        product = next(words) * i
        assert product % 2 ** 64 >= i  # otherwise a word might have to be rejected
        j = product >> 64
        image[i - 1], image[j] = image[j], image[i - 1]
    return tuple(image)


def find_automorphisms(net):
    """By backtracking, router by router."""
    width = {(a, b): w for a, b, w, _ in net.channels}
    partial = [()]
    for r in range(net.routers):
        partial = [x + (y,) for x in partial for y in range(net.routers)
                   if y not in x and all(
                       width.get((r, a)) == width.get((y, b)) and
                       width.get((a, r)) == width.get((b, y))
                       for a, b in enumerate(x))]
    return partial


def close(net, sample):
    """The sample with all images, and the frequency of each."""
    n, images = net.routers, []
    for x in sample:
        for move in find_automorphisms(net):
            images.append(tuple(move[x[move.index(i)]] for i in range(n)))
    kinds = sorted(set(images))
    return kinds, [images.count(x) / len(images) for x in kinds]


def solve(topology, paths, count, seed):
    net = build(topology)
    n, m = net.routers, len(net.channels)
    bandwidth = np.array([float(c[2]) for c in net.channels])
    sample, share = close(net, [draw(seed, x, n) for x in range(count)])
    arcs = {(i, j): find_arcs(net, j, paths, [i]) for i in range(n)
            for j in range(n) if i != j}
    place, columns = {}, 0
    balance, side = Rows(), []
    for (i, j), arc in arcs.items():
        place[i, j] = columns + np.arange(len(arc.channel))
        columns += len(arc.channel)
        is_on = arc.head > 0
        balance.add(balance.count + arc.tail - 1, place[i, j], 1)
        balance.add((balance.count + arc.head - 1)[is_on], place[i, j][is_on],
                    -1)
        balance.count += arc.nodes - 1
        begin = np.zeros(arc.nodes)
        begin[arc.start[i]] = 1
        side.append(begin[1:])
    loads = Rows()
    for k, x in enumerate(sample):
        for i, j in enumerate(x):
            if i != j:
                loads.add(k * m + arcs[i, j].channel, place[i, j], 1)
        loads.add(k * m + np.arange(m), columns + k, -bandwidth)
    loads.count = len(sample) * m
    cost = np.concatenate([np.zeros(columns), share])
    x, dual = minimise(cost, loads, np.zeros(loads.count), balance,
                       np.concatenate(side), (0, np.inf))
    dual = dual.reshape(len(sample), m)
    upper = lower = 0
    for k, image in enumerate(sample):
        load = np.zeros(m)
        for i, j in enumerate(image):
            if i != j:
                np.add.at(load, arcs[i, j].channel, x[place[i, j]])
        upper += share[k] * (load / bandwidth).max()
    assert (dual @ bandwidth <= np.array(share) * (1 + 1e-9)).all()
    for (i, j), arc in arcs.items():
        length = sum(dual[k] for k, image in enumerate(sample)
                     if image[i] == j) + np.zeros(m)
        lower += find_shortest(arc, length[arc.channel])[arc.start[i]]
    assert abs(upper - lower) < 1e-9, (lower, upper)
    return (upper + lower) / 2


def main():
    with open(OUT, "w", encoding="ascii", newline="") as file:
        file.write(
            "# Made by tests/oracles/optimum_average.py: the least mean, over "
            "permutations 0 ..\n# count - 1 of a seed, of the greatest load "
            "per bandwidth, by routings that the\n# network's automorphisms "
            "keep. ratio: of small denominator, within 2e-12 of the\n# value; "
            "not proven.\n")
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["topology", "paths", "count", "seed", "value", "ratio"])
        for topology, count, seed in ASKED:
            for paths in ("any", "minimal"):
                begin = time.time()
                value = solve(topology, paths, count, seed)
                ratio = find_ratio(value)
                print(topology, paths, count, seed, value, ratio,
                      f"{time.time() - begin:.1f} s", file=sys.stderr)
                out.writerow([topology, paths, count, seed, f"{value:.12g}",
                              ratio])


if __name__ == "__main__":
    main()
