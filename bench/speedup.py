"""Speed-up with several cores: threads of one process, and ranks.

usage: speedup.py NETBOUND [CORES]

Asks each question with 1 and CORES (default 2) threads, then, if mpirun exists
and the program was built with MPI=1, with CORES ranks of one thread, all in
turns. Prints the least wall-clock time of three and the speed-up.
"""

import os
import shutil
import subprocess
import sys
import time

QUESTIONS = [
    ("sweep", "simulate --topology torus:8x8 --routing dor --sweep load=0.1:0.8:0.05 --cycles 16000"),
    ("simulation", "simulate --topology torus:16x16 --routing dor --load 0.5 --replications 16 --cycles 16000"),
    ("permutations", "permutations --topology torus:8x8 --routing rlb --count 4000000"),
    ("worst case", "worst-case --topology random-regular:routers=384,degree=4 --routing min"),
    ("audit", "audit torus:24x24 --routing minhop"),
]
RUNS = 3


def measure(words):
    start = time.perf_counter()
    subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def ways(netbound, cores):
    yield "1 thread", lambda q: [netbound, *q, "--threads", "1"]
    yield f"{cores} threads", lambda q: [netbound, *q, "--threads", str(cores)]
    if shutil.which("mpirun"):
        ranks = ["mpirun", "--oversubscribe", "--quiet", "-n", str(cores)]
        if os.geteuid() == 0:
            ranks.insert(1, "--allow-run-as-root")
        yield f"{cores} ranks", lambda q: [*ranks, netbound, *q, "--threads", "1"]


def main():
    netbound, cores = os.path.abspath(sys.argv[1]), int((sys.argv + ["2"])[2])
    os.environ["XDG_CACHE_HOME"] = "/nonexistent"  # answers are not kept
    for name, question in QUESTIONS:
        least = {}
        for _ in range(RUNS):
            for way, words in ways(netbound, cores):
                took = measure(words(question.split()))
                least[way] = min(took, least.get(way, took))
        alone = least["1 thread"]
        print(f"{name:14}" + "".join(
            f"  {way}: {took:6.2f} s (x {alone / took:.2f})"
            for way, took in least.items()))


main()
