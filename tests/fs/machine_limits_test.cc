#include "fs/machine_limits.h"

#include <catch2/catch_test_macros.hpp>

#include "support/simulated_files.h"

namespace weir {
namespace {

TEST_CASE("machine limits: a process without control groups has none") {
  SimulatedFileSystem files;
  const MachineLimits limits = machine_limits(files);
  CHECK(limits.processors == 0);
  CHECK(limits.memory_bytes == 0);
}

TEST_CASE("machine limits: the least of version 2's, from the group up") {
  SimulatedFileSystem files;
  files.put("/proc/self/cgroup", "0::/jobs/one\n");
  files.put("/sys/fs/cgroup/jobs/one/cpu.max", "max 100000\n");
  files.put("/sys/fs/cgroup/jobs/one/memory.max", "max\n");
  CHECK(machine_limits(files).processors == 0);
  CHECK(machine_limits(files).memory_bytes == 0);
  files.put("/sys/fs/cgroup/jobs/cpu.max", "150000 100000\n");
  files.put("/sys/fs/cgroup/jobs/memory.max", "1073741824\n");
  CHECK(machine_limits(files).processors == 2);
  CHECK(machine_limits(files).memory_bytes == 1073741824);
  files.put("/sys/fs/cgroup/jobs/one/cpu.max", "50000 100000\n");
  files.put("/sys/fs/cgroup/jobs/one/memory.max", "536870912\n");
  CHECK(machine_limits(files).processors == 1);
  CHECK(machine_limits(files).memory_bytes == 536870912);
}

TEST_CASE("machine limits: in a container, version 2's files lie at the top") {
  SimulatedFileSystem files;
  files.put("/proc/self/cgroup", "0::/\n");
  files.put("/sys/fs/cgroup/cpu.max", "400000 100000\n");
  CHECK(machine_limits(files).processors == 4);
}

TEST_CASE("machine limits: version 1") {
  SimulatedFileSystem files;
  files.put("/proc/self/cgroup", "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/x\n");
  files.put("/sys/fs/cgroup/cpu/docker/abc/cpu.cfs_quota_us", "-1\n");
  files.put("/sys/fs/cgroup/cpu/docker/abc/cpu.cfs_period_us", "100000\n");
  files.put("/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK(machine_limits(files).processors == 0);
  CHECK(machine_limits(files).memory_bytes == 0);
  files.put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "250000\n");
  files.put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  files.put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "268435456\n");
  CHECK(machine_limits(files).processors == 3);
  CHECK(machine_limits(files).memory_bytes == 268435456);
}

TEST_CASE("machine limits: what makes no sense limits nothing") {
  SimulatedFileSystem files;
  files.put("/proc/self/cgroup", "nonsense\n0:\n0::jobs");
  files.put("/sys/fs/cgroup/cpu.max", "0 0");
  files.put("/sys/fs/cgroup/memory.max", "-5");
  CHECK(machine_limits(files).processors == 0);
  CHECK(machine_limits(files).memory_bytes == 0);
}

}  // namespace
}  // namespace weir
