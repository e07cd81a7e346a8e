// Writing to S3: one PUT for a small file, else a multipart upload that is completed or aborted at the end.
#pragma once

#include <memory>
#include <string>

#include "remote/store.h"

namespace weir_remote {

class S3Store;

std::unique_ptr<Writer> make_s3_writer(S3Store& store, const std::string& name);

}  // namespace weir_remote
