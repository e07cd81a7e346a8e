// RowLoop: runs a function of (state, element) over rows one after the other, each with the state that the
// row before gave. Values lie in fixed places, so a row costs little more than its kernels. For functions
// that compute only numbers of fixed shapes, without datasets and callbacks (see Function::row_loop).
//
//   loop->set_state(i, bytes);
//   while (loop->run(args, in, begin, end, results, error) < end) …   // the next row failed
//   std::memcpy(to, loop->state(i), size);
//
// Has its own memory; one thread at a time may use it. It must not outlive its function.
#pragma once

#include <optional>
#include <span>

#include "expr/types/function.h"

namespace weir {

struct Program;

class RowLoop {
 public:
  // The most that all its values may take.
  static constexpr int64_t kMaxBytes = 64 << 10;

  virtual ~RowLoop() = default;
  // False if the rows of `in` have other shapes than the function was compiled for, or lie apart.
  virtual bool takes(const Block& in) const = 0;
  virtual void set_state(size_t i, const uint8_t* bytes) = 0;
  virtual const uint8_t* state(size_t i) const = 0;
  // Remembers the state, and goes back to what mark() remembered.
  virtual void mark() = 0;
  virtual void go_back() = 0;
  // Runs over the elements [begin, end) of `in` until a row fails, which keeps the state. Returns that row,
  // with its error, or `end`. The results after the state go to results[i] + row * size of a row; none are
  // wanted if `results` is empty.
  // REQUIRES: takes(in), and none of these rows has failed
  virtual int run(const CallArgs& args, const Block& in, int begin, int end,
                  std::span<uint8_t* const> results, ErrorPtr& error) = 0;
};

// The bytes that the values of such a function take, more or less; nothing if no RowLoop can run it.
std::optional<int64_t> row_loop_bytes(const Program& program);

}  // namespace weir
