#!/bin/bash
# Two runs write one file at the same time, again and again, while it is read:
# tests/slow/writers.sh NETBOUND TRIALS. Prints each time when it is not one of
# the two answers, whole, and what is left beside it. Then two runs have one
# checkpoint at the same time: one is refused, or comes after the other.
netbound=$1 trials=$2
one="load torus:8x8 --routing val --table channels --format csv"
other="load torus:16x16 --table channels --format csv"
kept="simulate torus:4x4 --cycles 320 --format csv --checkpoint kept"
again() {
    for ((i = 0; i < trials; i++)); do
        "$netbound" $1 --output both/page || echo "exit $?"
    done
}
mkdir both
$netbound $one >one
$netbound $other >other
$netbound ${kept%--*} >third
again "$one" &
again "$other" &
while [ -n "$(jobs -r)" ]; do
    if [ -e both/page ]; then
        cat both/page >read
        cmp -s read one || cmp -s read other || echo "read: $(wc -c <read) bytes"
    fi
done
ls -A both | grep -vx page
for ((i = 0; i < trials; i++)); do
    $netbound $kept >first 2>said &
    $netbound $kept >second 2>>said
    wait $!
    for got in first second; do
        cmp -s $got third || [ ! -s $got ] || echo "wrong: $(head -3 $got)"
    done
    [ ! -s said ] || [ "$(cat said)" = \
        'netbound: checkpoint "kept" is in use by another run' ] || cat said
    rm -f kept
done
echo "$trials trials"
