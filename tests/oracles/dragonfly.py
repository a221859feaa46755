#!/usr/bin/env python3
# Run from the root: python3 tests/oracles/dragonfly.py (about a minute); it
# writes data/reference/dragonfly.csv and prints which closed forms hold.
"""Channel loads of Dragonflies by walking every route, in exact integers.

Source: Benito2020. The network is the largest balanced one, p = h terminals a
router and a = 2h routers a group, arranged as a palmtree (section 2.2.1):
R_j of group i joins R_{a-1-j} of the groups i - (hj + m), m = 1 .. h. Routes
(section 5.4) are minimal to a way-point, then minimal to the destination, with
no short cut where the first part passes the destination. The way-point is
drawn evenly from

    lgl   all routers
    lg-   of each group the router where minimal routes from the source enter
    -gl   the routers of the groups that the source is joined to
    -g-   the routers that the source is joined to
    rvlb  within a group the group's routers, else as lgl (section 5.2)

without those in the group of the source ("source_group" no) or of the
destination ("destination_group" no). With "source_group" yes lg- and -g- may
draw the source itself, -gl the other routers of its group as well. Packets to
their own router take part. Rates are 1 per terminal.

Minimal is what section 2.3.1 calls so: at most a local hop, the global hop to
the destination's group, and a local hop. That is not always the fewest hops:
two global hops lead from R_j to the R_j of the groups up to h - 1 before and
after.

Every group is as every other, so channels are counted for one of them. The
most frequent load of the local channels R_j -> R_{j+d}, the largest over d and
the global channels, is the "bulk" load: it leaves out the few routers at which
way-points lie between the groups of source and destination.
"""
from collections import Counter, defaultdict
from fractions import Fraction as F
from math import lcm

OUT = "data/reference/dragonfly.csv"
POLICIES = ("lgl", "lg-", "-gl", "-g-")
OWN_DEFAULTS = {"lg-": (False, True), "-gl": (False, True),
                "-g-": (False, True)}  # (source, destination group); else both
CHOICES = [(s, d) for s in (True, False) for d in (True, False)]


class Dragonfly:
    def __init__(self, h):
        self.h, self.p, self.a, self.groups = h, h, 2 * h, 2 * h * h + 1
        a, groups = self.a, self.groups
        # (router, m) -> (how many groups on, router) of its global channel
        self.link = {(j, m): (-(h * j + m) % groups, a - 1 - j)
                     for j in range(a) for m in range(1, h + 1)}
        # groups on -> (router, m, router there)
        self.exit = {o: (j, m, r) for (j, m), (o, r) in self.link.items()}
        assert len(self.exit) == groups - 1
        for (j, _), (o, r) in self.link.items():
            assert self.exit[-o % groups][0] == r
            assert self.exit[-o % groups][2] == j
        # [groups on][from][to]: channels passed, as (groups on, channel)
        self.route = [[[self.walk(o, x, y) for y in range(a)]
                       for x in range(a)] for o in range(groups)]
        self.count = a * a + a * h

    def local(self, x, y):
        return x * self.a + y

    def across(self, x, m):
        return self.a * self.a + x * self.h + m - 1

    def locals(self, load):
        return [load[self.local(x, y)] for x in range(self.a)
                for y in range(self.a) if x != y]

    def globals(self, load):
        return load[self.a * self.a:]

    def walk(self, o, x, y):
        if o == 0:
            return [(0, self.local(x, y))] if x != y else []
        out, m, enter = self.exit[o]
        return ([(0, self.local(x, out))] if x != out else []) + \
               [(0, self.across(out, m))] + \
               ([(o, self.local(enter, y))] if enter != y else [])

    def way_points(self, routing, j, g, choice):
        """As (groups on, router), of packets from R_j to g groups on."""
        source, destination = choice
        every = range(self.a)
        if routing == "min":
            return [(0, j)]
        if routing == "rvlb" and g == 0:
            return [(0, r) for r in every]
        joined = [self.link[j, m] for m in range(1, self.h + 1)]
        found = {
            "lgl": lambda: [(o, r) for o in range(self.groups) for r in every],
            "lg-": lambda: [(0, j)] + [(o, self.exit[o][2])
                                       for o in range(1, self.groups)],
            "-gl": lambda: [(o, r) for o in [0] + [o for o, _ in joined]
                            for r in every],
            "-g-": lambda: [(0, j)] + joined,
        }["lgl" if routing == "rvlb" else routing]()
        return [(o, r) for o, r in found
                if (source or o != 0) and (destination or o != g)]


# Traffic: {(router j, groups on g): [rate to router r of that group]}

def adversarial(net, *offsets):
    rate = F(net.p, net.a * len(offsets))
    return {(j, i % net.groups): [rate] * net.a
            for j in range(net.a) for i in offsets}


def consecutive(net):
    return adversarial(net, *range(1, net.h + 1))


def uniform(net):
    return adversarial(net, *range(net.groups))


def local_ring(net):
    return {(j, 0): [F(net.p) if r == (j + 1) % net.a else F(0)
                     for r in range(net.a)] for j in range(net.a)}


def half_each(one, other):
    return {key: [(x + y) / 2 for x, y in zip(one.get(key, [0] * len(row)),
                                              other.get(key, [0] * len(row)))]
            for key, row in {**one, **other}.items()}


def find_loads(net, routing, traffic, choice=None):
    """[channel] of one group. Each part of the way is walked once for all
    packets that have it in common."""
    choice = choice or OWN_DEFAULTS.get(routing, (True, True))
    points = {key: net.way_points(routing, *key, choice) for key in traffic}
    unit = lcm(*(len(x) for x in points.values())) * \
        lcm(*(w.denominator for row in traffic.values() for w in row))
    load = [0] * net.count
    heading = defaultdict(Counter)  # (group, rates' shape): at the way-points
    for (j, g), row in traffic.items():
        share = [int(w * unit) // len(points[j, g]) for w in row]
        total = sum(share)
        for o, x in points[j, g]:
            for _, channel in net.route[o][j][x]:
                load[channel] += total
        for rate in set(share) - {0}:
            to = tuple(r for r in range(net.a) if share[r] == rate)
            here = heading[g, to]
            for point in points[j, g]:
                here[point] += rate
    for (g, to), here in heading.items():
        for (o, x), rate in here.items():
            routes = net.route[(g - o) % net.groups][x]
            for r in to:
                for _, channel in routes[r]:
                    load[channel] += rate
    return [F(x, unit) for x in load]


def find_shortest(net):
    """[groups on][from][to]: the routes of fewest hops."""
    found = [[[None] * net.a for _ in range(net.a)] for _ in range(net.groups)]
    for x in range(net.a):
        routes, queue = {(0, x): [[]]}, [(0, x)]
        for g, r in queue:
            hops = [((g, y), net.local(r, y)) for y in range(net.a) if y != r]
            hops += [(((g + o) % net.groups, y), net.across(r, m))
                     for m in range(1, net.h + 1)
                     for o, y in [net.link[r, m]]]
            longer = [route + [(g, None)] for route in routes[g, r]]
            for to, channel in hops:
                if to not in routes:
                    routes[to] = []
                    queue.append(to)
                if not routes[to] or len(routes[to][0]) == len(longer[0]):
                    routes[to] += [route[:-1] + [(g, channel)]
                                   for route in longer]
        for (g, y), some in routes.items():
            found[g][x][y] = some
    return found


def check_by_walking(net, routing, traffic, choice):
    """The same with numbered groups: every route of every pair, one by one."""
    load = Counter()
    for s in range(net.groups):
        for (j, g), row in traffic.items():
            points = net.way_points(routing, j, g, choice)
            for r, rate in enumerate(row):
                for o, x in points:
                    for at, channel in net.route[o][j][x]:
                        load[(s + at) % net.groups, channel] += \
                            rate / len(points)
                    for at, channel in net.route[(g - o) % net.groups][x][r]:
                        load[(s + o + at) % net.groups, channel] += \
                            rate / len(points)
    once = find_loads(net, routing, traffic, choice)
    assert all(load[s, c] == once[c] for s in range(net.groups)
               for c in range(net.count))


def find_bulk(net, load):
    most = max(net.globals(load))
    for d in range(1, net.a):
        count = Counter(load[net.local(j, (j + d) % net.a)]
                        for j in range(net.a))
        often = max(count.values())
        most = max([most] + [x for x in count if count[x] == often])
    return most


def find_hops(net, load):
    sent = net.a * net.p
    return F(sum(net.locals(load)), sent), F(sum(net.globals(load)), sent)


# Worst cases: per channel the heaviest matching of sources and destinations

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
    """Equal rows once and equal columns once, with how many they are."""
    rows = Counter(map(tuple, matrix))
    columns = Counter(zip(*rows))
    return ([list(row) for row in zip(*columns)], list(rows.values()),
            list(columns.values()))


def match(weight, supply, demand):
    """The heaviest matching by shortest augmenting paths, held against the
    potentials that it ends with: u_r + v_c >= w_rc, equal in total."""
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
    """Worst-case loads that are found for every h tried."""
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


# What is claimed in closed form, and whether it holds

def claims_of_loads(net):
    """(claim, where, is, should be)"""
    h, groups, a = net.h, net.groups, net.a
    flat = {"uniform": uniform(net), "local": local_ring(net),
            "consecutive": consecutive(net), "h": adversarial(net, h)}
    yield "routers 4h^3 + 2h", h, a * groups, 4 * h**3 + 2 * h
    yield "terminals 4h^4 + 2h^2", h, net.p * a * groups, 4 * h**4 + 2 * h * h
    yield "terminals 2h^3 + 2h", h, net.p * a * groups, 2 * h**3 + 2 * h
    shortest = find_shortest(net)
    pairs = [(len(net.route[o][x][y]), len(shortest[o][x][y][0]))
             for o in range(groups) for x in range(a) for y in range(a)]
    yield ("minimal routes have the fewest hops, mean distance", h,
           F(sum(s for _, s in pairs), len(pairs)),
           F(sum(m for m, _ in pairs), len(pairs)))
    yield ("mean distance: (h - 1)^2 / (h^2 G) below the minimal routes'", h,
           F(sum(m - s for m, s in pairs), len(pairs)),
           F((h - 1)**2, h * h * groups))
    yield "diameter 3", h, max(s for _, s in pairs), 3
    load = find_loads(net, "min", flat["uniform"])
    yield ("min, uniform: local 1 - 1/2G, global 1 - 1/G", h,
           {*net.locals(load), *net.globals(load)},
           {1 - F(1, 2 * groups), 1 - F(1, groups)})
    for name, most in (("local", h), ("consecutive", 2 * h)):
        yield (f"min, {name}: {'h' if name == 'local' else '2h'}", h,
               max(find_loads(net, "min", flat[name])), most)
    for name, traffic in flat.items():
        load = find_loads(net, "lgl", traffic)
        yield ("lgl: local 2 - 1/G, global 2 - 2/G, always", (h, name),
               (set(net.locals(load)), set(net.globals(load))),
               ({2 - F(1, groups)}, {2 - F(2, groups)}))
    load = find_loads(net, "rvlb", flat["local"])
    yield ("rvlb, local: local 1, global 0", h,
           (set(net.locals(load)), set(net.globals(load))), ({1}, {0}))
    yield ("rvlb, uniform: (1 - 1/G)(2 - 1/G) + 1/G", h,
           max(find_loads(net, "rvlb", flat["uniform"])),
           (1 - F(1, groups)) * (2 - F(1, groups)) + F(1, groups))
    for routing in POLICIES[1:]:
        yield ("lg-, -gl, -g-, uniform: 2 - 1/G", (h, routing),
               max(find_loads(net, routing, flat["uniform"])),
               2 - F(1, groups))
    for routing, most in (("-g-", F(h + 2, 2)), ("lg-", F(h + 3, 2)),
                          ("-gl", F(2))):
        yield ("consecutive: -g- (h+2)/2, lg- (h+3)/2, -gl 2, at least 2",
               (h, routing),
               max(find_loads(net, routing, flat["consecutive"])),
               max(F(2), most))
    for routing, most in (("-g-", h), ("lg-", 2), ("-gl", h + 1)):
        yield ("local: -g- h, lg- 2, -gl h + 1, at least 2", (h, routing),
               max(find_loads(net, routing, flat["local"])), max(2, most))


def claims_of_offsets(net):
    """Offset i = kh + m, 0 <= m < h, and -i."""
    h, a, groups = net.h, net.a, net.groups
    for i in (sign * i for i in range(1, h * h + 1) for sign in (1, -1)):
        k, m = divmod(abs(i), h)
        traffic = adversarial(net, i)
        yield ("min, any offset: 2h^2", (h, i),
               max(find_loads(net, "min", traffic)), 2 * h * h)
        for routing, more in (("-g-", F(1, 2)), ("lg-", F(1))):
            load = find_loads(net, routing, traffic)
            bulk = find_bulk(net, load)
            above = sum(x > bulk for x in load)
            x = max(h - m, m) if k > 0 else m
            yield ("-g-, lg-: bulk x + 1/2, x + 1, at least 2; x = "
                   "max(h-m, m), k = 0: m", (h, i, routing), bulk,
                   max(F(2), x + more))
            x = h if m == 0 else max(h - m + 1, m) if k > 0 else m
            yield ("-g-, lg-: worst y + 1/2, y + 1, at least 2; y = "
                   "max(h-m+1, m), m = 0: h, k = 0: m", (h, i, routing),
                   max(load), max(F(2), x + more))
            yield ("-g-, lg-: k channels above the bulk if 1 <= m <= h/2, "
                   "else none", (h, i, routing), above,
                   k if 1 <= m <= h / 2 else 0)
        load = find_loads(net, "-gl", traffic)
        yield ("-gl: worst 2, local 3/2 + 1/4h^2", (h, i),
               (max(load), max(net.locals(load))),
               (2, F(3, 2) + F(1, 4 * h * h)))


def claims_of_transit(net):
    """Where the h global channels into R_x of a way-point's group lead."""
    h, a, groups = net.h, net.a, net.groups
    for i in range(1, h * h + 1):
        k, m = divmod(i, h)
        leads = [Counter() for _ in range(a)]
        for (x, _), (o, _) in net.link.items():
            to = (o + i) % groups
            leads[x][(x - net.exit[to][0]) % a if to else "here"] += 1
        for x in range(a):
            should = Counter({k: h - m, k + 1: m})
            if x < k:
                should = Counter({k: h - m + 1, k + 1: m - 1} if m > 0 else
                                 {k: h - 1, k - 1: 1})
            yield ("transit: h - m by l_-k, m by l_-(k+1); R_0 .. R_(k-1): "
                   "h - m + 1, m - 1 (m = 0: h - 1, 1 by l_-(k-1))",
                   (h, i, x), +leads[x], +should)
            lost = (k, k + 1) if m > 0 else (k - 1, k - 1)
            if x == lost[0]:
                should[lost[1]] -= 1
                should["here"] += 1
            yield ("transit: the same, but of R_k (m = 0: R_(k-1)) one of "
                   "them ends here", (h, i, x), +leads[x], +should)
            for n in range(1, h + 1):
                if x > n:
                    yield ("equation 6-2: (h - |i - nh|)/h of what is sent "
                           "h + i on leaves R_x, x > n, by l_-n", (h, i, x, n),
                           F(leads[x][n], h), F(max(0, h - abs(i - n * h)), h))


def claims_of_latency(net):
    """Zero-load latencies from Table 3-1, nanoseconds."""
    def latency(routing, traffic):
        hops, far = find_hops(net, find_loads(net, routing, traffic))
        return (hops + far + 1) * 90 + hops * 15 + far * 150 + 10
    far = latency("lgl", adversarial(net, 1))
    for name, routing, traffic, ns, less in (
            ("lgl, offset 1", "lgl", adversarial(net, 1), 955.8, 0),
            ("-gl, offset 1", "-gl", adversarial(net, 1), 864.1, 9.6),
            ("-g-, offset 1", "-g-", adversarial(net, 1), 689.0, 27.9),
            ("-g-, consecutive", "-g-", consecutive(net), 732.7, 23.3),
            ("-g-, offset h", "-g-", adversarial(net, net.h), 776.5, 18.8),
            ("rvlb, local", "rvlb", local_ring(net), 292.5, 69.4),
            ("min, uniform", "min", uniform(net), 527.9, 44.8)):
        is_now = latency(routing, traffic)
        yield (f"latency, {name}: {ns} ns, {less} % below lgl", net.h,
               (round(float(is_now), 1),
                round(float(100 * (1 - is_now / far)), 1)), (ns, less))


def report(claims):
    held, first = Counter(), {}
    for claim, where, value, should in claims:
        held[claim] += value == should
        first.setdefault(claim, None)
        if value != should and first[claim] is None:
            first[claim] = f"{where}: {value}, not {should}"
    for claim, wrong in first.items():
        print(f"holds ({held[claim]}): {claim}" if wrong is None else
              f"FAILS ({held[claim]} hold): {claim}; first {wrong}")


def list_traffics(net):
    """[name, as the program has it, or mix; traffic]"""
    h = net.h
    some = range(1, h * h + 1) if h <= 4 else (1, h) if h == 5 else \
        (*range(1, 2 * h + 1), *range(3 * h, h * h + 1, h))
    found = [(f"adversarial:offset={i}", adversarial(net, i))
             for i in [*some, *(-i for i in some)]]
    found += [("uniform", uniform(net)), ("adversarial-local", local_ring(net)),
              ("adversarial-consecutive", consecutive(net)),
              ("mix", half_each(uniform(net), adversarial(net, 1)))]
    if h == 6:
        found += [(f"adversarial:offset={i}+{j}", adversarial(net, i, j))
                  for i, j in ((9, 11), (2, 4), (3, 9), (-9, -11))]
    return found


def write_loads(file, net, worst):
    traffics = list_traffics(net)
    plain = [row for row in traffics if "offset" not in row[0]] + \
        [(f"adversarial:offset={i}", adversarial(net, i)) for i in (1, net.h)]
    cases = [(routing, choice, name, traffic)
             for routing in ("min", "rvlb") + POLICIES
             for choice in CHOICES
             for name, traffic in (traffics if choice == OWN_DEFAULTS.get(
                 routing, (True, True)) and routing in POLICIES else plain)
             if routing != "min" or choice == (True, True)]
    for routing, choice, name, traffic in cases:
        is_default = choice == OWN_DEFAULTS.get(routing, (True, True))
        if net.h > 3 and not is_default:
            continue
        load = find_loads(net, routing, traffic, choice)
        print(net.h, routing, *("yes" if x else "no" for x in choice), name,
              max(load), find_bulk(net, load), *find_hops(net, load), sep=",",
              file=file)
    for (routing, choice), most in worst.items():
        print(net.h, routing, *("yes" if x else "no" for x in choice), "worst",
              most, "none", "none", "none", sep=",", file=file)


def find_all_worst(net):
    asked = [("min", (True, True))] + \
        [(routing, choice) for routing in POLICIES + ("rvlb",)
         for choice in CHOICES
         if net.h < 5 or routing in POLICIES and
         choice == OWN_DEFAULTS.get(routing, (True, True))]
    return {x: find_worst(net, *x) for x in asked}


def main():
    claims = []
    with open(OUT, "w") as file:
        print("# Made by tests/oracles/dragonfly.py, which says what is what.\n"
              "# mix: half uniform, half adversarial:offset=1. bulk_load: "
              "without the few\n# channels between the groups of source and "
              "destination.\n"
              "h,routing,source_group,destination_group,traffic,"
              "max_channel_load,bulk_load,mean_local_hops,mean_global_hops",
              file=file)
        for h in (2, 3, 4, 5, 6):
            net = Dragonfly(h)
            if h == 2:
                for routing in POLICIES + ("rvlb",):
                    for choice in CHOICES:
                        for traffic in (uniform, consecutive, local_ring):
                            check_by_walking(net, routing, traffic(net), choice)
                        assert find_worst(net, routing, choice) == \
                            find_worst(net, routing, choice, False)
            worst = find_all_worst(net)
            claims += [("worst cases: worst_closed()", (h, *x), most,
                        worst_closed(h, *x)) for x, most in worst.items()]
            claims += [*claims_of_loads(net), *claims_of_offsets(net),
                       *claims_of_transit(net)]
            if h == 6:
                claims += claims_of_latency(net)
            write_loads(file, net, worst)
    report(claims)


if __name__ == "__main__":
    main()
