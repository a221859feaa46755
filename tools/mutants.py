#!/usr/bin/env python3
"""Tests whether the tests notice a wrong operator: changes one operator in each
of MUTANTS random lines per folder and runs the tests until one fails.

    tools/mutants.py MUTANTS SEED LIMIT FOLDER...

A folder of src (routing/schemes), or what the names of files begin with
(load/pair: src/load/pair*).

In build/mutants: tree/, a copy of the commit; times.txt, the time of each test
without a change; results.txt, one line per change, so that a later run resumes
and tries survivors again with other tests. Tests that are named like the file
run first, then others for LIMIT seconds, then those named like it with
sanitizers, which detect reads beyond an array. Python, as for the oracles:
separating code from comments and strings takes more than sed.
"""
import collections
import fcntl
import glob
import hashlib
import os
import random
import re
import resource
import signal
import subprocess
import sys
import threading
import time

HOME = "build/mutants"
TREE = HOME + "/tree"
KNOWN = "tools/mutants.txt"  # changes that no test can notice, and why
OTHERS = {
    " < ": (" <= ", " >= "), " <= ": (" < ", " > "),
    " > ": (" >= ", " <= "), " >= ": (" > ", " < "),
    " == ": (" != ",), " != ": (" == ",), " && ": (" || ",), " || ": (" && ",),
    " + ": (" - ",), " - ": (" + ",), " * ": (" / ",), " / ": (" * ",),
    " % ": (" / ",), " += ": (" -= ",), " -= ": (" += ",), " *= ": (" /= ",),
    " /= ": (" *= ",), " << ": (" >> ",), " >> ": (" << ",), " & ": (" | ",),
    " | ": (" & ",), "++": ("--",), "--": ("++",), "0": ("1",), "1": ("0",),
    "true": ("false",), "false": ("true",), "fmin": ("fmax",), "fmax": ("fmin",),
}
# Operators have blanks around them, or end a line; the "*" of a pointer does not.
OPERATOR = re.compile(
    r"(?<= )(?:[<>*/%&|+-]|[<>=!+*/-]=|&&|\|\||<<|>>)(?= |$)|\+\+|--"
    r"|(?<![\w.])(?<!{ )[01](?![\w.])|\b(?:true|false|fmin|fmax)\b")
NOT_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\])*'"
                      r"|^#if[^\n]*NB_DEBUG.*?^#(?:else|endif)[^\n]*|^#[^\n]*",
                      re.S | re.M)
NO_LINE = re.compile(r"assert|nb_error_|nb_fail|^\s*\*")

Mutant = collections.namedtuple("Mutant", "place before after")


def blank(text):
    return NOT_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def code_lines(path):
    """Lines in functions that have an operator: index, line, sites."""
    with open(path) as file:
        text = file.read()
    inside = False
    for index, (line, code) in enumerate(zip(text.split("\n"),
                                             blank(text).split("\n"))):
        if code.startswith(("{", "}")):
            inside = code.startswith("{")
        sites = list(OPERATOR.finditer(code.rstrip()))
        if inside and sites and not NO_LINE.search(code):
            yield index, line, sites


def files_of(folder):
    """The sources of a folder, or those whose names begin like this."""
    start = f"{TREE}/src/{folder}"
    if os.path.isdir(start):
        start += "/"
    paths = [os.path.join(top, name)
             for top, _, names in sorted(os.walk(f"{TREE}/src"))
             for name in sorted(names) if name.endswith((".c", ".inc"))]
    return [path for path in paths if path.startswith(start)]


def drawn(folder, seed):
    """Mutants of all lines of a folder, in random order by the seed."""
    lines = [(path, *line) for path in files_of(folder)
             for line in code_lines(path)]
    draw = random.Random(f"{seed} {folder}")
    draw.shuffle(lines)
    for path, index, line, sites in lines:
        site = draw.choice(sites)
        blanks = " " if line[site.start() - 1:site.start()] == " " and \
            f" {site[0]} " in OTHERS else ""
        other = draw.choice(OTHERS[blanks + site[0] + blanks]).strip()
        yield Mutant(f"{path[len(TREE) + 1:]}:{index + 1}", line.strip(),
                     (line[:site.start()] + other + line[site.end():]).strip())


def function_of(mutant):
    """The function that contains the line, from the head before it; if a macro
    makes the name, as in MATCHING(f)(...), the macro's argument."""
    path, number = mutant.place.split(":")
    with open(f"{TREE}/{path}") as file:
        before = file.read().split("\n")[:int(number)]
    heads = (re.match(r"(?=\w)[^(]*?(\w+)\((?:(\w+)\)\()?", line)
             for line in reversed(before))
    return next(head[2] or head[1] for head in heads if head)


def write_line(mutant, line):
    path, number = mutant.place.split(":")
    path = f"{TREE}/{path}"
    with open(path) as file:
        lines = file.read().split("\n")
    old = lines[int(number) - 1]
    lines[int(number) - 1] = old[:len(old) - len(old.lstrip())] + line
    with open(path, "w") as file:
        file.write("\n".join(lines))


def make(*targets):
    """Runs make in the copy, without options of an outer make."""
    plain = {name: value for name, value in os.environ.items()
             if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MODE")}
    return subprocess.run(["make", "-j1", *targets], cwd=TREE, env=plain,
                          stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


def programs():
    """The test programs, one per folder with tests."""
    return [f"build/release/tests/test_{folder}"
            for folder in sorted(os.listdir(f"{TREE}/tests"))
            if glob.glob(f"{TREE}/tests/{folder}/**/test_*.c", recursive=True)]


def program_of(test):
    """The files that a test needs in addition to the program; test programs run
    the program as well."""
    return "build/netbound" if test.endswith(".test") else test.split()[0]


def objects(mutant):
    """The objects compiled from a file, relative to the copy."""
    path = mutant.place.split(":")[0]
    if path.endswith(".c"):
        return [f"build/release/{path[:-2]}.o"]
    name = "/".join(path.split("/")[1:])
    users = subprocess.run(["grep", "-rlF", f'#include "{name}"', "src"],
                           cwd=TREE, capture_output=True, text=True).stdout
    return [f"build/release/{user[:-2]}.o" for user in sorted(users.split())]


def digest(paths):
    """The machine code only."""
    whole = hashlib.sha256()
    for path in paths:
        plain = f"{HOME}/plain.o"
        subprocess.run(["objcopy", "--strip-debug", f"{TREE}/{path}", plain],
                       check=True)
        with open(plain, "rb") as file:
            whole.update(file.read())
    return whole.hexdigest()


def protect(is_sanitized, seconds):
    """Limits for time, files and memory; not for memory with sanitizers, which
    reserve more than the machine has."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
    if not is_sanitized:
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


def passes(test, seconds):
    """Runs the test until it fails, within a limit of processor time; a larger
    limit of wall-clock time allows for a busy machine."""
    command = ["tools/transcript.py", "build/netbound", test] \
        if test.endswith(".test") else test.split()
    run = subprocess.Popen(command, cwd=TREE, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           start_new_session=True,
                           preexec_fn=lambda: protect("/sanitize/" in test,
                                                      int(seconds)))
    end = lambda: os.killpg(run.pid, signal.SIGKILL)
    timer = threading.Timer(20 * seconds, end)
    timer.start()
    for line in run.stdout:
        if line.startswith((b"[  FAILED  ]", b"FAILED")):
            end()
    timer.cancel()
    return run.wait() == 0


def measured():
    """The time of each test that passes without a change in two minutes."""
    tests = [f"{program} {part}" for program in programs()
             for part in subprocess.run([program, "--list"], cwd=TREE, text=True,
                                        stdout=subprocess.PIPE).stdout.split()]
    for name in sorted(os.listdir(f"{TREE}/tests/cli")):
        with open(f"{TREE}/tests/cli/{name}") as file:
            if name.endswith(".test") and '"$reports"' not in file.read():
                tests.append(f"tests/cli/{name}")
    times = dict(read_rows(f"{HOME}/times.txt"))
    for test in tests:
        if test not in times:
            begin = time.monotonic()
            has_passed = passes(test, 120)
            times[test] = f"{time.monotonic() - begin:.1f}" if has_passed else "fails"
            append(f"{HOME}/times.txt", test, times[test])
    return {test: float(times[test]) for test in tests if times[test] != "fails"}


def is_named(mutant, test):
    """Whether a test is named like the file or part of it; transcripts of
    questions are named by their commands: limits-networks.test."""
    _, folder, *_, name = re.split(r"[/.]", mutant.place.split(":")[0])[:-1]
    program, _, part = test.partition(" ")
    part = part.split("/")[-1]
    if test.endswith(".test"):
        command = re.split(r"[-.]", os.path.basename(test))[0]
        return folder == "questions" and name.startswith(command)
    return program.endswith(f"test_{folder}") and \
        (part.startswith(name) or name.startswith(part))


def ordered(mutant, times):
    """Tests named like the file first; then short ones, preferably of its folder."""
    _, folder, *rooms = mutant.place.split(":")[0].split("/")

    def distance(test):
        program, _, part = test.partition(" ")
        weight = 4 if not program.endswith(f"test_{folder}") else \
            2 if part.split("/")[:-1] != rooms[:-1] else 1
        return not is_named(mutant, test), weight * (0.3 + times[test])

    return sorted(times, key=distance)


def judge(mutant, times, limit):
    """The result, and the test that decided it."""
    compiled = objects(mutant)
    make(*compiled)
    plain = digest(compiled)
    write_line(mutant, mutant.after)
    try:
        if not make(*compiled):
            return "not-compiled", "-"
        if digest(compiled) == plain:
            return "same-code", "-"
        built = set()
        for test in ordered(mutant, times):
            if not is_named(mutant, test):
                if times[test] > limit:
                    continue
                limit -= times[test]
            program = program_of(test)
            if program not in built and not make("build/netbound", program):
                return "killed", "build"
            built.add(program)
            if not passes(test, 10 + 4 * times[test]):
                return "killed", test
        for test in times:
            if not is_named(mutant, test) or test.endswith(".test"):
                continue
            own = test.replace("build/release", "build/sanitize")
            if make("MODE=sanitize", own.split()[0]) and \
                    not passes(own, 60 + 40 * times[test]):
                return "killed", own
        return "survived", "-"
    finally:
        write_line(mutant, mutant.before)


def read_rows(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [line.rstrip("\n").split("\t") for line in file]


def append(path, *row):
    with open(path, "a") as file:
        file.write("\t".join(row) + "\n")


def run_folder(folder, count, seed, limit, times, tests):
    """Counts results until `count` mutants were killed or survived."""
    known = {tuple(row[:4]) for row in read_rows(f"{TREE}/{KNOWN}")}
    done = {Mutant(*row[:3]): row[3:] for row in read_rows(f"{HOME}/results.txt")}
    ends, survivors = collections.Counter(), []
    for mutant in drawn(folder, seed):
        if ends["killed"] + ends["survived"] == count:
            break
        end, by, at = done.get(mutant, ("survived", "-", None))
        if (mutant.place.split(":")[0], function_of(mutant),
                *mutant[1:]) in known:
            end = "equivalent"
        elif end == "survived" and at != tests:
            end, by = judge(mutant, times, limit)
            append(f"{HOME}/results.txt", *mutant, end, by, tests)
            print(f"{end:12} {mutant.place}  {by}", flush=True)
        ends[end] += 1
        survivors += [mutant] if end == "survived" else []
    return ends, survivors


def main():
    count, seed, limit, *folders = sys.argv[1:]
    git = lambda *words: subprocess.run(["git", *words], check=True, text=True,
                                        stdout=subprocess.PIPE).stdout.strip()
    os.makedirs(HOME, exist_ok=True)
    lock = open(f"{HOME}/lock", "w")
    fcntl.flock(lock, fcntl.LOCK_EX)  # one copy, one run
    git("worktree", "prune")
    if os.path.exists(TREE):
        git("-C", TREE, "checkout", "-qf", "--detach", git("rev-parse", "HEAD"))
    else:
        git("worktree", "add", "-q", "--detach", TREE, "HEAD")
    for folder in folders:
        if not files_of(folder):
            sys.exit(f"no sources are named src/{folder}*")
    if not make("build/netbound", *programs()):
        sys.exit(f"{TREE} does not build")
    times = measured()
    tests = git("rev-parse", "--short", "HEAD:tests")
    for folder in folders:
        ends, survivors = run_folder(folder, int(count), seed, float(limit),
                                     times, tests)
        print(f"{folder}:", ", ".join(f"{n} {end}"
                                      for end, n in sorted(ends.items())))
        for mutant in survivors:
            print(f"{mutant.place}\n  - {mutant.before}\n  + {mutant.after}")


main()
