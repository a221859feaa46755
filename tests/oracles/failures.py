"""Networks with failures, evenly split shortest paths and uniform traffic: for
each line "NETWORK FAIL" of standard input the largest channel load and the mean
hops, by counting paths on a network built and cut here.

NETWORK is torus:KxK, hyperx:AxB or hyperx:AxBxC, p terminals at each router
(hyperx:4x4/p), or clos:DxL/U/Q: L leaves of D terminals, U switches above, Q
links from each leaf to each of these."""
import sys
from collections import Counter, deque
from fractions import Fraction
from itertools import combinations, product


def torus(k):
    cables = []
    for r in range(k * k):
        x, y = r % k, r // k
        cables += [(r, y * k + (x + 1) % k), (r, (y + 1) % k * k + x)]
    return cables, [1] * (k * k)


def hyperx(radices, terminals):
    places = [p[::-1] for p in product(*(range(k) for k in radices[::-1]))]
    cables = [(a, b) for a, b in combinations(range(len(places)), 2)
              if sum(x != y for x, y in zip(places[a], places[b])) == 1]
    return cables, [terminals] * len(places)


def clos(down, leaves, up, parallel):
    cables = [(leaf, leaves + top) for leaf in range(leaves)
              for top in range(up) for _ in range(parallel)]
    return cables, [down] * leaves + [0] * up


def build(name):
    kind, sizes = name.split(":")
    shape, *more = sizes.split("/")
    radices = [int(size) for size in shape.split("x")]
    more = [int(number) for number in more]
    if kind == "torus":
        return torus(radices[0])
    return hyperx(radices, *more) if kind == "hyperx" else clos(*radices, *more)


def cut(cables, terminals, fail):
    """The channels left, one for each direction of each cable."""
    left = Counter(tuple(sorted(cable)) for cable in cables)
    lost = set()
    for term in fail.split("+"):
        if term.startswith("router:"):
            router = int(term.split(":")[1])
            terminals[router] = 0
            for pair in left:
                if router in pair:
                    left[pair] = 0
            continue
        ends, *number = term.rstrip("]").split("[")
        pair = tuple(sorted(map(int, ends.split("-"))))
        if not number:
            left[pair] = 0
        elif (pair, number[0]) not in lost:
            lost.add((pair, number[0]))
            left[pair] -= 1
    return left


def solve(left, terminals):
    near = {r: [] for r in range(len(terminals))}
    for (a, b), count in left.items():
        near[a] += [b] * count
        near[b] += [a] * count
    all_terminals = sum(terminals)
    load, hops = Counter(), 0
    for end in near:
        if terminals[end] == 0:
            continue
        distance, order, queue = {end: 0}, [], deque([end])
        while queue:
            at = queue.popleft()
            order.append(at)
            for to in near[at]:
                if to not in distance:
                    distance[to] = distance[at] + 1
                    queue.append(to)
        paths = {end: 1}
        for at in order[1:]:
            paths[at] = sum(paths[to] for to in near[at]
                            if distance[to] < distance[at])
        flow = {r: Fraction(terminals[r] * terminals[end], all_terminals)
                for r in near}
        for at in reversed(order):
            hops += distance[at] * terminals[at] * terminals[end]
            total = flow[at]
            for to, count in Counter(near[at]).items():
                if distance[to] < distance[at]:
                    part = total * Fraction(paths[to], paths[at])
                    load[at, to] += part
                    flow[to] += count * part
    return max(load.values()), Fraction(hops, all_terminals ** 2)


for line in sys.stdin:
    name, fail = line.split()
    cables, terminals = build(name)
    print(name, fail, *solve(cut(cables, terminals, fail), terminals))
