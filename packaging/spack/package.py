# SPDX-License-Identifier: BSD-3-Clause
from spack.package import *


class Weft(MesonPackage):
    """Moves non-contiguous memory: MPI programs as they are, layouts of your own, and simulated
    network cards."""

    license("BSD-3-Clause")

    version("0.2.0")

    variant("openmpi", default=True, description="`weft run` for programs of Open MPI")
    variant("mpich", default=False, description="`weft run` for programs of MPICH")
    variant("ofi", default=True, description="Reach other hosts by libfabric")
    variant("tcp", default=True, description="Reach other hosts by sockets of its own")
    variant("pmix", default=True, description="Join jobs of launchers that speak PMIx")
    variant("hwloc", default=True, description="Give HPU threads cores of their own")
    variant("python", default=False, description="Install the package of Python")
    variant("man", default=True, description="Build the manual pages")
    variant("benchmarks", default=False, description="Build what `weft bench` compares MPI by")

    depends_on("c", type="build")
    depends_on("meson@1:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3:", type="build")
    depends_on("scdoc", type="build", when="+man")
    depends_on("openmpi@4:", when="+openmpi")
    depends_on("mpich@4:", when="+mpich")
    depends_on("libfabric", when="+ofi")
    depends_on("openssl@3:", when="+tcp")
    depends_on("pmix", when="+pmix")
    depends_on("hwloc@2:", when="+hwloc")
    depends_on("python@3:", type=("build", "run"), when="+python")
    depends_on("py-numpy", type="run", when="+python")

    def meson_args(self):
        args = ["-Dexamples=false"]
        args.append(f"-Dtests={str(self.run_tests).lower()}")
        args.append(f"-Dbenchmarks={str(self.spec.satisfies('+benchmarks')).lower()}")
        for name in ("ofi", "tcp", "pmix", "hwloc", "python", "man"):
            wanted = "enabled" if self.spec.satisfies(f"+{name}") else "disabled"
            args.append(f"-D{name}={wanted}")
        return args
