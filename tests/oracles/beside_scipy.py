"""Side by side with scipy, on networks with several terminals per router: the
worst permutation of terminals under evenly split shortest paths, by the
assignment problem on every channel; the throughput of permutations, incast and
random traffic between terminals under these paths; and the best throughput of
any routing, by a linear program over a network whose terminals are nodes.

Usage: beside_scipy.py NETBOUND [NETWORK]...
Prints each number that differs and, at the end, how many were compared. Paths
are counted here, on networks that netbound writes as GraphML."""
import csv
import random
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
from scipy.optimize import linear_sum_assignment, linprog
from scipy.sparse import coo_matrix

# Network, and the routers of a group whose paths count global channels first.
NETWORKS = [
    ("fattree:k=4,n=2", 0), ("fattree:k=2,n=3", 0),
    ("clos:3x4,up=2,parallel=2", 0), ("clos:2x2x2,up=2x1,parallel=1x2", 0),
    ("clos:4x3,up=3", 0), ("clos:3x4,up=2,parallel=3,fail=0-5[2]+random:10%", 0),
    ("dragonfly:h=1,p=3", 2), ("dragonfly:h=2,p=2,groups=4", 4),
    ("hyperx:3x3,p=3", 0), ("hyperx:4x4,p=4", 0), ("hyperx:4x3,p=2", 0),
    ("hyperx:4x4,p=2,fail=0-1+2-6", 0), ("slimfly:q=5,p=2", 0),
    ("megafly:2,groups=3", 0), ("torus:3x3,terminals=2", 0),
    ("torus:4x4,terminals=2,terminal-bandwidth=1", 0),
    ("torus:4x3,terminals=3,bandwidth=1+1/2", 0),
    ("mesh:3x4,terminals=3", 0), ("ring:5,terminals=4", 0),
    ("complete:5,terminals=3,terminal-bandwidth=1/2", 0),
    ("hypercube:3,terminals=2", 0), ("kautz:2,n=2,terminals=3", 0),
    ("debruijn:2,n=3,terminals=2", 0), ("ccc:3,terminals=2", 0),
]
EXACT, SOLVED = 1e-12, 1e-7  # relative; of sums of doubles, and of HiGHS
LP_FLOWS = 40000  # destinations times channels


class Network:
    def __init__(self, path, group):
        space = "{http://graphml.graphdrawing.org/xmlns}"
        graph = ElementTree.parse(path).getroot().find(space + "graph")
        given = graph.find(space + "data")
        self.terminal_bandwidth = np.inf if given is None else float(given.text)
        nodes = list(graph.iter(space + "node"))
        place = {node.get("id"): i for i, node in enumerate(nodes)}
        self.n = len(nodes)
        self.router = [i for i, node in enumerate(nodes)
                       for _ in range(int(node.find(space + "data").text))]
        self.channels = [(place[edge.get("source")], place[edge.get("target")],
                          float(edge.find(space + "data").text))
                         for edge in graph.iter(space + "edge")]
        self.lengths = [1000 if group and s // group != t // group else 1
                        for s, t, _ in self.channels]
        self.shares = self.find_shares()

    def find_shares(self):
        """[channel, source, destination] of evenly split shortest paths, per
        bandwidth."""
        n = self.n
        near = np.full((n, n), np.inf)
        paths = np.zeros((n, n))
        np.fill_diagonal(near, 0)
        for (s, t, _), length in zip(self.channels, self.lengths):
            near[s, t] = min(near[s, t], length)
        for k in range(n):
            near = np.minimum(near, near[:, [k]] + near[[k], :])
        for d in range(n):
            paths[d, d] = 1
            for v in np.argsort(near[:, d], kind="stable")[1:]:
                paths[v, d] = sum(
                    paths[t, d]
                    for (s, t, _), length in zip(self.channels, self.lengths)
                    if s == v and near[t, d] + length == near[v, d])
        shares = []
        for (s, t, bandwidth), length in zip(self.channels, self.lengths):
            is_on = near[:, [s]] + length + near[[t], :] == near
            some = np.where(is_on, paths[:, [s]] * paths[[t], :], 0)
            shares.append(some / np.where(paths > 0, paths, 1) / bandwidth)
        return np.array(shares)

    def worst_load(self):
        """The largest load per bandwidth, and the load of its channel."""
        worst = 0, 0
        for share, (_, _, bandwidth) in zip(self.shares, self.channels):
            of_terminals = share[np.ix_(self.router, self.router)]
            rows, columns = linear_sum_assignment(of_terminals, maximize=True)
            load = of_terminals[rows, columns].sum()
            worst = max(worst, (load, load * bandwidth))
        return worst

    def terminal_limit(self, traffic):
        return self.terminal_bandwidth / max(traffic.sum(0).max(),
                                             traffic.sum(1).max())

    def throughput(self, traffic):
        ends = np.zeros((self.n, self.n))
        for (s, d), rate in np.ndenumerate(traffic):
            ends[self.router[s], self.router[d]] += rate
        load = np.einsum("cij,ij->c", self.shares, ends).max()
        return min(1 / load if load > 0 else np.inf, self.terminal_limit(traffic))

    def best_throughput(self, traffic):
        """Flows to each destination on each channel, and the throughput."""
        terminals = len(self.router)
        channels = self.channels + [
            end for t, r in enumerate(self.router)
            for end in ((self.n + t, r, self.terminal_bandwidth),
                        (r, self.n + t, self.terminal_bandwidth))]
        ends = [d for d in range(terminals) if traffic[:, d].any()]
        count, nodes = len(channels), self.n + terminals
        flows = len(ends) * count
        rows, columns, values = [], [], []
        for k, d in enumerate(ends):
            for c, (s, t, _) in enumerate(channels):
                for node, sign in ((s, 1), (t, -1)):
                    if node != self.n + d:
                        rows.append(k * nodes + node)
                        columns.append(k * count + c)
                        values.append(sign)
            for s in range(terminals):
                if traffic[s, d] > 0 and s != d:
                    rows.append(k * nodes + self.n + s)
                    columns.append(flows)
                    values.append(-traffic[s, d])
        conserved = coo_matrix((values, (rows, columns)),
                               shape=(len(ends) * nodes, flows + 1))
        limited = [c for c in range(count) if np.isfinite(channels[c][2])]
        carried = coo_matrix(
            (np.ones(len(limited) * len(ends)),
             ([i for i in range(len(limited)) for _ in ends],
              [k * count + c for c in limited for k in range(len(ends))])),
            shape=(len(limited), flows + 1))
        aim = np.zeros(flows + 1)
        aim[-1] = -1
        found = linprog(aim, A_ub=carried.tocsr(),
                        b_ub=[channels[c][2] for c in limited],
                        A_eq=conserved.tocsr(),
                        b_eq=np.zeros(len(ends) * nodes), method="highs")
        assert found.status == 0, found.message
        return -found.fun


def draw_traffics(terminals, seed):
    drawn = random.Random(seed)
    permutation = np.zeros((terminals, terminals))
    order = list(range(terminals))
    drawn.shuffle(order)
    for s, d in enumerate(order):
        permutation[s, d] = 1
    incast = np.zeros((terminals, terminals))
    end = drawn.randrange(terminals)
    others = [s for s in range(terminals) if s != end]
    for s in drawn.sample(others, min(8, len(others))):
        incast[s, end] = 1
    mixed = np.zeros((terminals, terminals))
    for _ in range(4):
        drawn.shuffle(order)
        for s, d in enumerate(order):
            if s != d:
                mixed[s, d] += drawn.choice((0, 1 / 8, 1 / 4))
    return {"permutation": permutation, "incast": incast, "mixed": mixed}


class Comparison:
    def __init__(self, netbound):
        self.netbound, self.count, self.differ = netbound, 0, 0

    def ask(self, *question):
        said = subprocess.run([self.netbound, *question, "--format", "csv"],
                              check=True, capture_output=True, text=True).stdout
        return {row["quantity"]: float(row["value"])
                for row in csv.DictReader(said.splitlines())}

    def compare(self, what, ours, theirs, tolerance):
        self.count += 1
        if abs(ours - theirs) <= tolerance * abs(theirs) or ours == theirs:
            return
        self.differ += 1
        print(f"{what}: netbound {ours!r}, scipy {theirs!r}")

    def compare_network(self, name, group):
        subprocess.run([self.netbound, "topology", "--topology", name,
                        "--network", "beside.graphml", "--output", "beside.txt"],
                       check=True)
        network = Network("beside.graphml", group)
        worst = self.ask("worst-case", "--topology", name, "--routing", "min")
        crossings, load = network.worst_load()
        self.compare(f"{name}: worst load", worst["worst_case_channel_load"],
                     load, EXACT)
        self.compare(f"{name}: worst throughput",
                     worst["worst_case_throughput_absolute"],
                     min(1 / crossings, network.terminal_bandwidth), EXACT)
        traffics = draw_traffics(len(network.router), name)
        for kind, traffic in traffics.items():
            with open("beside.csv", "w") as file:
                print("source,destination,rate", file=file)
                for (s, d), rate in np.ndenumerate(traffic):
                    if rate > 0:
                        print(f"{s},{d},{rate!r}", file=file)
            self.compare_traffic(name, network, kind, traffic)

    def compare_traffic(self, name, network, kind, traffic):
        question = ("--topology", name, "--traffic", "file:beside.csv",
                    "--allow-inadmissible")
        ours = self.ask("load", "--routing", "min", *question)
        self.compare(f"{name}: throughput of {kind}",
                     ours["throughput_absolute"], network.throughput(traffic),
                     EXACT)
        if traffic.any(0).sum() * len(network.channels) > LP_FLOWS:
            return
        ours = self.ask("optimum", *question)
        self.compare(f"{name}: best throughput of {kind}",
                     ours["optimal_throughput_absolute"],
                     network.best_throughput(traffic), SOLVED)


comparison = Comparison(sys.argv[1])
networks = [(name, group) for name, group in NETWORKS
            if len(sys.argv) < 3 or name in sys.argv[2:]]
for name, group in networks:
    comparison.compare_network(name, group)
print(f"{comparison.count} numbers on {len(networks)} networks, "
      f"{comparison.differ} differ")
