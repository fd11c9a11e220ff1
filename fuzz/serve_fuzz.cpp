// SPDX-License-Identifier: GPL-3.0-or-later
// Reads what a client sends to `carryover serve`, without sockets: bytes as HTTP, and a request's body for each
// endpoint that reads one, which is answered by an engine without a model. The first byte chooses.
#include <algorithm>
#include <array>

#include "app/serve/access.h"
#include "app/serve/chat.h"
#include "app/serve/completions.h"
#include "app/serve/http_parser.h"
#include "app/serve/plain_generate.h"
#include "app/serve/tokenizing.h"
#include "engine/base/utf8.h"
#include "fuzz/support/json_mutator.h"
#include "tests/support/fake_serving_engine.h"

using namespace carryover;
using namespace carryover::fuzz;

namespace {

constexpr std::uint8_t kHttp = 0;  // the other values are bodies

struct Read {
  std::vector<HttpRequest> requests;
  int failed = 0;
};

/// Reads the bytes in pieces of 1 to `most` bytes.
Read read_http(std::string_view bytes, std::size_t most) {
  HttpLimits limits;
  limits.head_bytes = 512;
  limits.body_bytes = 256;
  HttpParser parser(limits);
  Read read;
  std::size_t piece = 1;
  while (!bytes.empty() && read.failed == 0) {
    const std::size_t taken = parser.feed(bytes.substr(0, piece));
    bytes.remove_prefix(taken);
    piece = std::min(most, piece * 5 % 37 + 1);
    if (most > bytes.size()) piece = bytes.size();
    if (parser.state() == HttpParser::State::Failed) read.failed = parser.status();
    if (parser.state() == HttpParser::State::Done) read.requests.push_back(parser.take());
  }
  return read;
}

/// A request stays the same if its body comes in chunks and its target is the whole address.
void check_chunks(const std::vector<HttpRequest>& requests) {
  for (const HttpRequest& request : requests) {
    if (request.http10 || request.target == "*" || request.header("host")->find_first_of("/?#@") != std::string::npos ||
        request.header("host")->empty())
      continue;
    std::string again = request.method + " http://" + *request.header("host") + request.target + " HTTP/1.1\r\n";
    for (const auto& [name, value] : request.headers)
      if (name != "content-length" && name != "transfer-encoding") again += name + ": " + value + "\r\n";
    again += "Transfer-Encoding: chunked\r\n\r\n";
    std::string_view body = request.body;
    while (!body.empty()) {
      const std::string_view data = body.substr(0, 7);
      body.remove_prefix(data.size());
      again += chunk_text(data);
    }
    again += "0\r\nTrailer: x\r\n\r\n";
    const Read read = read_http(again, 5);
    if (read.failed == 414 || read.failed == 431) continue;  // it is longer now
    const bool same = read.requests.size() == 1 && read.requests[0].body == request.body &&
                      read.requests[0].target == request.target &&
                      *read.requests[0].header("host") == *request.header("host");
    require(same, "chunks and addresses say the same");
  }
}

void check_http(std::string_view bytes) {
  const Read pieces = read_http(bytes, 7), whole = read_http(bytes, ~std::size_t{0});
  require(pieces.failed == whole.failed && pieces.requests.size() == whole.requests.size(), "pieces say the same");
  const AccessRules rules{allowed_hosts("127.0.0.1"), "key"};
  for (std::size_t i = 0; i < whole.requests.size(); ++i) {
    const HttpRequest& request = whole.requests[i];
    require(request.body == pieces.requests[i].body && request.headers == pieces.requests[i].headers,
            "the same request");
    require(request.body.size() <= 256 && request.target.size() <= 512, "limits hold");
    require(request.http10 || request.header("host") != nullptr, "it has a host");
    require(request.target == "*" || request.target.starts_with('/'), "its target is a path");
    require(request.header("transfer-encoding") == nullptr || request.header("content-length") == nullptr,
            "its body has one end");
    if (refused_access(request, rules)) continue;
    require(request.path() == "/health" || request.header("authorization") != nullptr, "it has the key");
    const std::string* site = request.header("sec-fetch-site");
    require(site == nullptr || *site == "none" || *site == "same-origin", "no other page sent it");
  }
  check_chunks(whole.requests);
}

/// Refused with a status of the client's, or answered with JSON or events.
void answer(std::uint8_t endpoint, std::string_view body) {
  static const ServedModel served = test::tiny_served_model();
  static const StateStore states{""};
  test::FakeServingEngine engine("a\xC3\xA4\xE2\x82\xAC z", true);
  engine.can_wait = false;
  test::CollectedReply reply;
  Usage usage;
  RunControl control;
  const auto act = [&] {
    switch (endpoint % 5) {
      case 1:
        return complete(parse_completion(body, served, states), "1", served, states, engine, reply, usage, control);
      case 2:
        return chat(parse_chat(body, served), "1", served, engine, reply, usage, control);
      case 3:
        return generate_plain(parse_plain(body, served), served, engine, reply, usage, control);
      case 4:
        return reply.reply({200, tokenize(body, served).dump()});
      default:
        return reply.reply({200, detokenize(body, served).dump()});
    }
  };
  try {
    if (!accepts(act)) return;
  } catch (const ApiError& error) {
    require(error.status() >= 400 && error.status() < 500, "a refusal is the client's");
    require(!error_json(error).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).empty(),
            "it can be said");
    return;
  }
  require(reply.complete, "it is answered");
  if (reply.began)
    require(!reply.events().empty(), "events are JSON");
  else
    require(reply.json().is_object(), "an answer is an object");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest = view(data + 1, size - 1);
  if (data[0] == kHttp)
    check_http(rest);
  else
    answer(data[0], rest);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  Random random(seed);
  std::string bytes(view(data, size));
  if (size == 0 || data[0] == kHttp || below(random, 4) == 0)
    return deliver(mutate_bytes(std::move(bytes), most), data, most);
  const std::string made = bytes[0] + mutate_json_text(std::string_view(bytes).substr(1), random, most - 1);
  return deliver(made, data, most);
}
