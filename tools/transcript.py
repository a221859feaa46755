#!/usr/bin/env python3
"""Runs one transcript of the command line: tools/transcript.py NETBOUND FILE

  # comment
  $ worst-case --topology torus:8x8     arguments of netbound, as bash reads them
  ! sed -i s/2/3/ report.xml            a bash command
  expected line of standard output, then of standard error
  ...                                   any lines
  a line with ... in it                 any characters there
  ? 0                                   exit status; ends every command

Commands run in an empty folder that links to models/ and data/. A bash command
finds the program as "$netbound", the reports of the shipped models (make
reports) in "$reports" and the project in "$root"; "same_answer A B" compares
two reports except for how they were made. Blank lines do not count. In any
transcript, a refused "$" command must print nothing on standard output and one
line beginning "netbound: " on standard error, and must not change the files of
the folder.

Text has aligned columns, as on a terminal; NETBOUND_COLUMNS= before "$netbound"
shows the output for a pipe.

VALGRIND=1 runs the program under valgrind wherever it is called.

Python, because bash needs six processes per command and took longer than the
program.
"""
import locale
import os
import re
import stat
import subprocess
import sys
import tempfile

VALGRIND = """#!/bin/bash
# Not --log-file: it would replace a closed standard output.
exec 9>"%s/$$"
exec valgrind -q --leak-check=full --show-leak-kinds=all \\
    --errors-for-leak-kinds=all --log-fd=9 "%s" "$@"
"""
# Reports (-: standard input) without threads, time and the digest over them.
SAME_ANSWER = """() {
    local one
    one=$(mktemp) && sed '/^  <made /d; /^  <digest /d' "$1" >"$one" &&
        sed '/^  <made /d; /^  <digest /d' "$2" | cmp "$one" -
    set -- $?
    rm -f "$one"
    return "$1"
}"""
SHOWN = 300  # characters of a line in a message


def matches(line, pattern):
    """Whether a line is as expected; "..." matches any characters."""
    if b"..." not in pattern:
        return line == pattern
    first, *middle, last = pattern.split(b"...")
    if not line.startswith(first):
        return False
    at = len(first)
    for part in middle:
        at = line.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return len(line) - len(last) >= at and line.endswith(last)


def difference(lines, expected):
    """The difference in the first line that is not as expected, or None."""
    at = 0
    for line in lines:
        if at < len(expected) and expected[at] == b"...":
            if at + 1 < len(expected) and matches(line, expected[at + 1]):
                at += 2
        elif at < len(expected) and matches(line, expected[at]):
            at += 1
        else:
            wanted = expected[at] if at < len(expected) else b"(end)"
            return b"got:      %s\nexpected: %s" % (line[:SHOWN], wanted)
    at += at < len(expected) and expected[at] == b"..."
    return b"missing:  " + expected[at] if at < len(expected) else None


def plain_locale():
    """A locale that makes transcripts independent of the user's language."""
    try:
        locale.setlocale(locale.LC_ALL, "C.UTF-8")
    except locale.Error:  # some systems have none in UTF-8
        return "C"
    return "C.UTF-8"


def files():
    """The state of files that a refusal must not change."""
    return {entry.name: (state.st_mode, state.st_nlink, state.st_size,
                         state.st_mtime_ns)
            for entry in os.scandir(".")
            for state in [entry.stat(follow_symlinks=False)]}


class Transcript:
    def __init__(self, netbound, file, scratch):
        self.file, self.scratch, self.has_failed = file, scratch, False
        self.root = os.getcwd()
        self.folder, self.valgrind = scratch + "/folder", scratch + "/valgrind"
        os.mkdir(self.folder)
        os.mkdir(self.valgrind)
        for name in "models", "data":
            os.symlink(f"{self.root}/{name}", f"{self.folder}/{name}")
        self.environment = {
            **os.environ, "LC_ALL": plain_locale(),
            "netbound": self.program(netbound),
            "root": self.root, "NETBOUND_COLUMNS": "aligned",
            "reports": os.path.abspath(
                os.environ.get("REPORTS", "build/release/reports")),
            "XDG_CACHE_HOME": scratch + "/cache",
            "BASH_FUNC_same_answer%%": SAME_ANSWER}
        self.environment.pop("NO_COLOR", None)

    def program(self, netbound):
        netbound = os.path.realpath(netbound)
        if os.environ.get("VALGRIND") != "1":
            return netbound
        path = self.scratch + "/netbound"
        with open(path, "w") as file:
            file.write(VALGRIND % (self.valgrind, netbound))
        os.chmod(path, stat.S_IRWXU)
        return path

    def fail(self, what):
        place = os.path.relpath(self.file, self.root)
        print(f"FAILED {place}:{self.number}: "
              f"{self.command.decode(errors='replace')[:SHOWN]}")
        print("  " + what.decode(errors="replace").replace("\n", "\n  "))
        for line in (self.out + self.err).splitlines()[:20]:
            print("  | " + line.decode(errors="replace")[:SHOWN])
        sys.stdout.flush()
        self.has_failed = True

    def check_refusal(self, before):
        """Checks that hold for every refusal."""
        if self.out:
            self.fail(b"a refusal printed on standard output")
        if not re.fullmatch(rb"netbound: ..[^\n]*\n", self.err):
            self.fail(b'a refusal is not one line beginning "netbound: "')
        if files() != before:
            self.fail(b"a refusal left or changed a file: "
                      + os.fsencode(" ".join(sorted(files()))))

    def run(self, status):
        """Runs the command and compares its output with the expected lines."""
        before = files()
        is_question = self.command.startswith(b"$ ")
        script = b'"$netbound" ' * is_question + self.command[2:]
        # Files: a process left running may keep the output open.
        with open(self.scratch + "/out", "wb") as out, \
                open(self.scratch + "/err", "wb") as err:
            ended = subprocess.run(
                ["bash", "-c", script], stdin=subprocess.DEVNULL, stdout=out,
                stderr=err, env=self.environment).returncode
        with open(self.scratch + "/out", "rb") as out, \
                open(self.scratch + "/err", "rb") as err:
            # After a minute commands report progress.
            self.out = out.read()
            self.err = re.sub(rb"^progress: .*\n", b"", err.read(), flags=re.M)
        ended = 128 - ended if ended < 0 else ended
        lines = (self.out + self.err).replace(b"\0", b"").split(b"\n")
        said = difference([line for line in lines if line], self.expected)
        if ended != status:
            self.fail(b"exit status %d, expected %d" % (ended, status))
        elif said is not None:
            self.fail(said)
        elif is_question and ended != 0:
            self.check_refusal(before)
        self.check_valgrind()

    def check_valgrind(self):
        for name in os.listdir(self.valgrind):
            with open(f"{self.valgrind}/{name}", "rb") as file:
                said = file.read()
            if said:
                self.fail(b"valgrind complains\n" + said[:4000])
            os.remove(f"{self.valgrind}/{name}")

    def refuse_unfinished(self):
        if self.command:
            self.fail(b'no "? STATUS" follows: it was not run')

    def read(self):
        """Runs every command of the file; returns the exit status."""
        self.command, self.expected, self.out, self.err = b"", [], b"", b""
        with open(self.file, "rb") as file:
            text = file.read().split(b"\n")
        os.chdir(self.folder)
        for number, line in enumerate(text, 1):
            if line.startswith((b"$ ", b"! ")):
                self.refuse_unfinished()
                self.command, self.number, self.expected = line, number, []
            elif line.startswith(b"? ") and self.command:
                self.run(int(line[2:]))
                self.command = b""
            elif line and not line.startswith(b"#"):
                if not self.command:
                    self.number = number
                    self.fail(b"it belongs to no command: " + line)
                self.expected.append(line)
        self.refuse_unfinished()
        return self.has_failed


def main():
    _, netbound, file = sys.argv
    if not os.path.isfile(file):
        sys.exit(f'there is no transcript "{file}"')
    with tempfile.TemporaryDirectory() as scratch:
        sys.exit(Transcript(netbound, os.path.realpath(file), scratch).read())


main()
