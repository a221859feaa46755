"""The version is the library's, and the module that calls it is compiled."""
import subprocess

from setuptools import setup

version = subprocess.run(
    ["pkg-config", "--modversion", "netbound"],
    check=True, capture_output=True, text=True).stdout.strip()

setup(version=version, cffi_modules=["binding.py:ffi"])
