"""How time and memory of every command grow with the size of the question.

usage: growth.py NETBOUND [quick] [NAME...]

Each row is asked at increasing sizes, on one thread, until an answer takes 5
seconds of processor time (a quarter of a second with "quick"), or there are no
more sizes. The exponents of a power law are fitted to the two largest sizes and
all that took at least a twentieth of the last. Prints them, and the size that
they predict for an hour on a laptop of 8 cores and 16 GiB, a node of 128 cores
and 512 GiB, and 64 such nodes, with the limiting resource; beyond a hundred
times the measured size only that. Only independent work is assumed to be
shared: matrices and points among ranks, and work that threads divide within
one; the rest takes as long as on one core.
"""

import math
import os
import subprocess
import sys
import tempfile

HOUR = 3600.0
# Cores and bytes of one process, and processes.
MACHINES = {
    "laptop": (8, 16 * 2**30, 1),
    "node": (128, 512 * 2**30, 1),
    "64 nodes": (128, 512 * 2**30, 64),
}
# The independent part of a question: none, shared by threads, or by ranks as
# well.
ALONE, THREADS, RANKS = range(3)

# name, unit of its size, command with {}, pairs (size, value for {}), the
# independent part.
def tori(*radices):
    return [(k * k, f"{k}x{k}") for k in radices]


def counts(*values):
    return [(n, n) for n in values]


DRAGONFLIES = [(4 * h**4 + 2 * h**2, h) for h in range(2, 13)]
# Three levels, with half the number of links up as down at each.
FABRICS = [
    (2 * u * (2 * u - 2) ** 2, f"down={2 * u}x{2 * u - 2}x{2 * u - 2},up={u}x{u}")
    for u in range(3, 13)
]
ROWS = [
    ("load", "terminals", "load --topology torus:{} --routing dor --traffic transpose", tori(16, 32, 64, 128, 256), THREADS),
    ("worst-case, symmetric", "terminals", "worst-case --topology torus:{} --routing dor", tori(16, 32, 64, 128, 180), RANKS),
    ("worst-case, rlb", "terminals", "worst-case --topology torus:{} --routing rlb", tori(8, 16, 24, 32, 48, 64, 96), RANKS),
    ("worst-case, dragonfly", "terminals", "worst-case --topology dragonfly:h={} --routing min", DRAGONFLIES, RANKS),
    ("worst-case, no symmetry", "terminals", "worst-case --topology random-regular:routers={},degree=4 --routing min", counts(64, 96, 128, 192, 256, 384, 512), RANKS),
    ("permutations", "permutations", "permutations --topology torus:8x8 --routing dor --count {}", counts(10**4, 10**5, 10**6, 10**7), RANKS),
    ("permutations of many", "terminals", "permutations --topology torus:{} --routing dor --count 1000", tori(8, 16, 32, 64, 128), RANKS),
    ("optimum", "terminals", "optimum --topology torus:{} --worst-case", tori(4, 5, 6, 7, 8, 9, 10, 12, 14, 16), ALONE),
    ("deadlock", "terminals", "deadlock --topology torus:{} --routing dor", tori(8, 16, 32, 64, 96), THREADS),
    ("deadlock, dragonfly", "terminals", "deadlock --topology dragonfly:h={} --routing val", DRAGONFLIES, THREADS),
    ("audit", "hosts", "audit {} --routing ftree --time-limit 60", FABRICS, RANKS),
    ("latency", "terminals", "latency --topology torus:{} --routing dor --load 0.5", tori(8, 16, 32, 64, 128), THREADS),
    ("topology", "terminals", "topology --topology torus:{}", tori(16, 32, 64, 128, 256, 512), ALONE),
    ("simulate, ideal", "terminals", "simulate --topology torus:{} --routing dor --load 0.5 --warm-up 1000 --cycles 1000", tori(8, 16, 32, 64, 128), RANKS),
    ("simulate, credit", "terminals", "simulate --topology torus:{} --routing dor --router credit --load 0.5 --warm-up 1000 --cycles 1000", tori(8, 16, 32, 64, 128), RANKS),
    ("simulate, cycles", "cycles", "simulate --topology torus:8x8 --routing dor --load 0.5 --warm-up 1000 --cycles {}", counts(10**3, 10**4, 10**5, 10**6), RANKS),
    ("buffer", "inputs", "buffer --load 0.9 --radix {}", counts(16, 64, 256, 1024, 4096, 16384), ALONE),
    ("buffer, ON/OFF", "inputs", "buffer --load 0.8 --arrivals onoff:burst=5 --radix {}", counts(8, 16, 32, 64, 96, 128, 192, 256), ALONE),
    ("delay", "queues", "delay --load 0.9 --hops {}", counts(8, 16, 32, 64, 128, 256, 512, 1000), ALONE),
    ("virtual-networks", "packets", "virtual-networks --congestion {}", counts(10**4, 10**5, 10**6, 10**7), ALONE),
]


def measure(netbound, command, value):
    """Seconds of processor time and bytes of one answer."""
    words = [netbound] + command.format(value).split() + ["--threads", "1"]
    process = subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    text = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"growth: {' '.join(words)}: {text.strip()}")
    return max(usage.ru_utime + usage.ru_stime, 1e-3), usage.ru_maxrss * 1024


def fit(points):
    """(exponent, log of the constant) of values that grow as a power."""
    x = [math.log(n) for n, _ in points]
    y = [math.log(value) for _, value in points]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    spread = sum((a - mean_x) ** 2 for a in x)
    slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / spread
    return slope, mean_y - slope * mean_x


def largest(law, most):
    exponent, constant = law
    power = (math.log(most) - constant) / max(exponent, 1e-9)
    return math.exp(power) if power < 700 else math.inf


def figure(value):
    """Two digits, the precision of a power law."""
    digits = max(0, int(math.floor(math.log10(value))) - 1)
    return f"{round(value / 10**digits) * 10**digits:,.0f}"


def fabric(netbound, value, folder):
    """A tree as a fabric file; each host has its own next hops."""
    path = os.path.join(folder, "fabric.ibnetdiscover")
    subprocess.run(
        [netbound, "topology", f"clos:{value}", "--network", path],
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return path


def grow(netbound, row, enough, folder):
    name, unit, command, sizes, shared = row
    found = []
    for size, value in sizes:
        if name == "audit":
            value = fabric(netbound, value, folder)
        seconds, memory = measure(netbound, command, value)
        found.append((size, seconds, memory))
        if seconds > enough:
            break
    top = found[-1][1]
    used = [p for p in found if p[1] >= top / 20][-4:]
    used = used if len(used) > 1 else found[-2:]
    time = fit([(n, t) for n, t, _ in used])
    base = min(m for _, _, m in found)
    room = [(n, m - base) for n, _, m in used if m > 2 * base]
    memory = fit(room) if len(room) > 1 and room[0][1] < room[-1][1] else None
    columns = []
    for cores, most, ranks in MACHINES.values():
        speed = 1 if shared == ALONE else cores
        speed *= ranks if shared == RANKS else 1
        n = largest(time, HOUR * speed)
        by = "time"
        if memory is not None and largest(memory, most) < n:
            n, by = largest(memory, most), "memory"
        if n > 100 * found[-1][0]:
            columns.append(f"> {figure(100 * found[-1][0])}")
        else:
            columns.append(f"{figure(n)} ({by})")
    size, seconds, memory_at = found[-1]
    exponent = "-" if memory is None else f"{memory[0]:.1f}"
    print(
        f"| {name} | {size:,} {unit} | {seconds:.2f} | {memory_at / 2**20:.0f} "
        f"| {time[0]:.1f} | {exponent} | " + " | ".join(columns) + " |",
        flush=True,
    )


def main():
    netbound, *words = sys.argv[1:]
    quick = "quick" in words
    names = [word for word in words if word != "quick"]
    print("| question | measured at | s | MiB | time grows | memory grows | "
          + " | ".join(MACHINES) + " |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for row in ROWS:
            if not names or row[0] in names:
                grow(netbound, row, 0.25 if quick else 5, folder)


main()
