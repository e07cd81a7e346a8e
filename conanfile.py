"""The recipe of weir for Conan 2: `conan create .` makes the package and runs its test.

What weir stands on comes from Debian's packages, as in every build of it; tools/install-deps installs them.
"""

import re
from pathlib import Path

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.system.package_manager import Apt

required_conan_version = ">=2.0"


class Weir(ConanFile):
    name = "weir"
    description = "Feeds data to whoever trains or scores a model, for every language that can call C"
    license = "Apache-2.0"
    topics = ("machine-learning", "data-loading", "tf-data")
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"command": [True, False], "images": [True, False], "re2": [True, False], "farmhash": [True, False],
               "sqlite": [True, False], "remote": [True, False], "parquet": [True, False]}
    # weir-parquet needs a newer Rust than most have.
    default_options = {"command": True, "images": True, "re2": True, "farmhash": True, "sqlite": True, "remote": True,
                       "parquet": False}
    exports_sources = ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "NOTICE", "README.md", "CHANGELOG.md",
                       "THIRD_PARTY_NOTICES.md", "capi/*", "cmake/*", "docs/*", "extensions/*", "include/*", "src/*", "tools/*")
    test_package_folder = "tests/packages/conan"

    def set_version(self):
        header = load(self, Path(self.recipe_folder, "include/weir/weir.h"))
        parts = [re.search(rf"#define WEIR_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH")]
        self.version = ".".join(parts)

    def system_requirements(self):
        # By default Conan names the missing ones; tools.system.package_manager:mode=install installs them.
        packages = ["libtbb-dev", "zlib1g-dev", "libzstd-dev", "liblz4-dev", "libbz2-dev", "liblzma-dev",
                    "libprotobuf-dev", "libspdlog-dev", "libfmt-dev", "libxxhash-dev", "libfast-float-dev",
                    "libsimdjson-dev", "protobuf-compiler"]
        if self.options.images:
            packages += ["libjpeg62-turbo-dev", "libpng-dev", "libgif-dev", "nasm"]
        if self.options.re2:
            packages += ["libre2-dev", "unicode-data"]
        if self.options.farmhash:
            packages.append("libfarmhash-dev")
        if self.options.sqlite:
            packages += ["libsqlite3-dev", "tcl"]
        if self.options.remote:
            packages += ["libcurl4-openssl-dev", "libexpat1-dev", "libssl-dev", "nlohmann-json3-dev"]
        if self.options.parquet:
            packages += ["cargo-web", "rustc-web"]
        Apt(self).install(packages, check=True)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("tests", "bench", "examples"):
            toolchain.cache_variables[f"WEIR_{part.upper()}"] = False
        for part in ("command", "images", "re2", "farmhash", "sqlite", "remote", "parquet"):
            toolchain.cache_variables[f"WEIR_{part.upper()}"] = bool(self.options.get_safe(part))
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        for file in ("LICENSE", "NOTICE", "THIRD_PARTY_NOTICES.md"):
            copy(self, file, self.source_folder, str(Path(self.package_folder, "licenses")))

    def package_info(self):
        self.cpp_info.libs = ["weir"]
        self.cpp_info.set_property("cmake_file_name", "weir")
        self.cpp_info.set_property("cmake_target_name", "weir::weir")
        self.cpp_info.set_property("pkg_config_name", "weir")
