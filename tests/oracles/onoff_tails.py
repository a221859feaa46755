#!/usr/bin/env python3
# Run from the root: python3 tests/oracles/onoff_tails.py (half a minute);
# it writes data/reference/onoff_tails.csv, which tests/queueing reads.
"""Tails of the queue Q' = Q - 1{Q>0} + A of ON/OFF sources in 110 digits.

The matrix G of the passage down one level comes from its spectrum. Sources are
independent, so its eigenvalues are the roots z in the unit disc of

    lambda_1(z)^(k-j) lambda_2(z)^j = z,   j = 0 .. k,

where lambda_1, lambda_2 are the eigenvalues of one source's matrix that do not
vanish at z = 0; its eigenvectors solve A(z) x = z x. Checks that G = sum_l A_l G^l
and that G is stochastic. Levels follow from the recursion of Ramaswami with a
plain inverse of I - U, until they fall by the root z > 1 in every phase. Checks
that they sum to 1.
"""

from decimal import Decimal, getcontext
from math import comb
from operator import mul

DIGITS = 110
SURE = Decimal("1e-60")
SETTLED = Decimal("1e-36")
# radix, load, burst, spreads
CASES = (
    [(k, load, "5", "packet") for k in (2, 3, 4, 8)
     for load in "0.01 0.3 0.6 0.83".split()]
    + [(k, load, "5", "burst") for k in (2, 3, 4)
       for load in "0.3 0.6 0.8".split()]
    + [(2, "0.01", "5", "burst"), (3, "0.01", "5", "burst"),
       (8, "0.6", "5", "burst"), (8, "0.8", "5", "burst")]
    + [(16, load, "5", "packet") for load in "0.6 0.75".split()]
    + [(k, "0.99", "200", "packet burst") for k in (2, 3)]
    + [(k, "0.3", "1", "packet") for k in (3, 4, 8)]
    + [(k, "0.3", "1.5", "packet burst") for k in (2, 4)]
    + [(4, "0.5", "1.5", "packet")]
    + [(k, "0.4", "2", "packet burst") for k in (3, 4)]
    + [(8, "0.6", "2", "packet")]
    + [(k, load, "50", "packet") for k in (2, 4)
       for load in "0.01 0.6 0.9".split()]
    + [(k, load, "50", "burst") for k in (2, 4) for load in "0.6 0.9".split()]
    + [(8, "0.8", "50", "packet"), (2, "0.9", "1000", "packet"),
       (3, "0.99", "1000", "packet"), (3, "0.01", "1000", "packet"),
       (2, "0.5", "20000", "packet")]
)
EXPONENTS = (0, 0.5, 1, 2, 3, 6, 10, 15, 20, 40, 80, 150, 220, 280, 299.9)
OUT = "data/reference/onoff_tails.csv"


def product(left, right):
    columns = list(zip(*right))
    return [[sum(map(mul, row, column)) for column in columns] for row in left]


def solved(matrix, right):
    """x with matrix x = right, by elimination with the largest pivot."""
    n = len(matrix)
    rows = [list(a) + list(b) for a, b in zip(matrix, right)]
    for s in range(n):
        best = max(range(s, n), key=lambda i: abs(rows[i][s]))
        rows[s], rows[best] = rows[best], rows[s]
        pivot = rows[s][s]
        rows[s] = [x / pivot for x in rows[s]]
        for i in range(n):
            factor = rows[i][s]
            if i != s and factor != 0:
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[s])]
    return [row[n:] for row in rows]


def null_vector(matrix):
    """x with matrix x = 0, if that is one direction: the last pivot is only
    rounding."""
    n = len(matrix)
    rows, order = [list(row) for row in matrix], list(range(n))
    for s in range(n - 1):
        i, j = max(((i, j) for i in range(s, n) for j in range(s, n)),
                   key=lambda ij: abs(rows[ij[0]][ij[1]]))
        rows[s], rows[i] = rows[i], rows[s]
        for row in rows:
            row[s], row[j] = row[j], row[s]
        order[s], order[j] = order[j], order[s]
        for i in range(s + 1, n):
            factor = rows[i][s] / rows[s][s]
            if factor != 0:
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[s])]
    x = [Decimal(0)] * (n - 1) + [Decimal(1)]
    for s in reversed(range(n - 1)):
        x[s] = -sum(map(mul, rows[s][s + 1:], x[s + 1:])) / rows[s][s]
    found = [Decimal(0)] * n
    for s, value in zip(order, x):
        found[s] = value
    return found


def root(function, x, y):
    """Secant steps."""
    fx, fy = function(x), function(y)
    for _ in range(200):
        if fy == fx or fy == 0:
            break
        x, y, fx = y, y - fy * (y - x) / (fy - fx), fy
        fy = function(y)
        if abs(y - x) <= abs(y) * Decimal(10) ** (8 - DIGITS):
            break
    assert abs(fy) <= SURE * abs(y), "no root"
    return y


def between(function, low, high):
    """A root between signs: halvings, then secant steps."""
    sign = function(low) > 0
    for _ in range(60):
        middle = (low + high) / 2
        if (function(middle) > 0) == sign:
            low = middle
        else:
            high = middle
    return root(function, low, high)


class Sources:
    """k sources: their phases, and the packets that each phase sends."""

    def __init__(self, radix, load, burst, spread):
        self.radix, self.spread, one = radix, spread, Decimal(1)
        self.load = load
        self.on = load / burst / (1 - load)
        self.off = one / burst
        k, on, off = radix, self.on, self.off
        if spread == "packet":
            self.single = [[1 - on, on], [off, 1 - off]]
            self.phases = [(k - j, j) for j in range(k + 1)]
        else:
            self.single = [[1 - on, on / k, on * (k - 1) / k],
                           [off, 1 - off, 0], [off, 0, 1 - off]]
            self.phases = [(k - h - e, h, e) for h in range(k + 1)
                           for e in range(k + 1 - h)]
        self.change = [self.moved(phase) for phase in self.phases]
        self.share = [self.packets(phase[1]) for phase in self.phases]

    def moved(self, phase):
        """The phases one slot later, source by source."""
        distribution = {(0,) * len(phase): Decimal(1)}
        for state, count in enumerate(phase):
            for _ in range(count):
                more = {}
                for before, p in law.items():
                    for to, q in enumerate(self.single[state]):
                        after = before[:to] + (before[to] + 1,) + before[to + 1:]
                        more[after] = more.get(after, 0) + p * q
                distribution = more
        return [law.get(to, Decimal(0)) for to in self.phases]

    def packets(self, senders):
        k = Decimal(self.radix)
        if self.spread == "burst":
            return [Decimal(l == senders) for l in range(self.radix + 1)]
        return [comb(senders, l) * (1 / k) ** l * (1 - 1 / k) ** (senders - l)
                if l <= senders else Decimal(0) for l in range(self.radix + 1)]

    def arrivals(self, z):
        """A(z) = sum_l A_l z^l."""
        factor = [sum(p * z ** l if l else p for l, p in enumerate(share))
                  for share in self.share]
        return [list(map(mul, row, factor)) for row in self.change]

    def eigenvalues(self, z):
        """The two eigenvalues of a source that do not vanish at z = 0, larger first."""
        on, off, k = self.on, self.off, self.radix
        if self.spread == "packet":
            sent = 1 + (z - 1) / k
            trace = 1 - on + (1 - off) * sent
            least = sent * (1 - on - off)
        else:
            # lambda^3 - b lambda^2 + c lambda - d, and its largest root
            stays, here = 1 - off, off * on / k
            b = 1 - on + stays * (1 + z)
            c = (1 - on) * stays * (1 + z) + stays * stays * z \
                - here * z - here * (k - 1)
            d = (1 - on) * stays * stays * z \
                - here * z * stays - here * (k - 1) * stays * z
            first = 2 + z
            for _ in range(400):
                value = ((first - b) * first + c) * first - d
                step = value / ((3 * first - 2 * b) * first + c)
                first -= step
                if abs(step) <= first * Decimal(10) ** (3 - DIGITS):
                    break
            trace, least = b - first, c - first * (b - first)
            other = (trace ** 2 - 4 * least).sqrt()
            second = (trace + other) / 2, (trace - other) / 2
            return first, max(second, key=abs)
        other = (trace ** 2 - 4 * least).sqrt()
        first = (trace + other) / 2
        return first, least / first

    def inner_root(self, j):
        def gap(z):
            first, second = self.eigenvalues(z)
            return first ** (self.radix - j) * second ** j - z
        if j == 0:
            return Decimal(1)
        z = Decimal(0)
        for _ in range(40):
            z += gap(z)
        return root(gap, z, z + gap(z))

    def outer_root(self):
        def gap(y):
            return (self.eigenvalues(1 + y)[0].ln() * self.radix
                    - (1 + y).ln()) / y
        high = Decimal("1e-8")
        while gap(high) < 0:
            high *= 2
        return 1 + between(gap, high / 2, high)


def passage(sources):
    """G = V diag(z) V^-1 of rank k + 1; its columns are the phases without
    packets in a slot, which come first."""
    roots = [sources.inner_root(j) for j in range(sources.radix + 1)]
    vectors = []
    for z in roots:
        matrix = sources.arrivals(z)
        for i, row in enumerate(matrix):
            row[i] -= z
        vectors.append(null_vector(matrix))
    # G V = V diag(z): the transposed system for the columns that are not 0.
    width = sources.radix + 1
    inner = [vector[:width] for vector in vectors]
    right = [[z * x for x in vector] for z, vector in zip(roots, vectors)]
    columns = solved(inner, right)
    n = len(sources.phases)
    down = [[columns[j][i] if j < width else Decimal(0) for j in range(n)]
            for i in range(n)]
    for row in down:
        assert abs(sum(row) - 1) < SURE and min(row) > -SURE, "not stochastic"
    return down


def rests(sources, down):
    """sum_{l>=v} diag(P(A = l)) G^(l-v), v = 0 .. k; v = 0 gives G back."""
    n, out = len(down), []
    for l in reversed(range(sources.radix + 1)):
        matrix = product(out[-1], down) if out else \
            [[Decimal(0)] * n for _ in range(n)]
        for j in range(n):
            matrix[j][j] += sources.share[j][l]
        out.append(matrix)
    again = product(sources.change, out[-1])
    for row, other in zip(down, again):
        assert all(abs(x - y) < SURE for x, y in zip(row, other)), "not G"
    return out[::-1]


def levels(sources):
    """P(Q = n) until it is geometric, and the factor from there on."""
    n, k = len(sources.phases), sources.radix
    down = passage(sources)
    rest = rests(sources, down)
    unit = [[Decimal(i == j) for j in range(n)] for i in range(n)]
    up = product(sources.change, rest[1])
    inverse = solved([[x - y for x, y in zip(a, b)] for a, b in zip(unit, up)],
                     unit)
    # pi_n = pi_0 first_n + sum_d pi_{n-d} steps_d, as columns without zeros.
    steps = [sparse(product(product(sources.change, rest[v]), inverse))
             for v in range(1, k + 1)]
    pi = [stationary(down, 1 - sources.load)]
    fall = 1 / sources.outer_root()
    while True:
        level = len(pi)
        own = [Decimal(0)] * n
        if level <= k:
            own = times(pi[0], steps[level - 1], own)
        for i in range(max(1, level + 1 - k), level):
            own = times(pi[i], steps[level - i], own)
        pi.append(own)
        if level > 4 * k and level % (k + 5) == 0 and all(
                abs(x * fall ** m - y) <= y * SETTLED
                for m in (1, level // 5)
                for x, y in zip(pi[level - m], own)):
            break
    return [sum(own) for own in pi], fall


def sparse(matrix):
    return [(list(column), any(column)) for column in zip(*matrix)]


def times(row, columns, out):
    return [value + sum(map(mul, row, column)) if some else value
            for (column, some), value in zip(columns, out)]


def stationary(matrix, total):
    """x matrix = x with this sum, which replaces the last equation."""
    n = len(matrix)
    rows = [[matrix[i][j] - (i == j) for i in range(n)] for j in range(n)]
    rows[n - 1] = [Decimal(1)] * n
    right = [[Decimal(0)] for _ in range(n - 1)] + [[total]]
    return [row[0] for row in solved(rows, right)]


def case(radix, load, burst, spread):
    sources = Sources(radix, Decimal(load), Decimal(burst), spread)
    mass, fall = levels(sources)
    last = len(mass) - 1
    tail = [mass[-1] / (1 - fall)]
    for value in mass[-2::-1]:
        tail.append(tail[-1] + value)
    tail.reverse()
    assert abs(tail[0] - 1) < Decimal("1e-30"), (radix, load, burst, tail[0])

    def at(depth):
        if depth <= last:
            return tail[depth]
        return tail[last] * fall ** (depth - last)

    depths = {0, 1, 2, 3}
    for exponent in EXPONENTS:
        least = Decimal(10) ** Decimal(-exponent)
        low, high = 0, last + 1 + int(300 / -float(fall.log10()))
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if at(middle) >= least else (low, middle)
        depths.add(low)
    for depth in sorted(depths):
        yield f"{radix},{load},{burst},{spread},{depth},{at(depth):.25e}"


def main():
    getcontext().prec = DIGITS
    getcontext().Emin, getcontext().Emax = -10**9, 10**9
    lines = ["radix,load,burst,spread,depth,tail"]
    for radix, load, burst, spreads in CASES:
        for spread in spreads.split():
            lines += case(radix, load, burst, spread)
    with open(OUT, "w", encoding="ascii") as out:
        out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
