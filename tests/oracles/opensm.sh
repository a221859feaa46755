#!/bin/bash
# opensm.sh NETWORK FOLDER [--levels] OPTION...: leaves in FOLDER what opensm
# dumps, with these options, of the network as ibsim simulates it (Debian:
# opensm, ibsim-utils, libumad2sim0): opensm-lfts.dump, opensm.fdbs and others;
# with --levels service levels of all pairs of hosts as well (service_levels.py,
# for which the network is as netbound writes it). Ends without these where the
# subnet does not come up.
set -eu
here=$(dirname "$(realpath "$0")")
network=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
shift 2
levels=
[ "${1:-}" != --levels ] || { levels=1; shift; }
manager= simulator= # opensm must not outlive what it talks to
trap 'kill -9 $manager $simulator 2>/dev/null' EXIT
PATH=$PATH:/usr/sbin # where opensm is, also for those who are not root
# By its own name, so that several may run at once.
export IBSIM_SOCKNAME=netbound-$$
cd "$folder"
rm -f osm.log
ibsim -s -n -N 16384 -S 4096 -P 200000 "$network" </dev/null >ibsim.log 2>&1 &
simulator=$!
hosts=($(sed -n 's/^Ca[^"]*"\([^"]*\)".*/\1/p' "$network"))
umad=$(find /usr/lib -name libumad2sim.so 2>/dev/null | head -1)
for _ in $(seq 100); do # until it listens
    grep -q "@$IBSIM_SOCKNAME:ctl" /proc/net/unix && break
    sleep 0.05
done
LD_PRELOAD=$umad SIM_HOST=${hosts[0]} OSM_TMP_DIR=$folder OSM_CACHE_DIR=$folder \
    opensm "$@" -s 0 -e -d2 -D 0x43 -f osm.log --dump_files_dir "$folder/" \
    -n 64 -t 2000 </dev/null >osm.out 2>&1 &
manager=$!
for _ in $(seq 600); do
    grep -q 'SUBNET UP' osm.log 2>/dev/null && break
    sleep 0.05
done
grep -q 'SUBNET UP' osm.log
sleep 0.2 # the dumps are written
[ -z "$levels" ] || LD_PRELOAD=$umad SIM_HOST=${hosts[-1]} \
    python3 "$here/service_levels.py" "$network" "$folder" 2>levels.log
