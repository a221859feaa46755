#!/usr/bin/env python3
"""Runs cases of every command in which one allocation after another fails, or
little memory is left: tests/slow/faults.py NETBOUND FAILING.so [MOST [CASES]]

A run must end with the right answer, or with one line that says memory, no
output and no partial file; and it must not leak more blocks than a run with
enough memory. Prints each run that does not, then the number of each result.

MOST   allocations to try per case, spread evenly over the first and the last of
       each site; a site is identified by eight calls. Default 30; 99999: all
CASES  only cases that contain this text
FAIL_ON=1 in the environment: all allocations that follow fail, too.

Python, because bash needs eight processes per run of the program.
"""
import collections
import multiprocessing
import os
import resource
import shutil
import subprocess
import sys
import tempfile

# The arguments of netbound; its output file is called page. The longest first.
CASES = """
latency --topology dragonfly:h=1 --routing ugal --load 1/4
topology --topology dragonfly:h=2
topology --topology hyperx:3x3 --expansion
topology --fit terminals=60,radix=8 --prices ../data/prices.csv
topology --topology torus:3x3 --network page.graphml
topology --topology ring:4 --network page.ibnetdiscover
topology --topology ring:4 --network page.anynet
topology --topology file:../data/fabrics/two-spines.ibnetdiscover --network page.graphml
topology --topology file:../data/topologies/petersen-networkx.graphml --network page.dot
topology --topology file:../data/topologies/slurm-topology.conf
topology --topology file:../data/topologies/chiplets.json
topology --topology file:../data/topologies/cities.gml
load --topology file:../data/topologies/five-cities-sndlib.xml --traffic file:../data/topologies/five-cities-sndlib.xml
topology --topology file:../data/topologies/two-pods.dot
topology --topology file:../data/topologies/grid-networkx.json,bandwidth-attribute=capacity
topology --topology file:../data/topologies/slurm-topology.yaml
topology --topology file:../data/topologies/two-racks-ns3.txt
topology --topology file:../data/topologies/cube-scipy.mtx
topology --topology file:../data/topologies/racks-networkx.txt,terminals-at=h*,hosts=terminals
topology --topology file:../data/fabrics/two-leaves.ibports
topology --topology file:../data/fabrics/two-leaves.lst
topology --topology file:../data/fabrics/two-leaves-switches.iblinkinfo
topology --topology file:../data/topologies/ring-of-stars.anynet
topology --topology torus:4x4,fail=0-1+router:5 --network page.csv
topology --topology ring --find topology.routers=3:9 --where terminals<=6
worst-case --topology torus:4x4 --routing val --format csv
worst-case --topology ring:5 --routing dor --unbalanced
worst-case --topology mesh:3x3 --routing any-minimal --permutation page.csv
worst-case --topology torus:4x4 --routing rlb --permutation page.json --save-model page.xml
load --topology file:../data/topologies/abilene.txt --format csv
load --topology file:../data/fabrics/two-spines.ibnetdiscover --routing file:../data/fabrics/two-spines.lft
load --topology file:../data/fabrics/ring5.ibnetdiscover --routing file:../data/fabrics/ring5-lash.lft,sl=../data/fabrics/ring5-lash.sl
load --topology file:../data/fabrics/ring5.ibnetdiscover --routing lash --forwarding page.lft --service-levels page.sl
load --topology ring:4 --routing minhop --forwarding page.dot
load --topology ring:5 --routing file:../data/routing/ring5-weighted.csv
load --topology ring:4 --traffic file:../data/traffic/ring4-matrix.json --matrix page.noxim.txt
load --topology file:../data/topologies/chiplets.json --traffic file:../data/traffic/chiplets-rapidchiplet.json
load --topology ring:4 --traffic file:../data/traffic/ring4-matrix.csv --matrix page.json
load --topology ring:4 --traffic tornado --matrix page.csv --pair 0,2
load --topology torus:4x4 --routing ugal --traffic tornado
load --topology torus:4x4 --routing romm --sample-paths 30
load --topology ring:5 --fair-share --explain
load --topology ring --sweep topology.routers=4,5 --output page --format csv
permutations --topology torus:3x3 --count 20 --bins 4
permutations --topology ring:4 --routing ugal --count 2 --simulate 2:cycles=32,warm-up=9,replications=1
optimum --topology torus:4x4 --worst-case --locality
optimum --topology ring:5 --traffic tornado --paths minimal
optimum --topology ring:4 --average --count 3
optimum --topology ring:5 --routing ugal --traffic tornado
limits --topology dragonfly:h=2
split --topology ring:8 --load 1/2
latency --topology ring:8 --load 1/2
latency --topology ring:4 --find load --where mean_latency<=3
buffer --load 1/2 --overflow 1e-3
buffer --load 1/2 --arrivals onoff:burst=5 --overflow 1e-3
delay --hops 3 --load 1/2 --overflow 1e-3
reorder --hops 2 --load 1/2 --overflow 1e-3
deadlock --topology torus:3x3 --routing dor
deadlock --topology torus:3x3 --routing nue
virtual-networks --terminals 64 --round 3 --networks 4
audit --topology ring:4 --alone --matchings 2 --cables 2 --hosts 0,2
audit --topology file:../data/fabrics/two-spines.ibnetdiscover --routing file:../data/fabrics/two-spines.lft
power --topology torus:4x4
qcn --topology dragonfly:h=1
simulate --topology ring:4 --load 1/2 --cycles 64 --warm-up 9 --replications 1
simulate --topology ring:4 --router credit --load 1/2 --cycles 64 --warm-up 9 --replications 1 --depths --reorder --window 8
simulate --topology ring:4 --router chaos --routing chaos --load 1/2 --cycles 64 --warm-up 9 --replications 1
simulate --topology ring:4 --arrivals onoff:burst=5 --load 1/4 --cycles 64 --warm-up 9 --replications 1 --checkpoint kept
simulate --topology ring:4 --trace ../trace.csv --replications 1
simulate --topology butterfly:k=2,n=2 --router virtual --batch 1 --replications 1
validate --topology ring:4 --check loads --cycles 64 --warm-up 9 --replications 1
validate --topology fattree:k=2,n=2 --routing rrr --check queues --load 1/2 --cycles 64 --warm-up 9 --replications 1
ledger --data ../data/published --id towles-dor-ur --fresh
run ../models/singh-appendix-a.xml
run ../asked.xml --output page --format csv
run ../asked.xml ../asked.xml --output page
verify ../told.xml
export ../told.xml --to html --output page
export ../told.xml --to latex
export ../told.xml --to ipynb
list routings
help simulate
version
schema
completion bash
man worst-case
"""
UNTHREADED = "export list help version schema completion man".split()
LIMITS = 70000, 80000, 90000, 100000  # KiB of address space

Ended = collections.namedtuple("Ended", "status files blocks sites")


def contents():
    """The files that a run left in its folder."""
    files = {}
    for entry in os.scandir():
        with open(entry.path, "rb") as file:
            files[entry.name] = file.read()
    return files


def run(words, allocation, limit=None, sites=None):
    """Runs the program in a new folder; the given allocation fails (0: none)."""
    folder = str(os.getpid())
    os.mkdir(folder)
    os.chdir(folder)
    end, write = os.pipe()
    environment = {**os.environ, "LD_PRELOAD": FAILING, "FAIL_COUNT": str(write),
                   "FAIL_AT": str(allocation)}
    if sites:
        environment["FAIL_SITES"] = str(sites)
    bound = limit and (lambda: resource.setrlimit(
        resource.RLIMIT_AS, (1024 * limit, 1024 * limit)))
    with open("out", "wb") as out, open("err", "wb") as err:
        status = subprocess.run([NETBOUND, *words], stdout=out, stderr=err,
                                pass_fds=[write], env=environment,
                                preexec_fn=bound).returncode
    os.close(write)
    with open(end) as counts:
        _, blocks, *found = map(int, counts.read().split() or (0, 0))
    ended = Ended(status, contents(), blocks, sorted(set(found)))
    os.chdir("..")
    shutil.rmtree(folder)
    return ended


def verdict(ended, whole):
    """The result of a run."""
    said = ended.files["err"].decode(errors="replace").splitlines()
    has_part = any(name.startswith("page") and page != whole.files.get(name)
                   for name, page in ended.files.items())
    if ended.blocks > whole.blocks:
        return "leaking"
    if ended.status == 0 and ended.files == whole.files:
        return "right"
    if ended.status == 1 and not ended.files["out"] and not has_part and \
            len(said) == 1 and said[0].startswith("netbound: ") and \
            "memory" in said[0]:
        return "refused"
    return "wrong"


def count(task):
    """The verdicts of a part of a case, counted, and the faults."""
    case, part = task
    counts, wrong = collections.Counter(), []
    words = case.split()
    if words[0] not in UNTHREADED:
        words += ["--threads", "1"]
    whole = run(words, 0, sites=8)
    if whole.status != 0:
        wrong.append(f"wrong: {case}: {whole.files['err']}")
    tried = [(at, None) for at in whole.sites[::1 + len(whole.sites) // MOST]]
    tried += [(0, limit) for limit in LIMITS]
    for at, limit in tried[part::PARTS]:
        ended = run(words, at, limit)
        found = verdict(ended, whole)
        counts[found] += 1
        if found in ("wrong", "leaking"):
            wrong.append(f"{found} without allocation {at} in "
                         f"{limit or 'any'} KiB, exit status {ended.status}: "
                         f"{case}: {ended.files['err'][:200]}")
    return counts, wrong


def prepare():
    """The inputs of the cases, next to the folders that they run in."""
    for name in "data", "models":
        os.symlink(f"{ROOT}/{name}", name)
    with open("trace.csv", "w") as file:
        file.write("cycle,source,destination,flits\n0,0,2,1\n3,1,3,2\n")
    subprocess.run([NETBOUND, *"worst-case --topology torus:3x3 --routing dor "
                    "--format xml --save-model asked.xml "
                    "--output told.xml".split()], check=True)


def main():
    with open(NETBOUND, "rb") as file:
        if b"__asan_init" in file.read():  # has allocations of its own
            print("right: not tried\nrefused: not tried")
            return 0
    cases = [case for case in CASES.strip().splitlines() if CHOSEN in case]
    total, is_right = collections.Counter(), True
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        prepare()
        with multiprocessing.Pool(os.cpu_count()) as pool:
            tasks = [(case, part) for case in cases for part in range(PARTS)]
            for counts, wrong in pool.imap_unordered(count, tasks):
                total += counts
                is_right = is_right and not wrong
                for line in wrong:
                    print(line, file=sys.stderr)
        os.chdir(ROOT)
    for name in sorted(total, reverse=True):
        print(f"{name}: {total[name]}")
    return not is_right


ROOT = os.getcwd()
NETBOUND, FAILING = map(os.path.realpath, sys.argv[1:3])
MOST = int(sys.argv[3]) if len(sys.argv) > 3 else 30
PARTS = 1 if MOST < 1000 else 8  # parts of a case, one per core
CHOSEN = sys.argv[4] if len(sys.argv) > 4 else ""
sys.exit(main())
