#include <chrono>

#include "capi/barrier.h"
#include "capi/runtime.h"
#include "iterator/describe_checkpoint.h"

using namespace weir;
using namespace weir::capi;

int32_t weir_checkpoint_describe(weir_runtime runtime, const char* name, uint64_t name_size, uint32_t flags,
                                 weir_bytes* out, weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    WEIR_TRY(check_flags(flags, WEIR_TEXT | WEIR_DESCRIBE_FOLDER, "WEIR_TEXT and WEIR_DESCRIBE_..."));
    const bool folder = (flags & WEIR_DESCRIBE_FOLDER) != 0;
    WEIR_ASSIGN(
        std::string_view given,
        read_string(name, name_size, folder ? "the name of a folder" : "the name of a file", kMaxNameBytes));
    WEIR_ASSIGN(RefPtr<RuntimeHost> host, runtime_of(runtime));
    const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
    const DescribeOptions options{
        .now_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(since_1970).count(),
        .limit_bytes = host->runtime().limits.checkpoint_bytes,
        .json = (flags & WEIR_TEXT) == 0};
    FileSystem& files = *host->runtime().files;
    WEIR_ASSIGN(std::string text, folder ? describe_generations(files, std::string(given), options)
                                         : describe_checkpoint(files, std::string(given), options));
    *out = make_bytes(std::move(text));
    return Status();
  });
}
