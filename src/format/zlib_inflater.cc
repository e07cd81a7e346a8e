#include <zlib.h>

#include <algorithm>
#include <new>

#include "format/inflater.h"

namespace weir {

namespace {

class ZlibInflater final : public Inflater {
 public:
  ~ZlibInflater() override { inflateEnd(&zlib_); }

  bool start(bool gzip) { return inflateInit2(&zlib_, MAX_WBITS + (gzip ? 16 : 0)) == Z_OK; }
  void begin() override { inflateReset(&zlib_); }

  Answer run(Io& io) override {
    const auto in = static_cast<uInt>(std::min<size_t>(io.avail_in, uInt(-1)));
    const auto out = static_cast<uInt>(std::min<size_t>(io.avail_out, uInt(-1)));
    zlib_.next_in = const_cast<uint8_t*>(io.next_in);
    zlib_.avail_in = in;
    zlib_.next_out = io.next_out;
    zlib_.avail_out = out;
    const int result = inflate(&zlib_, Z_NO_FLUSH);
    io.next_in += in - zlib_.avail_in;
    io.avail_in -= in - zlib_.avail_in;
    io.next_out += out - zlib_.avail_out;
    io.avail_out -= out - zlib_.avail_out;
    switch (result) {
      case Z_OK:
      case Z_BUF_ERROR:
        return Answer::more;
      case Z_STREAM_END:
        return Answer::end;
      case Z_MEM_ERROR:
        return Answer::no_memory;
      case Z_NEED_DICT:
        fault_ = "it needs a preset dictionary";
        return Answer::damaged;
      default:
        fault_ = zlib_.msg ? zlib_.msg : "unknown fault";
        return Answer::damaged;
    }
  }
  std::string_view fault() const override { return fault_; }

 private:
  z_stream zlib_ = {};
  std::string_view fault_;
};

}  // namespace

std::unique_ptr<Inflater> make_zlib_inflater(bool gzip) {
  std::unique_ptr<ZlibInflater> out(new (std::nothrow) ZlibInflater());
  return out && out->start(gzip) ? std::move(out) : nullptr;
}

}  // namespace weir
