// tuner_start: how the tuner of an operator begins: as options() says, by the operator's path, and where the
// one before it at this place of the graph ended.
#pragma once

#include <string>
#include <string_view>

#include "core/text.h"
#include "dataset/instance.h"
#include "exec/scheduler.h"

namespace weir {

// What a number is found under: options() may be added and left out.
inline std::string tuned_key(std::string path, std::string_view what) {
  constexpr std::string_view kOptions = "options/";
  for (size_t at = 0; (at = path.find(kOptions, at)) != std::string::npos;) {
    if (at == 0 || path[at - 1] == '/') {
      path.erase(at, kOptions.size());
    } else {
      ++at;
    }
  }
  return concat(path, " ", what);
}

// `what` is "calls" or "rows". `goes_on`: its windows leave what they found for the next ones.
inline TunerStart tuner_start(const Opening& opening, std::string_view what, bool goes_on = false) {
  const RefPtr<const Tuning> tuning = opening.ctx.session.scheduler->tuning();
  TunerStart out{0, tuning->tunes, nullptr};
  const bool leaves = goes_on && tuning->tunes && tuning->places;
  // Finding the name of each opening would cost as much as the opening of a small dataset.
  if (tuning->begin.empty() && !leaves) return out;
  const std::string key = tuned_key(opening.path->to_string(), what);
  const auto found = tuning->begin.find(key);
  if (found != tuning->begin.end()) out.number = found->second;
  if (leaves) out.place = tuning->places->at(key);
  return out;
}

}  // namespace weir
