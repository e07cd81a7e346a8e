// Runs a fuzz target without libFuzzer: over the files of folders, and over random changes of them.
//
//   fuzz_test TARGET FOLDER...
//
// WEIR_FUZZ_MUTATIONS sets how many changes (50,000), WEIR_FUZZ_SEED the seed. The number of the change that
// is tried stands in the file named by WEIR_FUZZ_TRACE, if any, for the one that crashes.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

// The build writes the list, and gives each target's function the name of its file.
#define WEIR_FUZZ_TARGET(name) extern "C" int weir_fuzz_##name(const uint8_t* data, size_t size);
#include "fuzz_targets.inc"
#undef WEIR_FUZZ_TARGET

namespace {

using Function = int (*)(const uint8_t* data, size_t size);

struct Target {
  std::string_view name;
  Function function;
};

constexpr Target kTargets[] = {
#define WEIR_FUZZ_TARGET(name) {#name, weir_fuzz_##name},
#include "fuzz_targets.inc"
#undef WEIR_FUZZ_TARGET
};

using Dice = std::mt19937_64;

uint64_t setting(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::vector<std::string> inputs_of(int count, char** folders) {
  std::vector<std::filesystem::path> paths;
  for (int i = 0; i < count; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(folders[i])) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> out;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    out.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return out;
}

// One to four changes: a byte, an extreme number, a piece removed, doubled, or taken from another input.
std::string changed(const std::vector<std::string>& inputs, Dice& dice) {
  std::string out = inputs[dice() % inputs.size()];
  for (uint64_t left = 1 + dice() % 4; left > 0 && !out.empty(); --left) {
    const size_t at = dice() % out.size();
    const size_t size = std::min<size_t>(out.size() - at, 1 + dice() % 24);
    const std::string& other = inputs[dice() % inputs.size()];
    switch (dice() % 5) {
      case 0:
        out[at] = static_cast<char>(dice());
        break;
      case 1:
        out.replace(at, dice() % 2, std::string(dice() % 10, '\xff') + '\x01');
        break;
      case 2:
        out.erase(at, size);
        break;
      case 3:
        out.insert(at, out.substr(at, size));
        break;
      default:
        if (!other.empty()) out.replace(at, size, other.substr(dice() % other.size(), size));
    }
  }
  return out;
}

void run(Function function, const std::string& input) {
  function(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

void note(uint64_t number) {
  if (const char* trace = std::getenv("WEIR_FUZZ_TRACE")) std::ofstream(trace) << number << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  const auto* target = std::find_if(std::begin(kTargets), std::end(kTargets),
                                    [&](const Target& each) { return argc > 1 && each.name == argv[1]; });
  if (target == std::end(kTargets)) {
    std::fprintf(stderr, "expected the name of a fuzz target and folders with inputs\n");
    return 1;
  }
  std::vector<std::string> inputs = inputs_of(argc - 2, argv + 2);
  if (inputs.empty()) {
    std::fprintf(stderr, "expected folders with inputs, found no file\n");
    return 1;
  }
  for (const std::string& input : inputs) run(target->function, input);
  const uint64_t mutations = setting("WEIR_FUZZ_MUTATIONS", 50'000);
  const uint64_t seed = setting("WEIR_FUZZ_SEED", 1);
  for (uint64_t i = 0; i < mutations; ++i) {
    note(i);
    Dice dice(seed * 1'000'003 + i);
    run(target->function, changed(inputs, dice));
  }
  std::printf("%zu inputs and %llu changes of them\n", inputs.size(),
              static_cast<unsigned long long>(mutations));
  return 0;
}
