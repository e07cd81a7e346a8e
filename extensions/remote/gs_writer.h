// Writing to Google Cloud Storage: one request for a small file, else a resumable upload, whose object
// appears with its last byte.
#pragma once

#include <memory>
#include <string>

#include "remote/store.h"

namespace weir_remote {

class GsStore;

std::unique_ptr<Writer> make_gs_writer(GsStore& store, const std::string& name);

}  // namespace weir_remote
