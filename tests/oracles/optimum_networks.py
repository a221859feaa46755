"""Networks, traffic and paths of optimum_flow.py and optimum_oblivious.py.

Nothing here uses a closed form: a network is a list of channels, a path class is
the list of arcs that its paths may take to a destination.
"""
import csv
from collections import namedtuple
from fractions import Fraction as F
from itertools import permutations, product

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

# channels: (router, router, bandwidth, length); the shortest by length are
# the minimal paths. terminals: per router. moves: [i] an automorphism, as a
# list of images, that maps router i to router 0; None: not used.
Network = namedtuple("Network", "routers terminals channels moves",
                     defaults=(1, (), None))

GLOBAL = 1000  # length of a global channel: longer than any path in a group


def grid(radices, is_wrapped):
    """Router numbers; the first coordinate is the least significant digit."""
    points = [x[::-1] for x in product(*map(range, radices[::-1]))]
    number = {x: i for i, x in enumerate(points)}
    channels = []
    for x, d in product(points, range(len(radices))):
        ends = {x[d] - 1, x[d] + 1}
        if is_wrapped:
            ends = {y % radices[d] for y in ends}
        channels += [(number[x], number[x[:d] + (y,) + x[d + 1:]], F(1), 1)
                     for y in sorted(ends) if 0 <= y < radices[d]]
    moves = [[number[tuple((b - a) % k for a, b, k in zip(x, y, radices))]
              for y in points] for x in points] if is_wrapped else None
    return Network(len(points), 1, channels, moves)


def complete(n):
    return Network(n, 1, [(i, j, F(1), 1) for i in range(n) for j in range(n)
                          if i != j])


def cube_connected_cycles(n):
    """Router n * corner + position, joined across the bit of its position."""
    channels = []
    for corner, i in product(range(2 ** n), range(n)):
        ends = [n * corner + (i - 1) % n, n * corner + (i + 1) % n,
                n * (corner ^ 1 << i) + i]
        channels += [(n * corner + i, end, F(1), 1) for end in ends]
    numbers = [(corner, i) for corner in range(2 ** n) for i in range(n)]
    moves = [[n * turn(there ^ corner, i, n) + (j - i) % n
              for there, j in numbers] for corner, i in numbers]
    return Network(n * 2 ** n, 1, channels, moves)


def turn(bits, steps, n):
    """Rotates n bits right."""
    return (bits >> steps | bits << (n - steps)) % 2 ** n


def dragonfly(h):
    """As in dragonfly_network.py: R_j of group i, router 2 h i + j, is joined
    to R_{a-1-j} of the groups i - (h j + m), m = 1 .. h."""
    a, groups = 2 * h, 2 * h * h + 1
    channels = []
    for i, j in product(range(groups), range(a)):
        channels += [(a * i + j, a * i + r, F(1), 1) for r in range(a)
                     if r != j]
        channels += [(a * i + j, a * ((i - h * j - m) % groups) + a - 1 - j,
                      F(1), GLOBAL) for m in range(1, h + 1)]
    return Network(a * groups, h, channels)


def read_edges(path, is_directed):
    names, channels = {}, []
    with open(path, encoding="ascii") as file:
        for line in file:
            if line.startswith("#"):
                continue
            source, target, bandwidth = line.split()
            if source.isdigit():
                ends = int(source), int(target)
            else:
                ends = tuple(names.setdefault(x, len(names))
                             for x in (source, target))
            channels.append((*ends, F(bandwidth), 1))
            if not is_directed:
                channels.append((*ends[::-1], F(bandwidth), 1))
    return Network(1 + max(c[0] for c in channels), 1, channels)


def is_automorphism(net, image):
    return {(image[a], image[b], w) for a, b, w, _ in net.channels} == \
        {(a, b, w) for a, b, w, _ in net.channels}


def build(name):
    net = make(name)
    assert all(is_automorphism(net, x) and x[i] == 0
               for i, x in enumerate(net.moves or ()))
    return net


def make(name):
    kind, _, value = name.partition(":")
    if kind in ("torus", "mesh", "ring"):
        return grid([int(k) for k in value.split("x")], kind != "mesh")
    if kind == "hypercube":
        return grid([2] * int(value), True)
    if kind == "complete":
        return complete(int(value))
    if kind == "ccc":
        return cube_connected_cycles(int(value))
    if kind == "dragonfly":
        return dragonfly(int(value.removeprefix("h=")))
    path, _, rest = value.partition(",")
    net = read_edges(path, rest == "directed=yes")
    if "random" in path:
        assert sum(is_automorphism(net, x)
                   for x in permutations(range(net.routers))) == 1
    return net


# Traffic: [source][destination] rates between routers per unit of injection

def uniform(net):
    n = net.routers
    return [[F(net.terminals, n)] * n for _ in range(n)]


def permute(net, image):
    assert sorted(image) == list(range(net.routers))
    return [[F(net.terminals) if j == to else F(0)
             for j in range(net.routers)] for to in image]


def next_group(net):
    """adversarial:offset=1; groups of 2 h routers, h terminals at each."""
    a = 2 * net.terminals
    return [[F(net.terminals, a) if (j // a - i // a - 1) % (net.routers // a)
             == 0 else F(0) for j in range(net.routers)]
            for i in range(net.routers)]


def by_coordinates(name, radices):
    k = radices[0]
    change = {"transpose": lambda x: x[::-1] if len(x) == 2
              else x[len(x) // 2:] + x[:len(x) // 2],
              "bit-reverse": lambda x: x[::-1],
              "bit-complement": lambda x: tuple(k - 1 - y for y in x),
              "tornado": lambda x: ((x[0] + (k + 1) // 2 - 1) % k,) + x[1:]}
    points = [x[::-1] for x in product(*map(range, radices[::-1]))]
    return [points.index(change[name](x)) for x in points]


def find_traffic(net, topology, name):
    if name == "uniform":
        return uniform(net)
    if name == "adversarial:offset=1":
        return next_group(net)
    if name.startswith("file:"):
        with open(name.removeprefix("file:"), encoding="ascii") as file:
            rows = list(csv.DictReader(x for x in file if x[0] != "#"))
        assert [int(x["source"]) for x in rows] == list(range(net.routers))
        return permute(net, [int(x["destination"]) for x in rows])
    kind, _, value = topology.partition(":")
    radices = [2] * int(value) if kind == "hypercube" else \
        [int(k) for k in value.split("x")]
    return permute(net, by_coordinates(name, radices))


# Paths

def find_distances(net, destination, is_hops):
    """To a destination from every router, in hops or by length."""
    distance = [0 if r == destination else 10 ** 9 for r in range(net.routers)]
    for _ in range(net.routers):
        for a, b, _, length in net.channels:
            distance[a] = min(distance[a],
                              distance[b] + (1 if is_hops else length))
    return distance


# The arcs that paths to a destination may use: a path begins at the node
# start[source] and ends at node 0, the destination; channel, tail and head belong
# to an arc. sources: those where paths begin.
Arcs = namedtuple("Arcs", "nodes start channel tail head")


def find_arcs(net, destination, paths, sources):
    """paths: any, minimal, or a stretch. With a stretch s, a node is a router and
    the number of hops left: floor(s distance) at first."""
    hops = find_distances(net, destination, True)
    if paths in ("any", "minimal"):
        length = find_distances(net, destination, False)
        begin = {s: (s, 0) for s in sources}
        steps = [(c, (a, 0), (b, 0)) for c, (a, b, _, l)
                 in enumerate(net.channels) if a != destination and
                 (paths == "any" or length[a] == l + length[b])]
    else:
        begin = {s: (s, int(F(paths) * hops[s])) for s in sources
                 if s != destination}
        reached, steps, seen = list(begin.values()), [], set(begin.values())
        for a, left in reached:
            if a == destination:
                continue
            for c, (tail, b, _, _) in enumerate(net.channels):
                if tail == a and hops[b] <= left - 1:
                    steps.append((c, (a, left), (b, left - 1)))
                    if steps[-1][2] not in seen:
                        seen.add(steps[-1][2])
                        reached.append(steps[-1][2])
    nodes = {x for step in steps for x in step[1:]} | set(begin.values())
    number = {x: i + 1 for i, x in
              enumerate(sorted(x for x in nodes if x[0] != destination))}
    return Arcs(1 + len(number),
                {s: number[x] for s, x in begin.items() if s != destination},
                np.array([s[0] for s in steps]),
                np.array([number[s[1]] for s in steps]),
                np.array([number.get(s[2], 0) for s in steps]))


def find_shortest(arcs, length):
    """[node] least total length of arcs to the destination."""
    distance = np.full(arcs.nodes, np.inf)
    distance[0] = 0
    while True:
        old = distance.copy()
        np.minimum.at(distance, arcs.tail, length + distance[arcs.head])
        if (old == distance).all():
            return distance


# Linear programs

class Rows:
    """Sparse rows of coefficients that share a right-hand side."""

    def __init__(self):
        self.count, self.row, self.column, self.value = 0, [], [], []

    def add(self, row, column, value):
        row, column, value = np.broadcast_arrays(row, column, value)
        self.row.append(row.ravel())
        self.column.append(column.ravel())
        self.value.append(value.ravel().astype(float))

    def matrix(self, columns):
        parts = (np.concatenate(x) for x in (self.value, self.row, self.column))
        value, row, column = parts
        return coo_matrix((value, (row, column)),
                          shape=(self.count, columns)).tocsr()


def minimise(cost, upper, upper_side, equal, equal_side, bounds):
    """x and the dual of upper."""
    result = linprog(cost, A_ub=upper.matrix(len(cost)), b_ub=upper_side,
                     A_eq=equal.matrix(len(cost)), b_eq=equal_side,
                     bounds=bounds, method="highs-ds",
                     options={"primal_feasibility_tolerance": 1e-10,
                              "dual_feasibility_tolerance": 1e-10})
    assert result.status == 0, result.message
    return result.x, np.maximum(-result.ineqlin.marginals, 0)


def find_ratio(value, unit=1):
    """The ratio of a value, as text, if its denominator (except for the unit) is
    so small that by chance one is this near only once in 10^4 times;
    otherwise empty."""
    tolerance = 2e-12 * max(1, value)
    for part in sorted({1, unit}):
        most = max(1, int((1e-4 / (tolerance * part)) ** 0.5))
        near = (F(value) * part).limit_denominator(most) / part
        if abs(near - F(value)) < tolerance:
            return str(near)
    return ""
