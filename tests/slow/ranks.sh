#!/bin/bash
# Answers questions of every command with 1, 2 and 4 ranks of 1 or 2 threads
# each: tests/slow/ranks.sh NETBOUND. Prints those that do not come out the same
# and commands without a question, and how many did; exit 1 if not all.
netbound=$1
export XDG_CACHE_HOME=$PWD/cache
same=0 all=0 asked=" "
while read -r line; do
    all=$((all + 1))
    read -ra question <<<"$line"
    asked+="${question[0]} "
    question+=(--format csv)
    "$netbound" "${question[@]}" >whole 2>said
    bad=
    for run in "1 2" "2 1" "4 2"; do
        read -r ranks threads <<<"$run"
        mpirun --allow-run-as-root --oversubscribe --quiet -n "$ranks" \
            "$netbound" "${question[@]}" --threads "$threads" >got 2>said \
            </dev/null
        cmp -s whole got || bad+=" $ranks ranks of $threads threads"
    done
    if [ -z "$bad" ] && [ -s whole ]; then
        same=$((same + 1))
    else
        echo "$line:$bad: $(cat said)"
    fi
done <<'END'
audit torus:4x4 --matchings 4
buffer --radix 8 --load 0.5
buffer --load 0.5 --sweep radix=2,4,8
deadlock torus:4x4 --sweep routing=dor,val
delay --topology fattree:k=4,n=3 --load 0.5
latency mesh:4x4 --sweep load=0.1,0.2,0.3
ledger --source TowlesDally2002 --fresh
limits dragonfly:h=2
load torus:4x4 --sweep routing=dor,val,rlb,romm
optimum ring:6 --worst-case
permutations torus:4x4 --routing val --count 2000
permutations torus:4x4 --routing ugal --count 50 --simulate 4:cycles=320
power torus:4x4
qcn dragonfly:h=2 --sweep load=0.2:0.4:0.1
reorder --radix 16 --hops 5 --load 0.8
run models/singh-figure-5.11.xml
simulate torus:4x4 --cycles 640 --sweep load=0.1:0.5:0.1
simulate ring:8 --cycles 640 --load 0.3 --precision 0.02
simulate torus:4x4 --router credit --cycles 640 --find saturation
split ring:8 --load 0.4 --sweep rule=optimal,cqr,gal
topology dragonfly:h=2,fail=0-1
validate ring:4 --check loads --cycles 320
validate fattree:k=2,n=2 --load 0.5 --cycles 640
virtual-networks --terminals 64 --networks 4
worst-case torus:4x4 --routing rlb
worst-case mesh:4x4 --routing o1turn --unbalanced
worst-case mesh:4x4 --routing any-minimal
worst-case mesh:4x4 --routing romm --sweep topology.bandwidth=1:3:1
END
for command in $("$netbound" list commands | cut -d' ' -f1); do
    if "$netbound" help "$command" | grep -q -e --checkpoint &&
        [[ $asked != *" $command "* ]]; then
        echo "$command: no question is asked"
        same=0
    fi
done
# What another MPI's mpirun has started is no answer, be it the first.
for told in PMI_RANK=1 "PMI_RANK=0 PMI_SIZE=2"; do
    if env $told "$netbound" topology ring:4 >got 2>said || [ -s got ] ||
        ! grep -q "^netbound: started as rank ., but to MPI .* 0 of 1 " said; then
        echo "$told: $(cat got said)"
        same=0
    fi
done
echo "$same of $all are the same"
[ "$same" = "$all" ]
