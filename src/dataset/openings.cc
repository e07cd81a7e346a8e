#include "dataset/openings.h"

#include <algorithm>
#include <utility>

#include "core/memo.h"
#include "dataset/adopt_made.h"

namespace weir {

namespace {

constexpr size_t kWordsPerRun = 4;
// Before each digest of names: what they are of, how often they were found, the size of the digest.
constexpr size_t kWordsPerNames = 3;

// What a list names: the openings of a node, and what Windows over it began with.
uint64_t opening_of(uint64_t node) { return 2 * node; }
uint64_t window_over(uint64_t node) { return 2 * node + 1; }
// What folders had, in the order in which they were opened: no node has this number.
constexpr uint64_t kFolders = EpochIndex::kUnlisted;

// The innermost Port that lists numbers here, or null.
OpeningLog* number_log(const Context& ctx) {
  return ctx.openings && ctx.openings->lists != OpeningLog::Lists::names ? ctx.openings : nullptr;
}

bool lists(const OpeningLog& log, uint64_t what, int depth) {
  return log.lists == OpeningLog::Lists::folders ? what == kFolders : depth <= log.depth;
}

// The number that an enclosing Port replays for `what`, else `live`. Ports inside that Port list it anew.
bool replayed(const Context& ctx, uint64_t what, int depth, uint64_t& number) {
  OpeningLog* log = number_log(ctx);
  while (log && !(lists(*log, what, depth) && log->due.take(what, number))) log = log->outer;
  if (!log) return false;
  for (OpeningLog* inner = number_log(ctx); inner != log; inner = inner->outer) {
    if (lists(*inner, what, depth)) inner->openings.add(what, number);
  }
  log->openings.add(what, number);
  return true;
}

void list(const Context& ctx, uint64_t what, int depth, uint64_t number) {
  for (OpeningLog* log = number_log(ctx); log; log = log->outer) {
    if (lists(*log, what, depth)) log->openings.add(what, number);
  }
}

// Lists names in the enclosing Ports. An error if the one that replays them has others.
Status list_names(Context& ctx, uint64_t what, const RefPtr<const FoundNames>& found) {
  OpeningLog* log = ctx.openings;
  std::vector<uint64_t> before;
  while (log && !log->due.take_names(what, before)) log = log->outer;
  for (OpeningLog* inner = ctx.openings; inner; inner = inner->outer) {
    if (inner->opened) {
      inner->opened->push_back({what, found});
    } else if (inner->lists != OpeningLog::Lists::folders) {
      inner->openings.add_names(what, found->digest());
    }
    if (inner == log) break;
  }
  if (!log) return Status();
  Error error;
  error.code = Code::failed_precondition;
  error.message = found->difference(before);
  error.position_lost = true;
  return error.message.empty() ? Status() : Status(std::move(error));
}

}  // namespace

void Openings::add(uint64_t what, uint64_t number) {
  ++changes_;
  auto last = std::find_if(runs_.rbegin(), runs_.rend(), [&](const Run& run) { return run.what == what; });
  if (last != runs_.rend()) {
    if (last->count == 1) last->step = number - last->first;
    if (number == last->first + last->count * last->step) {
      ++last->count;
      return;
    }
  }
  runs_.push_back({what, number, 0, 1});
}

bool Openings::take(uint64_t what, uint64_t& number) {
  auto run = std::find_if(runs_.begin(), runs_.end(), [&](const Run& r) { return r.what == what; });
  if (run == runs_.end()) return false;
  ++changes_;
  number = run->first;
  run->first += run->step;
  if (--run->count == 0) runs_.erase(run);
  return true;
}

void Openings::add_names(uint64_t what, std::span<const uint64_t> digest, uint64_t count) {
  ++changes_;
  const auto last =
      std::find_if(names_.rbegin(), names_.rend(), [&](const Names& names) { return names.what == what; });
  const bool again = last != names_.rend() &&
                     std::equal(digest.begin(), digest.end(), last->digest.begin(), last->digest.end());
  if (again) {
    last->count += count;
  } else {
    names_.push_back({what, count, {digest.begin(), digest.end()}});
  }
}

void Openings::add_names(uint64_t what, std::span<const uint64_t> digest) { add_names(what, digest, 1); }

bool Openings::take_names(uint64_t what, std::vector<uint64_t>& digest) {
  const auto first =
      std::find_if(names_.begin(), names_.end(), [&](const Names& names) { return names.what == what; });
  if (first == names_.end()) return false;
  ++changes_;
  digest = first->digest;
  if (--first->count == 0) names_.erase(first);
  return true;
}

void Openings::append(const Openings& later) {
  for (const Names& names : later.names_) add_names(names.what, names.digest, names.count);
  for (const Run& run : later.runs_) {
    auto last = std::find_if(runs_.rbegin(), runs_.rend(), [&](const Run& r) { return r.what == run.what; });
    if (last != runs_.rend() && last->count == 1) last->step = run.first - last->first;
    const bool joins = last != runs_.rend() && run.first == last->first + last->count * last->step &&
                       (run.step == last->step || run.count == 1);
    if (joins) {
      last->count += run.count;
    } else {
      runs_.push_back(run);
    }
  }
}

std::vector<uint64_t> Openings::written() const {
  std::vector<uint64_t> out;
  for (const Run& run : runs_) {
    if (run.what / 2 >= EpochIndex::kUnlisted) continue;
    out.insert(out.end(), {run.what, run.first, run.step, run.count});
  }
  return out;
}

std::vector<uint64_t> Openings::written_names() const {
  std::vector<uint64_t> out;
  for (const Names& names : names_) {
    if (names.what / 2 >= EpochIndex::kUnlisted) continue;
    out.insert(out.end(), {names.what, names.count, names.digest.size()});
    out.insert(out.end(), names.digest.begin(), names.digest.end());
  }
  return out;
}

bool Openings::assign_names(std::span<const uint64_t> names) {
  names_.clear();
  while (!names.empty()) {
    if (names.size() < kWordsPerNames || names[1] == 0) return false;
    const std::span<const uint64_t> rest = names.subspan(kWordsPerNames);
    const uint64_t size = names[2];
    if (size > rest.size()) return false;
    names_.push_back({names[0], names[1], {rest.begin(), rest.begin() + static_cast<ptrdiff_t>(size)}});
    names = rest.subspan(size);
  }
  return true;
}

bool Openings::assign(std::span<const uint64_t> numbers, std::span<const uint64_t> names) {
  runs_.clear();
  if (!assign_names(names)) return false;
  if (numbers.size() % kWordsPerRun != 0) return false;
  for (size_t i = 0; i < numbers.size(); i += kWordsPerRun) {
    if (numbers[i + 3] == 0) return false;
    runs_.push_back({numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]});
  }
  return true;
}

void count_passes(const Session& session, const Dataset& input, uint64_t passes, EpochScope& epochs) {
  if (passes == 0) return;
  for (const EpochNode& node : input.epoch_nodes()) {
    const int64_t openings = node.openings >= 0 ? node.openings : node.openings_at_once;
    const uint64_t key = session.epoch_key(node.id);
    const uint64_t count = epochs.count(key, node.depth) + passes * static_cast<uint64_t>(openings);
    if (count > 0) epochs.set(key, count, node.depth);
  }
}

Opened count_opening(Context& ctx, const Dataset& node) {
  const uint64_t key = ctx.session.epoch_key(node.epoch_id());
  const EpochScope::Home home = ctx.epochs->home(node.depth());
  uint64_t number = 0;
  if (!replayed(ctx, opening_of(key), home.depth, number)) {
    number = ctx.epochs->open(key, node.depth());
    list(ctx, opening_of(key), home.depth, number);
  }
  return {number, home.key, home.borrowed};
}

namespace {

// Counts of a node that is kept: below, how many openings there were; from here on, which one was kept.
constexpr uint64_t kKept = uint64_t{1} << 40;

}  // namespace

OpenedKept count_opening_kept(Context& ctx, const Dataset& node) {
  const uint64_t key = ctx.session.epoch_key(node.epoch_id());
  const EpochScope::Home home = ctx.epochs->home(node.depth());
  uint64_t number = 0;
  if (!replayed(ctx, opening_of(key), home.depth, number)) {
    number = ctx.epochs->count(key, node.depth());
    if (number < kKept) ctx.epochs->set(key, number + 1, node.depth());
    list(ctx, opening_of(key), home.depth, number);
  }
  const bool made = number >= kKept;
  return {made ? number - kKept : number, made, home.key};
}

void keep_made(Context& ctx, const Dataset& node, CacheStore::Made made) {
  const uint64_t key = ctx.session.epoch_key(node.epoch_id());
  const uint64_t count = ctx.epochs->count(key, node.depth());
  if (count >= kKept && count - kKept != made.making) return;
  if (count < kKept) ctx.epochs->set(key, kKept + made.making, node.depth());
  ctx.epochs->keep(key, made.rows, node.depth());
  if (const EpochTableRef home = ctx.epochs->at(node.depth()); home->depth == 0 && !home->closed)
    ctx.session.memo().caches().keep(key, std::move(made));
}

bool adopt_made(CacheStore& caches, std::string_view values, std::span<const EpochNode> nodes,
                EpochScope& root, Mixtures& mixtures) {
  if (!caches.is_for(values)) return false;
  for (size_t i = 0; i < nodes.size(); ++i) {
    CacheStore::Made made = caches.made(i);
    if (!made.rows || nodes[i].depth > 0 || !mixtures.load(made.mixtures).ok()) continue;
    root.set(i, kKept + made.making);
    root.keep(i, std::move(made.rows));
  }
  return true;
}

Status list_names(Context& ctx, const Dataset& node, RefPtr<const FoundNames> found) {
  return list_names(ctx, opening_of(ctx.session.epoch_key(node.epoch_id())), found);
}

Status list_names(Context& ctx, const OpenedNames* opened) {
  Status first;
  if (!opened) return first;
  for (const OpenedNames::One& one : opened->list) {
    Status status = list_names(ctx, one.what, one.found);
    if (first.ok()) first = std::move(status);
  }
  return first;
}

uint64_t list_written(Context& ctx, uint64_t found) {
  uint64_t before = found;
  if (!replayed(ctx, kFolders, 0, before)) list(ctx, kFolders, 0, found);
  return before;
}

RefPtr<Anchor> with_openings(const Anchor& anchor, const Openings& since, const Openings& due) {
  auto out = make_ref<Anchor>(AnchorFields(anchor));
  Openings all = since;
  all.append(due);
  out->openings = all.written();
  out->names = all.written_names();
  return out;
}

bool shares_openings(const Session& session, const Dataset& node) {
  if (!session.counts_openings()) return false;
  const auto& counted = node.epoch_nodes();
  return node.opens_variables() || std::any_of(counted.begin(), counted.end(), [&](const EpochNode& n) {
           return session.shares_openings(n.id);
         });
}

bool reads_apart(const Dataset& node) {
  const std::vector<EpochNode>& counted = node.epoch_nodes();
  return !node.opens_variables() && std::all_of(counted.begin(), counted.end(), [](const EpochNode& one) {
    return one.openings >= 0 && one.openings == one.openings_at_once;
  });
}

namespace {

// A dataset in a variable may be any that the graph makes. All are listed each time, so that a replay meets
// as many.
std::span<const EpochNode> counted_in(const Context& ctx, const Dataset& input) {
  return input.opens_variables() ? ctx.session.epoch_nodes() : input.epoch_nodes();
}

}  // namespace

void keep_counts_of(Context& ctx, const Dataset& input, EpochScope& scope) {
  const std::span<const EpochNode> counted = counted_in(ctx, input);
  for (const EpochNode& node : ctx.session.epoch_nodes()) {
    const auto same = [&](const EpochNode& other) { return other.id == node.id; };
    if (std::any_of(counted.begin(), counted.end(), same)) continue;
    const uint64_t key = ctx.session.epoch_key(node.id);
    if (scope.count(key, node.depth) != 0) scope.set(key, 0, node.depth);
  }
}

namespace {

// `what` lists the count of a node.
BeginCounts begin_counts(Context& ctx, const Dataset& input, uint64_t (*what)(uint64_t node)) {
  EpochScope start(ctx.epochs->table());
  keep_counts_of(ctx, input, start);
  BeginCounts out;
  for (const EpochNode& node : counted_in(ctx, input)) {
    const uint64_t key = ctx.session.epoch_key(node.id);
    const int depth = start.home(node.depth).depth;
    const uint64_t live = start.count(key, node.depth);
    uint64_t count = live;
    if (replayed(ctx, what(key), depth, count)) {
      out.replayed = true;
    } else {
      list(ctx, what(key), depth, live);
    }
    if (count != live) start.set(key, count, node.depth);
  }
  out.table = start.table();
  return out;
}

}  // namespace

EpochTableRef counts_for_window(Context& ctx, const Dataset& input) {
  return begin_counts(ctx, input, window_over).table;
}

BeginCounts counts_for_access(Context& ctx, const Dataset& input) {
  return begin_counts(ctx, input, opening_of);
}

}  // namespace weir
