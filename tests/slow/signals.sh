#!/bin/bash
# Runs that write files get a signal at a random moment, or their reader closes
# the pipe: tests/slow/signals.sh NETBOUND TRIALS [SEED]. Such a run dies
# silently, except for a note that work is kept. Every file is then as before or
# complete, no other file exists, and a checkpoint leads to the whole answer.
# Prints each trial that went wrong, the number that went right, and whether at
# least a third of the runs were ended.
netbound=$1 trials=$2
RANDOM=${3:-$(date +%N | sed 's/^0*//;s/....$//')}
seed=$RANDOM
RANDOM=$seed
kept='netbound: ended: the work finished so far is in "kept"'
signals=(HUP INT QUIT TERM XCPU PIPE)
questions=(
    "load torus:16x16 --routing val --table channels --output page"
    "load torus:16x16 --routing romm --matrix page.csv --table channels --output page"
    "topology dragonfly:h=6 --network page.graphml --save-model page.xml --table routers --output page"
    "worst-case torus:8x8 --routing rlb --permutation page.csv --output page"
    "simulate torus:8x8 --cycles 320 --sweep load=0.1:0.6:0.1 --output page --checkpoint kept"
    "run ../asked.xml ../asked.xml ../asked.xml --output page"
    "export ../told.xml ../told.xml --to html --output page"
)

# What is wrong in a folder. $1: exit status, $2: of the signal, $3: the whole
# answer's folder, $4: whether there were files before
judge() {
    local page
    [ "$1" = 0 ] || [ "$1" = $((128 + $2)) ] || echo "exit $1"
    if [ "$1" = 0 ]; then cat err; else grep -vxF "$kept" err; fi
    for page in $(ls -A); do
        [[ $page =~ ^(kept|out|err)$ ]] || cmp -s "$page" "$3/$page" ||
            { [ "$4" = 1 ] && [ "$(cat "$page")" = "old $page" ]; } ||
            echo "$page is neither as before nor whole"
    done
}

# Runs a question, ended after some microseconds; says what is wrong.
try() { # $1: words, $2: signal, $3: microseconds, $4: whole, $5: files before
    local page id status wait
    printf -v wait '%d.%06d' $(($3 / 1000000)) $(($3 % 1000000))
    for page in $(ls "$4" | grep page); do
        [ "$5" = 0 ] || echo "old $page" >"$page"
    done
    : >err
    # What a shell starts with & ignores some signals.
    if [ "$2" = PIPE ]; then
        env --default-signal "$netbound" ${1/--output page/} 2>err > >(sleep $wait) &
    else
        env --default-signal "$netbound" $1 >out 2>err &
        id=$!
        sleep "$wait"
        kill -s "$2" $id 2>/dev/null
    fi
    wait $!
    status=$?
    [ $status = 0 ] || echo >>../ended
    judge $status "$(kill -l "$2")" "$4" "$5"
    if [ -e kept ]; then
        "$netbound" $1 2>err && cmp page "$4/page" || echo "what is kept misleads: $(cat err)"
    fi
} 2>&1

"$netbound" worst-case torus:8x8 --save-model asked.xml --format xml --output told.xml
for q in "${!questions[@]}"; do
    mkdir whole-$q
    start=$(date +%s%N)
    (cd whole-$q && "$netbound" ${questions[q]})
    took[q]=$((($(date +%s%N) - start) / 1000))
done
good=0
: >ended
for ((trial = 1; trial <= trials; trial++)); do
    q=$((RANDOM % ${#questions[@]})) signal=${signals[RANDOM % ${#signals[@]}]}
    mkdir trial
    wrong=$(cd trial && try "${questions[q]}" "$signal" \
        $((took[q] * (RANDOM % 120) / 100)) ../whole-$q $((RANDOM % 2)))
    if [ -z "$wrong" ]; then
        good=$((good + 1))
    else
        echo "trial $trial of seed $seed, $signal: ${questions[q]}: $wrong"
    fi
    rm -r trial
done
echo "$good of $trials are as they should be"
[ $((3 * $(wc -l <ended))) -ge "$trials" ] || echo "only $(wc -l <ended) were ended"
