// Writing to Azure: one request for a small file, else blocks, which nobody sees until their list is written.
// Blocks that no list names go after a week.
#pragma once

#include <memory>
#include <string>

#include "remote/store.h"

namespace weir_remote {

class AzStore;

std::unique_ptr<Writer> make_az_writer(AzStore& store, const std::string& name);

}  // namespace weir_remote
