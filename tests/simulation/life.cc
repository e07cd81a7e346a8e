#include "simulation/life.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "core/text.h"
#include "graph/format_element.h"
#include "support/pipeline.h"

namespace weir::sim {
namespace {

// Destroying an iterator switches to other clients, which must not find it any more; assigning a copy would
// still show them the old one.
void let_go(std::shared_ptr<Iterator>& iterator) { std::shared_ptr<Iterator>().swap(iterator); }

[[noreturn]] void wrong(const std::string& what) { throw std::runtime_error(what); }

}  // namespace

int Owner::alive = 0;

Life::Life(SimWorld& world, const Case& what, Fate fate, std::optional<Saved> saved)
    : world_(world), what_(what), fate_(fate), saved_(std::move(saved)) {
  world_.runtime().files = what_.files.get();
  document_ = parse_text(world_.runtime(), what_.text);
  stop_ = world_.draw(3) == 0 ? world_.draw(what_.expected.size() + 1) : what_.expected.size() + 1;
}

void Life::begin() {
  begun_at_ = saved_ ? saved_->position : 0;
  // Destroyed after the clients, which all use it.
  open(saved_ ? &*saved_ : nullptr);
  if (fate_ == Fate::shared) {
    for (auto& lines : shared_lines_) {
      world_.client("a reader", [this, &lines] {
        share(lines);
        --sharing_;
      });
    }
    world_.client("who saves", [this] { save_beside(); });
    return;
  }
  world_.client("the reader", [this] {
    try {
      live();
    } catch (const Over&) {
    }
    let_go(iterator_);
    let_go(cancelled_);
    check_kept();
  });
  if (fate_ == Fate::cancelled) {
    world_.client("who cancels", [this] {
      wait_a_moment(500);
      std::shared_ptr<Iterator> iterator = iterator_;
      if (!iterator) return;
      cancel_issued_ = true;
      int64_t before = initialisations_;
      iterator->cancel();
      if (before % 2 == 0 && initialisations_ == before) cancelled_.swap(iterator);
    });
  }
  if (fate_ == Fate::closed) {
    world_.client("who closes", [this] {
      wait_a_moment(500);
      std::shared_ptr<Iterator> iterator = iterator_;
      if (!iterator) return;
      closed_ = true;
      iterator->close();
    });
  }
}

void Life::open(const Saved* saved) {
  tell(saved ? concat("opened at ", saved->position) : std::string("opened"));
  auto fresh = std::make_shared<Iterator>(world_.runtime(), make_ref<Owner>(), document_->spec());
  require_ok(fresh->initialize(
      document_,
      {.params = {}, .checkpoint = saved ? &saved->bytes : nullptr, .policy = CheckpointPolicy::by_value}));
  position_ = saved ? saved->position : 0;
  ended_ = false;
  iterator_.swap(fresh);
}

void Life::live() {
  while (position_ < stop_ && !ended_) act();
  // The end stays, and can be saved.
  if (ended_ && world_.draw(2) == 0) read(1);
  if (ended_ && world_.draw(4) == 0) save();
}

void Life::act() {
  int rows = 1 + static_cast<int>(world_.draw(world_.draw(2) == 0 ? 3 : 20));
  switch (world_.draw(10)) {
    case 0:
      return save();
    case 1:
      return restore();
    case 2:
    case 3:
      return poll(rows);
    default:
      return read(rows);
  }
}

void Life::check(const Status& status) {
  if (status.ok()) return;
  if (closed_ && status.code() == Code::failed_precondition) throw Over();
  wrong("refused: " + status.error().describe());
}

void Life::read(int rows) {
  // Held here, since another client may only look at iterator_ while it is whole.
  std::shared_ptr<Iterator> iterator = iterator_;
  bool cancelled = cancelled_ == iterator;
  Result<PullResult> got = iterator->next(rows, block_);
  check(got.status());
  if (cancelled && *got != PullResult::cancelled) wrong("went on after the cancel");
  take(*got, rows);
}

// Like a host that must not wait: asks, does something else, asks again. If no thread ever comes to help, it
// has to wait in the end.
void Life::poll(int rows) {
  std::shared_ptr<Iterator> iterator = iterator_;
  for (uint64_t tries = 1 + world_.draw(20); tries > 0; --tries) {
    Result<PullResult> got =
        world_.draw(3) == 0 ? iterator->next_within(static_cast<int64_t>(world_.draw(200'000)), rows, block_)
                            : iterator->try_next(rows, block_);
    check(got.status());
    if (*got != PullResult::pending) return take(*got, rows);
    if (world_.draw(8) == 0) save();
    world_.switch_point();
  }
}

void Life::take(PullResult got, int rows) {
  if (got == PullResult::pending) wrong("next answered pending");
  if (got == PullResult::cancelled) return meet_cancel();
  if (got == PullResult::end) {
    if (position_ != what_.expected.size()) wrong(concat("ended at ", position_));
    ended_ = true;
    return;
  }
  if (ended_) wrong("went on after the end");
  if (block_.rows < 1 || block_.rows > rows) wrong(concat("gave ", block_.rows, " rows"));
  int given_back = block_.rows > 1 && world_.draw(6) == 0 ? 1 + static_cast<int>(world_.draw(3)) : 0;
  int keep = std::max(1, block_.rows - given_back);
  for (int i = 0; i < keep; ++i, ++position_) {
    std::string line = line_of(document_->spec(), block_, i);
    if (position_ >= what_.expected.size()) wrong(concat("too many: ", line));
    if (line != what_.expected[position_]) {
      wrong(concat("at ", position_, " expected ", what_.expected[position_], ", found ", line));
    }
  }
  tell(concat(keep, " rows"));
  if (keep < block_.rows) check(iterator_->give_back(block_, keep));
  if (world_.draw(4) == 0) keep_row();
}

void Life::keep_row() {
  check_kept();
  if (block_.failed(0)) return;
  kept_ = block_.row(0);
  kept_line_ = line_of(document_->spec(), block_, 0);
}

void Life::check_kept() const {
  if (kept_line_.empty()) return;
  std::string now = require_value(format_element(document_->spec(), on_host_row(kept_)));
  if (now != kept_line_) wrong(concat("an element that was ", kept_line_, " has become ", now));
}

// Rows that cannot be made again are not saved once their iterator is cancelled.
bool Life::meets_cancel(const Status& saved) {
  return (cancel_issued_ || closed_) && saved.code() == Code::cancelled &&
         what_.text.find("once: true") != std::string::npos;
}

void Life::save() {
  std::shared_ptr<Iterator> iterator = iterator_;
  if (world_.draw(4) == 0) {
    const Status saved = iterator->save_file("/saved");
    if (meets_cancel(saved)) return;
    check(saved);
    saved_ = Saved{require_value(what_.files->read_file("/saved", 1 << 20)), position_};
  } else {
    Result<std::string> bytes = iterator->save();
    if (meets_cancel(bytes.status())) return;
    check(bytes.status());
    saved_ = Saved{*bytes, position_};
  }
  tell(concat("saved at ", position_));
}

// Continues from the position saved last, in another iterator or in this one.
void Life::restore() {
  if (!saved_) return;
  if (world_.draw(3) != 0) {
    // The old one is destroyed at once, or stays until its work is done.
    std::shared_ptr<Iterator> old = iterator_;
    let_go(iterator_);
    if (world_.draw(2) == 0) let_go(old);
    return open(&*saved_);
  }
  tell(concat("initialised at ", saved_->position));
  std::shared_ptr<Iterator> iterator = iterator_;
  // A cancel that comes meanwhile may hit either position.
  let_go(cancelled_);
  ++initialisations_;
  check(iterator->initialize(world_.draw(2) == 0 ? document_ : nullptr, {{}, &saved_->bytes}));
  ++initialisations_;
  position_ = saved_->position;
  ended_ = false;
}

void Life::meet_cancel() {
  if (fate_ == Fate::closed && closed_) throw Over();
  if (!cancel_issued_) wrong("answered cancelled though nobody cancelled");
  tell("cancelled");
  Result<PullResult> again = iterator_->next(1, block_);
  if (!again.ok() || *again != PullResult::cancelled) wrong("went on after the cancel");
  if (world_.draw(2) == 0) throw Over();
  // The position is unchanged.
  if (world_.draw(3) != 0) save();
  if (!saved_) throw Over();
  restore();
}

void Life::share(std::vector<std::string>& lines) {
  std::shared_ptr<Iterator> iterator = iterator_;
  Block block;
  for (;;) {
    int rows = 1 + static_cast<int>(world_.draw(kMostShared));
    bool waits = world_.draw(3) != 0;
    PullResult got = require_value(waits ? iterator->next(rows, block) : iterator->try_next(rows, block));
    if (got == PullResult::end) return;
    if (got == PullResult::pending && !waits) {
      world_.switch_point();
      continue;
    }
    if (got != PullResult::rows) wrong("an unexpected answer");
    for (int i = 0; i < block.rows; ++i) lines.push_back(line_of(document_->spec(), block, i));
    shared_ += static_cast<size_t>(block.rows);
  }
}

// Saves while the readers may be anywhere; tries some of the positions when they are done.
void Life::save_beside() {
  std::shared_ptr<Iterator> iterator = iterator_;
  std::vector<SavedBeside> saved;
  do {
    wait_a_moment(20);
    saved.emplace_back().least = begun_at_ + shared_;
    saved.back().bytes = require_value(iterator->save());
    // What others have taken may not have been reported yet.
    saved.back().most = begun_at_ + shared_ + kReaders * kMostShared;
  } while (sharing_ > 0 && saved.size() < 100);
  for (int i = 0; i < 3; ++i) check_resumes(saved[world_.draw(saved.size())]);
}

// Checks that exactly the rows after a position that the readers passed follow.
void Life::check_resumes(const SavedBeside& saved) {
  Iterator resumed(world_.runtime(), make_ref<Owner>(), document_->spec());
  require_ok(resumed.initialize(document_, {{}, &saved.bytes}));
  std::vector<std::string> lines;
  Block block;
  while (require_value(resumed.next(kMostShared, block)) == PullResult::rows) {
    for (int i = 0; i < block.rows; ++i) lines.push_back(line_of(document_->spec(), block, i));
  }
  const size_t all = what_.expected.size();
  const size_t position = all - std::min(all, lines.size());
  if (position < saved.least || position > saved.most)
    wrong(concat("saved between ", saved.least, " and ", saved.most, ", resumed at ", position));
  if (!std::equal(lines.begin(), lines.end(), what_.expected.begin() + static_cast<ptrdiff_t>(position),
                  what_.expected.end()))
    wrong(concat("saved beside others, resumed at ", position, " with other rows"));
}

void Life::wait_a_moment(uint64_t bound) {
  for (uint64_t i = world_.draw(bound); i > 0; --i) world_.switch_point();
}

// Each of several readers has its part in order, and all together have everything once.
std::string Life::verdict() const {
  if (fate_ != Fate::shared) return "";
  std::map<std::string, int> counts;
  for (size_t i = begun_at_; i < what_.expected.size(); ++i) ++counts[what_.expected[i]];
  for (const auto& lines : shared_lines_) {
    size_t at = begun_at_;
    for (const std::string& line : lines) {
      while (at < what_.expected.size() && what_.expected[at] != line) ++at;
      if (at++ >= what_.expected.size()) return "a reader got out of order: " + line;
      --counts[line];
    }
  }
  for (const auto& [line, count] : counts) {
    if (count != 0) return concat(line, " came ", -count, " times too often");
  }
  return "";
}

}  // namespace weir::sim
