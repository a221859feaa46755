"""Square tori with failures, evenly split shortest paths and uniform traffic: for
each line "K FAIL" of standard input the largest channel load and the mean hops,
by counting paths on a torus built and cut here."""
import sys
from collections import deque
from fractions import Fraction


def neighbours(k, failed):
    links = {frozenset(map(int, part.split("-")))
             for part in failed if "-" in part}
    gone = {int(part.split(":")[1]) for part in failed if ":" in part}
    near = {r: [] for r in range(k * k) if r not in gone}
    for r in near:
        x, y = r % k, r // k
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            to = (x + dx) % k + (y + dy) % k * k
            if to in near and frozenset((r, to)) not in links:
                near[r].append(to)
    return near


def solve(near):
    n = len(near)
    load, hops = {}, 0
    for end in near:
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
        flow = {r: Fraction(1, n) for r in near}
        for at in reversed(order):
            hops += distance[at]
            for to in near[at]:
                if distance[to] < distance[at]:
                    part = flow[at] * Fraction(paths[to], paths[at])
                    load[at, to] = load.get((at, to), 0) + part
                    flow[to] += part
    return max(load.values()), Fraction(hops, n * n)


for line in sys.stdin:
    k, failed = line.split()
    print(failed, *solve(neighbours(int(k), failed.split("+"))))
