#!/bin/bash
# Checks that every source named in the code by its key, such as Singh2005, is in
# data/references.bib; that every section, table, figure, theorem and equation
# cited from a document in data/places.txt exists there; and that other sources
# are cited without one. Exit 1 on a finding. (tests/questions/test_ledger.c
# checks the keys in data/published/.)
set -u
bad=0
for key in $(grep -rhIoE '\b[A-Z][A-Za-z]+(19|20)[0-9]{2}\b' src tests | sort -u); do
    if ! grep -q "^@[a-z]*{$key,$" data/references.bib; then
        echo "data/references.bib has no $key, named in: $(grep -rlw "$key" src tests | tr '\n' ' ')"
        bad=1
    fi
done

places='(sections?|secs?\.|chapters?|ch\.|theorems?|algorithms?|equations?|tables?|figures?) [0-9A-Z]'
keys=$(grep -v '^#' data/places.txt | cut -d' ' -f1 | sort -u | paste -sd'|')
if grep -rniE "\b[A-Z][A-Za-z]+(19|20)[0-9]{2}, $places" src data/formulas.txt README.md docs ARCHITECTURE.md |
    grep -vE "\b($keys),"; then
    echo "cited with a place that data/places.txt does not have"
    bad=1
fi

# Citations, one per line, "PLACE: KEY, what follows": from code and texts, where
# they may span two lines, and from the columns source and table of the published
# numbers.
citations() {
    grep -rlE "$keys" src data/formulas.txt models README.md docs ARCHITECTURE.md CONTRIBUTING.md |
        while read -r file; do
            tr '\n' ' ' <"$file" | sed -E 's/" *"//g; s/ +\* +/ /g; s/  +/ /g' |
                grep -oE "\b($keys), [^]\");:|<]{0,80}" | sed "s|^|$file: |"
        done
    for file in data/published/*.csv; do
        grep -E "^[^,]*,($keys)," "$file" |
            sed -E "s/^([^,]*),([^,]*),(\"[^\"]*\"|[^,]*),.*/\1: \2, \3/; s|^|$file, |; s/reference: //"
    done
}

citations | awk '
    FILENAME == "data/places.txt" {
        for (i = 3; i <= NF && $1 != "#"; i++) known[$1, $2, $i] = 1
        next
    }
    {
        line = $0
        key = line
        sub(/^.*: /, "", key)
        rest = key
        sub(/,.*/, "", key)
        sub(/^[^,]*, /, "", rest)
        kind = ""
        n = split(tolower(rest), word, /[ ,]+/)
        for (i = 1; i <= n; i++) {
            w = word[i]
            if (w ~ /^(section|table|figure|theorem|equation|algorithm)s?$/) {
                kind = w
                sub(/s$/, "", kind)
            } else if (w ~ /^secs?\.$/) {
                kind = "section"
            } else if (w ~ /^appendix$/) {
                kind = "section"
            } else if (w ~ /^([0-9]+|[a-e]|[0-9a-e]+[.-][0-9.]+)(-[0-9]+\.[0-9.]+)?[.]?$/ && kind != "") {
                sub(/[.]$/, "", w)
                m = split(w, end, key ~ /^Benito/ ? "none" : "-")
                for (k = 1; k <= m; k++)
                    if (!((key, kind, toupper(end[k])) in known)) {
                        print line ": " key " has no " kind " " toupper(end[k])
                        bad = 1
                    }
            } else if (w != "and" && w != "to") {
                kind = ""
            }
        }
    }
    END { exit bad }' data/places.txt - || bad=1
exit $bad
