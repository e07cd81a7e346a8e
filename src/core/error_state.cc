#include "core/error_state.h"

#include "core/credentials.h"

namespace weir {

void error_state(Archive& archive, Error& error) {
  // Names all members: a new one does not compile until it is saved as well.
  auto& [error_code, message, path, file, offset, record, position_lost, read_failed, read, lacks_memory,
         parts] = error;
  // Only texts that do not build have them; the message says it all.
  parts = MistakeParts();
  // The name of a file and the message are only shown, which is without credentials.
  if (!archive.loading()) {
    message = without_credentials(message, file);
    file = without_credentials(file, file);
  }
  auto code = static_cast<int64_t>(error_code);
  archive("code", code, 1, static_cast<int64_t>(Code::data_loss));
  archive("message", message);
  archive("path", path);
  archive("file", file);
  archive("offset", offset);
  archive("record", record);
  archive("position_lost", position_lost);
  archive("read_failed", read_failed);
  archive("read", read);
  archive("lacks_memory", lacks_memory);
  error_code = static_cast<Code>(code);
}

}  // namespace weir
