#!/bin/bash
# Files written to a disk that is full, or nearly: tests/slow/full-disk.sh
# NETBOUND. Each question is answered whole, or refused in one line that leaves
# every file as it was and no other. A checkpoint costs no answer, and what it
# keeps leads to the whole answer. Prints what is not so, how many were refused,
# and how many lost their checkpoint.
netbound=$1
if [ "${2:-}" != within ]; then
    unshare -rm mount -t tmpfs tmpfs /mnt 2>/dev/null &&
        exec unshare -rm bash "$0" "$1" within
    echo "refused: not tried, for no file system may be mounted"
    exit
fi
questions=(
    "load torus:16x16 --table channels --format csv --output page"
    "topology dragonfly:h=4 --network page.graphml"
    "topology torus:8x8 --network page.dot"
    "load torus:16x16 --matrix page.csv"
    "load torus:16x16 --routing minhop --forwarding page.dot"
    "worst-case torus:32x32 --permutation page.csv"
    "worst-case torus:4x4 --save-model page.xml"
    "run asked.xml asked.xml --output page"
    "export told.xml --to html --output page"
    "help simulate --output page"
    "simulate torus:8x8 --cycles 320 --sweep load=0.1:0.6:0.05 --checkpoint kept"
)

try() { # $1: words, $2: bytes that are free
    local page before
    cp asked.xml told.xml disk
    for page in $(ls whole | grep page); do echo old >disk/$page; done
    cat /dev/zero >disk/filler 2>/dev/null
    truncate -s "-$2" disk/filler
    before=$(cd disk && md5sum -- *)
    if (cd disk && exec "$netbound" $1 >../out 2>../err); then
        (cd whole && ls) | grep -v kept | while read -r page; do
            cmp "whole/$page" "disk/$page"
        done
        cmp out answer
        if [[ $1 = *--checkpoint* ]]; then
            grep -qx 'netbound: cannot write checkpoint "kept": No space left on device; the run goes on without it' err &&
                echo >>lost
            [ ! -e disk/kept ] || cp disk/kept kept
            "$netbound" $1 2>/dev/null | cmp - answer
            rm -f kept
        fi
    else
        echo >>refused
        [ "$(cat err | wc -l)" = 1 ] && grep -q ': No space left on device$' err &&
            [ ! -s out ] || cat err out
        [ "$before" = "$(cd disk && md5sum -- $(ls -A))" ] || ls -lA disk
    fi
    rm -rf disk/*
}

"$netbound" worst-case torus:8x8 --save-model asked.xml --format xml --output told.xml
mkdir disk
mount -t tmpfs -o size=96k tmpfs disk
for words in "${questions[@]}"; do
    rm -rf whole
    mkdir whole
    cp asked.xml told.xml whole
    (cd whole && exec "$netbound" $words >../answer)
    for free in 0 4096 8192; do
        wrong=$(try "$words" $free)
        [ -z "$wrong" ] || echo "$free bytes free: $words: $wrong"
    done
done
echo "refused: $(wc -l <refused), lost: $(wc -l <lost)"
