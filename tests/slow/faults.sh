#!/bin/bash
# One allocation after another fails, or little memory is left, in a case of
# every command: tests/slow/faults.sh NETBOUND FAILING.so [MOST]
# Says every run whose end is neither the right answer nor one line that says
# memory, with no output and no file; then how many of each there were.
# MOST  allocations tried of a case, spread over all of them; 30 unless given
set -u
netbound=$(realpath "$1") most=${3:-30}
failing=$(realpath -e "$2") || exit 1
scratch=$(mktemp -d)
export netbound failing most scratch
trap 'rm -rf "$scratch"' EXIT

if grep -q __asan_init "$netbound"; then # has allocations of its own
    printf '%s: not tried\n' refused right
    exit
fi

# The words of netbound; a file that it writes is called page.
cases() {
    cat <<'END'
topology --topology dragonfly:h=2
topology --fit terminals=60,radix=8 --format csv
topology --topology torus:3x3 --network page.graphml
topology --topology ring --find topology.routers=3:9 --where terminals<=6
worst-case --topology torus:4x4 --routing val --format csv
worst-case --topology ring:5 --routing dor --unbalanced
worst-case --topology mesh:3x3 --routing any-minimal --permutation page.csv
load --topology file:data/topologies/abilene.txt --format csv
load --topology file:data/fabrics/two-spines.ibnetdiscover --routing file:data/fabrics/two-spines.lft
load --topology ring:5 --routing file:data/routing/ring5-weighted.csv
load --topology ring:4 --traffic file:data/traffic/ring4-matrix.json --matrix page.noxim
load --topology torus:4x4 --routing ugal --traffic tornado
permutations --topology torus:3x3 --count 20 --bins 4
optimum --topology torus:4x4 --worst-case --locality
optimum --topology ring:5 --traffic tornado --paths minimal
optimum --topology ring:4 --average --count 3
limits --topology dragonfly:h=2
split --topology ring:8 --load 1/2
latency --topology ring:8 --load 1/2
latency --topology dragonfly:h=1 --routing ugal --load 1/4
buffer --load 1/2 --overflow 1e-3
delay --hops 3 --load 1/2 --overflow 1e-3
reorder --hops 2 --load 1/2 --overflow 1e-3
deadlock --topology torus:3x3 --routing dor
virtual-networks --terminals 64 --round 3 --networks 4
audit --topology ring:4 --alone --matchings 2 --cables 2
power --topology torus:4x4
qcn --topology dragonfly:h=1
simulate --topology ring:4 --load 1/2 --cycles 64 --warm-up 9 --replications 1
simulate --topology ring:4 --router credit --load 1/2 --cycles 64 --warm-up 9 --replications 1
run models/hanlon-table-4-1.xml
run asked.xml --output page --format csv
verify told.xml
export told.xml --to html --output page
export told.xml --to latex
list routings
help simulate
schema
completion bash
man worst-case
END
}

# Runs a case, in a folder of its own; its exit status.
run() { # $1: folder, $2: words, $3: allocation, 0: all succeed; $4: KiB or ""
    mkdir "$1"
    (
        cd "$1" || exit 99
        ln -s "$faults"/{data,models,told.xml,asked.xml} .
        [ -z "$4" ] || ulimit -v "$4"
        export LD_PRELOAD=$failing FAIL_AT=$3 FAIL_COUNT=9
        exec "$netbound" $2 >out 2>err 9>sites
    )
}

# What a run came to: right, refused or wrong.
judge() { # $1: folder, $2: exit status, $3: folder of the right answer
    rm -f "$1/sites"
    if [ "$2" -eq 0 ] && diff -r --no-dereference "$1" "$3" >/dev/null; then
        echo right
    elif [ "$2" -eq 1 ] && [ ! -s "$1/out" ] && [ -z "$(ls "$1" | grep page)" ] &&
        [ "$(wc -l <"$1/err")" -eq 1 ] && grep -q '^netbound: .*memory' "$1/err"; then
        echo refused
    else
        echo wrong
    fi
}

fail() { # $1: folder, $2: words, $3: allocation, $4: KiB
    local verdict
    run "$1" "$2" "$3" "$4"
    local status=$?
    verdict=$(judge "$1" $status "$whole")
    [ $verdict != wrong ] ||
        echo "without allocation $3 ${4:+in $4 KiB }exit $status: $2: $(head -c 200 "$1/err")" >&2
    echo $verdict
    rm -rf "$1"
}

one() { # $1: words
    local words=$1 sites at
    folder=$(mktemp -d "$scratch/case-XXXXXX")
    whole=$folder/whole
    case ${words%% *} in
    export | list | help | schema | completion | man) ;;
    *) words+=" --threads 1" ;;
    esac
    run "$whole" "$words" 0 "" || echo "fails: $words: $(cat "$whole/err")" >&2
    sites=$(cat "$whole/sites")
    rm -f "$whole/sites"
    for ((at = 1; at <= sites; at += 1 + sites / most)); do
        fail "$folder/run" "$words" "$at" ""
    done
    for at in 70000 80000 90000 100000; do
        fail "$folder/run" "$words" 0 $at
    done
    rm -rf "$folder"
}
export -f run judge fail one

export faults=$scratch/faults
mkdir "$faults"
ln -s "$PWD"/{data,models} "$faults"
"$netbound" worst-case --topology torus:3x3 --routing dor --format xml \
    --save-model "$faults/asked.xml" --output "$faults/told.xml"
cases | tr '\n' '\0' | xargs -0 -P "$(nproc)" -I{} bash -c 'one "$1"' - {} |
    sort | uniq -c | awk '{ print $2 ": " $1 }'
