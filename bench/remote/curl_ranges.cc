// What libcurl alone does with the same ranges: curl_ranges STEP_BYTES AT_ONCE URL... reads each file whole,
// STEP_BYTES per request, with AT_ONCE requests under way, and prints the bytes per second.
// bench/remote/remote.py compares weir with it.

#include <curl/curl.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

struct Piece {
  std::string url;
  uint64_t offset;
  uint64_t size;
};

struct Slot {
  CURL* easy = nullptr;
  std::vector<char> buffer;
  uint64_t filled = 0;
};

size_t on_body(char* data, size_t, size_t size, void* user) {
  Slot& slot = *static_cast<Slot*>(user);
  if (slot.filled + size > slot.buffer.size()) return 0;
  std::memcpy(slot.buffer.data() + slot.filled, data, size);
  slot.filled += size;
  return size;
}

uint64_t size_of(const std::string& url) {
  CURL* easy = curl_easy_init();
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  curl_off_t size = -1;
  if (curl_easy_perform(easy) == CURLE_OK) curl_easy_getinfo(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &size);
  curl_easy_cleanup(easy);
  if (size < 0) std::exit(1);
  return static_cast<uint64_t>(size);
}

void start(CURLM* multi, Slot& slot, const Piece& piece) {
  slot.filled = 0;
  std::string range = std::to_string(piece.offset) + "-" + std::to_string(piece.offset + piece.size - 1);
  curl_easy_setopt(slot.easy, CURLOPT_URL, piece.url.c_str());
  curl_easy_setopt(slot.easy, CURLOPT_RANGE, range.c_str());
  curl_multi_add_handle(multi, slot.easy);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const uint64_t step = std::strtoull(argv[1], nullptr, 10);
  std::vector<Slot> slots(std::strtoull(argv[2], nullptr, 10));
  curl_global_init(CURL_GLOBAL_DEFAULT);
  std::vector<Piece> pieces;
  uint64_t total = 0;
  for (int i = 3; i < argc; ++i) {
    const uint64_t size = size_of(argv[i]);
    total += size;
    for (uint64_t at = 0; at < size; at += step) pieces.push_back({argv[i], at, std::min(step, size - at)});
  }
  CURLM* multi = curl_multi_init();
  const auto began = std::chrono::steady_clock::now();
  size_t next = 0;
  for (Slot& slot : slots) {
    slot.easy = curl_easy_init();
    slot.buffer.resize(step);
    curl_easy_setopt(slot.easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(slot.easy, CURLOPT_WRITEDATA, &slot);
    curl_easy_setopt(slot.easy, CURLOPT_PRIVATE, &slot);
    curl_easy_setopt(slot.easy, CURLOPT_BUFFERSIZE, 256L << 10);
    if (next < pieces.size()) start(multi, slot, pieces[next++]);
  }
  uint64_t received = 0;
  for (int running = 1; running > 0;) {
    curl_multi_perform(multi, &running);
    int left = 0;
    while (CURLMsg* message = curl_multi_info_read(multi, &left)) {
      Slot* slot = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &slot);
      received += slot->filled;
      curl_multi_remove_handle(multi, slot->easy);
      if (next < pieces.size()) {
        start(multi, *slot, pieces[next++]);
        running = 1;
      }
    }
    if (running > 0) curl_multi_poll(multi, nullptr, 0, 100, nullptr);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::printf("%.0f\n", static_cast<double>(received) / took.count());
  return received == total ? 0 : 1;
}
