// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/remote/engine_server.h"

#include <unistd.h>

#include <map>
#include <thread>

#include "engine/base/current_error.h"
#include "engine/base/system_file.h"
#include "engine/base/utf8.h"
#include "engine/checkpoints/trained_under.h"
#include "engine/remote/messages.h"
#include "engine/remote/model_files.h"
#include "engine/remote/request_reader.h"
#include "engine/runs/values/snapshot_check.h"
#include "engine/tokenizers/token_checks.h"

namespace carryover {
namespace {

using enum MessageKind;

/// Sends a message whose values have the types of the kind's row.
template <MessageKind kind, typename... Values>
void tell(FrameSender& sender, const Values&... values) {
  sender.send(kind, pack_body<kind>(values...));
}

class RunEvents final : public RunObserver {
 public:
  explicit RunEvents(FrameSender& sender) : sender_(sender) {}
  void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) override { tell<Segment>(sender_, *snapshot); }
  void progress(std::int64_t done, std::int64_t total) override { tell<Progress>(sender_, done, total); }

 private:
  FrameSender& sender_;
};

class TrainEvents final : public TrainObserver {
 public:
  TrainEvents(FrameSender& sender, RemoteJob& job) : sender_(sender), job_(job) {}
  void step_done(std::shared_ptr<const StepSnapshot> snapshot) override { tell<Step>(sender_, *snapshot); }
  void validation_done(const ValidationRecord& record) override { tell<Validation>(sender_, record); }
  void checkpoint_saved(std::int64_t step, const std::string& directory) override {
    tell<Checkpoint>(sender_, step, directory);
  }
  void alerted(const TrainingAlert& alert) override { tell<Alert>(sender_, alert); }
  void noted(const std::string& text) override { tell<Note>(sender_, text); }
  void progress(std::int64_t done, std::int64_t total) override { tell<Progress>(sender_, done, total); }
  void preparing(double fraction, const std::string& what) override { tell<Loading>(sender_, fraction, what); }
  bool wants_segments() const override { return job_.wants_segments.exchange(false); }

 private:
  FrameSender& sender_;
  RemoteJob& job_;
};

void require_text(const auto& request) {
  if (!request.ids) refuse_message("received a request without its text");
}

/// Refuses a request that lacks something that its fields may lack.
void check_request(const auto& /*value*/) {}
void check_request(const RunRequest& request) {
  require_text(request);
}
void check_request(const AuditRequest& request) {
  require_text(request);
}
void check_request(const PatternSearchRequest& request) {
  require_text(request);
}
void check_request(const WhatIfRequest& request) {
  require_text(request.run);
  if (request.patch_source) require_text(request.patch_source->run);
}
void check_request(const SweepRequest& request) {
  require_text(request.run);
  if (request.patch_source) require_text(request.patch_source->run);
}
void check_request(const InspectRequest& request) {
  check_parts(request.parts);
  require_text(request.run);
}
void check_request(const TrainOrder& order) {
  if (!order.request.plan) refuse_message("received a training without its plan");
}

/// A session and the tokenizer of its model, which training may change.
struct OpenSession {
  std::unique_ptr<Session> session;
  std::string tokenizer_of = {};  ///< the model's path
  std::shared_ptr<const Tokenizer> kept = nullptr;

  const Tokenizer& tokenizer() {
    const std::string& path = session->model().path;
    if (!kept || tokenizer_of != path) {
      kept = Tokenizer::load(path);
      tokenizer_of = path;
    }
    return *kept;
  }
};

/// A request's kind as a type, which chooses the function that answers it.
template <MessageKind kind>
using Kind = std::integral_constant<MessageKind, kind>;

/// Answers one request after another.
class Server {
 public:
  Server(FrameSender& sender, const SessionOpener& open) : sender_(sender), open_(open) {}

  /// Every error of the request ends here.
  void serve(RemoteJob& job) {
    try {
      sender_.send(Done, dispatch(job, std::type_identity<Messages>{}));
    } catch (...) {
      const EngineError error = current_error();
      fail({error.fault(), error.where(), error.problem(), error.advice()});
    }
  }
  void fail(const Failure& failure) { tell<Failed>(sender_, failure); }

 private:
  /// Returns the body of the request's Done.
  template <typename... Rows>
  std::string dispatch(RemoteJob& job, std::type_identity<std::tuple<Rows...>> /*table*/) {
    std::string body;
    if (!(take<Rows>(job, body) || ...)) refuse_message("received a message that is not a request");
    return body;
  }

  /// Answers a request of this row. Returns false for one of another row.
  template <typename Row>
  bool take(RemoteJob& job, std::string& body) {
    if constexpr (requires { typename Row::Answer; }) {
      if (job.request.kind != Row::kind) return false;
      const auto call = [&](auto&... arguments) {
        if constexpr (std::is_void_v<typename Row::Answer>) {
          answer(Kind<Row::kind>{}, job, arguments...);
        } else {
          const typename Row::Answer value = answer(Kind<Row::kind>{}, job, arguments...);
          body = pack(value);
        }
      };
      auto values = unpack_body<Row>(job.request.body);
      std::apply([](const auto&... each) { (check_request(each), ...); }, values);
      if constexpr (requires { typename Row::Arguments; })
        std::apply([&](std::int32_t number, auto&... arguments) { call(session(number), arguments...); }, values);
      else
        std::apply(call, values);
      return true;
    } else {
      return false;
    }
  }

  OpenSession& session(std::int32_t number) {
    const auto found = sessions_.find(number);
    if (found == sessions_.end()) refuse_message("received a request for a session that is not open");
    return found->second;
  }
  LoadProgress reporting() {
    return [this](double share, const std::string& what) { tell<Loading>(sender_, share, what); };
  }
  /// Progress that also hears a stop.
  LoadProgress loading(RemoteJob& job) {
    return [this, &job](double fraction, const std::string& what) {
      job.control.checkpoint();
      tell<Loading>(sender_, fraction, what);
    };
  }

  ModelInfo answer(Kind<Open>, RemoteJob& job, std::int32_t number, const ModelRequest& request) {
    auto opened = open_(request, loading(job));
    const ModelInfo info = opened->model();
    sessions_.insert_or_assign(number, OpenSession{std::move(opened)});
    return info;
  }
  void answer(Kind<Close>, RemoteJob&, std::int32_t number) { sessions_.erase(number); }
  ModelInfo answer(Kind<Model>, RemoteJob&, OpenSession& open) { return open.session->model(); }
  std::int64_t answer(Kind<FreeMemory>, RemoteJob&, OpenSession& open) { return open.session->free_memory(); }
  std::vector<ModelFile> answer(Kind<Files>, RemoteJob&, const std::string& model, const std::string& adapter) {
    return read_model_files(model, adapter);
  }

  RunSummary answer(Kind<Run>, RemoteJob& job, OpenSession& open, const RunRequest& request) {
    RunEvents events(sender_);
    return open.session->run(request, events, job.control);
  }
  GenerateResult answer(Kind<Generate>, RemoteJob& job, OpenSession& open, const GenerateRequest& request) {
    const auto on_token = [&](const GeneratedToken& token) {
      tell<Token>(sender_, token);
      return !job.enough;
    };
    return open.session->generate(request, on_token, job.control);
  }
  std::vector<float> answer(Kind<Logits>, RemoteJob& job, OpenSession& open, const RunRequest& request,
                            const std::vector<std::int64_t>& positions) {
    const double bytes =
        4.0 * static_cast<double>(positions.size()) * static_cast<double>(open.session->model().config.vocabulary);
    if (bytes > static_cast<double>(most_body_bytes(Done)))
      throw EngineError(Fault::OutOfMemory, "logits of " + std::to_string(positions.size()) + " positions",
                        "are more than one message holds", "Ask for fewer positions at a time.");
    return open.session->logits(request, positions, job.control);
  }

  TrainingSummary answer(Kind<Train>, RemoteJob& job, OpenSession& open, TrainOrder& order) {
    TrainRequest& request = order.request;
    if (!request.corpus) {
      const TrainingPlan& plan = *request.plan;
      const CorpusRequest data{plan.data, plan.text_field, plan.training.validation_fraction, default_token_cache()};
      request.corpus =
          std::make_shared<const Corpus>(read_corpus(data, *Tokenizer::load(plan.model), loading(job), job.control));
    }
    job.wants_segments = order.wants_segments;
    TrainEvents events(sender_, job);
    return open.session->train(request, events, job.control);
  }
  void answer(Kind<Save>, RemoteJob&, OpenSession& open, const std::string& directory) {
    open.session->save(directory);
  }
  AuditReport answer(Kind<Audit>, RemoteJob& job, OpenSession& open, AuditRequest& request) {
    request.progress = reporting();
    return open.session->audit(request, job.control);
  }

  WhatIfBase answer(Kind<WhatIf>, RemoteJob& job, OpenSession& open, const WhatIfRequest& request) {
    const auto done = [this](std::size_t edit, const WhatIfOutcome& outcome) {
      tell<Outcome>(sender_, std::uint64_t{edit}, outcome);
    };
    return open.session->what_if(request, done, job.control);
  }
  std::int64_t answer(Kind<WhatIfPrice>, RemoteJob&, OpenSession& open, const WhatIfRequest& request) {
    return open.session->what_if_segments(request);
  }
  void answer(Kind<Sweep>, RemoteJob& job, OpenSession& open, const SweepRequest& request) {
    const SweepObserver observer{[this](const SweepBase& base) { tell<SweepBegun>(sender_, base); },
                                 [this](const SweepCell& cell) { tell<SweepCellDone>(sender_, cell); }};
    open.session->sweep(request, observer, job.control);
  }
  Inspection answer(Kind<Inspect>, RemoteJob& job, OpenSession& open, const InspectRequest& request) {
    return open.session->inspect(request, job.control);
  }

  HeadProfile answer(Kind<ProfileHeads>, RemoteJob& job, OpenSession& open, HeadProfileRequest& request) {
    request.progress = reporting();
    return open.session->profile_heads(request, job.control);
  }
  RecallHeads answer(Kind<FindRecallHeads>, RemoteJob& job, OpenSession& open, RecallHeadsRequest& request) {
    request.progress = reporting();
    request.keep = [this](const RecallHeads& so_far) { tell<RecallStep>(sender_, so_far); };
    return open.session->find_recall_heads(request, job.control);
  }
  FoundPatterns answer(Kind<SearchPatterns>, RemoteJob& job, OpenSession& open, PatternSearchRequest& request) {
    request.progress = reporting();
    return open.session->search_patterns(request, job.control);
  }
  DuoGates answer(Kind<LearnGates>, RemoteJob& job, OpenSession& open, DuoGatesRequest& request) {
    request.progress = reporting();
    request.keep = [this](const DuoGates& so_far) { tell<GateStep>(sender_, so_far); };
    return open.session->learn_gates(request, job.control);
  }

  StateInfo answer(Kind<ReadDocument>, RemoteJob& job, OpenSession& open, const RunRequest& text) {
    return open.session->read_document(text, reporting(), job.control);
  }
  void answer(Kind<SaveState>, RemoteJob&, OpenSession& open, const std::string& path) {
    open.session->save_state(path);
  }
  StateInfo answer(Kind<LoadState>, RemoteJob&, OpenSession& open, const std::string& path) {
    return open.session->load_state(path);
  }

  SegmentConfig answer(Kind<Settings>, RemoteJob&, OpenSession& open) {
    const ModelInfo& model = open.session->model();
    return initial_config(model.config, model.path, model.adapter);
  }
  std::vector<std::int32_t> answer(Kind<Encode>, RemoteJob&, OpenSession& open, const TextToEncode& asked) {
    if (asked.text.empty()) throw EngineError(Fault::BadInput, "text", "is empty", "Give at least one character.");
    require_utf8(asked.text, "text");
    const Tokenizer& tokenizer = open.tokenizer();
    std::vector<std::int32_t> ids = tokenizer.encode(asked.text, asked.parse_special);
    if (asked.bos) put_bos_first(ids, tokenizer, open.session->model().path);
    return ids;
  }
  std::vector<std::string> answer(Kind<TokenTexts>, RemoteJob&, OpenSession& open,
                                  const std::vector<std::int32_t>& ids) {
    check_ids(ids, open.session->model().config.vocabulary, "ids");
    std::vector<std::string> texts;
    for (const std::int32_t id : ids) {
      std::string bytes = open.tokenizer().bytes(id);
      texts.push_back(take_utf8(bytes, /*last=*/true));
    }
    return texts;
  }

  FrameSender& sender_;
  const SessionOpener& open_;
  std::map<std::int32_t, OpenSession> sessions_;
};

EnginePlace here() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return {name, CARRYOVER_VERSION, static_cast<std::int64_t>(std::thread::hardware_concurrency()), machine_memory()};
}

}  // namespace

void serve_engine(int input, int output, const SessionOpener& open) {
  FrameSender sender(output);
  tell<Place>(sender, here());
  RequestReader reader(input, sender);
  Server server(sender, open);
  while (const auto job = reader.next()) server.serve(*job);
  if (!reader.problem()) return sender.give_up();
  const EngineError& problem = *reader.problem();
  server.fail({problem.fault(), problem.where(), problem.problem(), problem.advice()});
  throw problem;
}

}  // namespace carryover
