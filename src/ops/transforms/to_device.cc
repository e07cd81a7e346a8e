// to_device(device, depth): the elements in the memory of a device (device/ring.h), copied ahead of the
// consumer: a Window over CopyToDevice, whose rows are already on their way. With several devices each
// element is cut along its first dimension, and gives one element for each of them.
//
// Positions are those of the input: what was copied ahead is copied again. Where the rows of the input cannot
// be made again, nothing is copied ahead, so that a position never holds memory of a device.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/checked.h"
#include "core/str.h"
#include "core/text.h"
#include "dataset/ahead_cursor.h"
#include "dataset/compose.h"
#include "device/ring.h"

namespace weir::to_device_op {
namespace {

constexpr int64_t kMostDevices = 256;
constexpr int64_t kMostDepth = 1024;

struct Params : ParamsOf<Params> {
  ValueParam device;
  IntParam depth{2};
  void fields(Fields& f) override {
    f("device", device,
      "\"cuda:0\", or a list of devices, [\"cuda:0\", \"cuda:1\"]: then each element is cut along its first dimension into a part for each of them.",
      {}, {.any_position = true, .but_empty = true});
    f("depth", depth, "How many elements may be on the device, or on their way, ahead of the consumer.",
      {1, kMostDepth}, {.any_position = true});
  }
};

Result<int> ordinal_of(std::string_view name) {
  constexpr std::string_view kPrefix = "cuda:";
  int ordinal = -1;
  if (name.starts_with(kPrefix)) {
    const char* end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + kPrefix.size(), end, ordinal);
    if (error == std::errc() && rest == end && ordinal >= 0 && ordinal < 1 << 16) return ordinal;
  }
  return with_parameter(
      invalid_argument(expected_found("a device such as \"cuda:0\"", concat("\"", name, "\""))), "device");
}

Result<std::vector<int>> devices_of(const Params& params) {
  const ValueParam& given = params.device;
  const bool names = given.spec.is_tensor() && given.spec.dtype == DType::string;
  if (given.expression || !names || given.values.empty() || given.values[0].shape.rank() > 1) {
    return with_parameter(invalid_argument(expected_found(
                              "the name of a device, or a list of names, as constants",
                              given.expression ? "a value that is known later" : given.spec.to_string())),
                          "device");
  }
  std::vector<int> out;
  for (const Str& name : given.values[0].entries<Str>()) {
    WEIR_ASSIGN(const int ordinal, ordinal_of(name.view()));
    out.push_back(ordinal);
  }
  if (!out.empty() && static_cast<int64_t>(out.size()) <= kMostDevices) return out;
  return with_parameter(
      invalid_argument(expected_found(concat("1 to ", kMostDevices, " devices"), concat(out.size()))),
      "device");
}

// The first rows of part `part` of `parts`: as equal as they can be, the larger ones first.
int64_t part_begin(int64_t rows, int64_t part, int64_t parts) {
  return rows / parts * part + std::min(rows % parts, part);
}

// ---- The copies

class CopyToDevice;
struct CopyParams : ParamsOf<CopyParams> {
  void fields(Fields&) override {}
  static const OperatorDef& op();

  std::vector<int> devices;
  int64_t depth = 1;
};

class CopyToDevice final : public Cursor {
 public:
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const CopyParams& params) {
    return std::unique_ptr<Cursor>(std::make_unique<CopyToDevice>(opening, params));
  }

  CopyToDevice(Opening& opening, const CopyParams& params)
      : devices_(params.devices),
        depth_(params.depth),
        watch_{opening.path->stats.load(std::memory_order_relaxed), opening.ctx.session.runtime.trace,
               opening.ctx.session.runtime.clock},
        rings_(devices_.size()),
        input_(opening, 0, devices_.size() == 1 ? Port::Mode::pass : Port::Mode::keep) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    Demand one = demand.at_most(1);
    one.drop = demand.drop && rings_.size() == 1;
    passed_ = false;
    const PullResult got = input_.fill(ctx, one);
    if (got != PullResult::rows) return got;
    const Block& block = input_.block();
    const int row = input_.begin();
    out.reset(0);
    out.origins.append(block.origins, row, 1, 0);
    if (const ErrorPtr* failed = block.error_of(row)) {
      // In the turn of each device, so that the turns go on.
      const ErrorPtr error = *failed;
      pass(1);
      return error;
    }
    if (demand.drop) {
      pass(1);
      out.rows = 1;
      return PullResult::rows;
    }
    Result<Components> rows = rows_of(block.row(row));
    const auto part = static_cast<size_t>(part_);
    pass(1);
    WEIR_TRY(rows.status());
    WEIR_ASSIGN(DeviceRing * ring, ring_of(part));
    WEIR_ASSIGN(const Components copied, ring->copy(*rows));
    out.set_row(copied);
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    if (!passed_ && input_.buffered() > 0) pass(1);
    return 1;
  }

  void state(Archive& archive) override {
    int64_t count = parts();
    if (count > 1 || (archive.loading() && archive.next_is("parts"))) {
      archive("parts", count);
      archive("part", part_, 0, std::max<int64_t>(0, count - 1));
    }
    if (archive.loading() && count != parts()) {
      archive.fail(expected_found(concat("a position of ", parts(), " devices"), concat("one of ", count),
                                  "a position fits as many devices as it was saved with"));
    }
    input_.state(archive);
  }

 private:
  int64_t parts() const { return static_cast<int64_t>(rings_.size()); }

  // Made for the first element that needs it: what fails costs that element.
  Result<DeviceRing*> ring_of(size_t part) {
    RefPtr<DeviceRing>& ring = rings_[part];
    if (!ring) {
      WEIR_ASSIGN(DeviceContext * context, DeviceContext::join(devices_[part]));
      WEIR_ASSIGN(ring, DeviceRing::make(*context, context->pinned_pool(), depth_, watch_));
    }
    return ring.get();
  }

  // The next part of the row.
  Result<Components> rows_of(Components row) const {
    if (parts() == 1) return row;
    for (Tensor& tensor : row) {
      if (tensor.shape.rank() == 0) {
        return invalid_argument(expected_found(
            concat("tensors with a first dimension to cut for ", parts(), " devices"), "a scalar"));
      }
      const int64_t begin = part_begin(tensor.shape[0], part_, parts());
      tensor = tensor.rows(begin, part_begin(tensor.shape[0], part_ + 1, parts()) - begin);
    }
    return row;
  }

  void pass(int64_t count) {
    passed_ = true;
    part_ += count;
    if (part_ < parts()) return;
    part_ = 0;
    input_.take(1);
    input_.consume_all();
  }

  const std::vector<int> devices_;
  const int64_t depth_;
  const DeviceRing::Watch watch_;
  // Null until it is needed.
  std::vector<RefPtr<DeviceRing>> rings_;
  Port input_;
  // Of the row at hand, the next part to be given.
  int64_t part_ = 0;
  bool passed_ = false;
};

const OperatorDef& CopyParams::op() {
  static const OperatorDef def = define<CopyParams, CopyToDevice>({
      .name = "copy_to_device",
      .internal = true,
      .page = {.doc = "Elements in the memory of a device."},
      // Waiting for a copy that fell behind blocks.
      .ahead = {.lane = Lane::blocking},
  });
  return def;
}

// ---- The operator

struct ToDevice {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    CopyParams copy;
    WEIR_ASSIGN(copy.devices, devices_of(params));
    copy.depth = *params.depth;
    WindowOptions options;
    options.max_rows = copy.depth * static_cast<int64_t>(copy.devices.size());
    options.max_bytes = INT64_MAX / 2;
    options.block_rows = 1;
    options.lane = Lane::blocking;
    const Dataset& node = *opening.node;
    const BuildSite site{.runtime = &opening.ctx.runtime(), .depth = node.depth(), .at_opening = true};
    WEIR_ASSIGN(DatasetRef copies, compose(std::move(copy), {node.inputs()[0]}, site));
    if (opening.ctx.session.holds_rows() && !node.not_replayable().empty())
      return std::unique_ptr<Cursor>(std::make_unique<PassCursor>(opening, std::move(copies)));
    return std::unique_ptr<Cursor>(
        std::make_unique<WindowCursor>(opening, std::move(copies), MakeWindow{options}));
  }
};

Status begin(Session& session, const ParamsBase& base) {
  WEIR_ASSIGN(const std::vector<int> devices, devices_of(static_cast<const Params&>(base)));
  std::shared_ptr<BufferPool> pool;
  for (const int device : devices) {
    WEIR_ASSIGN(DeviceContext * context, DeviceContext::join(device));
    if (!pool) pool = context->pinned_pool();
  }
  // Batches are made where the copies will read them.
  session.use_pool(std::move(pool));
  return Status();
}

Status check_numbers(const Spec& element) {
  const std::vector<Component> components = element.components();
  const auto refused = [](const Component& c) {
    return c.dtype == DType::string || c.dtype == DType::dataset;
  };
  const auto found = std::find_if(components.begin(), components.end(), refused);
  if (found == components.end()) return Status();
  const bool string = found->dtype == DType::string;
  return invalid_argument(
      expected_found("elements of numbers, which a device has",
                     concat(string ? "strings" : "nested datasets", " in ", element.to_string()),
                     string ? "decode them before, or leave them out: map(x -> {image: x.image})"
                            : "batch them before, or leave them out"));
}

// The structure of the parts of an element.
Result<Spec> cut(const Spec& element, int64_t parts) {
  Spec out = element;
  if (element.is_tensor()) {
    if (!element.shape.rank_known()) return out;
    if (element.shape.rank() == 0) {
      return invalid_argument(
          expected_found(concat("tensors with a first dimension to cut for ", parts, " devices"),
                         element.to_string(), "put batch(n) before it"));
    }
    const int64_t rows = element.shape[0];
    out.shape.set_dim(0, rows != kUnknownDim && rows % parts == 0 ? rows / parts : kUnknownDim);
    return out;
  }
  if (element.kind != Spec::Kind::tuple && element.kind != Spec::Kind::dict) {
    return invalid_argument(
        expected_found(concat("dense tensors to cut for ", parts, " devices"), element.to_string()));
  }
  for (Spec& child : out.children) {
    WEIR_ASSIGN(child, cut(child, parts));
  }
  return out;
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  WEIR_ASSIGN(const std::vector<int> devices, devices_of(params));
  WEIR_TRY(check_numbers(inputs[0]->spec()));
  if (devices.size() == 1) return inputs[0]->spec();
  if (inputs[0]->sites().parts != 0) {
    return invalid_argument(expected_found("one device after a partition", concat(devices.size()),
                                           "each rank of a job has its own device"));
  }
  return cut(inputs[0]->spec(), static_cast<int64_t>(devices.size()));
}

int64_t cardinality(const Params& params, std::span<const DatasetRef> inputs) {
  const Result<std::vector<int>> devices = devices_of(params);
  const int64_t count = inputs[0]->cardinality();
  if (!devices.ok() || count < 0) return count;
  return checked_multiply(count, static_cast<int64_t>((*devices).size())).value_or(kUnknown);
}

std::optional<RunsAhead> ahead(const ParamsBase& base, std::span<const DatasetRef>) {
  const auto& params = static_cast<const Params&>(base);
  return RunsAhead{.rows = params.depth.value_or(kMostDepth), .lane = Lane::blocking};
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, ToDevice>({
      .name = "to_device",
      .page =
          {.doc =
               "Copies each element to the memory of a GPU, `depth` elements ahead of the consumer. It stands last in a document; strings and nested datasets are refused. Batches are made in pinned memory and copied from there on a stream of weir's; the consumer's stream waits for an element's copy, not the program (`weir_iterator_next_on`, DLPack). An element's memory is reused after the consumer releases it and all work queued on its stream before the release has finished. With a list of devices, each element is split along the first dimension into one element per device; if the rows don't divide evenly, the first devices get one row more. A failed element is one error per device. The driver, libcuda.so.1, is opened when an iterator is made; without a driver or such a device that fails (failed_precondition, not_found). An element for which the device has no memory is an error (resource_exhausted) that says how much it needs. docs/devices.md has the rest.",
           .cost =
               "The memory of depth + 1 elements on the device, more while the consumer keeps more, and as many in pinned memory. No copy in the program's memory for batches of 64 KiB and more that are made directly before it; else one.",
           .example = "range(6) | batch(2) | to_device(\"cuda:0\")",
           .output = "[0, 1]\n[2, 3]\n[4, 5]",
           .bench = "range(100000) | batch(1000) | to_device(\"cuda:0\")",
           .elsewhere =
               "copy_to_device prefetch_to_device cuda to_gpu device_put: to_device(\"cuda:0\"), as the last operator"},
      .typing = {.spec = spec_of<Params, spec>,
                 .cardinality = cardinality_of<Params, cardinality>,
                 .columns = Columns::passed,
                 .stands_last = true,
                 .begin = begin},
      .position = {.kept =
                       [](const ParamsBase& base) {
                         return Kept{static_cast<const Params&>(base).depth.value_or(kMostDepth), 0};
                       }},
      .ahead = {.is_window = always, .limits = ahead},
  });
  return def;
}

}  // namespace weir::to_device_op
