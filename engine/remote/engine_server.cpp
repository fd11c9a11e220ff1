// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/remote/engine_server.h"

#include <unistd.h>

#include <map>
#include <thread>

#include "engine/base/current_error.h"
#include "engine/base/system_file.h"
#include "engine/base/utf8.h"
#include "engine/checkpoints/trained_under.h"
#include "engine/remote/model_files.h"
#include "engine/remote/request_reader.h"
#include "engine/remote/wire_inspection.h"
#include "engine/remote/wire_training.h"
#include "engine/runs/values/snapshot_check.h"

namespace carryover {
namespace {

class RunEvents final : public RunObserver {
 public:
  explicit RunEvents(FrameSender& sender) : sender_(sender) {}
  void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) override {
    sender_.send(MessageKind::Segment, pack(*snapshot));
  }
  void progress(std::int64_t done, std::int64_t total) override {
    sender_.send(MessageKind::Progress, pack(done, total));
  }

 private:
  FrameSender& sender_;
};

class TrainEvents final : public TrainObserver {
 public:
  TrainEvents(FrameSender& sender, RemoteJob& job) : sender_(sender), job_(job) {}
  void step_done(std::shared_ptr<const StepSnapshot> snapshot) override {
    sender_.send(MessageKind::Step, pack(*snapshot));
  }
  void validation_done(const ValidationRecord& record) override { sender_.send(MessageKind::Validation, pack(record)); }
  void checkpoint_saved(std::int64_t step, const std::string& directory) override {
    sender_.send(MessageKind::Checkpoint, pack(step, directory));
  }
  void alerted(const TrainingAlert& alert) override { sender_.send(MessageKind::Alert, pack(alert)); }
  void noted(const std::string& text) override { sender_.send(MessageKind::Note, pack(text)); }
  void progress(std::int64_t done, std::int64_t total) override {
    sender_.send(MessageKind::Progress, pack(done, total));
  }
  void preparing(double fraction, const std::string& what) override {
    sender_.send(MessageKind::Loading, pack(fraction, what));
  }
  bool wants_segments() const override { return job_.wants_segments.exchange(false); }

 private:
  FrameSender& sender_;
  RemoteJob& job_;
};

/// Answers one request after another.
class Server {
 public:
  Server(FrameSender& sender, const SessionOpener& open) : sender_(sender), open_(open) {}

  /// Every error of the request ends here.
  void serve(RemoteJob& job) {
    try {
      sender_.send(MessageKind::Done, answer(job));
    } catch (...) {
      const EngineError error = current_error();
      fail({error.fault(), error.where(), error.problem(), error.advice()});
    }
  }
  void fail(const Failure& failure) { sender_.send(MessageKind::Failed, pack(failure)); }

 private:
  std::string answer(RemoteJob& job);
  std::string open(RemoteJob& job);
  std::string close(const RemoteJob& job);
  std::string model(const RemoteJob& job);
  std::string files(const RemoteJob& job);
  std::string run(RemoteJob& job);
  std::string generate(RemoteJob& job);
  std::string logits(RemoteJob& job);
  std::string train(RemoteJob& job);
  std::string save(const RemoteJob& job);
  std::string audit(RemoteJob& job);
  std::string what_if(RemoteJob& job);
  std::string what_if_price(const RemoteJob& job);
  std::string inspect(RemoteJob& job);
  std::string profile_heads(RemoteJob& job);
  std::string find_recall_heads(RemoteJob& job);
  std::string search_patterns(RemoteJob& job);
  std::string learn_gates(RemoteJob& job);
  std::string read_document(RemoteJob& job);
  std::string save_state(const RemoteJob& job);
  std::string load_state(const RemoteJob& job);
  std::string settings(const RemoteJob& job);
  std::string encode(const RemoteJob& job);
  std::string token_texts(const RemoteJob& job);

  /// Returns the tokenizer of the session's open model. Its path is the session's; no request names one.
  const Tokenizer& tokenizer(std::int32_t number) {
    const std::string& path = session(number).model().path;
    auto& kept = tokenizers_[number];
    if (!kept.second || kept.first != path) kept = {path, Tokenizer::load(path)};
    return *kept.second;
  }
  Session& session(std::int32_t number) {
    const auto found = sessions_.find(number);
    if (found == sessions_.end()) refuse_message("received a request for a session that is not open");
    return *found->second;
  }
  static void require_ids(const std::shared_ptr<const std::vector<std::int32_t>>& ids) {
    if (!ids) refuse_message("received a request without its text");
  }
  LoadProgress reporting() {
    return [this](double share, const std::string& what) { sender_.send(MessageKind::Loading, pack(share, what)); };
  }
  /// Progress that also hears a stop.
  LoadProgress loading(RemoteJob& job) {
    return [this, &job](double fraction, const std::string& what) {
      job.control.checkpoint();
      sender_.send(MessageKind::Loading, pack(fraction, what));
    };
  }

  FrameSender& sender_;
  const SessionOpener& open_;
  std::map<std::int32_t, std::unique_ptr<Session>> sessions_;
  std::map<std::int32_t, std::pair<std::string, std::shared_ptr<const Tokenizer>>> tokenizers_;  ///< and their models
};

std::string Server::answer(RemoteJob& job) {
  switch (job.request.kind) {
    case MessageKind::Open:
      return open(job);
    case MessageKind::Close:
      return close(job);
    case MessageKind::Model:
      return model(job);
    case MessageKind::Files:
      return files(job);
    case MessageKind::Run:
      return run(job);
    case MessageKind::Generate:
      return generate(job);
    case MessageKind::Logits:
      return logits(job);
    case MessageKind::Train:
      return train(job);
    case MessageKind::Save:
      return save(job);
    case MessageKind::Audit:
      return audit(job);
    case MessageKind::WhatIf:
      return what_if(job);
    case MessageKind::WhatIfPrice:
      return what_if_price(job);
    case MessageKind::Inspect:
      return inspect(job);
    case MessageKind::ProfileHeads:
      return profile_heads(job);
    case MessageKind::FindRecallHeads:
      return find_recall_heads(job);
    case MessageKind::SearchPatterns:
      return search_patterns(job);
    case MessageKind::LearnGates:
      return learn_gates(job);
    case MessageKind::ReadDocument:
      return read_document(job);
    case MessageKind::SaveState:
      return save_state(job);
    case MessageKind::LoadState:
      return load_state(job);
    case MessageKind::Settings:
      return settings(job);
    case MessageKind::Encode:
      return encode(job);
    case MessageKind::TokenTexts:
      return token_texts(job);
    default:
      refuse_message("received a message that is not a request");
  }
}

std::string Server::open(RemoteJob& job) {
  std::int32_t number = 0;
  ModelRequest request;
  unpack(job.request.body, number, request);
  auto opened = open_(request, loading(job));
  const ModelInfo info = opened->model();
  tokenizers_.erase(number);
  sessions_[number] = std::move(opened);
  return pack(info);
}

std::string Server::close(const RemoteJob& job) {
  const auto number = unpack_as<std::int32_t>(job.request.body);
  sessions_.erase(number);
  tokenizers_.erase(number);
  return {};
}

std::string Server::model(const RemoteJob& job) {
  return pack(session(unpack_as<std::int32_t>(job.request.body)).model());
}

std::string Server::files(const RemoteJob& job) {
  std::string model, adapter;
  unpack(job.request.body, model, adapter);
  return pack(read_model_files(model, adapter));
}

std::string Server::run(RemoteJob& job) {
  std::int32_t number = 0;
  RunRequest request;
  unpack(job.request.body, number, request);
  require_ids(request.ids);
  RunEvents events(sender_);
  return pack(session(number).run(request, events, job.control));
}

std::string Server::generate(RemoteJob& job) {
  std::int32_t number = 0;
  GenerateRequest request;
  unpack(job.request.body, number, request);
  const auto on_token = [&](const GeneratedToken& token) {
    sender_.send(MessageKind::Token, pack(token));
    return !job.enough;
  };
  return pack(session(number).generate(request, on_token, job.control));
}

std::string Server::logits(RemoteJob& job) {
  std::int32_t number = 0;
  RunRequest request;
  std::vector<std::int64_t> positions;
  unpack(job.request.body, number, request, positions);
  require_ids(request.ids);
  Session& asked = session(number);
  const double bytes =
      4.0 * static_cast<double>(positions.size()) * static_cast<double>(asked.model().config.vocabulary);
  if (bytes > static_cast<double>(most_body_bytes(MessageKind::Done)))
    throw EngineError(Fault::OutOfMemory, "logits of " + std::to_string(positions.size()) + " positions",
                      "are more than one message holds", "Ask for fewer positions at a time.");
  return pack(asked.logits(request, positions, job.control));
}

std::string Server::train(RemoteJob& job) {
  std::int32_t number = 0;
  TrainOrder order;
  unpack(job.request.body, number, order);
  TrainRequest& request = order.request;
  if (!request.plan) refuse_message("received a training without its plan");
  if (!request.corpus) {
    const TrainingPlan& plan = *request.plan;
    const CorpusRequest data{plan.data, plan.text_field, plan.training.validation_fraction, default_token_cache()};
    request.corpus =
        std::make_shared<const Corpus>(read_corpus(data, *Tokenizer::load(plan.model), loading(job), job.control));
  }
  job.wants_segments = order.wants_segments;
  TrainEvents events(sender_, job);
  return pack(session(number).train(request, events, job.control));
}

std::string Server::save(const RemoteJob& job) {
  std::int32_t number = 0;
  std::string directory;
  unpack(job.request.body, number, directory);
  session(number).save(directory);
  return {};
}

std::string Server::audit(RemoteJob& job) {
  std::int32_t number = 0;
  AuditRequest request;
  unpack(job.request.body, number, request);
  require_ids(request.ids);
  request.progress = reporting();
  return pack(session(number).audit(request, job.control));
}

std::string Server::what_if(RemoteJob& job) {
  std::int32_t number = 0;
  WhatIfRequest request;
  unpack(job.request.body, number, request);
  require_ids(request.run.ids);
  if (request.patch_source) require_ids(request.patch_source->run.ids);
  const auto done = [this](std::size_t edit, const WhatIfOutcome& outcome) {
    sender_.send(MessageKind::Outcome, pack(static_cast<std::uint64_t>(edit), outcome));
  };
  return pack(session(number).what_if(request, done, job.control));
}

std::string Server::what_if_price(const RemoteJob& job) {
  std::int32_t number = 0;
  WhatIfRequest request;
  unpack(job.request.body, number, request);
  require_ids(request.run.ids);
  if (request.patch_source) require_ids(request.patch_source->run.ids);
  return pack(session(number).what_if_segments(request));
}

std::string Server::inspect(RemoteJob& job) {
  std::int32_t number = 0;
  InspectRequest request;
  unpack(job.request.body, number, request);
  check_parts(request.parts);
  require_ids(request.run.ids);
  return pack(session(number).inspect(request, job.control));
}

std::string Server::profile_heads(RemoteJob& job) {
  std::int32_t number = 0;
  HeadProfileRequest request;
  unpack(job.request.body, number, request);
  request.progress = reporting();
  return pack(session(number).profile_heads(request, job.control));
}

std::string Server::find_recall_heads(RemoteJob& job) {
  std::int32_t number = 0;
  RecallHeadsRequest request;
  unpack(job.request.body, number, request);
  request.progress = reporting();
  request.keep = [this](const RecallHeads& so_far) { sender_.send(MessageKind::RecallStep, pack(so_far)); };
  return pack(session(number).find_recall_heads(request, job.control));
}

std::string Server::search_patterns(RemoteJob& job) {
  std::int32_t number = 0;
  PatternSearchRequest request;
  unpack(job.request.body, number, request);
  require_ids(request.ids);
  request.progress = reporting();
  return pack(session(number).search_patterns(request, job.control));
}

std::string Server::learn_gates(RemoteJob& job) {
  std::int32_t number = 0;
  DuoGatesRequest request;
  unpack(job.request.body, number, request);
  request.progress = reporting();
  request.keep = [this](const DuoGates& so_far) { sender_.send(MessageKind::GateStep, pack(so_far)); };
  return pack(session(number).learn_gates(request, job.control));
}

std::string Server::read_document(RemoteJob& job) {
  std::int32_t number = 0;
  RunRequest text;
  unpack(job.request.body, number, text);
  require_ids(text.ids);
  return pack(session(number).read_document(text, reporting(), job.control));
}

std::string Server::save_state(const RemoteJob& job) {
  std::int32_t number = 0;
  std::string path;
  unpack(job.request.body, number, path);
  session(number).save_state(path);
  return {};
}

std::string Server::load_state(const RemoteJob& job) {
  std::int32_t number = 0;
  std::string path;
  unpack(job.request.body, number, path);
  return pack(session(number).load_state(path));
}

std::string Server::settings(const RemoteJob& job) {
  const ModelInfo& model = session(unpack_as<std::int32_t>(job.request.body)).model();
  return pack(initial_config(model.config, model.path, model.adapter));
}

std::string Server::encode(const RemoteJob& job) {
  std::int32_t number = 0;
  TextToEncode asked;
  unpack(job.request.body, number, asked);
  if (asked.text.empty()) throw EngineError(Fault::BadInput, "text", "is empty", "Give at least one character.");
  require_utf8(asked.text, "text");
  const Tokenizer& tokenizer = this->tokenizer(number);
  std::vector<std::int32_t> ids = tokenizer.encode(asked.text, asked.parse_special);
  if (asked.bos && !tokenizer.bos())
    throw EngineError(Fault::BadInput, session(number).model().path, "its tokenizer has no BOS token",
                      "Leave out BOS.");
  if (asked.bos) ids.insert(ids.begin(), *tokenizer.bos());
  return pack(ids);
}

std::string Server::token_texts(const RemoteJob& job) {
  std::int32_t number = 0;
  std::vector<std::int32_t> ids;
  unpack(job.request.body, number, ids);
  check_ids(ids, session(number).model().config.vocabulary, "ids");
  std::vector<std::string> texts;
  for (const std::int32_t id : ids) {
    std::string bytes = tokenizer(number).bytes(id);
    texts.push_back(take_utf8(bytes, /*last=*/true));
  }
  return pack(texts);
}

EnginePlace here() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return {name, CARRYOVER_VERSION, static_cast<std::int64_t>(std::thread::hardware_concurrency()), machine_memory()};
}

}  // namespace

void serve_engine(int input, int output, const SessionOpener& open) {
  FrameSender sender(output);
  sender.send(MessageKind::Place, pack(here()));
  RequestReader reader(input, sender);
  Server server(sender, open);
  while (const auto job = reader.next()) server.serve(*job);
  if (!reader.problem()) return sender.give_up();
  const EngineError& problem = *reader.problem();
  server.fail({problem.fault(), problem.where(), problem.problem(), problem.advice()});
  throw problem;
}

}  // namespace carryover
