#include "remote/plain_ask.h"

#include <weir/weir.h>

#include "remote/json.h"
#include "remote/text.h"
#include "remote/xml.h"

namespace weir_remote {
namespace {

class PlainService : public Service {
 protected:
  // Answers about tokens have `error` and `error_description`, those of AWS are XML.
  std::string detail(const Answer& answer) const override {
    Json json = Json::parse(answer.body);
    std::string text = json.text("error");
    if (!json.text("error_description").empty()) text += ": " + json.text("error_description");
    Xml root = text.empty() ? parse_xml(answer.body) : Xml();
    return text.empty() ? root.child("Error").child("Message").text : text;
  }
  std::vector<std::string> secrets(const Request& request) const override {
    auto form = parse_query(request.body ? *request.body : "");
    std::vector<std::string> sent{form["client_secret"], form["client_assertion"], form["refresh_token"],
                                  form["assertion"], form["WebIdentityToken"]};
    for (const auto& [name, value] : request.headers) {
      if (lower(name) == "authorization" || lower(name) == "x-amz-security-token") sent.push_back(value);
    }
    return sent;
  }
};

std::shared_ptr<Exchange> make_exchange(const std::string& what, Request request) {
  auto exchange = std::make_shared<Exchange>();
  exchange->name = what;
  exchange->request = std::move(request);
  exchange->service = std::make_shared<PlainService>();
  exchange->keep = 1 << 20;
  return exchange;
}

Answer ask(Engine& engine, const std::string& what, Request request, bool is_local) {
  auto exchange = make_exchange(what, request);
  exchange->without_proxy = is_local;
  Answer answer = engine.run(exchange);
  if (answer.ok()) return answer;
  Failure failure = exchange->service->failure(what, request, answer);
  // Whatever it holds against the credentials.
  if (failure.code != WEIR_CODE_UNAVAILABLE) failure.code = WEIR_CODE_PERMISSION_DENIED;
  throw failure;
}

}  // namespace

Answer plain_ask(Engine& engine, const std::string& what, Request request) {
  return ask(engine, what, std::move(request), false);
}

Answer local_ask(Engine& engine, const std::string& what, Request request) {
  return ask(engine, what, std::move(request), true);
}

std::optional<Answer> probe(Engine& engine, const std::string& what, Request request) {
  const std::string url = request.url;
  if (engine.has_answered(url)) return local_ask(engine, what, std::move(request));
  auto exchange = make_exchange(what, std::move(request));
  exchange->is_probe = true;
  exchange->without_proxy = true;
  try {
    Answer answer = engine.run(exchange);
    if (!answer.ok()) return std::nullopt;
    engine.note_answer(url);
    return answer;
  } catch (const Failure&) {
    if (exchange->answer.status != 0) throw;
    return std::nullopt;  // nobody is there
  }
}

}  // namespace weir_remote
