"""The peers of bench_peers: the same answers by others, with Debian's packages.

usage: peers.py NAME ARGUMENT...
prints: the seconds from the question, a file of the network included, to the
first answer and to the second one, and the answer

A function here imports and prepares everything that needs no file, and returns
the function to time: neither Python's start nor a peer's loading counts. If the
peer is a program, its whole run is timed. If the peer is not installed, the
script names it and exits with status 77.
"""

import sys
import time

MISSING = 77
OVERFLOW = 1e-15


def edges(path):
    """Sources and targets of the channels of an edge list, both ways."""
    import numpy

    pairs = numpy.loadtxt(path, delimiter=",", usecols=(0, 1), dtype=int)
    return numpy.concatenate([pairs, pairs[:, ::-1]])


def graph_of(path):
    import igraph

    pairs = edges(path)
    return igraph.Graph(pairs.max() + 1, pairs.tolist(), directed=True)


def distances(path):
    """The mean distance of routers, including the distance 0 to themselves."""
    import igraph, numpy  # before they are timed

    def find():
        graph = graph_of(path)
        count = graph.vcount()
        graph.diameter()
        max(graph.edge_betweenness())  # needed for the capacity
        return graph.average_path_length() * (count - 1) / count

    return find


def betweenness(path):
    """The largest load at rate 1 from every router to every other."""
    import igraph, numpy  # before they are timed

    def find():
        graph = graph_of(path)
        return max(graph.edge_betweenness()) / graph.vcount()

    return find


def latency(path, rate):
    """The mean latency with M/D/1 at every channel."""
    import igraph, numpy  # before they are timed

    def find():
        graph = graph_of(path)
        count = graph.vcount()
        load = numpy.array(graph.edge_betweenness()) / count
        used = float(rate) * load
        return (load * (1 + used / (2 * (1 - used)))).sum() / count

    return find


def worst_case(path):
    """The largest channel load of any permutation, over shortest paths."""
    import numpy
    from scipy.optimize import linear_sum_assignment
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import shortest_path

    def find():
        pairs = edges(path)
        count = pairs.max() + 1
        links = csr_matrix((numpy.ones(len(pairs)), pairs.T), (count, count))
        far = shortest_path(links, unweighted=True)
        ways, walks = numpy.eye(count), numpy.eye(count)
        for hops in range(1, int(far.max()) + 1):
            walks = walks @ links
            ways[far == hops] = walks[far == hops]
        most = 0
        for source, target in pairs:
            through = far[:, source, None] + 1 + far[None, target] == far
            load = through * ways[:, source, None] * ways[None, target] / ways
            rows, columns = linear_sum_assignment(load, maximize=True)
            most = max(most, load[rows, columns].sum())
        return most

    return find


def flows(path, radix):
    """The best rate of transpose traffic on a mesh, from flows over channels."""
    import numpy
    from scipy.optimize import linprog
    from scipy.sparse import block_diag, coo_matrix, csr_matrix, hstack, vstack

    radix = int(radix)
    pairs = edges(path)
    count, channels = radix * radix, len(pairs)
    sources = [r for r in range(count) if r // radix != r % radix]

    def find():
        column = numpy.arange(channels)
        sign = numpy.ones(channels)
        balance = csr_matrix(
            (
                numpy.concatenate([sign, -sign]),
                (pairs.T.ravel(), numpy.concatenate([column, column])),
            ),
            (count, channels),
        )
        right = numpy.zeros((len(sources), count))
        for place, source in enumerate(sources):
            right[place, source] = 1
            right[place, source % radix * radix + source // radix] = -1
        equal = hstack(
            [
                block_diag([balance] * len(sources)),
                coo_matrix((len(sources) * count, 1)),
            ]
        )
        loads = hstack([csr_matrix(numpy.eye(channels))] * len(sources))
        below = hstack([loads, csr_matrix(-numpy.ones((channels, 1)))])
        cost = numpy.zeros(equal.shape[1])
        cost[-1] = 1
        return 1 / linprog(
            cost,
            below.tocsr(),
            numpy.zeros(channels),
            equal.tocsr(),
            right.ravel(),
            method="highs",
        ).fun

    return find


def permutations(radix, count):
    """The mean throughput of dimension order on a torus, ties split."""
    import numpy
    from scipy.sparse import csr_matrix

    radix, count = int(radix), int(count)
    routers = radix * radix

    def steps(at, to):
        """Directions in one dimension: fraction, direction, coordinates left."""
        far = (to - at) % radix
        for direction, hops in (0, far), (1, radix - far):
            if far and 2 * hops <= radix:
                share = 0.5 if 2 * hops == radix else 1
                sign = 1 - 2 * direction
                left = [(at + sign * h) % radix for h in range(hops)]
                yield share, direction, left

    entries = []
    for pair in range(routers * routers):
        (y, x), (v, u) = (divmod(r, radix) for r in divmod(pair, routers))
        for share, way, left in steps(x, u):
            entries += [(pair, 4 * (radix * y + a) + way, share) for a in left]
        for share, way, left in steps(y, v):
            entries += [
                (pair, 4 * (radix * a + u) + 2 + way, share) for a in left
            ]
    pair, channel, share = map(numpy.array, zip(*entries))
    paths = csr_matrix((share, (pair, channel)), (routers**2, 4 * routers))

    def find():
        draw = numpy.random.default_rng(1)
        first = numpy.arange(routers)
        total = 0
        for start in range(0, count, 1000):
            rows = min(1000, count - start)
            drawn = draw.permuted(numpy.tile(first, (rows, 1)), axis=1)
            chosen = csr_matrix(
                (
                    numpy.ones(drawn.size),
                    (first * routers + drawn).ravel(),
                    numpy.arange(rows + 1) * routers,
                ),
                (rows, routers * routers),
            )
            loads = (chosen @ paths).max(axis=1).toarray()
            total += (1 / loads).sum()
        return total / count

    return find


def split(minimal, longer, rate):
    """The least mean delay of a stream over two paths of shared channels."""
    from scipy.optimize import minimize_scalar

    minimal, longer, rate = int(minimal), int(longer), float(rate)

    def delay(x):
        one = minimal * (1 + 1 / (2 * (1 - minimal * x)))
        other = longer * (1 + 1 / (2 * (1 - longer * (rate - x))))
        return (x * one + (rate - x) * other) / rate

    ends = max(0, rate - 0.999 / longer), min(rate, 0.999 / minimal)
    return lambda: minimize_scalar(delay, bounds=ends, method="bounded").fun


def inverted(values, radius):
    """Probabilities from a generating function on a circle."""
    import numpy

    terms = numpy.fft.fft(values).real
    return terms / len(values) * radius ** -numpy.arange(float(len(values)))


def queue_values(load, radix, hops, circle):
    a = (1 - load / radix + load / radix * circle) ** radix
    return ((1 - load) * (circle - 1) * a / (circle - a)) ** hops


def depth_of(law):
    """The least n with P(X >= n) < OVERFLOW."""
    import numpy

    tails = numpy.cumsum(law[::-1])[::-1]
    return int(numpy.nonzero(tails >= OVERFLOW)[0][-1]) + 1


def circle_of(points, radius):
    import numpy

    return radius * numpy.exp(2j * numpy.pi * numpy.arange(points) / points)


def queue(load, hops):
    """The depth that a queue of 16 inputs rarely exceeds."""
    load, hops = float(load), int(hops)

    def find():
        radius = 1.17  # suits loads about 0.9
        circle = circle_of(1024, radius)
        values = queue_values(load, 16, hops, circle)
        return depth_of(inverted(values, radius))

    return find


def delays(load, hops):
    """The delay that queues of 16 inputs and their hops rarely exceed, each with
    Chernoff's bound and the estimate of Bahadur and Rao."""
    import numpy

    load, hops = float(load), int(hops)

    def tilt(z):
        """Logarithm of a queue's generating function; mean and variance from
        derivatives with z d/dz."""
        b = 1 - load / 16 + load / 16 * z
        a, c = b**16, load * z / b  # c: z a'/a
        e = c * (1 - load / 16 * z / b)
        gap, far = z - 1, z - a
        one = z / gap + c - (z - c * a) / far
        two = (
            -z / gap**2
            + e
            - (z - (e + c * c) * a) / far
            + ((z - c * a) / far) ** 2
        )
        return numpy.log((1 - load) * gap * a / far), one, two

    def pole():
        z = 1 + 2 * (1 - load)
        for _ in range(60):
            b = 1 - load / 16 + load / 16 * z
            z -= (z - b**16) / (1 - load * b**15)
        return z

    def find():
        radius = 1.17
        values = queue_values(load, 16, hops, circle_of(1024, radius))
        depth = depth_of(inverted(values, radius))
        most = numpy.log(pole())
        mean = hops * tilt(numpy.exp(1e-4))[1]
        n = numpy.arange(int(mean) + 2, depth + 25)
        theta = most * (1 - mean / n)
        for _ in range(8):
            log, one, two = tilt(numpy.exp(theta))
            theta += (n / hops - one) * one * hops / (n * two)
        bound = numpy.exp(hops * log - n * theta)
        sigma = numpy.sqrt(2 * numpy.pi * hops * two)
        numpy.minimum(bound / (-numpy.expm1(-theta) * sigma), 1)
        return depth + hops

    return find


def reorder(load, hops):
    """The depth of a reorder buffer behind queues of 16 inputs."""
    import numpy

    load, hops = float(load), int(hops)

    def find():
        radius = 1.17
        values = queue_values(load, 16, hops, circle_of(1024, radius))
        delay = inverted(values, radius)
        late = numpy.cumsum(delay[::-1])[::-1]
        late = late[: depth_of(delay) * 5 // 4]
        found = numpy.zeros(len(late) + 1)
        found[0] = 1
        total = delay[0] * found
        for gone in range(1, len(late)):
            share = load * (1 - late[gone - 1])
            found[1:] += share * (found[:-1] - found[1:])
            found[0] -= share * found[0]
            total = total + delay[gone] * found
        n = numpy.arange(1, depth_of(total) + 30)[:, None]
        sums = load * numpy.concatenate([[0], numpy.cumsum(1 - late)[:-1]])
        sums = numpy.maximum(sums, 1e-300)  # theorem 7
        terms = numpy.where(
            sums < n,
            numpy.exp(n - sums + n * (numpy.log(sums) - numpy.log(n))),
            1,
        )
        (terms @ delay[: len(late)]).min()
        return depth_of(total)

    return find


def bursty(radix, load, burst):
    """The depth of a queue that ON/OFF inputs feed, packet by packet."""
    import numpy
    from scipy.stats import binom

    radix, load, burst = int(radix), float(load), float(burst)
    idle = load / burst / (1 - load)  # probability that an input starts a burst

    def change():
        """Inputs that send in the next slot, given those that send in this one."""
        rows = []
        for on in range(radix + 1):
            stay = binom.pmf(numpy.arange(on + 1), on, 1 - 1 / burst)
            come = binom.pmf(numpy.arange(radix - on + 1), radix - on, idle)
            rows.append(numpy.convolve(stay, come))
        return numpy.array(rows)

    def first_passage(moves):
        """The chain at the slots in which the queue falls by one."""
        count = radix + 1
        down = numpy.zeros((count, count))
        while True:
            mixed = (numpy.eye(count) * (radix - 1) + down) / radix
            power, rows = numpy.eye(count), numpy.empty((count, count))
            for senders in range(count):
                rows[senders] = power[senders]
                power = power @ mixed
            new = moves @ rows
            if abs(new - down).max() < 1e-14:
                return new
            down = new

    def find():
        count = radix + 1
        moves = change()
        down = first_passage(moves)
        system = numpy.vstack([down.T - numpy.eye(count), numpy.ones(count)])
        at_empty = numpy.linalg.lstsq(
            system, numpy.append(numpy.zeros(count), 1), rcond=None
        )[0] * (1 - load)
        radius, points = 1.9, 256
        circle = circle_of(points, radius)[: points // 2 + 1]
        brought = (1 - 1 / radix + circle / radix)[:, None] ** numpy.arange(
            count
        )
        steps = moves * brought[:, None, :]
        right = (circle - 1)[:, None] * (at_empty @ steps)
        left = circle[:, None, None] * numpy.eye(count) - steps
        half = numpy.linalg.solve(left.swapaxes(1, 2), right).sum(axis=1)
        values = numpy.concatenate([half, half[-2:0:-1].conj()])
        return depth_of(inverted(values, radius))

    return find


def dependencies(radix):
    """The number of pairs of channels that wait for each other in dimension
    order on a mesh, if they form no cycle."""
    import numpy
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    radix = int(radix)
    count = radix * radix
    at, to = numpy.divmod(numpy.arange(count * count), count)
    aside = numpy.sign(to % radix - at % radix)
    down = numpy.sign(to // radix - at // radix)
    hop = at + numpy.where(aside, aside, radix * down)  # the tables

    def find():
        further = (hop != to) & (at != to)
        after = hop[hop * count + to]
        first = (at * count + hop)[further]
        second = (hop * count + after)[further]
        channels, numbers = numpy.unique(
            numpy.concatenate([first, second]), return_inverse=True
        )
        waits = csr_matrix(
            (numpy.ones(len(first), bool), numbers.reshape(2, -1)),
            (len(channels), len(channels)),
        )
        parts, _ = connected_components(waits, connection="strong")
        return waits.nnz if parts == len(channels) else 0

    return find


def ends_of_cables(path):
    """Cable ends of an InfiniBand network in a file of ibnetdiscover: the node's
    words for ibdmchk, its LID and port."""
    import re

    nodes, cables = {}, []
    for line in open(path):
        if found := re.match(r'(Switch|Ca)\t(\d+) "(\S+)"\s+# "([^"]*)"', line):
            kind, ports, key, name = found.groups()
            lid = re.search(r"port 0 lid (\d+)", line)
            nodes[key] = [kind, int(ports), name, int(lid[1]) if lid else 0]
        elif found := re.match(r'\[(\d+)\]\S*\s+"(\S+)"\[(\d+)\]', line):
            cables.append((key, int(found[1]), found[2], int(found[3])))
            if own := re.search(r"# lid (\d+) lmc", line):
                nodes[key][3] = int(own[1])

    def end(key, port):
        kind, ports, name, lid = nodes[key]
        is_switch = kind == "Switch"
        guid = key[2:]
        own = guid if is_switch else f"{int(guid, 16) + port:016x}"
        return (
            f"{{ {'SW' if is_switch else 'CA'} Ports:{ports:02X} "
            f"SystemGUID:{guid} NodeGUID:{guid} PortGUID:{own} VenID:0002C9 "
            f"DevID:BD36 Rev:000000A1 {{{name}}} LID:{lid:04X} PN:{port:02X} }}"
        )

    for one, port, other, other_port in cables:
        yield end(one, port), end(other, other_port)


def credit_loops(network, tables):
    """Whether ibdmchk finds no credit loop in forwarding tables."""
    import re
    import shutil
    import subprocess

    if shutil.which("ibdmchk") is None:
        raise ImportError("no program ibdmchk (Debian: ibutils)")
    with open("peer.lst", "w") as out:
        for one, other in ends_of_cables(network):
            out.write(f"{one} {other} PHY=4x LOG=ACT SPD=10\n")
    with open("peer.fdbs", "w") as out:
        for line in open(tables):
            if found := re.search(r"switch Lid \d+ guid (0x\w+)", line):
                out.write(f"dump_ucast_routes: Switch {found[1]}\n")
                out.write("LID    : Port : Hops : Optimal\n")
            elif found := re.match(r"(0x\w+) (\d+) #", line):
                out.write(f"{found[1]} : {found[2]}  : 00   : yes\n")
    open("peer.mcfdbs", "w").close()

    def find():
        said = subprocess.run(
            "ibdmchk -s peer.lst -f peer.fdbs -m peer.mcfdbs".split(),
            capture_output=True,
            text=True,
        ).stdout
        assert "Analyzing Fabric for Credit Loops" in said
        return "credit loop" not in said.split("Analyzing Fabric")[1]

    return find


def simulation(radix, rate, cycles):
    """The mean latency on a torus where each channel has its own queue; 32
    networks side by side, to give numpy large arrays."""
    import numpy

    radix, rate, cycles, copies = int(radix), float(rate), int(cycles), 32
    routers = radix * radix
    room, warm = 256, 200
    here = numpy.arange(routers * copies)
    sides = [
        here // radix * radix + (here % radix + 1) % radix,
        here // radix * radix + (here % radix - 1) % radix,
        here // routers * routers + (here % routers + radix) % routers,
        here // routers * routers + (here % routers - radix) % routers,
    ]
    behind = numpy.stack(sides, axis=1).ravel()  # router at the end of a channel

    def route(draw, at, to):
        aside, down = (to - at) % radix, (to // radix - at // radix) % radix
        turn = numpy.where(aside > 0, aside, down)
        back = 2 * turn > radix
        tie = 2 * turn == radix
        back[tie] = draw.random(tie.sum()) < 0.5
        return 4 * at + 2 * (aside == 0) + back

    def find():
        draw = numpy.random.default_rng(1)
        queue = numpy.zeros((4 * len(here), room, 2), int)
        head = numpy.zeros(4 * len(here), int)
        tail = numpy.zeros(4 * len(here), int)
        total = count = 0
        for now in range(warm + cycles // copies):
            busy = numpy.nonzero(tail > head)[0]
            to, born = queue[busy, head[busy] % room].T
            head[busy] += 1
            at = behind[busy]
            there = at == to
            new = here[draw.random(len(here)) < rate]
            goal = draw.integers(routers, size=len(new)) + new - new % routers
            if now >= warm:
                total += (now - born[there]).sum()
                count += there.sum() + (goal == new).sum()
            new, goal = new[goal != new], goal[goal != new]
            at = numpy.concatenate([at[~there], new])
            to = numpy.concatenate([to[~there], goal])
            born = numpy.concatenate([born[~there], 0 * new + now])
            channel = route(draw, at, to)
            order = numpy.argsort(channel, kind="stable")
            channel, to, born = channel[order], to[order], born[order]
            first = numpy.searchsorted(channel, channel)
            place = tail[channel] + numpy.arange(len(channel)) - first
            queue[channel, place % room, 0] = to
            queue[channel, place % room, 1] = born
            numpy.maximum.at(tail, channel, place + 1)
        return total / count

    return find


def main():
    try:
        find = globals()[sys.argv[1]](*sys.argv[2:])
    except ImportError as error:
        print(error)
        sys.exit(MISSING)
    times = []
    for _ in range(2):  # Python loads modules only once
        start = time.perf_counter()
        answer = find()
        times.append(time.perf_counter() - start)
        if times[0] > 1:
            break
    print(f"{times[0]:.9f} {times[-1]:.9f} {float(answer):.17g}")


main()
