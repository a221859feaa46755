#!/bin/bash
# Checks that src calls functions of C that depend on the locale only in
# src/core/locale.c; exit 1 on a finding. snprintf and scanf may have formats
# that are written out and have no floating-point conversion; printf and fprintf
# may be called in src/cli, which sets no locale.
set -u
bad=0
refuse() { # $1: Perl pattern; $2: pattern of other files that may match
    git ls-files 'src/*.[ch]' | grep -vE "^src/core/locale\.${2:+|$2}" |
        xargs grep -HPzo -- "$1" | tr '\0' '\n' | grep . && bad=1
}
conversion='%[-+ #0]*[\d*]*(\.[\d*]*)?[lL]?[aefgAEFG]'
literal="(?:[^\"\\\\%]|\\\\.|%%|(?!$conversion)%)*+"
refuse '\b(atof|strto(f|d|ld)(_l)?|strfrom[dfl])\(.*'
refuse '\b(v?(as|d|s)printf|v(f|sn)?printf|v?f?wprintf)\(.*'
refuse '\b(is(alnum|alpha|blank|cntrl|digit|graph|lower|print|punct|space|upper|xdigit)|to(lower|upper))\(.*'
refuse '\b(strn?case(cmp|str)|str(coll|xfrm|[fp]time)|fnmatch|reg(comp|exec)|mb\w+|wc\w+)\(.*'
refuse '\b(alpha|version)sort\b.*|\b((set|new|use|dup)locale|localeconv|nl_langinfo)\(.*'
refuse "\b(snprintf|[fs]?scanf)\((?:[^\";]|\"$literal\")*\"$literal$conversion[^;]*"
refuse '\bsnprintf\([^";]*;'
refuse '\bf?printf\(.*' '^src/cli/'
exit $bad
