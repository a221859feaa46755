#!/bin/bash
# Phrases that texts of the project must not use; exit 1 on a finding.
set -u
skipped='^(tools/phrases\.txt|CONTRIBUTING\.md|LICENSE|data/published/|tests/fuzz/(corpus|found)/)'
! git ls-files | grep -vE "$skipped" |
    xargs grep -nIiP -- "$(paste -sd'|' tools/phrases.txt)" |
    sed 's/$/  (see tools\/phrases.txt)/' | grep .
