"""Worst cases of a Dragonfly: for each channel the heaviest matching of sources
and destinations."""
from collections import Counter
from fractions import Fraction as F
from math import lcm


def mirror(net, channel):
    """Its image as group g becomes -g and R_j becomes R_{a-1-j}."""
    x, y = divmod(channel, net.a)
    if channel < net.a * net.a:
        return net.local(net.a - 1 - x, net.a - 1 - y)
    x, m = divmod(channel - net.a * net.a, net.h)
    return net.across(net.a - 1 - x, net.h - m)


def find_weights(net, routing, choice):
    """{channel of group 0: [source][destination] probability}, in units."""
    a, groups = net.a, net.groups
    points = {(j, g): net.way_points(routing, j, g, choice)
              for j in range(a) for g in range(groups)}
    unit = lcm(*{len(x) for x in points.values()})
    used = {c for row in net.route for line in row for r in line for _, c in r}
    weight = {c: [[0] * (a * groups) for _ in range(a * groups)]
              for c in used if c <= mirror(net, c)}
    for (j, g), chosen in points.items():
        share = unit // len(chosen)
        first = Counter(step for o, x in chosen for step in net.route[o][j][x])
        for (at, channel), count in first.items():
            if channel in weight:
                row = weight[channel][-at % groups * a + j]
                for r in range(a):
                    row[(g - at) % groups * a + r] += count * share
        for o, x in chosen:
            for r, route in enumerate(net.route[(g - o) % groups][x]):
                for at, channel in route:
                    if channel in weight:
                        at = (o + at) % groups
                        weight[channel][-at % groups * a + j][
                            (g - at) % groups * a + r] += share
    return unit, weight


def merge(matrix):
    """Equal rows once and equal columns once, with their counts."""
    rows = Counter(map(tuple, matrix))
    columns = Counter(zip(*rows))
    return ([list(row) for row in zip(*columns)], list(rows.values()),
            list(columns.values()))


def match(weight, supply, demand):
    """The heaviest matching by shortest augmenting paths, checked with its final
    potentials: u_r + v_c >= w_rc, with equal totals."""
    rows, columns = range(len(supply)), range(len(demand))
    u, v, left = [max(row) for row in weight], [0] * len(demand), demand[:]
    flow = [[0] * len(demand) for _ in rows]
    for start in rows:
        need = supply[start]
        while need > 0:
            near = [float("inf")] * len(demand)
            by, via, done = {}, {}, []
            reached, fresh = {start: 0}, [start]
            while True:
                for r in fresh:
                    for c in columns:
                        d = reached[r] + u[r] + v[c] - weight[r][c]
                        if d < near[c]:
                            near[c], by[c] = d, r
                end = min((c for c in columns if c not in done),
                          key=near.__getitem__)
                done.append(end)
                if left[end] > 0:
                    break
                fresh = [r for r in rows if flow[r][end] and r not in reached]
                for r in fresh:
                    reached[r], via[r] = near[end], end
            for r, d in reached.items():
                u[r] -= near[end] - d
            for c in done:
                v[c] += near[end] - near[c]
            path, c = [(by[end], end, 1)], end
            while by[c] != start:
                r, c = by[c], via[by[c]]
                path += [(r, c, -1), (by[c], c, 1)]
            amount = min([need, left[end]] +
                         [flow[r][c] for r, c, sign in path if sign < 0])
            for r, c, sign in path:
                flow[r][c] += sign * amount
            left[end] -= amount
            need -= amount
    total = sum(flow[r][c] * weight[r][c] for r in rows for c in columns)
    assert all(u[r] + v[c] >= weight[r][c] for r in rows for c in columns)
    assert total == sum(x * y for x, y in zip(u + v, supply + demand))
    return total


def find_worst(net, routing, choice, is_merged=True):
    """p times the heaviest matching of any channel."""
    unit, weight = find_weights(net, routing, choice)
    bound = {c: min(sum(map(max, w)), sum(map(max, zip(*w))))
             for c, w in weight.items()}
    most = 0
    for channel in sorted(bound, key=bound.get, reverse=True):
        if bound[channel] <= most:
            break
        w = weight[channel]
        ones = [1] * len(w)
        most = max(most, match(*(merge(w) if is_merged else (w, ones, ones))))
    return F(most * net.p, unit)


def worst_closed(h, routing, choice):
    """Worst-case loads found for every h tried."""
    groups, excluded = 2 * h * h + 1, 2 - sum(choice)
    if routing == "min":
        return F(2 * h * h)
    if routing in ("lgl", "rvlb"):
        return (2 - F(1, groups), 2 + F(1, 4 * h * h),
                F(4 * h * h, 2 * h * h - 1))[excluded]
    if routing == "lg-":
        return (h + 1 - F(1, groups), F(h + 1),
                F((h + 1) * 2 * h * h, 2 * h * h - 1))[excluded]
    return F(h * (2 * h + 1), h + 1 - excluded)
