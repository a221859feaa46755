#!/bin/bash
# Every source that the code names by its key, such as Singh2005, stands in
# data/references.bib; exit 1 on a finding. (tests/cli/test_published.c asks the
# same of data/published/.)
set -u
bad=0
for key in $(grep -rhoE '\b[A-Z][A-Za-z]+(19|20)[0-9]{2}\b' src tests | sort -u); do
    if ! grep -q "^@[a-z]*{$key,$" data/references.bib; then
        echo "data/references.bib has no $key, named in: $(grep -rlw "$key" src tests | tr '\n' ' ')"
        bad=1
    fi
done
exit $bad
