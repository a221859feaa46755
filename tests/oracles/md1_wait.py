#!/usr/bin/env python3
# Run: python3 tests/oracles/md1_wait.py >data/reference/md1_wait.csv (a minute)
"""P(W > t) of M/D/1 by Erlang's alternating series in many digits.

    P(W <= t) = (1 - rho) sum_{j=0..floor(t)} (rho (j - t))^j / j! exp(rho (t - j))

Terms grow to about exp(1.3 t) and P(W > t) falls to 1e-300. The precision leaves
60 correct digits (200 bits), which a second run with 50 more digits confirms.
Source: Crommelin1932.
"""
from decimal import Decimal, getcontext

LOADS = "0.001 0.1 0.37 0.5 0.8 0.9 0.95 0.99 0.999".split()
TIMES = ("0 0.001 0.25 0.5 0.999 1 1.5 2 2.75 3.3 5 7.31 10 10.01 17.5 50.7 "
         "100 250.125 333.3 1000 1000.9").split()


def wait(load, time, digits):
    getcontext().prec = digits
    rho, t = Decimal(load), Decimal(time)
    total, factorial = Decimal(0), Decimal(1)
    step, power = rho.exp(), (rho * t).exp()
    for j in range(int(t) + 1):
        if j > 0:
            factorial *= j
            power /= step
        total += (rho * (j - t)) ** j / factorial * power if j > 0 else power
    return 1 - (1 - rho) * total


def main():
    print("load,time,probability")
    for load in LOADS:
        for time in TIMES:
            digits = 60 + 300 + int(2 * float(time))
            value = wait(load, time, digits)
            if value < Decimal("1e-300"):
                continue
            again = wait(load, time, digits + 50)
            assert abs(again / value - 1) < Decimal("1e-50"), (load, time)
            print(f"{load},{time},{again:.30e}")


main()
