#!/bin/bash
# Checks that a file includes only headers of its own folder or of folders
# earlier in the data flow, and that libraries are used only where permitted.
set -u
order="core topology traffic routing load deadlock bounds optimum queueing sim equilibrium model report explain export ask questions cli"
bad=0

rank() {
    local i=0
    for layer in $order; do
        [ "$layer" = "$1" ] && echo $i && return
        i=$((i + 1))
    done
    echo -1
}

while IFS=: read -r file include; do
    layer=${file#src/}
    layer=${layer%%/*}
    used=${include#*\"}
    used=${used%%/*}
    if [ "$(rank "$used")" -lt 0 ] || [ "$(rank "$layer")" -lt "$(rank "$used")" ]; then
        echo "$file: a file of $layer may not include $include"
        bad=1
    fi
done < <(grep -rHo '^#include "[a-z_]*/[^"]*"' src/*/) # all but src/netbound.h

# Library, files that may include it (a regular expression).
allow() {
    local seen
    seen=$(grep -rlE "^#include <$1" src | grep -vE "$2")
    if [ -n "$seen" ]; then
        echo "<$1...> is not for:" $seen
        bad=1
    fi
}
allow libxml/ '^src/(core/xml|model/|report/|export/|topology/formats/)'
allow glpk '^src/bounds/linear/'
allow gsl/ '^src/(queueing/|sim/statistics|cli/main)'
allow libxslt/ '^src/export/'
allow yaml '^src/topology/formats/'
allow jansson '^src/core/json'
allow sha256 '^src/core/digest'
exit $bad
