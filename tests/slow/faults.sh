#!/bin/bash
# One allocation after another fails, or little memory is left, in cases of
# every command: tests/slow/faults.sh NETBOUND FAILING.so [MOST [CASES]]
# Says every run whose end is neither the right answer nor one line that says
# memory, with no output and no part of a file, or which leaves more blocks to the end
# than one with memory enough; then how many of each there were.
# MOST   allocations tried of a case, spread evenly over the first and the last
#        of each of its sites, which are told apart by eight calls; 30 unless
#        given. 99999: all, in about half an hour
# CASES  those that match this pattern
# FAIL_ON=1 in the environment: all allocations that follow fail, too.
set -u
netbound=$(realpath "$1") most=${3:-30} chosen=${4:-}
failing=$(realpath -e "$2") || exit 1
scratch=$(mktemp -d)
export netbound failing most scratch FAIL_COUNT=9
trap 'rm -rf "$scratch"' EXIT

if grep -q __asan_init "$netbound"; then # has allocations of its own
    printf '%s: not tried\n' refused right
    exit
fi

# The words of netbound; what it writes is called page. The longest first.
cases() {
    cat <<'END'
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
audit --topology ring:4 --alone --matchings 2 --cables 2
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
END
}

# Runs a case, in a new folder; its exit status.
run() { # $1: folder, $2: words, $3: allocation, 0: all succeed; $4: KiB or ""
    mkdir "$1"
    (
        cd "$1" || exit 99
        [ -z "$4" ] || ulimit -v "$4"
        export LD_PRELOAD=$failing FAIL_AT=$3
        exec "$netbound" $2 >out 2>err 9>"$folder-sites"
    ) 2>/dev/null
}

# What a run came to: right, refused, leaking or wrong.
judge() { # $1: folder, $2: exit status, $3: folder of the right answer
    local said page partial= blocks=0
    { read -r _ && read -r blocks; } <"$folder-sites"
    mapfile -t said <"$1/err"
    for page in "$1"/page*; do # of several files the first may be written
        [ ! -e "$page" ] || cmp -s "$page" "$3/${page##*/}" || partial=1
    done
    if [ "$blocks" -gt "$kept" ]; then
        verdict=leaking
    elif [ "$2" -eq 0 ] && diff -r "$1" "$3" >/dev/null; then
        verdict=right
    elif [ "$2" -eq 1 ] && [ ! -s "$1/out" ] && [ -z "$partial" ] &&
        [ ${#said[@]} -eq 1 ] && [[ ${said[0]} == "netbound: "*memory* ]]; then
        verdict=refused
    else
        verdict=wrong
    fi
}

fail() { # $1: folder, $2: words, $3: allocation, $4: KiB
    local verdict status
    run "$1" "$2" "$3" "$4"
    status=$?
    judge "$1" $status "$whole"
    case $verdict in
    wrong | leaking)
        echo "$verdict without allocation $3 ${4:+in $4 KiB }exit $status: $2: $(head -c 200 "$1/err")" >&2
        ;;
    esac
    echo $verdict
    rm -r "$1"
}

one() { # $1: words
    local words=$1 sites count at folder whole kept
    folder=$scratch/$$
    whole=$folder-whole
    case ${words%% *} in
    export | list | help | version | schema | completion | man) ;;
    *) words+=" --threads 1" ;;
    esac
    FAIL_SITES=8 run "$whole" "$words" 0 "" ||
        echo "wrong: $words: $(cat "$whole/err")"
    { read -r _ && read -r kept && mapfile -t sites; } <"$folder-sites"
    mapfile -t sites <<<"$(printf '%s\n' "${sites[@]}" | sort -un)"
    count=${#sites[@]}
    for ((at = 0; at < count; at += 1 + count / most)); do
        fail "$folder-run" "$words" "${sites[at]}" ""
    done
    for at in 70000 80000 90000 100000; do
        fail "$folder-run" "$words" 0 $at
    done
    rm -r "$folder"-*
}
export -f run judge fail one

ln -s "$PWD"/{data,models} "$scratch"
printf '%s\n' cycle,source,destination,flits 0,0,2,1 3,1,3,2 >"$scratch/trace.csv"
"$netbound" worst-case --topology torus:3x3 --routing dor --format xml \
    --save-model "$scratch/asked.xml" --output "$scratch/told.xml"
cases | grep -e "$chosen" | tr '\n' '\0' |
    xargs -0 -P "$(nproc)" -I{} bash -c 'one "$1"' - {} |
    sort | uniq -c | awk '{ print $2 ": " $1 }'
