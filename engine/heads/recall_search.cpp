// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/heads/recall_search.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/byte_size.h"
#include "engine/base/error.h"
#include "engine/base/memory_bytes.h"
#include "engine/config/head_reads.h"
#include "engine/config/recall_preset.h"
#include "engine/cost/cost_model.h"
#include "engine/cost/policy_table.h"
#include "engine/heads/choice/reader_choice.h"
#include "engine/heads/choice/searcher_choice.h"
#include "engine/method/retrieving_policy.h"
#include "engine/runs/memory_forecast.h"
#include "engine/runs/text_run.h"
#include "engine/runs/values/partition.h"

namespace carryover {

namespace {

constexpr const char* kPolicy = kMethodPolicy;
constexpr std::size_t kReaderTrials = 24;  // questions that readers are chosen on: their states stay in memory

[[noreturn]] void refuse(const std::string& what, const std::string& advice) {
  throw EngineError(Fault::BadInput, "heads for recall", what, advice);
}

void check_needle(const Needle& needle, const NeedleDocument& document, const SegmentConfig& config) {
  const std::int64_t statement = std::ssize(needle.statement), value = std::ssize(needle.value),
                     asked = std::ssize(needle.question) + value;
  if (value < 1 || needle.question.empty() || needle.value_offset < 0 || needle.value_offset > statement - value ||
      needle.position < config.sink_length || needle.position > std::ssize(document.ids) - statement)
    refuse("a needle does not lie in its document", "Give each needle a position, a value and a question inside it.");
  if (asked > config.segment_length)
    refuse("a question and its answer have " + std::to_string(asked) + " tokens, and a segment " +
               std::to_string(config.segment_length),
           "Raise segment_length.");
}

/// Every head searches, and every head of every layer reads.
SegmentConfig whole_config(SegmentConfig config, const ModelConfig& model) {
  config.grouping = all_readers(model);
  config.search_heads.clear();
  for (const int layer : model.global_layers())
    for (int head = 0; head < model.heads; ++head) config.search_heads.push_back({layer, head});
  config.question_pass = true;
  return config;
}

void check(const RecallHeadsRequest& request, const ModelConfig& model) {
  const SegmentConfig& config = request.config;
  const std::vector<int> readers = model.global_layers();
  if (readers.empty()) refuse("every layer of this model has a window", "Use a model with layers that see everything.");
  whole_config(config, model).validate(model, "heads for recall");
  if (config.search != SearchBy::Shared || config.retrieve != RetrieveBy::Windows || config.retrieval_length < 1)
    refuse("the settings have no shared search for windows", "Use the preset for recall.");
  if (request.held_out < 0 || request.held_out >= std::ssize(request.documents))
    refuse("no documents are left to choose heads on", "Use more documents, or hold out fewer.");
  if (request.most_searchers < 1 || !(request.loss_rise >= 0) || !std::isfinite(request.loss_rise))
    refuse("the number of searchers or the rise of the loss is out of range",
           "Use 1 searcher or more, and a rise of 0 or more.");
  SegmentConfig nobody = config, everybody = config;  // who stops reading what was found reads as a local head does
  nobody.grouping = Grouping();
  everybody.grouping = all_readers(model);
  if (carry_kv_heads(nobody, model, readers.front()) != carry_kv_heads(everybody, model, readers.front()))
    refuse("of local and long heads only one kind reads the carry", "Use the preset for recall.");
  for (const NeedleDocument& document : request.documents)
    for (const Needle& needle : document.needles) check_needle(needle, document, config);
}

/// Checks the memory before minutes of reading: for the longest document's state, and for the scores of all questions,
/// which are kept until the searchers are chosen.
void check_memory(const Decoder& decoder, const RecallHeadsRequest& request) {
  double scores = 0;  // of each head, by position and question
  const NeedleDocument* longest = &request.documents.front();
  for (const NeedleDocument& document : request.documents) {
    if (document.ids.size() > longest->ids.size()) longest = &document;
    scores += static_cast<double>(document.ids.size()) *
              static_cast<double>(std::ranges::count_if(document.needles, &Needle::asked));
  }
  RunRequest reading;
  reading.ids = std::make_shared<const std::vector<std::int32_t>>(longest->ids);
  reading.policy = kPolicy;
  reading.config = whole_config(request.config, decoder.config);
  reading.loss = false;
  check_request(decoder, reading, request.config.segment_length);
  const double needed =
      scores * static_cast<double>(std::ssize(decoder.config.global_layers()) * decoder.config.heads) * sizeof(float);
  if (!request.known.all_searchers)
    require_memory("what each head finds", needed, "Use fewer or shorter documents, or fewer questions in each.");
}

/// A question behind a document whose needle was found, and its answer.
struct ReaderTrial {
  std::unique_ptr<PolicyState> state;  ///< of the whole configuration, without a pool
  std::vector<std::int32_t> ids;       ///< the question, and its answer but for the last token
  std::vector<std::int32_t> value;
};

/// Reads documents and asks their questions, each head's search for itself.
class DocumentReader {
 public:
  DocumentReader(const Decoder& decoder, const RecallHeadsRequest& request, RunControl& control)
      : decoder_(decoder),
        request_(request),
        config_(whole_config(request.config, decoder.config)),
        control_(control) {}

  const SegmentConfig& config() const { return config_; }

  /// Either may be null: then its trials are not made.
  void read(const NeedleDocument& document, bool held_out, SearcherChoice* searchers,
            std::vector<ReaderTrial>* readers) {
    const auto tokens = std::ssize(document.ids);
    const std::vector<std::int64_t> lengths = document_partition(tokens, config_);
    PreparedRun prepared(decoder_, {kPolicy, config_, tokens + config_.segment_length,
                                    nothing_found(std::ssize(lengths)), [this](int) { control_.checkpoint(); }});
    SegmentRunner& runner = prepared.runner();
    for (const std::int64_t length : lengths) {
      const std::span<const std::int32_t> all = document.ids;
      runner.run_segment(ids_tensor(decoder_, all.subspan(static_cast<std::size_t>(runner.state().next.first_token),
                                                          static_cast<std::size_t>(length))));
    }
    const RetrievingPolicy& policy = *prepared.policy().retrieving();
    const std::unique_ptr<PolicyState> behind = runner.take_state();
    for (const Needle& needle : document.needles) {
      if (!needle.asked) continue;
      if (searchers) searchers->add(search(policy, runner, *behind, needle, held_out));
      if (readers && !held_out && readers->size() < kReaderTrials) readers->push_back(reading(policy, *behind, needle));
    }
  }

 private:
  /// No segment of the document reads anything retrieved: what is looked for is what a question needs.
  std::vector<HeadHits> nothing_found(std::int64_t segments) const {
    std::vector<HeadHits> hits;
    for (std::int64_t segment = 1; segment <= segments; ++segment) hits.push_back({segment, 0, 0, {}, true});
    return hits;
  }

  SearchTrial search(const RetrievingPolicy& policy, SegmentRunner& runner, const PolicyState& behind,
                     const Needle& needle, bool held_out) {
    runner.resume(behind.clone());
    const std::vector<LayerTrace> traces = runner.draft_traces(ids_tensor(decoder_, needle.question));
    SearchTrial trial;
    trial.held_out = held_out;
    const SearchedEntries among = policy.visit_searchers(behind, traces, [&](HeadRef, std::span<const double> scores) {
      if (trial.scores.empty())
        trial.scores.reserve(scores.size() * static_cast<std::size_t>(decoder_.config.layers * decoder_.config.heads));
      for (const double score : scores) trial.scores.push_back(static_cast<float>(score));
    });
    trial.entries = among.count;
    trial.first = needle.value_position() - among.first;
    trial.count = std::ssize(needle.value);
    if (trial.first + trial.count > among.count)
      refuse("a needle is in a segment that is not searched", "Put it before the document's last segment.");
    return trial;
  }

  /// R positions around the needle, as one list for all readers.
  std::vector<HeadHits> oracle(const PolicyState& behind, const Needle& needle) const {
    const std::int64_t first = config_.sink_length, end = behind.next.first_token - behind.carry.length(),
                       length = std::min(config_.retrieval_length, end - first),
                       middle = needle.position + std::ssize(needle.statement) / 2,
                       begin = std::clamp(middle - length / 2, first, end - length);
    HeadHits list{behind.next.index, 0, 0, {}, true};
    for (std::int64_t position = begin; position < begin + length; ++position)
      list.hits.push_back({.position = position});
    return {list};
  }

  ReaderTrial reading(const RetrievingPolicy& policy, const PolicyState& behind, const Needle& needle) const {
    ReaderTrial trial{nullptr, needle.question, needle.value};
    trial.state = policy.narrowed(config_, *policy.with_hits(behind, oracle(behind, needle)));
    trial.ids.insert(trial.ids.end(), needle.value.begin(), needle.value.end() - 1);
    return trial;
  }

  const Decoder& decoder_;
  const RecallHeadsRequest& request_;
  SegmentConfig config_;
  RunControl& control_;
};

/// Loss and answers of the trials where a grouping's long heads read what was found.
class ReaderMeter {
 public:
  ReaderMeter(const Decoder& decoder, const SegmentConfig& whole, const RecallHeads& heads,
              const std::vector<ReaderTrial>& trials, RunControl& control)
      : decoder_(decoder), whole_(whole), heads_(heads), trials_(trials), control_(control) {}

  ReaderStep measure(const Grouping& readers) {
    SegmentConfig config = whole_;
    config.grouping = readers;
    PreparedRun narrow(decoder_, {kPolicy, config, 1});
    ReaderStep step{readers, 0, 0, 0};
    for (const ReaderTrial& trial : trials_) {
      control_.checkpoint();
      narrow.runner().resume(narrow.policy().retrieving()->narrowed(whole_, *trial.state));
      const at::Tensor hidden = narrow.runner().peek_segment(ids_tensor(decoder_, trial.ids));
      add(step, trial, hidden.narrow(0, hidden.size(0) - std::ssize(trial.value), std::ssize(trial.value)));
    }
    step.loss /= static_cast<double>(trials_.size());
    step.answered /= static_cast<double>(trials_.size());
    config.search_heads = heads_.search_heads();
    const CostModel cost{decoder_.config, config, static_cast<int>(decoder_.options().dtype().itemsize())};
    step.entry_bytes = cost.pool_bytes_per_token();
    return step;
  }

 private:
  void add(ReaderStep& step, const ReaderTrial& trial, const at::Tensor& hidden) const {
    const at::Tensor logits = decoder_.logits(hidden).to(at::kDouble).cpu();
    const at::Tensor value = at::tensor(std::vector<std::int64_t>(trial.value.begin(), trial.value.end()), at::kLong);
    const at::Tensor nll = -at::log_softmax(logits, 1).gather(1, value.unsqueeze(1));
    step.loss += nll.mean().item<double>();
    step.answered += static_cast<double>(logits.argmax(1).equal(value));
  }

  const Decoder& decoder_;
  const SegmentConfig& whole_;
  const RecallHeads& heads_;
  const std::vector<ReaderTrial>& trials_;
  RunControl& control_;
};

/// One search for heads, from documents to readers.
class RecallHeadFinder {
 public:
  RecallHeadFinder(const Decoder& decoder, const RecallHeadsRequest& request, RunControl& control)
      : decoder_(decoder),
        request_(request),
        heads_(request.known),
        control_(control),
        reader_(decoder, request, control),
        searchers_(decoder.config, reader_.config()) {}

  RecallHeads find() {
    if (heads_.complete) return heads_;
    read_documents();
    choose_searchers();
    choose_reading();
    return heads_;
  }

 private:
  void progress(double share, const std::string& what) const {
    if (request_.progress) request_.progress(share, what);
  }
  void keep() const {
    if (request_.keep) request_.keep(heads_);
  }

  void read_documents() {
    const auto count = std::ssize(request_.documents), chosen_by = count - request_.held_out;
    for (std::int64_t i = 0; i < count; ++i) {
      const bool held_out = i >= chosen_by;
      if (heads_.all_searchers && (held_out || trials_.size() >= kReaderTrials)) continue;
      progress(static_cast<double>(i) / static_cast<double>(count),
               "reading document " + std::to_string(i + 1) + " of " + std::to_string(count));
      reader_.read(request_.documents[static_cast<std::size_t>(i)], held_out,
                   heads_.all_searchers ? nullptr : &searchers_, &trials_);
    }
    if (trials_.empty()) refuse("no document asks a question", "Put needles into the documents.");
  }

  void choose_searchers() {
    if (heads_.all_searchers) return;
    progress(0, "how much each head finds alone");
    heads_.found = searchers_.found_alone();
    while (std::ssize(heads_.searchers) < request_.most_searchers) {
      control_.checkpoint();
      progress(static_cast<double>(heads_.searchers.size()) / static_cast<double>(request_.most_searchers),
               std::to_string(heads_.searchers.size()) + " searchers chosen");
      const auto step = searchers_.next(heads_.found, heads_.searchers);
      if (!step) break;
      heads_.searchers.push_back(*step);
      keep();
    }
    heads_.all_searchers = true;
    searchers_ = SearcherChoice(decoder_.config, reader_.config());  // its scores are large
    keep();
  }

  void choose_reading() {
    ReaderMeter meter(decoder_, reader_.config(), heads_, trials_, control_);
    if (heads_.readers.empty()) {
      const ReaderStep none = meter.measure(Grouping());
      heads_.loss_without = none.loss;
      heads_.answered_without = none.answered;
    }
    choose_readers(
        decoder_.config, request_.loss_rise, [&](const Grouping& readers) { return meter.measure(readers); }, heads_,
        [this] { keep(); }, [this](double share, const std::string& what) { progress(share, what); });
    heads_.complete = true;
    keep();
  }

  const Decoder& decoder_;
  const RecallHeadsRequest& request_;
  RecallHeads heads_;
  RunControl& control_;
  DocumentReader reader_;
  SearcherChoice searchers_;
  std::vector<ReaderTrial> trials_;
};

}  // namespace

RecallHeads find_recall_heads(const Decoder& decoder, const RecallHeadsRequest& request, RunControl& control) {
  const at::NoGradGuard no_gradients;
  check(request, decoder.config);
  check_memory(decoder, request);
  return RecallHeadFinder(decoder, request, control).find();
}

}  // namespace carryover
