"""Builds the Python package with the library inside, or against an installed
one.

By default make builds netbound and installs it into build/python; the module
that calls the library is linked with that archive, and the package carries the
data that the library reads. NETBOUND_LIBRARY=installed uses the library that
pkg-config finds instead. The version is the library's.
"""
import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
BUILD = ROOT / "build" / "python"
STAGE = BUILD / "installed"
IS_INSTALLED = os.environ.get("NETBOUND_LIBRARY") == "installed"

os.chdir(ROOT)
shutil.rmtree(BUILD, ignore_errors=True)
if not IS_INSTALLED:
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MODE"):  # set by an outer make
        os.environ.pop(name, None)
    subprocess.run(["make", f"-j{os.cpu_count()}", "install", "DESTDIR=",
                    f"PREFIX={STAGE}", f"LIBDIR={STAGE}/lib"], check=True)
    os.environ["PKG_CONFIG_PATH"] = os.pathsep.join(filter(None, (
        f"{STAGE}/lib/pkgconfig", os.environ.get("PKG_CONFIG_PATH"))))


class BuildWithData(build_py):
    def run(self):
        super().run()
        if not IS_INSTALLED:
            shutil.copytree(
                STAGE / "share" / "netbound",
                Path(self.build_lib, "netbound", "share", "netbound"),
                dirs_exist_ok=True)


# setuptools would link again only after a change of a Python source.
options = {"build": {"build_base": "build/python", "force": True}}
version = re.search('NB_VERSION "(.*)"',
                    (ROOT / "src/core/version.h").read_text()).group(1)

setup(version=version, options=options, cffi_modules=["python/binding.py:ffi"],
      cmdclass={"build_py": BuildWithData})
