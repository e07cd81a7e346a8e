"""What extensions bring is used from Python like what the package has."""

import os
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

import weir

SOURCE = ROOT / "examples/extension"


def mapped_library():
    return next(
        line.split()[-1] for line in open("/proc/self/maps", encoding="utf-8") if "/libweir.so" in line.split()[-1]
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the example, built against the library that is loaded."""
    out = tmp_path_factory.mktemp("extensions")
    target = out / "libweir-example.so"
    command = ["cc", "-shared", "-fPIC", "-fvisibility=hidden", SOURCE / "extension.c", "-o", target]
    subprocess.run([*command, "-I", ROOT / "include", mapped_library()], check=True)
    (out / "weir-example.weir.json").write_text((SOURCE / "weir-example.weir.json").read_text())
    return out


USE = """
import weir
assert [int(x) for x in weir.countdown(10, step=3)] == [10, 7, 4, 1]
assert [int(x) for x in weir.from_list(["alpha"]).map(lambda s: weir.fn.vowels(s))] == [2]
assert list(weir.text_line("text://one")) == [b"one"]
assert "step" in str(weir.countdown.__signature__) and "from `from`" in weir.countdown.__doc__
assert weir.schema("countdown")["operators"][0]["parameters"][1]["default"] == "1"
try:
    weir.countdwn
    raise SystemExit("an unknown name is an error")
except AttributeError:
    pass
"""


def test_by_name(folder):
    subprocess.run([sys.executable, "-c", USE], check=True, env={**os.environ, "WEIR_EXTENSIONS": str(folder)})


READ = """
import pathlib, sys, weir
folder = pathlib.Path(weir.__file__).parent / "weir"
assert (folder / "libweir-remote.so").is_file(), "the package has no weir-remote"
assert list(weir.text_line(sys.argv[1])) == [b"one", b"two"]
if (folder / "libweir-parquet.so").is_file():
    try:
        weir.parquet("/none.parquet")
        raise SystemExit("a file that is not there is an error")
    except weir.errors.NotFound:
        pass
"""


def test_those_of_the_package_need_no_variable(tmp_path):
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    environment = {name: value for name, value in os.environ.items() if name != "WEIR_EXTENSIONS"}
    serve = [sys.executable, ROOT / "tests/packages/over_http.py", tmp_path]
    subprocess.run([*serve, sys.executable, "-c", READ, "URL/a.txt"], check=True, env=environment)


def test_loaded_by_the_program(folder):
    runtime = weir.Runtime(threads=1)
    with pytest.raises(weir.Error, match="there is no source or function called countdown"):
        weir.parse("countdown(3)", runtime=runtime)
    runtime.load_extension(str(folder / "libweir-example.so"))
    assert [int(x) for x in weir.parse("countdown(3)", runtime=runtime)] == [3, 2, 1]
    runtime = weir.Runtime(threads=1, extensions=["/nowhere", str(folder)])
    assert [int(x) for x in weir.parse("countdown(2)", runtime=runtime)] == [2, 1]
    with pytest.raises(weir.errors.NotFound, match="there is no extension"):
        runtime.load_extension(str(folder / "libweir-none.so"))


OTHER_COPY = """
import ctypes, sys, weir
ctypes.CDLL(sys.argv[2], mode=ctypes.RTLD_GLOBAL)
try:
    weir.Runtime(threads=1).load_extension(sys.argv[1])
except weir.Error as error:
    assert f'load "{sys.argv[2]}" with RTLD_LOCAL' in str(error), error
else:
    raise SystemExit("the extension has registered with the other copy")
"""


def test_another_copy_of_the_library(folder, tmp_path):
    """It is for the whole process, so that extensions call it."""
    other = shutil.copy(mapped_library(), tmp_path / "libother.so")
    command = [sys.executable, "-c", OTHER_COPY, folder / "libweir-example.so", other]
    subprocess.run(command, check=True)
