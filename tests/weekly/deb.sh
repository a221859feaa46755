#!/bin/bash
# The Debian packages: tests/weekly/deb.sh PROJECT
# Builds them, asks lintian, installs them in a bare system of this machine's
# release, uses each, removes them and looks for what they left. Prints what is
# wrong and then exits with 1. Needs root, debootstrap, lintian, what
# debian/control.in names, and the network of apt.
set -u
root=$1
bare=$PWD/bare
. /etc/os-release

skip() {
    echo "skipped: $1" >&2
    exit 0
}
[ "$(id -u)" = 0 ] || skip "not root"
for tool in debootstrap lintian dpkg-buildpackage dh pybuild; do
    command -v "$tool" >/dev/null || skip "$tool is not installed"
done
[ -n "${VERSION_CODENAME:-}" ] || skip "this Debian has no name"

# A mount goes with this shell, however it ends.
if [ "${2:-}" != within ]; then
    unshare -m true 2>/dev/null || skip "no file system may be mounted"
    exec unshare -m bash "$0" "$1" within
fi

wrong() { # $1: what; $2: file with the reason
    echo "$1"
    [ ! -e "${2:-}" ] || tail -40 "$2"
    exit 1
}
inside() { # $1: command for the shell
    chroot "$bare" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
        HOME=/root DEBIAN_FRONTEND=noninteractive sh -ec "$1"
}
files() { # files and folders that packages could leave
    (cd "$bare" && find etc usr opt srv var/lib -xdev ! -path 'var/lib/apt/*' \
        ! -path 'var/lib/dpkg/*' ! -name __pycache__ ! -name '*.pyc' | sort)
}

make -s -C "$root" deb >build.log 2>&1 || wrong "make deb failed" build.log
lintian --fail-on error,warning "$root"/build/deb/*.changes >lintian.log 2>&1 ||
    wrong "lintian complains" lintian.log

# Debian's archives that this machine's apt uses: address, release, parts.
apt-get indextargets --format '$(ORIGIN) $(CODENAME) $(REPO_URI) $(RELEASE) $(COMPONENT)' \
    'Created-By: Packages' | sed -n 's/^Debian //p' | sort -u >archives
mirror=$(awk -v name="$VERSION_CODENAME" '$1 == name { print $2; exit }' archives)
[ -n "$mirror" ] || skip "apt knows no archive of $VERSION_CODENAME"
debootstrap --variant=minbase "$VERSION_CODENAME" "$bare" "$mirror" \
    >debootstrap.log 2>&1 || wrong "debootstrap failed" debootstrap.log
awk '{ print "deb", $2, $3, $4 }' archives >"$bare/etc/apt/sources.list"
cp /etc/resolv.conf "$bare/etc" 2>/dev/null
mount -t proc proc "$bare/proc" || skip "no file system may be mounted"

# What ours need, and a compiler, so that nothing but ours is removed later.
mkdir "$bare/debs"
cp "$root"/build/deb/*.deb "$bare/debs"
names=$(for deb in "$bare"/debs/*.deb; do dpkg-deb -f "$deb" Package; done |
    grep -v -e '-dbgsym$' | tr '\n' ' ')
rm -f "$bare"/debs/*-dbgsym_*
inside "apt-get -q update
    apt-get -q install -y --no-install-recommends gcc libc6-dev pkg-config \
        \$(apt-get -s install --no-install-recommends /debs/*.deb |
            sed -n 's/^Inst \([^ ]*\) .*/\1/p' | grep -v netbound)" \
    >needed.log 2>&1 || wrong "what the packages need is not installed" needed.log
files >before
inside "apt-get -q install -y --no-install-recommends /debs/*.deb" \
    >install.log 2>&1 || wrong "the packages do not install" install.log

# 2/7: Towles and Dally.
inside "cd /
    netbound worst-case torus:8x8 --routing dor | grep '2/7'
    netbound ledger --source Singh2005 --of 'Table 3.5'
    cd /usr/share/netbound
    netbound run models/torus-8x8-dor.xml
    test -s /usr/share/man/man1/netbound-load.1.gz
    test -s /usr/share/bash-completion/completions/netbound
    test -s /usr/share/zsh/vendor-completions/_netbound
    test -s /usr/share/fish/vendor_completions.d/netbound.fish
    cd /tmp
    cc -o worst /usr/share/doc/libnetbound-dev/examples/worst_case.c \
        \$(pkg-config --cflags --libs netbound)
    ./worst | grep '2/7'
    rm worst
    python3 -B -c '
import netbound
answer = netbound.ask(\"worst-case\", topology=\"torus:8x8\", routing=\"dor\")
assert str(answer.worst_case_throughput.exact) == \"2/7\"
netbound.ask(\"ledger\", source=\"Singh2005\", of=\"Table 3.5\")'" \
    >use.log 2>&1 || wrong "what is installed does not work" use.log

inside "apt-get -q purge -y $names" >remove.log 2>&1 ||
    wrong "the packages cannot be removed" remove.log
files | diff before - >left.log || wrong "removing leaves or takes files" left.log
