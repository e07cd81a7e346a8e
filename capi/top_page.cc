#include "capi/top_page.h"

#include <unistd.h>

#include <atomic>

#include "core/text.h"
#include "core/version.h"
#include "fs/file_system.h"
#include "fs/local_files.h"

namespace weir::capi {

namespace {

constexpr int64_t kPeriodNs = 500'000'000;

std::atomic<int> runtimes{0};

std::string next_file() { return concat("/dev/shm/weir-", ::getpid(), "-", runtimes.fetch_add(1) + 1); }

}  // namespace

TopPage::TopPage(Runtime& runtime) : runtime_(runtime), file_(next_file()) {
  write();
  ticker_ = std::make_unique<Ticker>("weir-top", kPeriodNs, [this] { write(); });
}

TopPage::~TopPage() {
  // In a child after fork the page is the parent's.
  const bool mine = ticker_->alive();
  ticker_.reset();
  if (mine) static_cast<void>(runtime_.files->remove(file_));
}

// In a child after fork the lock may be held for ever.
void TopPage::add(Iterator& iterator) {
  if (!ticker_->alive()) return;
  MutexLock lock(mutex_);
  shown_.push_back({&iterator, ++last_number_, {}});
}

void TopPage::remove(Iterator& iterator) noexcept {
  if (!ticker_->alive()) return;
  MutexLock lock(mutex_);
  std::erase_if(shown_, [&](const Shown& shown) { return shown.iterator == &iterator; });
}

std::string TopPage::text() {
  std::string out = concat("weir ", library_version(), ", process ", ::getpid(), "\n");
  MutexLock lock(mutex_);
  for (Shown& shown : shown_) {
    IteratorStats now = shown.iterator->stats();
    const bool same = now.elapsed_ns >= shown.last.elapsed_ns && !shown.last.stages.empty();
    out += concat("\niterator ", shown.number, same ? ", since the last look:\n" : ", since it began:\n");
    // One that has ended, or has begun anew, is shown as a whole.
    out += stats_table(same && now.elapsed_ns > shown.last.elapsed_ns ? difference(shown.last, now) : now);
    shown.last = std::move(now);
  }
  if (shown_.empty()) out += "\nno iterators\n";
  return out;
}

void TopPage::write() noexcept try {
  const std::string page = text();
  // The folder is everybody's.
  const Status written =
      write_private_file(file_, {reinterpret_cast<const uint8_t*>(page.data()), page.size()});
  if (written.ok() || std::exchange(failed_, true)) return;
  runtime_.logger->log(Logger::Level::warning, concat("nothing for weir top: ", written.error().describe()));
} catch (...) {
  // The next one may have memory.
}

}  // namespace weir::capi
