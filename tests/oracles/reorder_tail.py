#!/usr/bin/env python3
"""Reorder buffers by plain sums in 120 digits: data/reference/reorder_tail.csv.

    python3 tests/oracles/reorder_tail.py >data/reference/reorder_tail.csv

The queue Q' = Q - 1{Q>0} + A of k Bernoulli inputs is solved by balance of
every state; hops are convolved one by one; the distribution of the count is the
product of one factor per slot; sums follow their definitions. Delays end where
less than 1e-60 is left.
"""
from decimal import Decimal as D, getcontext
from math import comb

getcontext().prec = 120
SMALL = D(10) ** -60


def arrivals(radix, load):
    p = D(load) / radix
    return [comb(radix, m) * p**m * (1 - p) ** (radix - m)
            for m in range(radix + 1)]


def queue(radix, load):
    """pi_n = pi_0 a_n + sum_{i=1..n+1} pi_i a_{n+1-i}, solved for pi_{n+1}."""
    a = arrivals(radix, load)
    pi = [1 - D(load)]
    while len(pi) < 10 or 1 - sum(pi) > SMALL:
        n = len(pi) - 1
        rest = pi[n] - (pi[0] * a[n] if n <= radix else 0)
        rest -= sum(pi[i] * a[n + 1 - i]
                    for i in range(max(1, n + 1 - radix), n + 1))
        pi.append(rest / a[0])
    return pi


def wait(pi):
    return [x / sum(pi[1:]) for x in pi[1:]]


def convolve(a, b):
    out = [D(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            out[i + j] += x * y
    end = len(out)
    left = 1 - sum(out)
    while end > 1 and left + out[end - 1] < SMALL:
        end -= 1
        left += out[end]
    return out[:end]


def delay(one, hops):
    distribution = one
    for _ in range(hops - 1):
        distribution = convolve(distribution, one)
    return distribution


def chain(load, burst):
    """Probabilities to be ON next, from ON and from OFF."""
    load = D(load)
    if burst is None:
        return load, load
    return 1 - 1 / D(burst), load / D(burst) / (1 - load)


def tails(law, load, burst, depths):
    """P(Q_r >= k): for each delay d the slots 1 .. d, last slot first."""
    stay, enter = chain(load, burst)
    on, off = [D(1)], [D(1)]  # distribution of the count from a slot ON, OFF at first
    answer = {k: D(0) for k in depths}
    below = D(0)
    for d, mass in enumerate(law):
        for k in depths:
            answer[k] += mass * sum(on[k:], D(0))
        sent = [(1 - below) * x for x in on] + [D(0)]
        for n, x in enumerate(on):
            sent[n + 1] += below * x
        kept = off + [D(0)]
        on = [stay * s + (1 - stay) * t for s, t in zip(sent, kept)]
        off = [enter * s + (1 - enter) * t for s, t in zip(sent, kept)]
        below += mass
    return answer


def theorem_7(law, load, depths):
    answer = {k: D(0) for k in depths}
    below, s = D(0), D(0)
    for mass in law:
        for k in depths:
            if s >= k:
                answer[k] += mass
            elif s > 0:
                answer[k] += mass * (k - s + k * (s / k).ln()).exp()
        s += D(load) * below
        below += mass
    return answer


CASES = [  # radix, hops, distribution, load, burst, depths
    (16, 5, "queue", "0.8", None, (1, 2, 5, 18, 40, 76, 77, 95, 96)),
    (16, 5, "queue", "0.2", None, (1, 3, 10, 20)),
    (16, 5, "wait", "0.8", None, (1, 18, 60)),
    (2, 3, "queue", "0.6", None, (1, 4, 12)),
    (4, 1, "wait", "0.5", None, (1, 2, 7)),
    (16, 5, "queue", "0.8", "12", (1, 18, 60)),
    (16, 5, "queue", "0.9", None, (30, 172, 173, 197, 198)),
    (4, 2, "queue", "0.5", "5", (1, 6, 15)),
    (4, 2, "queue", "0.5", "1.25", (1, 6, 15)),
]

print("# Made by tests/oracles/reorder_tail.py: sums in 120 digits; delays of")
print("# Bernoulli inputs, and a source of mean burst \"burst\" (none: Bernoulli)")
print("radix,hops,law,load,burst,depth,probability,theorem_7")
for radix, hops, kind, load, burst, depths in CASES:
    one = queue(radix, load)
    distribution = delay(wait(one) if kind == "wait" else one, hops)
    exact = tails(distribution, load, burst, depths)
    bound = theorem_7(distribution, load, depths)
    for k in depths:
        print(f"{radix},{hops},{kind},{load},{burst or 'none'},{k},"
              f"{exact[k]:.20e},{bound[k]:.20e}")
