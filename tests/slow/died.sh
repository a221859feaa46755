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
kill_last() { # $1: the process of mpirun
    local rank
    sleep 1 # there is some work by then
    for rank in $(pgrep -P "$1"); do
        if grep -qz '^\(PMIX\|PMI\)_RANK=2$' "/proc/$rank/environ"; then
            kill -9 "$rank"
        fi
    done
}
expect_lost() { # $1: what is said after $lost; the rest: options
    local words=$1 id
    shift
    (ranks "$@") >/dev/null 2>said &
    id=$!
    kill_last "$id"
    wait "$id" && echo "it has ended as if nothing were" && exit 1
    if [ "$(grep -c ^netbound: said)" != 1 ] || ! grep -qxF "$lost$words" said ||
        [ -e report ]; then
        cat said
        exit 1
    fi
}
expect_lost "no work is kept"
expect_lost 'the work finished so far is in "kept"' --checkpoint kept
before=$(stat -c %s kept)
"$netbound" "${question[@]}" >whole
"$netbound" "${question[@]}" --checkpoint kept | cmp - whole &&
    [ "$before" -gt 100 ] && [ "$before" -lt "$(stat -c %s kept)" ] || exit 1
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
