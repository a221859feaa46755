#!/bin/bash
# Builds the Debian packages from the files that git knows: tools/deb.sh VERSION
# The packages are in build/deb.
set -euo pipefail
version=$1
out=build/deb
tree=$out/netbound-$version
rm -rf "$out"
mkdir -p "$tree"
git ls-files -z | xargs -0 cp --parents -t "$tree"
tools/debian_changelog.sh "$version" >"$tree/debian/changelog"
# The library's package has the name of its soname.
soversion=${version%.*}
sed "s/@SOVERSION@/$soversion/" debian/control.in >"$tree/debian/control"
mv "$tree/debian/libnetbound.install" \
    "$tree/debian/libnetbound$soversion.install"
rm "$tree/debian/control.in"
cd "$tree"
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u MODE dpkg-buildpackage -us -uc -b
cd ../../..
rm -rf "$tree"
ls "$out"/*.deb
