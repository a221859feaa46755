#!/bin/bash
# beside_opensm.sh NETBOUND TOPOLOGY: runs opensm's engines on a network that
# netbound writes, and says on standard output what is not as it must be:
#  - of the tables of each engine the largest count of all-to-all, the worst
#    permutation and the pairs that do not arrive are those that
#    follow_tables.py counts, and free of deadlock is what has no credit loop
#    for ibdmchk (ibutils);
#  - our lash and dfsssp need no more layers than its, our updown none but one,
#    and some scheme of ours loads no channel more than its best engine;
#  - it loads our tables and dumps them byte for byte.
# What each engine and scheme does is said on standard error.
set -eu
netbound=$(realpath "$1") topology=$2
here=$(dirname "$(realpath "$0")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
net=net.ibnetdiscover
"$netbound" topology --topology "$topology" --network $net --output size.txt
# Up*/Down* from switches without hosts, or else from the first.
awk '/^Switch/ { guid = substr($3, 4, 16); all[++n] = guid }
     /"H-/ && guid != "" { has[guid] = 1 }
     END { for (i = 1; i <= n; i++) if (!has[all[i]]) print "0x" all[i] }' \
    $net >roots
[ -s roots ] || sed -n '/^Switch/{s/.*"S-\([0-9a-f]*\)".*/0x\1/;p;q}' $net >roots

# "LOAD,WORST,UNROUTED,FREE,CLASSES" of a routing.
audit() { # $1: routing
    "$netbound" audit --topology file:$net --routing "$1" --alone --matchings 2 \
        --time-limit 0.001 --format csv | awk -F, '{ v[$1] = $2 }
        END { print v["max_channel_load"] "," v["worst_case_channel_load"] "," \
              v["unrouted_pairs"] "," v["deadlock_free"] "," v["classes_needed"] }'
}

# 1: ibdmchk finds no credit loop.
is_free() { # $1: folder of a run
    local of_levels=()
    [ ! -s "$1/path-sl.txt" ] || of_levels=(-c path-sl.txt)
    [ ! -s "$1/opensm-sl2vl.dump" ] || of_levels+=(-d opensm-sl2vl.dump)
    # It crashes behind its verdict, when all is said.
    (cd "$1" && ibdmchk -s opensm-subnet.lst -f opensm.fdbs -m opensm.mcfdbs \
        "${of_levels[@]}" >ibdmchk.out 2>&1 || true) 2>/dev/null
    if grep -q 'no credit loops found' "$1/ibdmchk.out"; then
        echo 1
    elif grep -qi 'credit loop' "$1/ibdmchk.out"; then
        echo 0
    else
        echo unknown
    fi
}

lash_layers= dfsssp_layers= least=
run() { # $1: engine, $2...: options of opensm.sh
    local engine=$1 run=run-$1 theirs ours tables
    shift
    "$here/opensm.sh" $net $run "$@" || { echo "$topology $engine: not up"; return; }
    grep -q "osm_ucast_mgr_process: $engine tables" $run/osm.log ||
        { echo "$topology: opensm did not use $engine"; return; }
    tables=file:$run/opensm-lfts.dump
    [ ! -s $run/sl.txt ] || tables=$tables,sl=$run/sl.txt
    [ ! -s $run/opensm-sl2vl.dump ] || tables=$tables,sl2vl=$run/opensm-sl2vl.dump
    ours=$(audit "$tables")
    theirs=$(python3 "$here/follow_tables.py" $net $run/opensm-lfts.dump),$(is_free $run)
    echo "$topology opensm $engine $theirs" >&2
    [ "${ours%,*}" = "$theirs" ] ||
        echo "$topology $engine: $ours (LOAD,WORST,UNROUTED,FREE,CLASSES), not $theirs"
    [ -n "$least" ] && [ "$least" -le "${theirs%%,*}" ] || least=${theirs%%,*}
}
run minhop -R minhop
run updn -R updn -a "$folder/roots"
run dor -R dor
run lash --levels -R lash -Q
run dfsssp --levels -R dfsssp -Q
run nue --levels -R nue --nue_max_num_vls 0 -Q
lash_layers=$(sed -n 's/.*Lanes needed: \([0-9]*\).*/\1/p' run-lash/osm.log | tail -1)
dfsssp_layers=$(sed -n 's/.*Virtual Lanes needed: \([0-9]*\).*/\1/p' \
    run-dfsssp/osm.log | tail -1)
echo "$topology opensm layers: lash $lash_layers, dfsssp $dfsssp_layers" >&2

best=
for routing in minhop updown lash dfsssp; do
    ours=$(audit $routing)
    echo "$topology netbound $routing $ours" >&2
    IFS=, read -r load worst unrouted free classes <<<"$ours"
    [ -n "$best" ] && [ "$best" -le "$load" ] || best=$load
    case $routing in
    minhop) continue ;;
    updown) most=1 ;;
    lash) most=$lash_layers ;;
    dfsssp) most=$dfsssp_layers ;;
    esac
    [ "$unrouted,$free" = 0,1 ] && [ "$classes" -le "$most" ] ||
        echo "$topology: our $routing $ours, of at most $most layers"
done
[ "$best" -le "$least" ] ||
    echo "$topology: our best load is $best, that of opensm's engines $least"

"$netbound" load --topology file:$net --routing dfsssp --forwarding our.lft \
    --output load.txt
"$here/opensm.sh" $net again -R file -U "$folder/our.lft"
cmp our.lft again/opensm-lfts.dump
