"""Uses the package as a stranger's programs do: they read the digits, in C and in C++."""

from pathlib import Path

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class WeirTest(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeDeps", "CMakeToolchain"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure(build_script_folder="..")
        cmake.build()

    def test(self):
        if not can_run(self):
            return
        here = Path(self.recipe_folder).parent
        digits = here.parent.parent / "examples" / "digits" / "data"
        expected = (here / "digits.out").read_text()
        for program in ("digits_c", "digits_cpp"):
            output = Path(self.build_folder, f"{program}.out")
            self.run(f'"{Path(self.build_folder, program)}" "{digits}" >"{output}"', env="conanrun")
            found = output.read_text()
            assert found == expected, f"{program} printed {found!r}, expected {expected!r}"
