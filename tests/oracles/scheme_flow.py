"""The largest rate that an adaptive scheme can carry: one variable per choice.

For every random outcome of a pair (the quadrant drawn, or the c intermediate
routers drawn in order, each of n) the fractions on the permitted paths, as flows
hop by hop:

    maximise theta: flows of theta rate(s, t) within the bandwidth of 1,

by glpsol (Debian: glpk-utils), without symmetry, cuts or closed forms for the
outcomes. Networks are described independently here.
"""
import itertools
import random
import re
import subprocess
import tempfile
from fractions import Fraction

OUT = "data/reference/scheme_flow.csv"


class Network:
    def __init__(self, size, edges, radix=None, group=None):
        self.size = size
        self.out = [[] for _ in range(size)]
        for a, b in edges:
            self.out[a].append(b)
        self.radix = radix
        self.group = group
        self.hops = [self.find_hops(t) for t in range(size)]

    def length(self, a, b):
        """Length of a channel; one between groups exceeds all others together."""
        return 100 if self.group and self.group[a] != self.group[b] else 1

    def find_hops(self, target):
        hops = [10 ** 6] * self.size
        hops[target] = 0
        for _ in range(self.size):
            for a in range(self.size):
                for b in self.out[a]:
                    hops[a] = min(hops[a], hops[b] + self.length(a, b))
        return hops

    def minimal(self, s, t):
        """Arcs of shortest paths from s to t."""
        h = self.hops[t]
        arcs, seen, stack = [], {s}, [s]
        while stack:
            a = stack.pop()
            for b in self.out[a]:
                if h[b] == h[a] - self.length(a, b):
                    arcs.append((a, b))
                    if b not in seen:
                        seen.add(b)
                        stack.append(b)
        return arcs


def torus(*radix):
    def number(x):
        n = 0
        for k, r in zip(reversed(radix), reversed(x)):
            n = n * k + r
        return n
    size, edges = 1, []
    for k in radix:
        size *= k
    for x in itertools.product(*(range(k) for k in radix)):
        for d, k in enumerate(radix):
            for step in (1, -1):
                y = list(x)
                y[d] = (x[d] + step) % k
                edges.append((number(x), number(y)))
    return Network(size, edges, radix)


def complete(n):
    return Network(n, [(a, b) for a in range(n) for b in range(n) if a != b])


def coordinates(net, r):
    x = []
    for k in net.radix:
        x.append(r % k)
        r //= k
    return x


def quadrants(net, s, t):
    """(probability as in rlb, arcs) for each choice of directions."""
    ways = []
    for k, a, b in zip(net.radix, coordinates(net, s), coordinates(net, t)):
        ahead = (b - a) % k
        if ahead == 0:
            ways.append([(Fraction(1), 0)])
        else:
            ways.append([(Fraction(k - ahead, k), ahead),
                         (Fraction(ahead, k), ahead - k)])
    for choice in itertools.product(*ways):
        p = Fraction(1)
        for q, _ in choice:
            p *= q
        arcs = []
        for done in itertools.product(*(range(abs(m) + 1) for _, m in choice)):
            at = place(net, s, choice, done)
            for d, (_, moves) in enumerate(choice):
                if done[d] < abs(moves):
                    onward = list(done)
                    onward[d] += 1
                    arcs.append((at, place(net, s, choice, onward)))
        yield p, arcs


def place(net, s, choice, done):
    n, x = 0, coordinates(net, s)
    for d in reversed(range(len(x))):
        moves = choice[d][1]
        sign = 1 if moves > 0 else -1
        n = n * net.radix[d] + (x[d] + sign * done[d]) % net.radix[d]
    return n


def states(net, scheme, s, t):
    """[(probability, [paths])]; a path is a list of (from, to, arcs)."""
    name, _, draws = scheme.partition(":candidates=")
    straight = [(s, t, net.minimal(s, t))]
    if name == "min-adaptive":
        return [(1, [straight])]
    if name == "goal":
        return [(p, [[(s, t, arcs)]]) for p, arcs in quadrants(net, s, t)]
    if name in ("cqr", "gal"):
        return [(1, [[(s, t, arcs)] for _, arcs in quadrants(net, s, t)])]
    draws = int(draws or 1)
    out = []
    for drawn in itertools.product(range(net.size), repeat=draws):
        ways = [straight]
        for q in sorted(set(drawn) - {s, t}):
            ways.append([(s, q, net.minimal(s, q)), (q, t, net.minimal(q, t))])
        out.append((Fraction(1, net.size ** draws), ways))
    return out


class Program:
    def __init__(self):
        self.rows, self.load, self.count = [], {}, 0

    def name(self):
        self.count += 1
        return f"x{self.count}"

    def send(self, x, begin, end, arcs):
        """x packets over any of the arcs."""
        balance = {begin: [f"- {x}"], end: [f"+ {x}"]}
        for a, b in arcs:
            f = self.name()
            balance.setdefault(a, []).append(f"+ {f}")
            balance.setdefault(b, []).append(f"- {f}")
            self.load.setdefault((a, b), []).append(f"+ {f}")
        self.rows += [" ".join(v) + " = 0" for v in balance.values()]

    def ask(self, net, scheme, s, t, mass):
        """Packets of a pair: their mass is a factor times a variable."""
        for p, ways in states(net, scheme, s, t):
            share = []
            for legs in ways:
                x = self.name()
                share.append(x)
                if scheme.startswith("par") and len(legs) == 1:
                    self.go_straight(net, scheme, s, t, x)
                    continue
                for begin, end, arcs in legs:
                    self.send(x, begin, end, arcs)
            factor, of = mass
            self.rows.append(" + ".join(share) +
                             f" - {float(p * factor)!r} {of} = 0")

    def go_straight(self, net, scheme, s, t, x):
        """One hop; decided again if it leads to another router of the source's
        group that is not the destination's."""
        on = []
        for a, b in net.minimal(s, t):
            if a != s:
                continue
            y = self.name()
            on.append(y)
            self.load.setdefault((a, b), []).append(f"+ {y}")
            if net.group[b] == net.group[t]:
                self.send(y, b, t, net.minimal(b, t)) if b != t else None
            else:
                self.ask(net, scheme, b, t, (1, y))
        self.rows.append(" + ".join(on) + f" - {x} = 0")


def solve(net, scheme, rates):
    program = Program()
    for (s, t), rate in rates.items():
        program.ask(net, scheme, s, t, (rate, "theta"))
    rows = program.rows + [" ".join(v) + " <= 1"
                           for v in program.load.values()]
    lines = ["Maximize", " obj: theta", "Subject To"]
    for r in rows:  # short lines
        words = r.split(" ")
        lines += [" " + " ".join(words[i:i + 20])
                  for i in range(0, len(words), 20)]
    with tempfile.NamedTemporaryFile("w", suffix=".lp") as file:
        file.write("\n".join(lines + ["End", ""]))
        file.flush()
        said = subprocess.run(["glpsol", "--lp", file.name, "-o", "/dev/stdout"],
                              capture_output=True, text=True).stdout
    return float(re.search(r"Objective:\s+obj = (\S+)", said).group(1))


def permutation(n, seed):
    order = list(range(n))
    random.Random(seed).shuffle(order)
    return {(i, order[i]): 1 for i in range(n) if order[i] != i}


# Joined both ways; as the program numbers it.
DRAGONFLY = [(0, 1), (2, 3), (4, 5), (0, 5), (1, 2), (3, 4)]


def dragonfly():
    """Three groups of two routers; each router has one channel to another group."""
    return Network(6, DRAGONFLY + [(b, a) for a, b in DRAGONFLY],
                   group=[0, 0, 1, 1, 2, 2])


NETWORKS = {
    "ring:5": torus(5), "ring:6": torus(6), "torus:3x3": torus(3, 3),
    "torus:4x3": torus(4, 3), "torus:4x4": torus(4, 4),
    "complete:4": complete(4), "complete:5": complete(5),
    "dragonfly:h=1": dragonfly(),
}
SCHEMES = {
    "ring:5": ["goal", "cqr", "ugal", "ugal:candidates=2"],
    "ring:6": ["min-adaptive", "goal", "gal", "ugal"],
    "torus:3x3": ["min-adaptive", "goal", "cqr", "ugal"],
    "torus:4x3": ["goal", "cqr", "ugal"],
    "torus:4x4": ["goal", "gal", "ugal"],
    "complete:4": ["ugal", "ugal:candidates=2", "ugal:candidates=3"],
    "complete:5": ["min-adaptive", "ugal", "ugal:candidates=2"],
    "dragonfly:h=1": ["ugal", "par", "par:candidates=2"],
}


def main():
    with open(OUT, "w") as out:
        out.write("# Made by tests/oracles/scheme_flow.py: the largest multiple "
                  "of a permutation that\n# the scheme's paths carry, channels "
                  "of bandwidth 1.\ntopology,routing,permutation,throughput\n")
        for name, net in NETWORKS.items():
            for scheme in SCHEMES[name]:
                for seed in (1, 2, 3):
                    rates = permutation(net.size, seed)
                    targets = [i for i in range(net.size)]
                    for s, t in rates:
                        targets[s] = t
                    value = solve(net, scheme, rates)
                    out.write(f"{name},{scheme},"
                              f"{' '.join(map(str, targets))},{value:.9g}\n")
                    out.flush()


main()
