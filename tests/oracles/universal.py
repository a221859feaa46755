#!/usr/bin/env python3
"""Segments, LASH-TOR, preferential attachment and degenerated networks as
[Hanlon2009, sections 2.1.2, 2.3.4, 2.3.5, 4.1 and 4.2.5] words them, with
Python's random numbers: means over seeds and deviations of one seed, the rows of
tests/routing/test_drawn_paths.c, tests/topology/test_drawn.c and
tests/questions/test_failures.c.

    universal.py [SEEDS]
"""
import itertools
import random
import statistics
import sys


def grid(shape, wraps):
    links = set()
    cells = list(itertools.product(*map(range, shape)))
    number = {cell: i for i, cell in enumerate(cells)}
    for cell in cells:
        for d, k in enumerate(shape):
            if cell[d] + 1 < k or wraps:
                to = cell[:d] + ((cell[d] + 1) % k,) + cell[d + 1:]
                links.add(frozenset((number[cell], number[to])))
    return links


def complete(n):
    return {frozenset(pair) for pair in itertools.combinations(range(n), 2)}


def preferential(m, steps, draw):
    """Ends of links are drawn with repetition; repeated ones are one link."""
    ends, links = [], set()
    for new in range(m, m + steps):
        others = set(range(m)) if new == m else {
            draw.choice(ends) for _ in range(m)}
        for other in others:
            links.add(frozenset((other, new)))
        ends += [end for other in others for end in (other, new)]
    return links


def is_joined(links, a, b):
    near, seen, stack = neighbours(links), {a}, [a]
    while stack:
        for to in near.get(stack.pop(), ()):
            if to not in seen:
                seen.add(to)
                stack.append(to)
    return b in seen


def bridges_of_degenerated(links, failures, draw):
    """Links are drawn one by one; one that alone joins its ends stays."""
    left = set(links)
    for link in draw.sample(sorted(links, key=sorted), len(links)):
        if failures > 0 and is_joined(left - {link}, *link):
            left.remove(link)
            failures -= 1
    return sum(not is_joined(left - {link}, *link) for link in left)


def neighbours(links):
    near = {}
    for link in links:
        a, b = link
        near.setdefault(a, set()).add(b)
        near.setdefault(b, set()).add(a)
    return near


def shortest(near, start, goal, blocked, draw):
    """Distances from the goal first, then a random descent."""
    distance = {r: 0 for r in goal}
    ring = list(goal)
    while ring:
        ring = list(dict.fromkeys(
            t for r in ring for t in near[r]
            if t not in distance and frozenset((r, t)) not in blocked[0]
            and t not in blocked[1]))
        depth = len(set(distance.values()))
        distance.update((t, depth) for t in ring)
    if start not in distance:
        return None
    path = [start]
    while distance[path[-1]] > 0:
        r = path[-1]
        path.append(draw.choice(sorted(
            t for t in near[r]
            if distance.get(t, -1) == distance[r] - 1
            and frozenset((r, t)) not in blocked[0])))
    return path


def walk(near, start, goal, blocked, draw):
    """Self-avoiding, with steps back from dead ends."""
    path, seen, untried = [start], {start}, [sorted(near[start])]
    while path:
        if not untried[-1]:
            path.pop()
            untried.pop()
            continue
        to = untried[-1].pop(draw.randrange(len(untried[-1])))
        if frozenset((path[-1], to)) in blocked[0] or path[-2:-1] == [to]:
            continue
        if to in goal:
            return path + [to]
        if to not in seen and to not in blocked[1]:
            seen.add(to)
            path.append(to)
            untried.append(sorted(near[to]))
    return None


def segments(links, search, draw):
    """For networks without bridges: the segments as lists of routers."""
    near = neighbours(links)
    start = draw.choice(sorted(near))
    subnet, used, found = {start}, set(), []
    router = start
    while len(used) < len(links):
        options = []
        for to in draw.sample(sorted(near[router]), len(near[router])):
            link = frozenset((router, to))
            if link in used:
                continue
            rest = [to] if to in subnet else search(
                near, to, subnet, (used | {link}, set()), draw)
            if rest:
                options.append([router] + rest)
            if not found or search is walk:
                break
        if options:
            best = min(options, key=len)
            found.append(best)
            subnet.update(best)
            used.update(map(frozenset, itertools.pairwise(best)))
        else:
            router = draw.choice(sorted(
                r for r in subnet
                if any(frozenset((r, t)) not in used for t in near[r])))
    return near, found


def segment_numbers(links, search, draw):
    """Regular segments; prohibited turns, also with unitary ones one way."""
    near, found = segments(links, search, draw)
    both, one_way = set(), set()
    for path in found:
        if len(path) > 2:
            i = draw.randrange(1, len(path) - 1)
            turn = tuple(path[i - 1:i + 2])
            both |= {turn, turn[::-1]}
            one_way |= {turn, turn[::-1]}
            continue
        far, at = draw.sample(path, 2)
        turns = {(far, at, to) for to in near[at] - {far}}
        both |= turns | {turn[::-1] for turn in turns}
        one_way |= turns
    regular = sum(len(path) > 2 for path in found) - 1
    return regular, len(both), len(one_way)


def first_paths(near, source, k, draw):
    """The first k shortest paths that a breadth-first search meets."""
    paths, ring = {source: [[source]]}, [source]
    while ring:
        draw.shuffle(ring)
        new = {}
        for r in ring:
            for to in near[r]:
                if to not in paths:
                    new.setdefault(to, []).extend(p + [to] for p in paths[r])
        paths.update((to, ways[:k]) for to, ways in new.items())
        ring = list(new)
    return paths


def reaches(graph, more, a, b):
    """Whether turns of a layer, and of a path to be added, lead from a to b."""
    seen, stack = set(), [a]
    while stack:
        c = stack.pop()
        if c == b:
            return True
        if c not in seen:
            seen.add(c)
            stack.extend(graph.get(c, ()))
            stack.extend(more.get(c, ()))
    return False


def divided(layers, path):
    """Each layer in turn takes as much as it can; None: too few layers."""
    channels = list(itertools.pairwise(path))
    parts, at = [], 0
    for graph in layers:
        end, more = at + 1, {}
        while end < len(channels):
            a, b = channels[end - 1:end + 1]
            if reaches(graph, more, b, a):
                break
            more[a] = [b]
            end += 1
        parts.append(channels[at:end])
        at = end
        if at == len(channels):
            return parts
    return None


def lash_tor(links, k, layer_count, draw):
    """Dependencies path by path of the first two layers, and transitions."""
    near = neighbours(links)
    layers = [{} for _ in range(layer_count)]
    dependencies, transitions = [0] * layer_count, 0
    for source in sorted(near):
        paths = first_paths(near, source, k, draw)
        for to in sorted(near):
            if to == source:
                continue
            tries = [divided(layers, path) for path in paths[to]]
            best = min((t for t in tries if t is not None), key=len)
            transitions += len(best) - 1
            for l, part in enumerate(best):
                dependencies[l] += len(part) - 1
                for a, b in itertools.pairwise(part):
                    layers[l].setdefault(a, set()).add(b)
    return dependencies[0], dependencies[1], transitions


def row(name, seeds, numbers):
    columns = list(zip(*(numbers(random.Random(s)) for s in range(seeds))))
    print(name, *("%.2f %.2f %d-%d" % (statistics.mean(c), statistics.stdev(c),
                                     min(c), max(c)) for c in columns),
          sep="  ", flush=True)


def main():
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for name, links in (("mesh:8x8", grid((8, 8), False)),
                        ("torus:8x8", grid((8, 8), True)),
                        ("mesh:3x4x3", grid((3, 4, 3), False)),
                        ("complete:9", complete(9))):
        for search in (shortest, walk):
            row(f"{name} {search.__name__}", seeds,
                lambda draw: segment_numbers(links, search, draw))
    for m, steps in ((8, 24), (3, 30)):
        row(f"preferential:{m},steps={steps},repeats=merge", seeds,
            lambda draw: (len(preferential(m, steps, draw)),))
    for name, links, failures in (("mesh:8x8", grid((8, 8), False), 33),
                                  ("torus:8x8", grid((8, 8), True), 50)):
        row(f"{name},fail=connected:{failures}", seeds // 2,
            lambda draw: (bridges_of_degenerated(links, failures, draw),))
    for name, links, k, layers in (
            ("mesh:8x8", grid((8, 8), False), 5, 3),
            ("mesh:5x5", grid((5, 5), False), 2, 3),
            ("torus:5x5", grid((5, 5), True), 3, 4)):
        row(f"{name} lash-tor:paths={k}", seeds // 10,
            lambda draw: lash_tor(links, k, layers, draw))


if __name__ == "__main__":
    main()
