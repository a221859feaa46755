"""Channel loads of Dragonflies by walking every route, in exact integers.

Source: Benito2020. The network is the largest balanced one, with p = h terminals per
router and a = 2h routers per group, arranged as a palmtree (section 2.2.1):
R_j of group i is joined to R_{a-1-j} of the groups i - (hj + m), m = 1 .. h.
Routes (section 5.4) are minimal to an intermediate router, then minimal to the
destination, with no short cut if the first part passes the destination. The
intermediate router is drawn uniformly from

    lgl   all routers
    lg-   in each group, the router where minimal routes from the source enter
    -gl   the routers of the groups that the source is joined to
    -g-   the routers that the source is joined to
    rvlb  within a group the group's routers, otherwise as lgl (section 5.2)

except those in the group of the source ("source_group" no) or of the
destination ("destination_group" no). With "source_group" yes lg- and -g- may
draw the source itself, -gl the other routers of its group as well. Packets to
their own router count. Rates are 1 per terminal.

A route is minimal as in section 2.3.1: at most a local hop, the global hop to
the destination's group, and a local hop. That is not always the fewest hops:
two global hops lead from R_j to the R_j of the groups up to h - 1 before and
after.

All groups are equivalent, so channels are counted for one. For the global
channels, and for the local ones R_j -> R_{j+d} for each d, the most frequent load
is taken (on a tie the largest). The largest of these is the "bulk" load: it
leaves out the few routers at which intermediate routers lie between the groups
of source and destination.
"""
from collections import Counter, defaultdict
from fractions import Fraction as F
from math import lcm

POLICIES = ("lgl", "lg-", "-gl", "-g-")
OWN_DEFAULTS = {"lg-": (False, True), "-gl": (False, True),
                "-g-": (False, True)}  # (source, destination group); otherwise both
CHOICES = [(s, d) for s in (True, False) for d in (True, False)]


class Dragonfly:
    def __init__(self, h):
        self.h, self.p, self.a, self.groups = h, h, 2 * h, 2 * h * h + 1
        a, groups = self.a, self.groups
        # (router, m) -> (groups ahead, router) at the end of its global channel
        self.link = {(j, m): (-(h * j + m) % groups, a - 1 - j)
                     for j in range(a) for m in range(1, h + 1)}
        # groups ahead -> (router, m, router there)
        self.exit = {o: (j, m, r) for (j, m), (o, r) in self.link.items()}
        assert len(self.exit) == groups - 1
        for (j, _), (o, r) in self.link.items():
            assert self.exit[-o % groups][0] == r
            assert self.exit[-o % groups][2] == j
        # [groups ahead][from][to]: channels passed, as (groups ahead, channel)
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
        """As (groups ahead, router), for packets from R_j to g groups ahead."""
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


# Traffic: {(router j, groups ahead g): [rate to router r of that group]}

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
    """[channel] of one group. Each part of a path is walked once for all packets
    that share it."""
    choice = choice or OWN_DEFAULTS.get(routing, (True, True))
    points = {key: net.way_points(routing, *key, choice) for key in traffic}
    unit = lcm(*(len(x) for x in points.values())) * \
        lcm(*(w.denominator for row in traffic.values() for w in row))
    load = [0] * net.count
    heading = defaultdict(Counter)  # (group, rates' shape): at the intermediate routers
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
    """[groups ahead][from][to]: the routes of fewest hops."""
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
    """The same with numbered groups: every route of every pair, one after another."""
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
    classes = [net.globals(load)] + \
        [[load[net.local(j, (j + d) % net.a)] for j in range(net.a)]
         for d in range(1, net.a)]
    most = F(0)
    for count in map(Counter, classes):
        often = max(count.values())
        most = max([most] + [x for x in count if count[x] == often])
    return most


def find_hops(net, load):
    sent = net.a * net.p
    return F(sum(net.locals(load)), sent), F(sum(net.globals(load)), sent)
