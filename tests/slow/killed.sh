#!/bin/bash
# Kills runs with a checkpoint at random moments, and goes on until one ends:
# tests/slow/killed.sh NETBOUND TRIALS [SEED]. With mpirun, every other trial
# has three ranks; one of them dies, or all do. Prints how many ended as one that
# nothing killed, and for each other its trial and the seed.
netbound=$1 trials=$2
RANDOM=${3:-$(date +%N | sed 's/^0*//;s/....$//')}
seed=$RANDOM
RANDOM=$seed
# By turns a sweep, and the replications of one simulation.
for turn in 0 1; do
    asked=("--sweep load=0.1:0.6:0.05" "--load 0.5 --replications 24")
    question[turn]="simulate torus:8x8 --routing dor --cycles 3200 ${asked[turn]} --format csv"
    "$netbound" ${question[turn]} >whole$turn
done
has_ranks=$(command -v mpirun)
ranks() {
    exec mpirun --allow-run-as-root --oversubscribe --quiet -n 3 "$netbound" "$@"
}
same=0
for ((trial = 1; trial <= trials; trial++)); do
    rm -f kept
    turn=$((trial / 2 % 2))
    set -- ${question[turn]}
    for ((kill = 0; kill < 3; kill++)); do
        if [ -n "$has_ranks" ] && ((trial % 2)); then
            (ranks "$@" --checkpoint kept) >left 2>/dev/null &
        else
            "$netbound" "$@" --checkpoint kept >left 2>/dev/null &
        fi
        id=$!
        sleep "0.$((RANDOM % 9))$((RANDOM % 10))"
        mapfile -t all < <(pgrep -P "$id")
        victims=("$id")
        if [ ${#all[@]} -gt 0 ] && ((RANDOM % 2)); then
            victims=("${all[RANDOM % ${#all[@]}]}")
        fi
        kill -9 "${victims[@]}" 2>/dev/null
        # Open MPI 4.1's mpirun may wait for itself forever as it ends.
        for ((waited = 0; waited < 300; waited++)); do
            kill -0 "$id" 2>/dev/null || break
            sleep 0.05
        done
        kill -9 "$id" 2>/dev/null
        wait "$id" 2>/dev/null
        for other in "${all[@]}"; do # which end with it, but not at once
            while kill -0 "$other" 2>/dev/null; do sleep 0.05; done
        done
    done
    if "$netbound" "$@" --checkpoint kept >again 2>said && cmp -s whole$turn again; then
        same=$((same + 1))
    else
        echo "trial $trial of seed $seed: $(cat said)"
    fi
done 2>/dev/null # where bash names the runs that were killed, sooner or later
echo "$same of $trials are the same"
