#include "format/file_reader.h"

#include <algorithm>

#include "core/exception.h"
#include "core/text.h"
#include "format/signature.h"
#include "fs/file_system.h"

namespace weir {

namespace {

std::string_view signature_of(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kSignatureBytes)};
}

// The compression of bytes that tell it only by what they decompress to, as zlib's do; else null.
const Codec* codec_without_signature(std::span<const uint8_t> bytes) {
  // Its two bytes may be two letters, which are no sign of anything.
  if (bytes.size() < 2 || (bytes[1] >= ' ' && bytes[1] <= '~')) return nullptr;
  const Compression guess = guess_compression(bytes);
  if (guess == Compression::none || !codec_of(guess).marks->signature.bytes.empty()) return nullptr;
  return &codec_of(guess);
}

}  // namespace

std::optional<Mistake> mistake_of_no_text(std::span<const uint8_t> first_bytes) {
  const std::string_view first = signature_of(first_bytes);
  const Signature* const found = find_signature(first);
  if (found != nullptr && !found->text && holds_controls(first))
    return expected_found("text", found->name, found->hint);
  if (const Codec* codec = codec_without_signature(first_bytes))
    return expected_found("text", codec->marks->name, codec->marks->signature.hint);
  return std::nullopt;
}

std::string_view FileReader::fail(Code code, Mistake mistake) {
  failure_ = file_error(code, std::move(mistake), file(), static_cast<int64_t>(blocks_.offset()),
                        static_cast<int64_t>(record_));
  done_ = true;
  return {};
}

std::string_view FileReader::fail_unreadable() {
  const Status& status = blocks_.status();
  fail(status.code(), status.error().what());
  if (!status.error().read_failed) return {};
  Error error = failure_.error();
  error.read_failed = true;
  failure_ = Status(std::move(error));
  return {};
}

std::string_view FileReader::fail_too_long(std::string_view found) {
  return fail(
      Code::resource_exhausted,
      expected_found(concat("a record of at most ", record_bytes_limit_, " bytes (the limit record_bytes)"),
                     found, "raise record_bytes of weir_runtime_options, or --record-bytes of the command"));
}

std::string FileReader::format_hint() {
  if (record_ != 0 || blocks_.offset() != 0) return "";
  const std::span<const uint8_t> bytes = blocks_.peek(kSignatureBytes);
  const Codec* const codec = codec_without_signature(bytes);
  return codec ? concat("the file begins like ", codec->marks->name, ": ", codec->marks->signature.hint)
               : signature_hint(signature_of(bytes));
}

bool FileReader::begins_like_text() {
  if (record_ != 0 || blocks_.offset() != 0) return true;
  if (auto mistake = mistake_of_no_text(blocks_.peek(kSignatureBytes)))
    fail(Code::invalid_argument, *std::move(mistake));
  return failure_.ok();
}

void FileReader::skip_byte_order_mark() {
  if (record_ != 0 || blocks_.offset() != 0) return;
  if (signature_of(blocks_.peek(kByteOrderMark.size())).starts_with(kByteOrderMark))
    blocks_.advance(kByteOrderMark.size());
}

// Handled like any other error of the file.
void FileReader::fail_without_memory() {
  try {
    fail(out_of_memory()->code, out_of_memory()->message);
  } catch (const std::bad_alloc&) {
    failure_ = Status(out_of_memory());
    done_ = true;
  }
}

Status FileReader::seek(RecordPosition position) {
  record_ = position.record;
  done_ = false;
  failure_ = {};
  if (position.offset == 0) return blocks_.seek(0);
  // Seeking past the end stops at the end; the byte before tells that from a file of the right size.
  WEIR_TRY(blocks_.seek(position.offset - 1));
  if (!blocks_.peek(1).empty()) {
    blocks_.advance(1);
    return {};
  }
  done_ = true;
  if (!blocks_.status().ok()) return blocks_.status();
  return file_error(
      Code::data_loss,
      expected_found(concat("at least ", position.offset, " bytes, as when the position was saved"), "fewer",
                     "restore the file"),
      file(), static_cast<int64_t>(position.offset), static_cast<int64_t>(position.record));
}

}  // namespace weir
