#!/bin/bash
# opensm_again.sh NETWORK TABLES: what opensm dumps after it has loaded the
# tables, on the network as ibsim simulates it (Debian: opensm, ibsim-utils,
# libumad2sim0). Two at once would meet in one simulator.
set -eu
network=$(realpath "$1") tables=$(realpath "$2")
folder=$(mktemp -d)
trap 'kill -9 $manager $simulator; rm -rf "$folder"' EXIT
manager= simulator= # opensm must not outlive what it talks to
cd "$folder"
ibsim -s -n -N 16384 -S 4096 -P 200000 "$network" </dev/null >ibsim.log 2>&1 &
simulator=$!
sleep 1
host=$(sed -n 's/^Ca[^"]*"\([^"]*\)".*/\1/p' "$network" | head -1)
LD_PRELOAD=$(find /usr/lib -name libumad2sim.so | head -1) SIM_HOST=$host \
OSM_TMP_DIR=$folder OSM_CACHE_DIR=$folder \
    opensm -R file -U "$tables" -s 0 -e -d2 -D 0x43 -f osm.log \
    --dump_files_dir "$folder/" -n 64 -t 2000 </dev/null >osm.out 2>&1 &
manager=$!
for _ in $(seq 300); do
    grep -q 'SUBNET UP' osm.log 2>/dev/null && break
    sleep 0.1
done
sleep 0.3
cat opensm-lfts.dump
