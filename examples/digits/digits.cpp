// digits.c again, through weir.hpp: the same options, lines, snapshots and weights, bit for bit.
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "weir/weir.hpp"

extern "C" {
#include "network.h"
#include "snapshot.h"
}

namespace {

using Options = std::map<std::string, std::string>;
using Batches = weir::Elements<weir::Span<const float>, weir::Span<const int64_t>>;

const char kTrain[] = R"(param files: string
list_files($files, seed: 7)
  | interleave(f -> tfrecord(f, compression: "gzip"), cycle_length: 4)
  | shuffle(1440, seed: 42)
  | map(r -> parse_example(r, {image: string, label: int64}), num_parallel_calls: auto)
  | map({image, label} -> {image: reshape(cast(decode_raw(image, uint8), float32) / 255.0, [64]), label},
        num_parallel_calls: auto)
  | batch(32) | prefetch(auto))";
const char kTest[] = R"(param files: string
list_files($files, shuffle: false)
  | flat_map(f -> tfrecord(f, compression: "gzip"))
  | map(r -> parse_example(r, {image: string, label: int64}))
  | map({image, label} -> {image: reshape(cast(decode_raw(image, uint8), float32) / 255.0, [64]), label})
  | batch(128) | prefetch(auto))";
const char kUsage[] =
    "usage: digits_cpp [--data FOLDER] [--epochs N] [--threads N] [--checkpoint FILE [--every STEPS]]\n"
    "                  [--weights FILE] [--trace]\n";

struct Job {
  // Trains for the epochs that are left; returns the accuracy of the last one.
  double run() {
    network_init(&net, 1);
    void* bytes = nullptr;
    uint64_t size = 0;
    if (!snapshot.empty() && snapshot_read(snapshot.c_str(), &net, &at, &bytes, &size) < 0) std::exit(1);
    std::string position(static_cast<const char*>(bytes), size);
    std::free(bytes);
    double accuracy = 0;
    for (; at.epoch < std::stoll(opt.at("--epochs")); ++at.epoch) {
      const int64_t images_before = at.image_count;
      const auto started = std::chrono::steady_clock::now();
      begin(train, "train-*.tfrecord.gz", std::exchange(position, {}));
      train_epoch();
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - started;
      accuracy = test_accuracy();
      std::printf("epoch %3" PRId64 "  loss %.4f  accuracy %.4f  images/s %.0f\n", at.epoch + 1,
                  double{at.loss_sum} / double(at.image_count), accuracy,
                  double(at.image_count - images_before) / passed.count());
      at = {at.epoch, at.step, 0, 0};
    }
    return accuracy;
  }
  void begin(const weir::Dataset& dataset, const std::string& pattern, std::string_view position) {
    iterator.initialize(dataset,
                        {.params = {{"files", opt.at("--data") + "/" + pattern}}, .checkpoint = position});
  }
  // The rest of an epoch, from the iterator's position on.
  void train_epoch() {
    float rate = 0.1F;
    for (int64_t i = 0; i < at.epoch; ++i) rate *= 0.95F;
    for (auto [images, labels] : batches) {
      const auto count = static_cast<int64_t>(labels.size());
      at.loss_sum += network_train(&net, images.data(), labels.data(), count, rate);
      at.image_count += count;
      ++at.step;
      if (opt.count("--trace")) std::printf("step %" PRId64 "\n", at.step);
      if (snapshot.empty() || at.step % std::stoll(opt.at("--every")) != 0) continue;
      const weir::Bytes bytes = iterator.save();
      if (snapshot_write(snapshot.c_str(), &net, &at, bytes.data(), bytes.size()) != 0) std::exit(1);
    }
  }
  double test_accuracy() {
    int64_t correct = 0;
    int64_t count = 0;
    begin(test, "test-*.tfrecord.gz", {});
    for (auto [images, labels] : batches) {
      const auto size = static_cast<int64_t>(labels.size());
      correct += network_count_correct(&net, images.data(), labels.data(), size);
      count += size;
    }
    return count ? double(correct) / double(count) : 0.0;
  }

  const Options opt;
  const std::string snapshot = opt.at("--checkpoint");
  const weir::Runtime runtime{{.thread_count = std::stoi(opt.at("--threads"))}};
  const weir::Dataset train = weir::parse(runtime, kTrain);
  const weir::Dataset test = weir::parse(runtime, kTest);
  weir::Iterator iterator{runtime, train.spec()};
  Batches batches = iterator.elements<weir::Span<const float>, weir::Span<const int64_t>>({"image", "label"});
  network net{};
  progress at{};
};

}  // namespace

int main(int argc, char** argv) try {
  Options options = {{"--data", "examples/digits/data"}, {"--checkpoint", ""}, {"--weights", ""}};
  options.insert({{"--epochs", "30"}, {"--every", "20"}, {"--threads", "0"}});
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word != "--trace" && (!options.count(word) || i + 1 == argc)) return std::fputs(kUsage, stderr), 2;
    options[word] = word == "--trace" ? "" : argv[++i];
  }
  if (std::stoll(options["--every"]) < 1 || std::stoll(options["--epochs"]) < 1)
    return std::fputs(kUsage, stderr), 2;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  Job job{options};
  const double accuracy = job.run();
  const std::string& file = options["--weights"];
  const std::string_view weights(reinterpret_cast<const char*>(&job.net.weights), sizeof(layers));
  if (!file.empty() && !(std::ofstream(file, std::ios::binary) << weights << std::flush))
    return std::fprintf(stderr, "digits: cannot write %s\n", file.c_str()), 1;
  std::printf("accuracy on the test set: %.4f\n", accuracy);
  return accuracy >= 0.97 || std::stoll(options["--epochs"]) < 30 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "digits: %s\n", error.what());
  return 1;
}
