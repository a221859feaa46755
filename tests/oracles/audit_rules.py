#!/usr/bin/env python3
"""Reads a JSON report of netbound audit and prints what contradicts its own
tables: the order of alternatives and cables, the recommendation, and the
headline values that follow from them.

    netbound audit ... --cables 1000 --format json | audit_rules.py HOST_LIMIT
"""
from fractions import Fraction
import json
import re
import sys

report = json.load(sys.stdin)
point = report["points"][0]
options = report["model"]["options"]
numbers = {q["name"]: q for q in point["quantities"]}
value = {name: q["value"] for name, q in numbers.items()}
notes = {note["name"]: note["text"] for note in point["notes"]}
tables = {table["name"]: [dict(zip((c["name"] for c in table["columns"]), row))
                          for row in table["rows"]]
          for table in point["tables"]}
limit = Fraction(sys.argv[1])
others = value["hosts"] - 1


def check(is_right, *words):
    if not is_right:
        print("wrong:", *words)


# Cables: the most pairs per bandwidth first, then by number.
cables = tables["cables"]
for cable in cables:
    cable["share"] = cable["pairs"] / Fraction(cable["bandwidth"])
check(cables == sorted(cables, key=lambda c: (-c["share"], c["channel"])),
      "order of cables")
fullest = cables[0]
check(notes["max_channel"] == fullest["cable"], "max_channel")
check(value["max_channel_load"] == fullest["pairs"], "max_channel_load")
check(value["throughput"] == float(min(limit, others / fullest["share"])),
      "throughput")

# The loop: the channels that table waits names, in that order.
held = [row["held"] for row in tables.get("waits", [])]
plain = lambda text: re.sub(r"\[\d+\]", "", text)  # without ports
names = {row["channel"]: plain(row["cable"]) for row in cables}
check({names[row["channel"]] for row in tables["channels"]
       if row["credit_loop"]} == set(held), "credit_loop")
check(plain(notes.get("deadlock", ", and so on")) ==
      ", then ".join(held) + ", and so on", "deadlock")

# Alternatives: bandwidths are equal here unless there are several.
given, *rest = tables.get("alternatives", [dict()])
equal = len({cable["bandwidth"] for cable in cables}) == 1
if rest:
    for column in given:
        check(column in ("routing", "forwarding_tables") or given[column] ==
              numbers[column]["upper" if column == "classes_needed"
                              else "value"], column)
    keys = [(-row["deadlock_free"], row["unrouted_pairs"] > 0,
             row["max_channel_load"], -row["worst_case_throughput"],
             row["classes_needed"], row["routing"]) for row in rest]
    check(keys == sorted(keys) or not equal, "order of alternatives")

classes = numbers["classes_needed"]
check(classes["exact"] == (str(classes["upper"]) if classes["lower"] ==
                           classes["upper"] else None), "classes_needed")

# The recommendation: the first that tables can express and that has no loop and
# all paths, if it mends something or carries more.
is_file = options["routing"].startswith("file")
words = "" if is_file else (f"with {options['routing']}, because no forwarding "
                            "tables are given: ")
if value["deadlock_free"]:
    words += "free of credit loops"
else:
    words += ("CREDIT LOOP: packets can come to wait for each other forever "
              "(note deadlock)")
    if is_file and "sl=" not in options["routing"]:
        words += "; all pairs are in layer 0 because no sl= is given"
if value["unrouted_pairs"]:
    words += f"; {value['unrouted_pairs']} PAIRS WITHOUT A PATH"
words += f"; {value['max_channel_load']} pairs on the fullest channel"
best = next((row for row in rest
             if row["deadlock_free"] and row["unrouted_pairs"] == 0
             and row["forwarding_tables"]), None)
if best is not None and (
        not value["deadlock_free"] or value["unrouted_pairs"]
        or best["max_channel_load"] < value["max_channel_load"]):
    layers = best["classes_needed"]
    words += (f"; with {best['routing']}: {best['max_channel_load']} in "
              f"{layers} layer{'s' if layers > 1 else ''} without a loop")
if value["missing_cables"]:
    words += (f"; {value['missing_cables']} missing cable"
              f"{'s' if value['missing_cables'] > 1 else ''} (table odd_cables)")
check(notes["verdict"] == words or not equal, "verdict, not", words)

# What any routing carries is at least what one of these carries, at most what
# hosts send; the load follows from it.
best = numbers["optimal_throughput"]
carried = [row["throughput"] for row in [given, *rest]
           if row and row["unrouted_pairs"] == 0]
check(best["lower"] >= max(carried, default=0) * (1 - 1e-15) and
      best["upper"] <= float(limit), "optimal_throughput")
load = numbers["least_channel_load"]
most = float(max(Fraction(cable["bandwidth"]) for cable in cables))
if best["upper"] < float(limit):
    check(abs(load["lower"] * best["upper"] / (others * most) - 1) < 1e-12 and
          abs(load["upper"] * best["lower"] / (others * most) - 1) < 1e-12,
          "least_channel_load")
check(load["upper"] * float(limit) <= others * most * (1 + 1e-12) *
      float(limit) / best["lower"], "least_channel_load, above")
print("read")
