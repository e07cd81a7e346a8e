#include "remote/uploads.h"

#include <algorithm>

namespace weir_remote {

void Uploads::wait(int most) {
  std::unique_lock<std::mutex> lock(state_->mutex);
  state_->changed.wait(lock, [&] { return state_->under_way <= most; });
}

void Uploads::start(Request request) {
  wait(kMostUnderWay - 1);
  size_t index = count_++;
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    if (state_->failure) throw *state_->failure;
    ++state_->under_way;
    state_->tags.resize(count_);
  }
  auto exchange = std::make_shared<Exchange>();
  exchange->name = name_;
  exchange->request = std::move(request);
  exchange->service = store_;
  exchange->done = [state = state_, index](Exchange& ended) {
    std::lock_guard<std::mutex> lock(state->mutex);
    --state->under_way;
    if (!ended.failure && !ended.answer.ok()) {
      ended.failure = ended.service->failure(ended.name, ended.request, ended.answer);
    }
    if (ended.failure && !state->failure) state->failure = ended.failure;
    if (!ended.failure) state->tags[index] = ended.answer.header("etag");
    state->changed.notify_all();
  };
  store_->engine().start(std::move(exchange));
}

std::vector<std::string> Uploads::finish() {
  wait(0);
  std::lock_guard<std::mutex> lock(state_->mutex);
  if (state_->failure) throw *state_->failure;
  return state_->tags;
}

size_t part_bytes(size_t index) { return Uploads::kPartBytes << std::min<size_t>(index / 1000, 9); }

}  // namespace weir_remote
