"""The source distribution: it has all that building the package takes."""

import re
import subprocess
import sys
import tarfile

import pytest
from conftest import ROOT

import weir

pytest.importorskip("scikit_build_core")
PACKAGE = ROOT / "bindings/python"
MAKE = """
import sys
sys.path.insert(0, "backend")
import weir_backend
print(weir_backend.build_sdist(sys.argv[1]))
"""


def run(code, folder, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.split()[-1]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """An sdist that was made and unpacked, outside the source tree."""
    folder = tmp_path_factory.mktemp("sdist")
    archive = folder / run(MAKE, PACKAGE, folder)
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    return archive.with_suffix("").with_suffix("")


def test_it_says_its_version_alone(unpacked):
    code = (
        "import sys; sys.path.insert(0, 'backend'); import weir_backend as b; print(b.dynamic_metadata('version', {}))"
    )
    assert run(code, unpacked) == weir.__version__
    # And an sdist can be made of it again.
    (unpacked / "again").mkdir()
    assert run(MAKE, unpacked, unpacked / "again") == unpacked.name + ".tar.gz"


def test_it_has_what_the_library_needs(unpacked):
    library = unpacked / "library"
    files = ("CMakeLists.txt", "cmake/WeirLibrary.cmake", "tools/cached-build.sh", "LICENSE", "src/ops/list.inc")
    for name in (*files, "extensions/remote/CMakeLists.txt", "extensions/parquet/Cargo.lock"):
        assert (library / name).is_file(), name
    assert not (PACKAGE / "library").exists()
    for source in (*library.glob("src/**/*.cc"), *library.glob("src/**/*.h"), *library.glob("capi/*.cc")):
        for name in re.findall(r'^#include "([^"]+)"', source.read_text(), re.MULTILINE):
            places = (library / "src", library / "include", library, source.parent)
            assert name.endswith(".pb.h") or any((place / name).is_file() for place in places), (source, name)
