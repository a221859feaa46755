#!/usr/bin/env python3
# Run from the root: python3 tests/oracles/dragonfly.py (about a minute); it
# writes data/reference/dragonfly.csv, which tests/bounds reads, and prints
# which closed forms hold.
"""Loads and worst cases of Dragonflies (see dragonfly_network.py)."""
import sys
from collections import Counter

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from dragonfly_claims import (claims_of_latency, claims_of_loads,
                              claims_of_offsets, claims_of_transit)
from dragonfly_network import (CHOICES, OWN_DEFAULTS, POLICIES, Dragonfly,
                               adversarial, check_by_walking, consecutive,
                               find_bulk, find_hops, find_loads, half_each,
                               local_ring, uniform)
from dragonfly_worst import find_worst, worst_closed

OUT = "data/reference/dragonfly.csv"


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
    """[name in the program, or mix; traffic]"""
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
        print("# Made by tests/oracles/dragonfly.py, see dragonfly_network.py.\n"
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
