// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/service.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/serve/chat.h"
#include "app/serve/completions.h"
#include "app/serve/plain_generate.h"
#include "app/serve/tokenizing.h"
#include "engine/base/text_parts.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

constexpr int kClientGone = 499;  ///< a status in the log and the metrics, which no client sees

struct Route {
  std::string_view path;     ///< with a slash at the end: and a name behind it
  std::string_view methods;  ///< HEAD goes with GET, OPTIONS with all
};
constexpr std::string_view kOneModel = "/v1/models/", kOneState = "/v1/states/";
constexpr Route kRoutes[] = {
    {"/health", "GET, HEAD, OPTIONS"},          {"/metrics", "GET, HEAD, OPTIONS"},
    {"/v1/models", "GET, HEAD, OPTIONS"},       {kOneModel, "GET, HEAD, OPTIONS"},
    {"/tokenizer_info", "GET, HEAD, OPTIONS"},  {"/tokenize", "POST, OPTIONS"},
    {"/detokenize", "POST, OPTIONS"},           {"/v1/completions", "POST, OPTIONS"},
    {"/v1/chat/completions", "POST, OPTIONS"},  {"/generate", "PUT, OPTIONS"},
    {"/v1/states", "GET, HEAD, POST, OPTIONS"}, {kOneState, "DELETE, OPTIONS"},
};

const Route* find_route(std::string_view path) {
  const auto matches = [path](const Route& route) {
    return route.path.ends_with('/') ? path.starts_with(route.path) && path != route.path : path == route.path;
  };
  const auto* const route = std::ranges::find_if(kRoutes, matches);
  return route == std::end(kRoutes) ? nullptr : route;
}

bool is_allowed(const Route& route, const std::string& method) {
  const std::vector<std::string> methods = text_parts(route.methods, ',');
  return std::ranges::any_of(methods,
                             [&](std::string_view each) { return each.substr(each.find_first_not_of(' ')) == method; });
}

HttpReply json_reply(const nlohmann::json& json) {
  return {200, json_text(json)};
}

ApiError busy() {
  return {429, "The server is busy: as many requests are waiting as may. Try again later.", {}, "queue_full"};
}

/// The name of a request in the log and the metrics: never a text of the client's.
std::string endpoint_of(const HttpRequest& request) {
  const Route* route = find_route(request.path());
  return route == nullptr ? "other" : std::string(route->path);
}

}  // namespace

/// One request and its account, which go from thread to thread.
class Service::Exchange {
 public:
  Exchange(Service& service, std::string endpoint, std::shared_ptr<ReplyWriter> writer)
      : service_(service), endpoint_(std::move(endpoint)), writer_(*this, std::move(writer)) {}

  /// Does a part of the work for it. If that throws, the error is the answer.
  template <typename Part>
  void run(RunControl& control, const Part& part) {
    try {
      control.checkpoint();
      part();
    } catch (...) {
      fail(current_api_error());
    }
  }
  void run(const EngineWork& work, ServingEngine& engine, RunControl& control) {
    run(control, [&] { work(engine, writer_, usage_, control); });
  }
  void answer(HttpReply reply) { writer_.reply(std::move(reply)); }
  void fail(const ApiError& error) {
    if (gone_) return;
    if (!writer_.streams()) return writer_.reply(error_reply(error));
    writer_.set_status(error.status());
    writer_.write(sse_text(error_json(error)));
    writer_.end();
  }
  /// `cancel` takes it from the queue where it waits or runs, and does nothing once it has left. Any thread.
  void add_cancel(std::function<void()> cancel) {
    const std::lock_guard lock(mutex_);
    cancels_.push_back(std::move(cancel));
    if (gone_) cancels_.back()();
  }
  /// Is called on the thread that serves HTTP.
  void client_has_gone() {
    const std::lock_guard lock(mutex_);
    gone_ = true;
    finish(kClientGone);
    for (const auto& cancel : cancels_) cancel();
  }
  void when_gone(std::function<void()> action) { writer_.when_gone(std::move(action)); }

 private:
  /// Passes an answer on, and knows its status and whether it is complete.
  class Writer final : public ReplyWriter {
   public:
    Writer(Exchange& exchange, std::shared_ptr<ReplyWriter> to) : exchange_(exchange), to_(std::move(to)) {}
    bool streams() const { return streams_; }
    void set_status(int status) { status_ = status; }
    void reply(HttpReply reply) override {
      exchange_.finish(reply.status);
      to_->reply(std::move(reply));
    }
    void begin_stream(std::string type) override {
      streams_ = true;
      to_->begin_stream(std::move(type));
    }
    void write(std::string data) override { to_->write(std::move(data)); }
    void end() override {
      exchange_.finish(status_);
      to_->end();
    }
    void when_gone(std::function<void()> action) override { to_->when_gone(std::move(action)); }

   private:
    Exchange& exchange_;
    std::shared_ptr<ReplyWriter> to_;
    int status_ = 200;
    bool streams_ = false;
  };

  /// Ends the exchange once: at the answer's end or when the client goes, which another thread may notice at the same
  /// time.
  void finish(int status) {
    if (finished_.exchange(true)) return;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
    service_.done(endpoint_, status, status == kClientGone ? Usage{} : usage_, taken.count());
  }

  Service& service_;
  const std::string endpoint_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Usage usage_;
  std::atomic<bool> gone_{false}, finished_{false};
  std::mutex mutex_;
  std::vector<std::function<void()>> cancels_;  ///< guarded by the mutex
  Writer writer_;
};

std::optional<HttpReply> Service::refuse(const HttpRequest& head) {
  std::optional<ApiError> error = refused_access(head, access_);
  const Route* route = find_route(head.path());
  if (!error && route == nullptr && head.target != "*") error = ApiError(404, "There is no such endpoint.");
  const bool wrong_method = !error && route != nullptr && !is_allowed(*route, head.method);
  if (wrong_method) error = ApiError(405, "This endpoint takes " + std::string(route->methods) + ".");
  if (!error) return std::nullopt;
  HttpReply reply = error_reply(*error);
  if (wrong_method) reply.more.emplace_back("Allow", route->methods);
  done(endpoint_of(head), reply.status, {}, 0);
  return reply;
}

void Service::handle(HttpRequest request, std::shared_ptr<ReplyWriter> writer, std::size_t connections) {
  const auto exchange = std::make_shared<Exchange>(*this, endpoint_of(request), std::move(writer));
  try {
    if (request.method == "POST" || request.method == "PUT") return read(std::move(request), exchange);
    exchange->answer(answer_now(request, connections));
  } catch (...) {
    exchange->fail(current_api_error());
  }
}

void Service::stop() {
  texts_.stop();
  queue_.stop();
}

void Service::finish() {
  texts_.finish();
  queue_.finish();
}

HttpReply Service::answer_now(const HttpRequest& request, std::size_t connections) {
  const std::string_view path = request.path();
  if (request.method == "OPTIONS") {
    const Route* route = find_route(path);
    return {204,
            {},
            {},
            {{"Allow", std::string(route != nullptr ? route->methods : "GET, HEAD, POST, PUT, DELETE, OPTIONS")}}};
  }
  if (path == "/health") return json_reply({{"status", "ok"}});
  if (path == "/metrics") return {200, metrics_.text(queue_.waiting(), connections), "text/plain; version=0.0.4"};
  if (path == "/v1/models") return json_reply(models_json(served_.names, served_.created));
  if (path == "/tokenizer_info") return json_reply(tokenizer_info(served_));
  if (path == "/v1/states") return json_reply(states_.json(served_));
  if (path.starts_with(kOneState)) {
    states_.remove(std::string(path.substr(kOneState.size())));
    return json_reply({{"deleted", true}});
  }
  return json_reply(model_json(served_.names, std::string(path.substr(kOneModel.size())), served_.created));
}

HttpReply Service::answer_text(const HttpRequest& request) {
  return json_reply(request.path() == "/tokenize" ? tokenize(request.body, served_)
                                                  : detokenize(request.body, served_));
}

/// Makes the work for the engine's thread, or nothing. A wrong body is refused before it waits for the engine.
Service::EngineWork Service::engine_work(const HttpRequest& request) {
  const std::string_view path = request.path();
  const ServedModel& served = served_;
  if (path == "/v1/completions")
    return [asked = parse_completion(request.body, served, states_), id = next_id("cmpl-"), &served,
            &states = states_](auto&... rest) { complete(asked, id, served, states, rest...); };
  if (path == "/v1/chat/completions")
    return [asked = parse_chat(request.body, served), id = next_id("chatcmpl-"), &served](auto&... rest) {
      chat(asked, id, served, rest...);
    };
  if (path == "/generate")
    return
        [asked = parse_plain(request.body, served), &served](auto&... rest) { generate_plain(asked, served, rest...); };
  if (path == "/v1/states")
    return [asked = parse_state(request.body, served, states_), &served, &states = states_](auto&... rest) {
      keep_state(asked, served, states, rest...);
    };
  return {};
}

void Service::read(HttpRequest request, const std::shared_ptr<Exchange>& exchange) {
  const WorkThread::Ticket ticket = texts_.post([this, request = std::move(request), exchange](RunControl& control) {
    exchange->run(control, [&] {
      if (EngineWork work = engine_work(request)) return post(std::move(work), exchange, control);
      exchange->answer(answer_text(request));
    });
  });
  if (ticket == nullptr) throw busy();
  exchange->add_cancel([this, ticket] { texts_.cancel(ticket); });
  exchange->when_gone([exchange] { exchange->client_has_gone(); });
}

/// `control` belongs to the thread that read the body.
void Service::post(EngineWork work, const std::shared_ptr<Exchange>& exchange, RunControl& control) {
  const EngineQueue::Ticket ticket =
      queue_.post([work = std::move(work), exchange](ServingEngine& engine, RunControl& running) {
        exchange->run(work, engine, running);
      });
  if (ticket == nullptr) {
    control.checkpoint();  // a server that stops takes nothing more
    throw busy();
  }
  exchange->add_cancel([this, ticket] { queue_.cancel(ticket); });
}

void Service::done(const std::string& endpoint, int status, const Usage& usage, double seconds) {
  metrics_.add(endpoint, status, usage, seconds);
  if (!log_) return;
  log_(std::to_string(status) + " " + endpoint + ", " + std::to_string(usage.prompt_tokens) + " prompt and " +
       std::to_string(usage.generated_tokens) + " generated tokens, " + fixed_text(seconds, 3) + " s");
}

}  // namespace carryover
