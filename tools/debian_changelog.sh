#!/bin/bash
# Prints CHANGELOG.md in the form of debian/changelog:
# tools/debian_changelog.sh VERSION
# "Unreleased" becomes VERSION+gitDAY, where DAY is the day of the last commit.
set -euo pipefail
last=$(git log -1 --format=%cI)
maintainer=$(sed -n 's/^Maintainer: //p' debian/control.in)

stanza_end() {
    [ -z "$day" ] ||
        printf '\n -- %s  %s\n\n' "$maintainer" "$(TZ=UTC date -R -d "$day")"
}

day=
while IFS= read -r line; do
    line=${line//\`/}
    case $line in
    '## '*)
        stanza_end
        read -r _ version day <<<"$line"
        day=${day//[()]/}
        if [ "$version" = Unreleased ]; then
            version=$1+git$(TZ=UTC date -d "$last" +%Y%m%d) day=$last
        fi
        printf 'netbound (%s) unstable; urgency=medium\n\n' "$version"
        ;;
    '- '*) printf '  * %s\n' "${line#- }" ;;
    '  '*) [ -z "$day" ] || printf '    %s\n' "${line#  }" ;;
    esac
done <CHANGELOG.md
stanza_end
