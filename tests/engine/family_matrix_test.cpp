// SPDX-License-Identifier: GPL-3.0-or-later
// Every family of the table under every policy: a run, decoding, a training step, the audit, a saved state and what-ifs
// of a tiny random model in fp64. Both tables are read here, so that a new row is tested without a change of this file.
#include <ATen/core/LegacyTypeDispatch.h>

#include <QTest>
#include <set>

#include "engine/cost/policy_table.h"
#include "engine/data/corpus.h"
#include "engine/families/weight_rows.h"
#include "engine/method/segment_loss.h"
#include "engine/policies/cca/cca_settings.h"
#include "engine/policies/infllm/infllm_settings.h"
#include "engine/policies/nsa/nsa_settings.h"
#include "engine/policies/snapkv/snapkv_settings.h"
#include "engine/runs/document_reading.h"
#include "engine/runs/generation.h"
#include "engine/runs/state_file.h"
#include "engine/runs/values/partition.h"
#include "engine/training/explicit_objective.h"
#include "engine/training/records/training_plan.h"
#include "engine/training/trained_gates.h"
#include "engine/training/trainer.h"
#include "engine/what_if/what_if.h"
#include "tests/support/expect_error.h"
#include "tests/support/pair_by_pair.h"
#include "tests/support/plain_llama.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_family.h"
#include "tests/support/wrong_trainers.h"

using namespace carryover;
using namespace carryover::test;

namespace {

constexpr std::int64_t kTokens = 47, kSegment = 10;  ///< five segments, of which the last is short
constexpr std::int64_t kPart = 23;                   ///< tokens of a prompt or document, which ends inside a segment
constexpr double kRounding = 1e-9;                   ///< what the order of fp64 sums may change

/// Returns settings under which a segment of this text needs what its policy keeps of the past. Each policy finds its
/// own among them. No policy's choice depends on how a segment is cut into chunks: infllm looks every block up, and
/// minference's patterns, of which decoding takes none, list all of so short a text.
SegmentConfig settings_for(const ModelConfig& model) {
  SegmentConfig config = SegmentConfig::defaults_for(model);
  config.segment_length = kSegment;
  config.carry_length = 4;
  config.sink_length = 1;
  config.retrieval_length = 6;
  config.query_length = 6;
  config.summary_window = 3;
  config.summary_stride = 2;
  config.top_k = 4;
  config.expand_before = config.expand_after = 1;
  config.grouping = Grouping(default_grouping(model).long_range_layers(), {{1}});  // shares a KV head with a local head
  config.of<WindowSettings>().attention_window = 12;
  config.of<SnapKvSettings>().kv_budget = 16;
  config.of<InfLlmSettings>() = {.memory_blocks = kTokens, .memory_block_length = 4, .memory_representatives = 2};
  config.of<CcaSettings>().core_group_length = 3;
  config.of<NsaSettings>() = {.selected_block_length = 4, .selected_blocks = 2};
  return config;
}

/// Runs segments of these lengths from where the runner stands. Returns their hidden states.
at::Tensor run_segments(SegmentRunner& runner, const std::vector<std::int32_t>& ids,
                        const std::vector<std::int64_t>& lengths) {
  std::vector<at::Tensor> hidden;
  for (const std::int64_t length : lengths)
    hidden.push_back(runner.run_segment(as_tensor(ids).narrow(0, runner.state().next.first_token, length)));
  return at::cat(hidden, 0);
}

struct KeptSegments final : RunObserver {
  std::vector<std::shared_ptr<const SegmentSnapshot>> segments;
  void segment_done(std::shared_ptr<const SegmentSnapshot> segment) override { segments.push_back(segment); }
};

struct LastStep final : TrainObserver {
  StepRecord record;
  void step_done(std::shared_ptr<const StepSnapshot> step) override { record = step->record; }
};

/// A model, a policy and a text.
struct Cell {
  const PolicyRow& row;
  TinyDecoder tiny;
  Decoder& decoder = tiny.decoder;
  RunRequest request;
  RunControl control;

  Cell(const ModelConfig& model, const PolicyRow& policy) : row(policy), tiny(model, 7, at::kDouble) {
    std::mt19937 random(11);
    request.policy = row.name;
    request.config = settings_for(model);
    request.ids = std::make_shared<const std::vector<std::int32_t>>(distinct_ids(random, kTokens, model.vocabulary));
  }

  const SegmentConfig& config() const { return request.config; }
  const std::vector<std::int32_t>& ids() const { return *request.ids; }
  RunSetup setup() const { return {row.name, config(), kTokens}; }

  at::Tensor hidden(const Chunking& chunking = {}) const {
    return run_hidden(decoder, row.name, config(), ids(), chunking);
  }

  /// Returns the logits of the plain reference, where it can run the text as the policy does.
  std::optional<at::Tensor> plain_logits() const {
    SegmentConfig plain = config();
    if (request.policy == "full")
      plain.segment_length = kTokens;
    else if (request.policy != kMethodPolicy)
      return std::nullopt;
    std::vector<at::Tensor> rows;
    for (const Vector& logits : PlainLlama(decoder.config, plain, tiny.values).run(ids()))
      rows.push_back(at::tensor(logits, at::kDouble));
    return at::stack(rows);
  }

  /// Returns the hidden states of the text in whole segments, where its first tokens are a prompt.
  at::Tensor hidden_of_prompt_and_answer() const {
    PreparedRun prepared(decoder, setup());
    SegmentRunner& runner = prepared.runner();
    SegmentConfig of_prompt = config();
    of_prompt.boundary_at_prompt_end = row.ends_prompts;
    const at::Tensor prompt = run_segments(runner, ids(), prompt_partition(kPart, of_prompt));
    if (row.ends_prompts) runner.end_prompt();
    const std::int64_t left = kTokens - runner.state().next.first_token;
    return at::cat({prompt, run_segments(runner, ids(), document_partition(left, config()))}, 0);
  }

  GenerateRequest question() const {
    GenerateRequest asked;
    asked.policy = row.name;
    asked.config = config();
    asked.prompt.assign(ids().begin(), ids().begin() + kPart);
    asked.answer.assign(ids().begin() + kPart, ids().end());
    asked.max_new_tokens = std::ssize(asked.answer);
    asked.logprobs = true;
    return asked;
  }

  AuditRequest audit_request() const {
    AuditRequest asked;
    asked.ids = request.ids;
    asked.policy = row.name;
    asked.config = config();
    return asked;
  }

  /// Runs one step of training on the text, as a dry run: weights stay, and nothing is written.
  StepRecord train_step() {
    const auto plan = std::make_shared<TrainingPlan>();
    plan->policy = row.name;
    plan->config = config();
    plan->training.gradient_accumulation_steps = 1;
    plan->training.train_segments = (kTokens - 1) / kSegment + 1;
    const auto corpus = std::make_shared<Corpus>();
    corpus->train = {{"text", ids()}};
    LastStep last;
    TrainingResult result;
    train_model(decoder, {}, {plan, corpus, false, /*dry_run=*/true}, last, control, result);
    return last.record;
  }

  /// Returns a segment as it was and under each edit, which may patch in heads' outputs of the text read backwards.
  std::vector<WhatIfOutcome> what_if(std::vector<SegmentEdit> edits, std::int64_t segment) {
    RunRequest other = request;
    other.ids = std::make_shared<const std::vector<std::int32_t>>(ids().rbegin(), ids().rend());
    WhatIfRequest asked{request, segment, std::move(edits)};
    asked.patch_source = PatchSource{other};
    StateArchive archive(std::int64_t{1} << 30), patch_archive(std::int64_t{1} << 30);
    std::vector<WhatIfOutcome> edited;
    const WhatIfBase base = run_what_if(
        decoder, asked, [&](std::size_t, const WhatIfOutcome& outcome) { edited.push_back(outcome); }, control, archive,
        patch_archive);
    edited.insert(edited.begin(), base.as_it_was);
    return edited;
  }
};

/// Returns edits that each change one head alone: in every layer, a head puts out what it does for the other text; and
/// the first head that retrieves loses what it has retrieved.
std::vector<SegmentEdit> ablations(const ModelConfig& model, const std::vector<HeadHits>& hits) {
  std::vector<SegmentEdit> edits;
  for (int layer = 0; layer < model.layers; ++layer) edits.push_back({.patched_heads = {{layer, 1}}});
  if (hits.empty()) return edits;
  SegmentEdit& unread = edits.emplace_back();
  for (const Hit& hit : hits.front().hits)
    unread.dropped.push_back({hits.front().layer, hits.front().head, hit.position});
  return edits;
}

/// Returns true if a check of an audit passed. Where the audit compares bits, rounding may differ under a policy that
/// nothing is trained under: with gradients, windows with sinks have another kernel than without.
bool is_met(const AuditCheck& check, bool trained) {
  if (check.passed() || trained) return check.passed();
  return check.measure == "values that differ" || (check.bound == 0 && check.difference < kRounding);
}

double largest_change(const std::vector<float>& before, const std::vector<float>& after) {
  return largest_difference(at::tensor(before), at::tensor(after));
}

/// Returns the tensors that get no gradient: gates of layers whose attention has the model's own window.
std::set<std::string> untrained_tensors(const ModelConfig& model) {
  std::set<std::string> names;
  for (const int layer : model.window_layers)
    for (const WeightRow& row : layer_rows(model, layer))
      if (row.is_gate()) names.insert(row.hf_name);
  return names;
}

/// Returns the objective's derivative along a direction by central differences.
double central_difference(const ExplicitObjective& objective, std::vector<Parameter>& parameters,
                          const std::vector<at::Tensor>& direction) {
  constexpr double h = 1e-5;
  const auto move = [&](double by) {
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i].leaf.add_(direction[i], by);
  };
  move(h);
  const double above = objective.value();
  move(-2 * h);
  const double below = objective.value();
  move(h);
  return (above - below) / (2 * h);
}

}  // namespace

class FamilyMatrixTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { at::set_num_threads(1); }

  void run_data() { cells(); }
  void run() {
    const at::NoGradGuard no_gradients;
    Cell c = cell();
    KeptSegments kept;
    const RunSummary summary = run_text(c.decoder, c.request, kept, c.control);
    const at::Tensor whole = c.hidden(), logits = c.decoder.logits(whole);
    QVERIFY(logits.isfinite().all().item<bool>());
    const at::Tensor nll = target_nll(c.decoder, whole.narrow(0, 0, kTokens - 1), as_tensor(c.ids()).slice(0, 1));
    QCOMPARE(summary.targets, kTokens - 1);
    QCOMPARE(std::ssize(kept.segments), std::int64_t{5});
    QVERIFY(std::abs(summary.nll_sum - nll.sum().item<double>()) < kRounding);
    std::mt19937 random(3);
    for (const Chunking& chunking : {Chunking([](std::int64_t left) { return (left + 2) / 3; }),
                                     Chunking([&](std::int64_t left) { return draw(random, 1, left); })})
      expect_rounding(largest_difference(c.hidden(chunking), whole));
    if (const auto plain = c.plain_logits()) expect_rounding(largest_difference(logits, *plain));
  }

  void decode_data() { cells(); }
  void decode() {
    const at::NoGradGuard no_gradients;
    Cell c = cell();
    const at::Tensor whole = c.hidden();
    {
      const at::AutoDispatchBelowADInplaceOrView as_generation_runs;
      expect_rounding(largest_difference(c.hidden([](std::int64_t) { return 1; }), whole));
    }
    const at::Tensor hidden = c.hidden_of_prompt_and_answer();
    if (!c.row.ends_prompts) expect_rounding(largest_difference(hidden, whole));
    const at::Tensor expected = c.decoder.logits(hidden).log_softmax(1);
    const GenerateResult result = generate_text(
        c.decoder, c.question(), [](const GeneratedToken&) { return true; }, c.control);
    QCOMPARE(std::ssize(result.logprobs), kTokens - kPart);
    for (std::int64_t token = kPart; token < kTokens; ++token) {
      const double logprob = expected[token - 1][c.ids()[static_cast<std::size_t>(token)]].item<double>();
      QVERIFY(std::abs(result.logprobs[static_cast<std::size_t>(token - kPart)] - logprob) < 1e-5);
    }
  }

  void train_step_data() { cells(); }
  void train_step() {
    Cell c = cell();
    if (!c.row.trained) {
      QCOMPARE(unlike(Fault::BadInput, "nothing is trained", [&] { c.train_step(); }), std::string());
      return;
    }
    const StepRecord step = c.train_step();
    const TrainedGates gates(c.decoder, c.row.name);
    TrainableParameters parameters(c.decoder);
    const SampleGradient sample = add_sample_gradient(c.decoder, parameters, {c.row.name, c.config()}, c.ids());
    const std::vector<at::Tensor> gradient = parameters.take_gradients();
    const auto targets = static_cast<double>(kTokens - 1);
    QVERIFY(std::abs(step.loss - sample.nll_sum / targets) < kRounding);
    QVERIFY(std::abs(step.gradient_norm - norm(gradient) / targets) < kRounding);

    const std::set<std::string> untrained = untrained_tensors(c.decoder.config);
    for (const NamedRows& named : parameters.names()) {
      const at::Tensor rows = gradient[named.parameter].narrow(0, named.first_row, named.rows);
      QVERIFY2(rows.isfinite().all().item<bool>(), named.name.c_str());
      QVERIFY2((rows.count_nonzero().item<std::int64_t>() == 0) == untrained.contains(named.name), named.name.c_str());
    }

    const at::NoGradGuard no_gradients;
    at::manual_seed(5);
    std::vector<at::Tensor> direction;
    for (const at::Tensor& part : gradient) direction.push_back(at::randn_like(part));
    const double length = norm(direction);
    double slope = 0;
    for (std::size_t i = 0; i < direction.size(); ++i)
      slope += (direction[i].div_(length) * gradient[i]).sum().item<double>();
    const ExplicitObjective objective(c.decoder, c.audit_request());
    const double off = central_difference(objective, parameters.all(), direction) / slope - 1;
    QVERIFY2(std::abs(off) < 1e-6, qPrintable(QString::number(off)));
  }

  void audit_data() { cells(); }
  void audit() {
    Cell c = cell();
    const AuditReport report = audit_model(c.decoder, c.audit_request(), c.control);
    for (const AuditCheck& check : report.checks) QVERIFY2(is_met(check, c.row.trained), failures(report).c_str());
    QCOMPARE(report.segments, std::int64_t{c.row.runs_in_chunks ? 1 : 5});
    QVERIFY(report.checks.size() >= 8);
  }

  void saved_state_data() { cells(); }
  void saved_state() {
    const at::NoGradGuard no_gradients;
    Cell c = cell();
    RunRequest text = c.request;
    text.ids = std::make_shared<const std::vector<std::int32_t>>(c.ids().begin(), c.ids().begin() + kPart);
    const TempDir dir(fast_parent());
    ModelInfo info;
    info.weights_hash = "00000000000000aa";
    info.dtype = DType::Float64;
    DocumentState saved, loaded;
    read_document(c.decoder, text, {}, c.control, saved);
    write_state(dir.file("part.state"), info, c.decoder, saved);
    read_state(dir.file("part.state"), info, c.decoder, loaded);

    PreparedRun at_once(c.decoder, c.setup()), resumed(c.decoder, c.setup());
    run_segments(at_once.runner(), c.ids(), document_partition(kPart, c.config()));
    const PolicyState* kept = loaded.state();
    go_behind(c.decoder, resumed.runner(), loaded.document(), &loaded);
    QVERIFY2(kept != nullptr && loaded.state() == kept, "the text was read again");
    QCOMPARE(resumed.runner().state().next.first_token, kPart);
    const auto rest = document_partition(kTokens - kPart, c.config());
    QVERIFY(at::equal(run_segments(resumed.runner(), c.ids(), rest), run_segments(at_once.runner(), c.ids(), rest)));
  }

  void what_if_data() { cells(); }
  void what_if() {
    constexpr std::int64_t segment = 3;
    Cell c = cell();
    if (c.request.policy != kMethodPolicy) {
      QCOMPARE(unlike(Fault::Usage, kMethodPolicy, [&] { c.what_if({}, segment); }), std::string());
      return;
    }
    KeptSegments kept;
    run_text(c.decoder, c.request, kept, c.control);
    const std::vector<float>& was = kept.segments.at(segment)->target_nll;
    const std::vector<WhatIfOutcome> same = c.what_if({SegmentEdit{}}, segment);
    for (const WhatIfOutcome& outcome : same) QVERIFY(outcome.target_nll == was);
    const auto& hits = same.front().hits;
    QCOMPARE(hits.empty(), c.decoder.config.global_layers().empty());
    const std::vector<SegmentEdit> edits = ablations(c.decoder.config, hits);
    const std::vector<WhatIfOutcome> ablated = c.what_if(edits, segment);
    QCOMPARE(ablated.size(), edits.size() + 1);
    for (std::size_t i = 1; i < ablated.size(); ++i)
      QVERIFY2(largest_change(was, ablated[i].target_nll) > 1e-4, qPrintable(QString::number(i)));
  }

 private:
  static void cells() {
    QTest::addColumn<std::size_t>("model");
    QTest::addColumn<std::size_t>("policy");
    for (std::size_t m = 0; m < tiny_models().size(); ++m)
      for (std::size_t p = 0; p < policies().size(); ++p) {
        const ModelConfig& model = tiny_models()[m];
        QTest::addRow("%s%s, %s", model.architecture.c_str(), model.window > 0 ? " with windows" : "",
                      policies()[p].name)
            << m << p;
      }
  }

  static Cell cell() {
    QFETCH(std::size_t, model);
    QFETCH(std::size_t, policy);
    return Cell(tiny_models()[model], policies()[policy]);
  }

  static void expect_rounding(double difference) {
    QVERIFY2(difference < kRounding, qPrintable(QString::number(difference)));
  }

  static double norm(const std::vector<at::Tensor>& parts) {
    double squares = 0;
    for (const at::Tensor& part : parts) squares += part.square().sum().item<double>();
    return std::sqrt(squares);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<FamilyMatrixTest>};
#include "family_matrix_test.moc"
