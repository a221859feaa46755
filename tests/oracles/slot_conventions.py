#!/usr/bin/env python3
# Run: python3 tests/oracles/slot_conventions.py >data/reference/slot_conventions.csv
# (ten minutes)
"""Output-queued networks under the conventions that a slotted simulation needs.

Plain lists, and no code shared with the program. In every slot packets are born,
those that come to a router join its queues one after another, and every channel
sends its oldest packet. The conventions:

  congestion   output: a queue's length includes the packet that its channel sends
               in this slot; waiting: it does not
  slot_order   transit: packets from other routers join first, the oldest first;
               random: new packets and those are shuffled together
  arrivals     bernoulli: above rate 1, its whole part in every slot and one more
               with the probability of the rest; poisson: a Poisson number

Schemes and traffic: Singh2005, sections 5.5 and 6.1.
"""
import math
import random
import statistics
import sys

SIDE = 8
BATCHES = 20


class Torus:
    """Channels (router, dimension, +-1). A packet has the directions that it may
    still take in each dimension, and the hops left in each of them."""

    def __init__(self, dimensions, routing, traffic):
        self.dimensions, self.routing, self.traffic = dimensions, routing, traffic
        self.routers = SIDE**dimensions

    def target(self, source, rng):
        if self.traffic == "uniform":
            return rng.randrange(self.routers)
        x = source % SIDE  # tornado in the first dimension
        return source - x + (x + SIDE // 2 - 1) % SIDE

    def offsets(self, router, target):
        return [(target // SIDE**d - router // SIDE**d) % SIDE
                for d in range(self.dimensions)]

    def begin(self, packet, router, seen, rng):
        """Draws the quadrant of CQR; MIN AD keeps both of two equal directions."""
        offsets = self.offsets(router, packet.target)
        packet.ways = {}
        packet.is_detour = False
        if self.routing == "min-adaptive":
            for d, o in enumerate(offsets):
                if o:
                    ahead = {1: o, -1: SIDE - o}
                    least = min(ahead.values())
                    packet.ways[d] = {s: h for s, h in ahead.items() if h == least}
            return
        quadrants = [{}]
        for d, o in enumerate(offsets):
            if o:
                quadrants = [{**q, d: {s: h}} for q in quadrants
                             for s, h in ((1, o), (-1, SIDE - o))]

        def hops(quadrant):
            return sum(h for way in quadrant.values() for h in way.values())

        def cost(quadrant):
            if not quadrant:
                return 0
            least = min(seen((router, d, s)) for d, way in quadrant.items()
                        for s in way)
            return least * hops(quadrant)

        best = min((cost(q), hops(q)) for q in quadrants)
        packet.ways = rng.choice([q for q in quadrants
                                  if (cost(q), hops(q)) == best])
        packet.is_detour = best[1] > sum(min(o, SIDE - o) for o in offsets)

    def channels(self, packet, router):
        return [(router, d, s) for d, way in packet.ways.items() for s in way]

    def go(self, packet, channel):
        router, d, sign = channel
        left = packet.ways[d][sign] - 1
        if left:
            packet.ways[d] = {sign: left}
        else:
            del packet.ways[d]
        x = router // SIDE**d % SIDE
        return router + ((x + sign) % SIDE - x) * SIDE**d


class Complete:
    """UGAL on four routers; channels (router, next). Bit complement."""

    routers = 4

    def target(self, source, _):
        return 3 - source

    def begin(self, packet, router, seen, rng):
        packet.path = [packet.target]
        by = rng.randrange(self.routers)
        if by not in (router, packet.target) and \
                seen((router, packet.target)) > 2 * seen((router, by)):
            packet.path = [by, packet.target]
        packet.is_detour = len(packet.path) > 1

    def channels(self, packet, router):
        return [(router, packet.path[0])] if packet.path else []

    def go(self, packet, channel):
        return packet.path.pop(0)


class Packet:
    def __init__(self, birth, target, rng):
        self.age = (birth, rng.random())
        self.birth, self.target = birth, target
        self.is_new = True


def born(rate, arrivals, rng):
    if arrivals == "poisson":
        count, product = 0, rng.random()
        while product > math.exp(-rate):
            count, product = count + 1, product * rng.random()
        return count
    return int(rate) + (rng.random() < rate - int(rate))


def simulate(net, rate, arrivals, congestion, order, slots, seed):
    """Mean latency and share of detours of the packets born after a tenth, until
    they have all arrived."""
    rng = random.Random(seed)
    queues = {}
    moved = [[] for _ in range(net.routers)]
    latency = detours = count = arrived = slot = 0

    def seen(channel):
        length = len(queues.get(channel, ()))
        return max(length - 1, 0) if congestion == "waiting" else length

    while slot < slots or arrived < count:
        joining, moved = moved, [[] for _ in range(net.routers)]
        for r, packets in enumerate(joining):
            packets.sort(key=lambda p: p.age)
            for _ in range(born(rate, arrivals, rng)):
                packets.append(Packet(slot, net.target(r, rng), rng))
            if order == "random":
                rng.shuffle(packets)
            for p in packets:
                if p.is_new:
                    net.begin(p, r, seen, rng)
                    p.is_new = False
                    if slots // 10 <= p.birth < slots:
                        count += 1
                        detours += p.is_detour
                        arrived += not net.channels(p, r)
                channels = net.channels(p, r)
                if channels:
                    least = min(map(seen, channels))
                    queues.setdefault(rng.choice(
                        [c for c in channels if seen(c) == least]), []).append(p)
        for channel, queue in queues.items():
            if queue:
                p = min(queue, key=lambda p: p.age)
                queue.remove(p)
                r = net.go(p, channel)
                if net.channels(p, r):
                    moved[r].append(p)
                elif slots // 10 <= p.birth < slots:
                    arrived += 1
                    latency += slot + 1 - p.birth
        slot += 1
    return latency / count, detours / count


def interval(values):
    error = statistics.stdev(values) / math.sqrt(len(values))
    return statistics.mean(values), 2.093 * error  # Student, 19 degrees


def main():
    print("# Made by tests/oracles/slot_conventions.py: means of %d runs, and" % BATCHES)
    print("# half-widths of their 95 % intervals.")
    print("topology,routing,traffic,rate,arrivals,congestion,slot_order,latency,"
          "latency_error,detours,detours_error")
    conventions = [(c, o) for c in ("output", "waiting")
                   for o in ("transit", "random")]
    cases = [("ring:8", "cqr", "tornado", rate, "bernoulli", 4000)
             for rate in (0.12, 0.2, 0.4)]
    cases += [("torus:8x8", "cqr", "tornado", 0.4, "bernoulli", 500),
              ("torus:8x8", "cqr", "uniform", 0.2, "bernoulli", 500),
              ("torus:8x8", "min-adaptive", "uniform", 0.2, "bernoulli", 500)]
    cases += [("complete:4", "ugal", "bit-complement", 1, arrivals, 4000)
              for arrivals in ("bernoulli", "poisson")]
    for topology, routing, traffic, rate, arrivals, slots in cases:
        net = Complete() if topology == "complete:4" else \
            Torus(topology.count("8") if "torus" in topology else 1, routing, traffic)
        for congestion, order in conventions:
            runs = [simulate(net, rate, arrivals, congestion, order, slots, seed)
                    for seed in range(BATCHES)]
            latency, detours = (interval(v) for v in zip(*runs))
            print(f"{topology},{routing},{traffic},{rate},{arrivals},{congestion},"
                  f"{order},{latency[0]:.5f},{latency[1]:.5f},"
                  f"{detours[0]:.6f},{detours[1]:.6f}")
            sys.stdout.flush()


main()
