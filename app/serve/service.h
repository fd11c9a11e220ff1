// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "app/serve/access.h"
#include "app/serve/engine_queue.h"
#include "app/serve/request_handler.h"
#include "app/serve/served_model.h"
#include "app/serve/server_metrics.h"
#include "app/serve/state_store.h"
#include "app/serve/work_thread.h"

namespace carryover {

/// One line for each request that was answered: its endpoint, status, tokens and time, and nothing of what it said.
using RequestLog = std::function<void(const std::string& line)>;

inline constexpr std::size_t kMostTexts = 10000;  ///< bodies that wait to be read; there are no more connections

/// Which request gets which answer: the endpoints, who may use them, and what goes to the engine. On the thread that
/// serves HTTP, which never works on a text: another thread reads bodies and calls the tokenizer, and passes on to the
/// engine's thread what is asked of the engine. finish() comes before its end.
class Service final : public RequestHandler {
 public:
  Service(const ServedModel& served, StateStore& states, AccessRules access, EngineQueue& queue, RequestLog log)
      : served_(served),
        states_(states),
        access_(std::move(access)),
        queue_(queue),
        log_(std::move(log)),
        texts_(kMostTexts) {}

  std::optional<HttpReply> refuse(const HttpRequest& head) override;
  void handle(HttpRequest request, std::shared_ptr<ReplyWriter> writer, std::size_t connections) override;

  void stop();    ///< WorkThread::stop() of both threads; any thread
  void finish();  ///< stop(), and waits for both threads; the thread that made them

 private:
  class Exchange;
  using EngineWork = std::function<void(ServingEngine&, ReplyWriter&, Usage&, RunControl&)>;

  HttpReply answer_now(const HttpRequest& request, std::size_t connections);
  HttpReply answer_text(const HttpRequest& request);
  EngineWork engine_work(const HttpRequest& request);
  void read(HttpRequest request, const std::shared_ptr<Exchange>& exchange);
  void post(EngineWork work, const std::shared_ptr<Exchange>& exchange, RunControl& control);
  void done(const std::string& endpoint, int status, const Usage& usage, double seconds);
  std::string next_id(const std::string& kind) {
    return kind + std::to_string(served_.created) + "-" + std::to_string(++last_id_);
  }

  const ServedModel& served_;
  StateStore& states_;
  const AccessRules access_;
  EngineQueue& queue_;
  const RequestLog log_;
  ServerMetrics metrics_;
  std::atomic<std::uint64_t> last_id_{0};
  WorkThread texts_;
};

}  // namespace carryover
