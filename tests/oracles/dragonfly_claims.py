"""Closed forms claimed for Dragonflies, and whether they hold."""
from collections import Counter
from fractions import Fraction as F

from dragonfly_network import (POLICIES, adversarial, consecutive, find_bulk,
                               find_hops, find_loads, find_shortest,
                               local_ring, uniform)


def claims_of_loads(net):
    """(claim, place, actual, expected)"""
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
    """Where the h global channels into R_x of an intermediate router's group lead."""
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
    """Zero-load latencies from Table 3-1, in nanoseconds."""
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
