#!/bin/bash
# Runs one transcript: tools/transcript.sh NETBOUND FILE
#
#   # comment
#   $ worst-case --topology torus:8x8     arguments of netbound
#   ! sed -i s/2/3/ report.xml            a shell command
#   expected line of standard output, then of standard error
#   ...                                   any lines
#   a line with ... in it                 any characters there
#   ? 0                                   exit status; ends every command
#
# Commands run in an empty folder, with models/ and data/ linked into it; a
# shell command finds the program as "$netbound", reports of the shipped models
# (make reports) in "$reports", the project in "$root"; "same_answer A B"
# compares two reports but for how they were made. Blank lines do not count.
# Whatever a transcript expects, a "$" that is refused must print nothing on
# standard output, one line beginning "netbound: " on standard error, and
# leave the folder's files as they were.
#
# Text comes in aligned columns, as on a terminal; NETBOUND_COLUMNS= before
# "$netbound" shows what a pipe gets.
#
# VALGRIND=1 runs the program under valgrind, wherever it is called.
set -u
netbound=$(realpath "$1")
file=$(realpath "$2")
[ -f "$file" ] || { echo "there is no transcript \"$2\"" >&2; exit 1; }
root=$PWD
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/folder" "$scratch/valgrind"
ln -s "$root/models" "$root/data" "$scratch/folder"
export root
reports=$(realpath -m "${REPORTS:-build/release/reports}")
export reports
cd "$scratch/folder" || exit 1
expected=$scratch/expected out=$scratch/out err=$scratch/err

if [ "${VALGRIND:-0}" = 1 ]; then
    cat >"$scratch/netbound" <<END
#!/bin/bash
# Not --log-file, which would take the place of a closed standard output.
exec 9>"$scratch/valgrind/\$\$"
exec valgrind -q --leak-check=full --show-leak-kinds=all \
    --errors-for-leak-kinds=all --log-fd=9 "$netbound" "\$@"
END
    chmod +x "$scratch/netbound"
    netbound=$scratch/netbound
fi
export netbound
export NETBOUND_COLUMNS=aligned
# Hostile names are in UTF-8 here, and bash would not write them in another
# locale.
export LC_ALL=${LC_ALL:-C.UTF-8}
export XDG_CACHE_HOME=$scratch/cache
unset NO_COLOR

# Reports (-: standard input) without threads, time and the digest over them.
same_answer() { # $1, $2: files
    cmp <(sed '/^  <made /d; /^  <digest /d' "$1") \
        <(sed '/^  <made /d; /^  <digest /d' "$2")
}
export -f same_answer

failed=0
fail() { # $1: what is wrong
    echo "FAILED ${file#"$root"/}:$number: ${command:0:300}"
    echo "$1" | sed 's/^/  /'
    cat "$out" "$err" | cut -c1-300 | head -20 | sed 's/^/  | /'
    failed=1
}

# What came (standard input) against the expected lines.
compare() {
    awk -v expected="$expected" '
        function matches(line, pattern,    part, n, i, at) {
            if (line == pattern) return 1
            n = cut(pattern, part)
            if (n == 1) return 0
            if (index(line, part[1]) != 1) return 0
            line = substr(line, length(part[1]) + 1)
            for (i = 2; i < n; i++) {
                at = index(line, part[i])
                if (at == 0) return 0
                line = substr(line, at + length(part[i]))
            }
            at = length(line) - length(part[n])
            return at >= 0 && substr(line, at + 1) == part[n]
        }
        # The parts between "..."; split() would take it as an expression.
        function cut(text, part,    n, at) {
            n = 0
            while ((at = index(text, "...")) > 0) {
                part[++n] = substr(text, 1, at - 1)
                text = substr(text, at + 3)
            }
            part[++n] = text
            return n
        }
        BEGIN {
            while ((getline line < expected) > 0) want[++n] = line
            w = 1
        }
        $0 == "" { next }
        {
            if (w <= n && want[w] == "...") {
                if (w < n && matches($0, want[w + 1])) w += 2
                next
            }
            if (w > n || !matches($0, want[w])) {
                printf "got:      %s\nexpected: %s\n", substr($0, 1, 300),
                    (w > n ? "(end)" : want[w])
                bad = 1
                exit 1
            }
            w++
        }
        END {
            if (bad) exit 1
            if (w <= n && want[w] == "...") w++
            if (w <= n) { printf "missing:  %s\n", want[w]; exit 1 }
        }'
}

# What must hold of every refusal.
check_refusal() { # $1: the files before
    [ ! -s "$out" ] || fail "a refusal printed on standard output"
    [ "$(wc -l <"$err")" -eq 1 ] && grep -aq '^netbound: ..' "$err" ||
        fail "a refusal is not one line beginning \"netbound: \""
    [ "$(ls -lA --time-style=full-iso)" = "$1" ] ||
        fail "a refusal left or changed a file: $(ls -A | tr '\n' ' ')"
}

run_command() { # $1: expected status
    local status before said
    before=$(ls -lA --time-style=full-iso)
    case $command in
    '$ '*) eval "\"\$netbound\" ${command#\$ }" >"$out" 2>"$err" </dev/null ;;
    *) bash -c "${command#! }" >"$out" 2>"$err" </dev/null ;;
    esac
    status=$?
    sed -i '/^progress: /d' "$err" # of what takes more than a minute
    if [ "$status" != "$1" ]; then
        fail "exit status $status, expected $1"
    elif ! said=$(cat "$out" "$err" | tr -d '\0' | compare); then
        fail "$said"
    elif [ "${command:0:1}" = '$' ] && [ "$status" -ne 0 ]; then
        check_refusal "$before"
    fi
    if grep -qs . "$scratch"/valgrind/*; then
        fail "valgrind complains"
        head -40 "$scratch"/valgrind/*
    fi
    rm -f "$scratch"/valgrind/*
}

command= number=0 line_number=0
: >"$out" >"$err" >"$expected"
while IFS= read -r line || [ -n "$line" ]; do
    line_number=$((line_number + 1))
    case $line in
    '#'* | '') ;;
    '$ '* | '! '*)
        [ -z "$command" ] || fail "no \"? STATUS\" follows: it was not run"
        command=$line number=$line_number
        : >"$expected"
        ;;
    '? '*)
        run_command "${line#\? }"
        command=
        ;;
    *) printf '%s\n' "$line" >>"$expected" ;;
    esac
done <"$file"
[ -z "$command" ] || fail "no \"? STATUS\" follows: it was not run"
exit $failed
