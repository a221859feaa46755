#!/usr/bin/env python3
# Run from the root: python3 tests/oracles/queue_tails.py (about half a minute);
# it writes data/reference/queue_tails.csv, which tests/queueing reads, and
# queue_far_tails.csv; with "far" only the second file, in a second.
"""Tails of the slotted queue Q' = Q - 1{Q>0} + A in 80 decimal digits.

The distribution follows from the balance of crossings of each level, term by
term down to 1e-330, and its tails from sums from there on. Up to load 0.9 it is
also compared with the power series of (1 - rho) (z - 1) A(z) / (z - A(z)) by
long division in 440 digits, which loses 300 of them to subtraction.
"""

import sys
from decimal import Decimal, getcontext
from itertools import count

DIGITS, FAR = 80, Decimal("1e-330")
LOADS = "0.01 0.1 0.5 0.6 0.8 0.9 0.95 0.99 0.999".split()
RADICES = (1, 2, 3, 4, 16, 64, 256, 1024)
UNEQUAL = (
    "0.5+0.3+0.15",
    "8*0.05+0.5",
    "0.9+0.09",
    "0.999+0.0005",
    "0.999999999999+0.0000000000005",
    "16*0.01+4*0.1+0.2+1/8",
    "0.3+0.000001+0.000000000001",
    "100*0.001+10*0.01+0.25+0.25",
)
EXPONENTS = (0.5, 1, 2, 3, 6, 10, 15, 20, 40, 80, 120, 160, 200, 250, 280, 300)
OUT = "data/reference/queue_tails.csv"
FAR_OUT = "data/reference/queue_far_tails.csv"


def number(text):
    above, _, below = text.partition("/")
    return Decimal(above) / Decimal(below or 1)


def binomial(radix, p, length):
    """P(A = m), m < length, for radix inputs."""
    mass = [(1 - p) ** radix]
    for m in range(1, length):
        more = max(radix - m + 1, 0)
        mass.append(mass[-1] * more / m * p / (1 - p))
    return mass


def poisson(rate, length):
    mass = [(-rate).exp()]
    for m in range(1, length):
        mass.append(mass[-1] * rate / m)
    return mass


def unequal(text, length):
    """The product of the inputs' polynomials, and their mean."""
    mass, mean = [Decimal(1)] + [Decimal(0)] * (length - 1), Decimal(0)
    for part in text.split("+"):
        inputs, _, p = part.rpartition("*")
        p = number(p)
        for _ in range(int(inputs or 1)):
            mean += p
            for m in reversed(range(length)):
                mass[m] = mass[m] * (1 - p) + (mass[m - 1] * p if m else 0)
    return mass, mean


def distribution(mass, rho, far=FAR):
    """Masses of the queue down to far."""
    above, rest = [Decimal(0)] * len(mass), Decimal(0)
    for m in reversed(range(len(mass))):
        above[m] = rest
        rest += mass[m]
    while len(above) > 1 and above[-1] == 0:
        above.pop()
    pi, reach, settled = [1 - rho], len(above) - 1, 600
    for n in count(1):
        total = pi[0] * above[n - 1] if n - 1 < len(above) else Decimal(0)
        for m in range(1, min(n - 1, reach) + 1):
            total += pi[n - m] * above[m]
        pi.append(total / mass[0])
        if pi[n] < far:
            return pi
        if n == settled:  # drop terms below 1e-60 of the sum
            while reach > 1 and pi[n - reach] * above[reach] < total * Decimal(
                "1e-60"
            ):
                reach -= 1


def tails(pi):
    tail, total = [None] * len(pi), Decimal(0)
    for n in reversed(range(len(pi))):
        total += pi[n]
        tail[n] = total
    return tail


def divided(mass, rho, length):
    """The same distribution by long division of the generating function."""
    top = [(1 - rho) * ((mass[n - 1] if n else 0) - mass[n]) for n in range(length)]
    below = [(1 if n == 1 else 0) - mass[n] for n in range(length)]
    reach = max(n for n in range(length) if below[n] != 0)
    pi = []
    for n in range(length):
        value = top[n]
        for m in range(1, min(n, reach) + 1):
            value -= below[m] * pi[n - m]
        pi.append(value / below[0])
    return pi


def check(make, rho, pi):
    """Compares the first masses above 1e-300 of both methods."""
    getcontext().prec = 440
    length = next(n for n, p in enumerate(pi) if p < Decimal("1e-300"))
    other = divided(make(length + 1), rho, length)
    getcontext().prec = DIGITS
    for n in range(length):
        assert abs(other[n] - pi[n]) <= pi[n] * Decimal("1e-40"), (rho, n)


def rows(name, radix, load, make, rho):
    getcontext().prec = DIGITS
    pi = distribution(make(900), rho)
    if rho <= Decimal("0.9") and len(pi) < 1500:
        check(make, rho, pi)
    tail = tails(pi)
    depths = {0, 1, 2, 3}
    for exponent in EXPONENTS:
        limit = Decimal(10) ** Decimal(-exponent)
        depths.add(sum(1 for _ in iter_above(tail, limit)) - 1)
    for depth in sorted(depths):
        if depth < len(tail) and tail[depth] > Decimal("1e-300"):
            yield f"{name},{radix},{load},{depth},{tail[depth]:.22e}"


def iter_above(tail, limit):
    for value in tail:
        if value < limit:
            return
        yield value


def single(load):
    """One input: never more than the packet in service."""
    return [f"bernoulli,1,{load},0,1", f"bernoulli,1,{load},1,{load}",
            f"bernoulli,1,{load},2,0", f"bernoulli,1,{load},1000,0"]


def far_rows():
    """Light loads, beyond the last level that the program counts."""
    for load in ("0.0001", "0.001", "0.01"):
        for radix in (3, 4, 5, 16):
            rho = Decimal(load)
            mass = binomial(radix, rho / radix, 900)
            tail = tails(distribution(mass, rho, Decimal("1e-2000")))
            for depth in range(30, 130, 6):
                if depth < len(tail) and tail[depth] > Decimal("1e-1900"):
                    yield f"{radix},{load},{depth},{tail[depth]:.22e}"


def write_far():
    with open(FAR_OUT, "w", encoding="ascii") as out:
        out.write("\n".join(["radix,load,depth,tail", *far_rows()]) + "\n")


def main():
    getcontext().prec = DIGITS
    getcontext().Emin, getcontext().Emax = -10**9, 10**9
    write_far()
    if "far" in sys.argv[1:]:
        return
    lines = ["arrivals,radix,load,depth,tail"]
    for load in LOADS:
        rho = Decimal(load)
        for radix in RADICES:
            if radix == 1:
                lines += single(load)
                continue
            lines += rows(
                "bernoulli", radix, load,
                lambda length: binomial(radix, rho / radix, length), rho)
        lines += rows("poisson", 0, load, lambda length: poisson(rho, length), rho)
    for text in UNEQUAL:
        rho = unequal(text, 2)[1]
        lines += rows(text, 0, rho, lambda length: unequal(text, length)[0], rho)
    with open(OUT, "w", encoding="ascii") as out:
        out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
