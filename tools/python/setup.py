"""The compiled part of pyproject.toml, which cannot describe it."""

import subprocess

from pybind11.setup_helpers import Pybind11Extension
from setuptools import setup


def library(option: str) -> list[str]:
    command = ["pkg-config", option, "lookalike"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


setup(
    version=library("--modversion")[0],
    ext_modules=[
        Pybind11Extension(
            "lookalike._native",
            ["module.cpp"],
            cxx_std=20,
            extra_compile_args=library("--cflags"),
            extra_link_args=library("--libs"),
        )
    ]
)
