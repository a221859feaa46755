#!/bin/bash
# Kills one of three ranks, not the first: tests/slow/died.sh NETBOUND. Exit 1
# unless the first says what is kept, one line and no report, and the next run
# goes on from there to the report of a run that nothing killed.
netbound=$1
question=(simulate torus:8x8 --cycles 64000 --sweep load=0.1:0.6:0.05
    --format csv)
lost="netbound: a rank has died, or all were ended: "
ranks() {
    exec mpirun --allow-run-as-root --oversubscribe --quiet -n 3 "$netbound" \
        "${question[@]}" "$@" --output report
}
# Waits until a command succeeds, half a minute at most.
await() {
    local turn
    for ((turn = 0; turn < 3000; turn++)); do
        "$@" 2>/dev/null && return
        sleep 0.01
    done
    return 1
}
has_ended() {
    ! kill -0 "$1"
}
# The process of a rank of mpirun $1, if it is there: $2.
rank_of() {
    local id
    for id in $(pgrep -P "$1"); do
        if grep -qzs "^\(PMIX\|PMI\)_RANK=$2\$" "/proc/$id/environ"; then
            echo "$id"
            return
        fi
    done
    return 1
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
expect_lost() { # $1: what is said after $lost, $2: the moment; the rest: options
    local words=$1 moment=$2 id first last
    shift 2
    (ranks "$@") >/dev/null 2>said &
    id=$!
    first=$(await rank_of "$id" 0) last=$(await rank_of "$id" 2)
    await "$moment" "$first" "$last"
    kill -9 "$last"
    # Open MPI 4.1's mpirun may wait for itself forever as it ends.
    await has_ended "$id" || kill -9 "$id"
    await has_ended "$first"
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
