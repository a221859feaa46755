#!/bin/sh
# The chapters of models, from the names of their files:
# AUTHOR-figure-7.11.xml, AUTHOR-table-5-1.xml, AUTHOR-appendix-a.xml.
#   tools/chapters.sh MODEL...               each chapter once: AUTHOR-chapter-7
#   tools/chapters.sh --of CHAPTER MODEL...  the models of one, in order
# A file that names no chapter belongs to its author, or to "examples".
set -eu
only=
if [ "$1" = --of ]; then
    only=$2
    shift 2
fi
for model; do
    echo "$(basename "$model" .xml) $model"
done | sed -nE '
    s#^[^ ]* (models/tables/.*)#tables \1#p; t
    s/^([a-z-]+)-(figure|table)-([0-9]+)[-.][^ ]* (.*)/\1-chapter-\3 \4/p; t
    s/^([a-z-]+)-table-([a-z])[-.][^ ]* (.*)/\1-appendix-\2 \3/p; t
    s/^([a-z-]+)-appendix-([a-z]) (.*)/\1-appendix-\2 \3/p; t
    s/^([a-z-]+)-(figure|table)-[0-9]+ (.*)/\1 \3/p; t
    s/^(towles-dally|randall|validate|table)[a-z-]* (.*)/\1 \2/p; t
    s/^[^ ]* (.*)/examples \1/p' |
    if [ -n "$only" ]; then
        awk -v only="$only" '$1 == only { print $2 }' | sort -V
    else
        cut -d' ' -f1 | sort -u
    fi
