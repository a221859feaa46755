#!/bin/bash
# Kills one of three ranks, not the first: tests/slow/died.sh NETBOUND. Exit 1
# unless the first says what is kept, one line and no report, and the next run
# goes on from there to the report of a run that nothing killed.
netbound=$1
question=(simulate torus:8x8 --cycles 32000 --sweep load=0.1:0.6:0.05
    --format csv)
lost="netbound: a rank has died, or all were ended: "
ranks() {
    exec mpirun --allow-run-as-root --oversubscribe --quiet -n 3 "$netbound" \
        "${question[@]}" "$@" --output report
}
# The process of a rank of mpirun $1, once there is one: $2.
rank_of() {
    local id
    while kill -0 "$1" 2>/dev/null; do
        for id in $(pgrep -P "$1"); do
            if grep -qzs "^\(PMIX\|PMI\)_RANK=$2\$" "/proc/$id/environ"; then
                echo "$id"
                return
            fi
        done
        sleep 0.01
    done
}
# Moments, of the processes of the first rank and the last:
can_tell() { # bit 14: SIGTERM, which mpirun sends, is caught
    local caught
    caught=$(sed -n 's/^SigCgt:\t/0x/p' "/proc/$1/status")
    ((${caught:-0} & 1 << 14))
}
is_at_work() { # for half a second, so MPI has started
    local fields
    read -ra fields <"/proc/$2/stat" && ((fields[13] >= 50))
}
has_kept() {
    is_at_work "$@" && [ "$(stat -c %s kept)" -gt 100 ]
}
kill_last() { # $1: the process of mpirun, $2: the moment
    local first last
    first=$(rank_of "$1" 0) last=$(rank_of "$1" 2)
    until "$2" "$first" "$last" || ! kill -0 "$1"; do
        sleep 0.01
    done 2>/dev/null
    kill -9 "$last"
}
expect_lost() { # $1: what is said after $lost, $2: the moment; the rest: options
    local words=$1 moment=$2 id waited
    shift 2
    (ranks "$@") >/dev/null 2>said &
    id=$!
    kill_last "$id" "$moment"
    # Open MPI 4.1's mpirun may wait for itself for ever as it ends.
    for ((waited = 0; waited < 300; waited++)); do
        kill -0 "$id" 2>/dev/null || break
        sleep 0.05
    done
    kill -9 "$id" 2>/dev/null
    wait "$id" && echo "it has ended as if nothing were" && exit 1
    if [ "$(grep -c ^netbound: said)" != 1 ] || ! grep -qxF "$lost$words" said ||
        [ -e report ]; then
        echo "killed when one $moment, it says:" && cat said
        exit 1
    fi
}
expect_lost "no work is kept" can_tell
expect_lost "no work is kept" is_at_work
expect_lost 'the work finished so far is in "kept"' has_kept --checkpoint kept
before=$(stat -c %s kept)
"$netbound" "${question[@]}" >whole
"$netbound" "${question[@]}" --checkpoint kept | cmp - whole &&
    [ "$before" -lt "$(stat -c %s kept)" ] ||
    { echo "kept: $before bytes, then $(stat -c %s kept)" && exit 1; }
# A question that is refused says why, and nothing of ranks.
for ((i = 0; i < 10; i++)); do
    for words in "topology ring:1x" "verify -"; do
        mpirun --allow-run-as-root --oversubscribe --quiet -n 3 "$netbound" \
            $words <whole >got 2>said && echo "$words is answered"
        if [ -s got ] || [ "$(grep -c ^netbound: said)" != 1 ] ||
            grep -qF "$lost" said; then
            cat got said
            exit 1
        fi
    done
done
