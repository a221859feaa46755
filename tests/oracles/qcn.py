#!/usr/bin/env python3
"""The loop of QCN-Switch in 60 digits, event by event: the rows of
tests/queueing/test_qcn_oracle.c. Written from [Benito2020, equations 2-3 and
4-3 to 4-5] and the comment in queueing/qcn.h.
"""
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 60
ONE, ZERO = Decimal(1), Decimal(0)
TINY = Decimal("1e-45")  # what is closer is equal
CASES = """
S  demand transit queue ref weight interval limit packets increase ports above
12 12/5   1/5     100   20  0      1000/3   1/64  100     1/100    0     0
12 12/5   1/5     100   20  0      500/3    1/64  100     1/100    17    30
4  4/5    1/5     100   20  0      500/3    1/64  100     1/100    5     30
3  3/4    0       50    10  1/2    40       1/64  30      1/50     0     0
5  1/2    1/10    30    20  0      25       1/80  10      1/20     9     10
2  3/2    1/3     40    5   2      30       1/64  25      3/100    4     20
2  7/4    1/8     60    30  1      50       1/100 20      1/25     0     0
7  1/3    2/5     80    16  0      60       1/70  15      1/40     12    5
3  1/2    1/4     20    9   3      10       1/64  8       1/30     0     0
4  1/2    1/5     90    60  1/4    35       1/200 12      1/60     6     1
6  1/4    0       25    3   0      12       1/64  500     1/10     0     0
2  1      2/5     40    8   0      20       1/63  40      1/4      3     15
2  3/5    0       45    31  1/3    9        1/300 20      1/90     0     0
"""


def feedback(c, queue, old):
    above = queue - c["ref"] + c["weight"] * (queue - old)
    return max(0, min(63, int(63 * above / c["ref"] + TINY)))


def factor(c, fb):
    """R for this port; the others of the switch have no feedback."""
    if c["ports"] == 0:
        return 1 - c["limit"] * fb
    over = fb - ONE * fb / c["ports"]
    return 1 - c["limit"] * over if over > c["above"] + TINY else ONE


class Loop:
    """Sources [P, counter, packets while congested, notifications]; each
    stands for `alike` switches, which are notified together, once for N packets
    of each."""

    def __init__(self, c, count, alike):
        self.c, self.alike, self.increases = c, alike, 0
        self.time = self.queue = self.old = self.clock = ZERO
        self.shares = self.flows = ZERO  # integrals over time
        self.sources = [[ONE, ZERO, ZERO, 0] for _ in range(count)]

    def rates(self):
        c = self.c
        rates = [min(s[0] * c["demand"], 1 - c["transit"]) for s in self.sources]
        inflow = sum(rates) * self.alike
        if self.queue >= c["queue"] and inflow > 1:
            rates = [rate / inflow for rate in rates]
        flow = sum(rates) * self.alike
        flow = ONE if abs(flow - 1) < TINY else flow
        turn = (c["ref"] + c["weight"] * self.old) / (1 + c["weight"])
        congested = self.queue > turn or (self.queue == turn and flow > 1)
        return rates, inflow, flow, turn, congested

    def step(self):
        c = self.c
        rates, _, flow, turn, congested = self.rates()
        grows = flow - 1
        waits = []  # (time, order of simultaneous events, source, name)
        if grows > 0 and self.queue < turn:
            waits.append(((turn - self.queue) / grows, 0, 0, "reference"))
        if grows > 0 and self.queue < c["queue"]:
            waits.append(((c["queue"] - self.queue) / grows, 1, 0, "full"))
        if grows < 0 and self.queue > turn:
            waits.append(((turn - self.queue) / grows, 0, 0, "reference"))
        if grows < 0 and self.queue > 0:
            waits.append((self.queue / -grows, 2, 0, "empty"))
        for i, s in enumerate(self.sources):
            port = rates[i] + c["transit"]
            if s[0] < 1 and port > 0:
                waits.append(((c["packets"] - s[1]) / port, 3, i, "increased"))
        if congested and sum(rates) > 0:
            waits.append(((c["interval"] - self.clock) / sum(rates), 4, 0,
                          "notified"))
        if not waits:
            return "rest"
        soonest = min(wait[0] for wait in waits)
        after, _, which, name = min(
            (wait for wait in waits if wait[0] <= soonest + TINY),
            key=lambda wait: wait[1:])
        self.time += after
        self.shares += self.sources[0][0] * after
        self.flows += (ONE if self.queue > 0 else min(flow, ONE)) * after
        self.queue = min(max(self.queue + grows * after, ZERO), c["queue"])
        for s, rate in zip(self.sources, rates):
            s[1] += (rate + c["transit"]) * after
            s[2] += rate * after if congested else 0
        self.clock += sum(rates) * after if congested else 0
        if name == "reference":
            self.queue = turn
        elif name == "full":
            self.queue = c["queue"]
        elif name == "empty":
            self.queue = ZERO
        elif name == "increased":
            s = self.sources[which]
            s[0], s[1] = min(s[0] + c["increase"], ONE), ZERO
            self.increases += 1
        else:
            self.notify()
        return name

    def notify(self):
        c = self.c
        # A switch is due one notification for every N of its packets.
        due = [s[2] / c["interval"] - s[3] for s in self.sources]
        s = next(s for s, d in zip(self.sources, due) if d >= max(due) - TINY)
        s[0] *= factor(c, feedback(c, self.queue, self.old))
        s[1] = self.clock = ZERO
        s[3] += 1
        self.old = self.queue


def respond(c):
    loop = Loop(c, c["S"], 1)
    first = told = within = None
    share, notifications, tries, moments = ONE, 0, 0, []

    def keep(event):
        mean = sum(s[0] for s in loop.sources) / c["S"]
        if event != "increased" and len(moments) < 64:
            moments.append((loop.time, min(s[0] for s in loop.sources), mean,
                            loop.rates()[1], loop.queue))
        return mean

    keep("start")
    while tries < 20 * c["S"] and (told is None or within is None):
        event = loop.step()
        if event == "rest":
            break
        mean = keep(event)
        if event != "notified":
            continue
        tries += 1
        first = loop.time if first is None else first
        if told is None:
            notifications, share = tries, mean
            if all(s[3] > 0 for s in loop.sources):
                told = loop.time
        if within is None and loop.rates()[1] <= 1 + TINY:
            within = loop.time
    sums = [sum((i + 1) * m[k] for i, m in enumerate(moments))
            for k in range(5)]
    return [first, told, within, share, notifications, len(moments), *sums]


def cycle(c):
    """After 600 notifications: the shortest pattern that repeats."""
    loop = Loop(c, 1, c["S"])

    def go_round():
        start = loop.time, loop.shares, loop.flows, loop.increases
        low = high = loop.queue
        event = None
        while event != "notified":
            before = loop.sources[0][0]
            event = loop.step()
            if event == "rest":
                return None
            low, high = min(low, loop.queue), max(high, loop.queue)
        end = loop.time, loop.shares, loop.flows, loop.increases
        return [loop.sources[0][0], before, low, high] + [
            b - a for a, b in zip(start, end)]

    rounds = [go_round() for _ in range(600)]
    if None in rounds:
        return [0]
    same = lambda a, b: all(abs(x - y) < Decimal("1e-25") for x, y in zip(a, b))
    length = next((n for n in range(1, 17)
                   if all(same(rounds[-i], rounds[-i - n])
                          for i in range(1, 65))), None)
    if length is None:
        return [99]
    last = rounds[-length:]
    period = sum(r[4] for r in last)
    return [length, sum(r[7] for r in last), period, min(r[0] for r in last),
            max(r[1] for r in last), sum(r[5] for r in last) / period,
            sum(r[6] for r in last) / period, min(r[2] for r in last),
            max(r[3] for r in last)]


def main():
    names, *rows = [line.split() for line in CASES.strip().split("\n")]
    for row in rows:
        exact = {name: Fraction(text) for name, text in zip(names, row)}
        c = {name: Decimal(x.numerator) / x.denominator
             for name, x in exact.items()}
        c.update(S=int(c["S"]), ports=int(c["ports"]))
        ratios = ", ".join(f"{{ {exact[n].numerator}, {exact[n].denominator} }}"
                           for n in names)
        numbers = [f"{float(x):.17g}" if x is not None else "INFINITY"
                   for x in respond(c)]
        lasts = [f"{float(x):.17g}" for x in cycle(c)]
        print(f"{{ {{ {ratios} }},\n"
              f"  {{ {', '.join(numbers)} }},\n  {{ {', '.join(lasts)} }} }},")


main()
