// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "app/serve/access.h"
#include "app/serve/engine_queue.h"
#include "app/serve/request_handler.h"
#include "app/serve/served_model.h"
#include "app/serve/server_metrics.h"
#include "app/serve/state_store.h"

namespace carryover {

/// One line for each request that was answered: its endpoint, status, tokens and time, and nothing of what it said.
using RequestLog = std::function<void(const std::string& line)>;

/// Which request gets which answer: the endpoints, who may use them, and what goes to the engine. On the thread that
/// serves HTTP. EngineQueue::finish() comes before its end.
class Service final : public RequestHandler {
 public:
  Service(const ServedModel& served, StateStore& states, AccessRules access, EngineQueue& queue, RequestLog log)
      : served_(served), states_(states), access_(std::move(access)), queue_(queue), log_(std::move(log)) {}

  std::optional<HttpReply> refuse(const HttpRequest& head) override;
  void handle(HttpRequest request, std::shared_ptr<ReplyWriter> writer, std::size_t connections) override;

 private:
  class Exchange;
  using EngineWork = std::function<void(ServingEngine&, ReplyWriter&, Usage&, RunControl&)>;

  HttpReply answer_now(const HttpRequest& request, std::size_t connections);
  EngineWork engine_work(const HttpRequest& request);
  void post(EngineWork work, const std::shared_ptr<Exchange>& exchange);
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
  std::uint64_t last_id_ = 0;
};

}  // namespace carryover
