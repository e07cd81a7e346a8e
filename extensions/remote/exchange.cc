#include "remote/exchange.h"

#include <weir/weir.h>

#include <algorithm>
#include <cstring>

#include "remote/text.h"

namespace weir_remote {
namespace {

constexpr uint64_t kMostHeaderBytes = 128 << 10;

// The headers that another host may see.
bool is_harmless(const std::string& name) {
  std::string key = lower(name);
  return key == "if-match" || key == "if-unmodified-since" || key == "accept-encoding" || key == "accept" ||
         key == "user-agent";
}

// Only memory can run out here, and then the transfer fails; curl is C, so nothing is thrown through it.
size_t on_header(char* data, size_t, size_t size, void* user) {
  try {
    return static_cast<Transfer*>(user)->take_header({data, size});
  } catch (...) {
    return 0;
  }
}

size_t on_body(char* data, size_t, size_t size, void* user) {
  try {
    return static_cast<Transfer*>(user)->take_body(data, size);
  } catch (...) {
    return 0;
  }
}

bool is_about_certificates(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
         code == CURLE_SSL_ISSUER_ERROR || code == CURLE_SSL_CERTPROBLEM ||
         code == CURLE_SSL_INVALIDCERTSTATUS || code == CURLE_SSL_PINNEDPUBKEYNOTMATCH;
}

bool is_redirect(const Transfer& transfer) {
  int status = transfer.answer.status;
  bool moved = status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
  bool safe = transfer.request.method == "GET" || transfer.request.method == "HEAD";
  return moved && safe && !transfer.answer.header("location").empty();
}

Ending fail(Exchange& exchange, int32_t code, const std::string& text) {
  exchange.failure.emplace(code, exchange.name, text);
  return Ending::final;
}

// A transfer that has no whole answer.
Ending judge_broken(Transfer& transfer, CURLcode code, const std::string& certificates, std::string& why) {
  Exchange& exchange = *transfer.exchange;
  std::string detail = transfer.error[0] != 0 ? transfer.error : curl_easy_strerror(code);
  if (is_about_certificates(code)) {
    const bool has_own = exchange.service && !exchange.service->certificates().empty();
    return fail(exchange, WEIR_CODE_FAILED_PRECONDITION,
                "the certificate of " + parse_url(exchange.url()).authority + " can't be verified (" +
                    shown_text(detail, 300) + "); " + (has_own ? "AWS_CA_BUNDLE" : certificates) +
                    " names a file of certificates to trust");
  }
  // What isn't HTTP is an unsupported protocol to curl, too.
  if (code == CURLE_URL_MALFORMAT) {
    return fail(exchange, WEIR_CODE_INVALID_ARGUMENT,
                "this is no URL that can be read: " + shown_text(detail, 300));
  }
  if (code == CURLE_OUT_OF_MEMORY) return fail(exchange, WEIR_CODE_RESOURCE_EXHAUSTED, "out of memory");
  why = shown_text(detail, 300);
  return Ending::failed;
}

Ending judge_status(Transfer& transfer, std::string& why) {
  const Service* service = transfer.exchange->service.get();
  int status = service ? service->status_of(transfer.request, transfer.answer) : transfer.answer.status;
  if (status == 429 || status == 503) return Ending::throttled;
  if (status == 408 || (status >= 500 && status != 501 && status != 505)) {
    why = "status " + std::to_string(status);
    return Ending::failed;
  }
  return is_redirect(transfer) ? Ending::redirect : Ending::answered;
}

}  // namespace

bool Exchange::make_request(Request& out) const {
  out = request;
  bool foreign = !redirected.empty() && parse_url(redirected).origin() != parse_url(request.url).origin();
  if (foreign) {
    out.headers.clear();
    for (const auto& header : request.headers) {
      if (is_harmless(header.first)) out.headers.push_back(header);
    }
  }
  if (!redirected.empty()) out.url = redirected;
  if (range.wanted) {
    out.add("Range", "bytes=" + std::to_string(range.offset + received) + "-" +
                         std::to_string(range.offset + range.size - 1));
  }
  return foreign || !service || service->sign(out);
}

Transfer::~Transfer() { curl_slist_free_all(header_list); }

void Transfer::prepare(CURL* handle, Request sent, long slow_seconds) {
  easy = handle;
  request = std::move(sent);
  answer.url = request.url;
  begin = exchange->range.offset + exchange->received;
  for (const auto& [name, value] : request.headers) {
    // An empty value has to be written with a semicolon.
    header_list = curl_slist_append(header_list, (value.empty() ? name + ";" : name + ": " + value).c_str());
  }
  // curl would wait for a "100 Continue" before a body, and call it a form.
  header_list = curl_slist_append(header_list, "Expect:");
  bool has_type = std::any_of(request.headers.begin(), request.headers.end(),
                              [](const auto& header) { return lower(header.first) == "content-type"; });
  if (!has_type) header_list = curl_slist_append(header_list, "Content-Type:");
  curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, header_list);
  curl_easy_setopt(easy, CURLOPT_PRIVATE, this);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "weir-remote/" WEIR_REMOTE_VERSION);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, exchange->is_probe ? 1L : std::min(10L, slow_seconds));
  if (exchange->is_probe) {
    curl_easy_setopt(easy, CURLOPT_TIMEOUT, 2L);
  }
  if (exchange->without_proxy) curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1024L);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, exchange->patient ? 300L : slow_seconds);
  if (exchange->range.size > (256u << 10)) curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 256L << 10);
  if (request.method == "HEAD") {
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  } else if (request.body) {
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body->data());
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body->size()));
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  } else if (request.method != "GET") {
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
}

size_t Transfer::take_header(std::string_view line) {
  size_t size = line.size();
  header_bytes += size;
  if (header_bytes > kMostHeaderBytes) {
    cut = Cut::wrong;
    wrong = "the headers of the answer are longer than 128 KiB";
    return 0;
  }
  line = trim(line);
  if (begins_with(line, "HTTP/")) {
    // An earlier block was a "100 Continue", or a proxy's answer to CONNECT.
    answer.headers.clear();
    size_t space = line.find(' ');
    auto status = space == std::string_view::npos ? std::nullopt : parse_number(line.substr(space + 1, 3));
    answer.status = status ? static_cast<int>(*status) : 0;
  } else if (size_t colon = line.find(':'); colon != std::string_view::npos) {
    answer.headers.emplace_back(lower(trim(line.substr(0, colon))),
                                std::string(trim(line.substr(colon + 1))));
  }
  return size;
}

void Transfer::check_range() {
  const Range& range = exchange->range;
  ContentRange said = parse_content_range(answer.header("content-range"));
  auto length = parse_number(answer.header("content-length"));
  uint64_t last = range.offset + range.size - 1;
  if (said.total != UINT64_MAX && range.total != UINT64_MAX && said.total != range.total) {
    cut = Cut::changed;
  } else if (!said.valid || said.first != begin || said.last > last) {
    cut = Cut::wrong;
    wrong = "the server was asked for bytes " + std::to_string(begin) + "-" + std::to_string(last) +
            " and sends \"Content-Range: " + shown_text(answer.header("content-range"), 60) + "\"";
  } else if (length && *length != said.last - said.first + 1) {
    cut = Cut::wrong;
    wrong = "the server sends " + std::to_string(*length) +
            " bytes as \"Content-Range: " + shown_text(answer.header("content-range"), 60) + "\"";
  } else if (range.out != nullptr && answer.encoding() != exchange->encoding) {
    cut = Cut::wrong;
    wrong =
        "the server sends a part of the file with \"Content-Encoding: " + shown_text(answer.encoding(), 60) +
        "\" and its beginning with \"" + shown_text(exchange->encoding, 60) + "\"";
  }
}

void Transfer::check_head() {
  if (head_checked) return;
  head_checked = true;
  if (!exchange->range.wanted || !answer.ok()) return;
  bool is_direct = exchange->redirects == 0 || exchange->redirect_version.empty();
  if (!exchange->version.empty() && is_direct && exchange->service->version(answer) != exchange->version) {
    cut = Cut::changed;
  } else if (answer.status == 206) {
    check_range();
  } else if (exchange->range.out != nullptr) {
    cut = Cut::wrong;
    wrong = "the server was asked for a range and answers " + std::to_string(answer.status) +
            " with the whole file";
  }
}

size_t Transfer::take_body(const char* data, size_t size) {
  if (!head_checked) {
    exchange->host->saw_first_byte(Clock::now() - started);
    check_head();
  }
  // The body of an error doesn't stop the other transfer from being the one that counts.
  if (answer.ok() && cut == Cut::none) {
    // One that began before the last winner failed would write at the wrong place.
    bool in_place = exchange->range.out == nullptr || begin == exchange->range.offset + exchange->received;
    if (exchange->winner == nullptr && in_place) exchange->winner = this;
    if (exchange->winner != this) cut = Cut::lost;
  }
  if (cut != Cut::none) return 0;
  const Range& range = exchange->range;
  if (range.out == nullptr || !answer.ok()) {
    uint64_t most = answer.ok() ? exchange->keep : std::min<uint64_t>(exchange->keep, 64 << 10);
    if (answer.body.size() + size > most) {
      cut = answer.ok() ? Cut::too_long : Cut::enough;
      return 0;
    }
    answer.body.append(data, size);
    received += size;
    return size;
  }
  uint64_t taken = std::min<uint64_t>(size, range.size - exchange->received);
  std::memcpy(range.out + exchange->received, data, taken);
  exchange->received += taken;
  received += taken;
  if (taken < size) {
    cut = Cut::enough;
    return 0;
  }
  return size;
}

Ending judge(Transfer& transfer, CURLcode code, const std::string& certificates, std::string& why) {
  Exchange& exchange = *transfer.exchange;
  transfer.check_head();
  switch (transfer.cut) {
    case Transfer::Cut::changed:
      return fail(exchange, WEIR_CODE_FAILED_PRECONDITION,
                  "the file changed while it was read; open it again");
    case Transfer::Cut::too_long:
      return fail(exchange, WEIR_CODE_FAILED_PRECONDITION,
                  "the answer is longer than " + std::to_string(exchange.keep >> 20) + " MiB" +
                      (exchange.range.wanted
                           ? ", and the server knows no ranges; serve the file by one that does, or copy it"
                           : ""));
    case Transfer::Cut::wrong:
    case Transfer::Cut::lost:
      why = transfer.wrong;
      return Ending::failed;
    case Transfer::Cut::enough:
      break;
    case Transfer::Cut::none:
      if (code != CURLE_OK) return judge_broken(transfer, code, certificates, why);
      break;
  }
  Ending ending = judge_status(transfer, why);
  if (ending != Ending::answered || !exchange.range.wanted || transfer.answer.status != 206) return ending;
  ContentRange said = parse_content_range(transfer.answer.header("content-range"));
  bool has_all = exchange.range.out != nullptr && exchange.received == exchange.range.size;
  if (!has_all && transfer.received != said.last - transfer.begin + 1) {
    why = "the answer ended early";
    return Ending::failed;
  }
  return has_all || exchange.range.out == nullptr ? Ending::answered : Ending::partial;
}

}  // namespace weir_remote
