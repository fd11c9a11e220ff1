// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps: each cell, which runs only what comes after its value, against the whole segment again with that one change.
#include "engine/what_if/sweep.h"

#include <ATen/ATen.h>

#include <QTest>
#include <cmath>
#include <limits>

#include "engine/inspection/prediction.h"
#include "engine/inspection/replay.h"
#include "engine/runs/text_run.h"
#include "tests/support/patch_case.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

constexpr double kSame = 1e-9;

struct Swept {
  SweepBase base;
  std::vector<SweepCell> cells;
};

Swept sweep(PatchCase& c, const SweepRequest& request) {
  Swept swept;
  const SweepObserver observer{[&](const SweepBase& base) { swept.base = base; },
                               [&](const SweepCell& cell) { swept.cells.push_back(cell); }};
  run_sweep(c.tiny.decoder, request, observer, c.control, c.archive, c.patch_archive);
  return swept;
}

SweepRequest request_of(PatchCase& c, SweepSite site, SweepSource source) {
  SweepRequest request;
  request.run = c.request;
  request.segment = PatchCase::segment;
  request.site = site;
  request.source = source;
  request.question = {draw(c.random, 0, c.length() - 1), static_cast<std::int32_t>(draw(c.random, 0, 20))};
  request.losses = draw(c.random, 0, 1) == 0;
  if (source == SweepSource::Run) request.patch_source = PatchSource{c.other};
  return request;
}

/// The largest difference between a cell and the outcome that it has to be equal to.
double difference(const SweepRequest& request, const SweepCell& cell, const WhatIfOutcome& outcome) {
  const Prediction& expected = *outcome.prediction;
  double largest = std::max({std::abs(cell.logit - expected.logit), std::abs(cell.foil_logit - expected.foil_logit),
                             std::abs(cell.logprob - std::log(expected.probability))});
  // A loss is kept in fp32.
  if (request.losses) largest = std::max(largest, 1e-3 * std::abs(cell.nll_sum - outcome.nll_sum));
  return largest;
}

/// The same by a run of the whole segment from the embeddings on, in one chunk, with a hook at one point of a layer.
WhatIfOutcome hooked(PatchCase& c, const SweepRequest& request, ForwardPoint point, int layer,
                     const std::function<void(at::Tensor&)>& change) {
  const at::NoGradGuard no_gradients;
  c.archive.open(request.run);
  Replay replay(c.tiny.decoder, request.run, request.segment, c.archive, c.control);
  ForwardHook hook{{point}, [&](ForwardPoint, int at_layer, const at::Tensor& values) {
                     at::Tensor changed = values.clone();
                     if (at_layer == layer) change(changed);
                     return changed;
                   }};
  const at::Tensor hidden = replay.look(replay.policy(), replay.state_before(request.segment), {}, hook);
  WhatIfOutcome outcome;
  outcome.target_nll = replay.losses(hidden, request.segment);
  for (const float nll : outcome.target_nll) outcome.nll_sum += static_cast<double>(nll);
  outcome.prediction = predict(replay.decoder(), hidden, request.question, replay.target_of(request.question.token));
  return outcome;
}

}  // namespace

class SweepTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { at::set_num_threads(1); }

  void a_cell_of_heads_is_the_what_if_of_that_head() {
    double largest = 0, moved = 0;
    for (unsigned seed = 0; seed < 12; ++seed) {
      PatchCase c(seed);
      const SweepSource source = seed % 2 == 0 ? SweepSource::Zero : SweepSource::Run;
      const SweepRequest request = request_of(c, SweepSite::Heads, source);
      const Swept swept = sweep(c, request);
      QCOMPARE(swept.cells.size(), static_cast<std::size_t>(c.model.layers * c.model.heads));
      for (const SweepCell& cell : swept.cells) {
        const HeadRef head{cell.place.layer, static_cast<int>(cell.place.column)};
        SegmentEdit edit;
        (source == SweepSource::Zero ? edit.zeroed_heads : edit.patched_heads) = {head};
        const auto one = c.run(c.patched(edit, c.other, request.question.token, *request.question.foil));
        largest = std::max({largest, difference(request, cell, one.edited),
                            difference(request, swept.base.as_it_was, one.base.as_it_was)});
        moved += std::abs(cell.logit - swept.base.as_it_was.logit) > 1e-6;
      }
    }
    QVERIFY2(largest < kSame, qPrintable(QString::number(largest)));
    QVERIFY(moved > 100);
  }

  void a_cell_of_a_part_is_the_what_if_without_it() {
    double largest = 0, moved = 0;
    for (unsigned seed = 100; seed < 112; ++seed) {
      PatchCase c(seed);
      c.request.config.sink_length = 2;
      const SweepSite site = std::array{SweepSite::Sinks, SweepSite::Retrieved, SweepSite::Carry}[seed % 3];
      const SweepRequest request = request_of(c, site, SweepSource::Zero);
      for (const SweepCell& cell : sweep(c, request).cells) {
        const HeadRef head{cell.place.layer, static_cast<int>(cell.place.column)};
        const auto one = c.run(c.patched({.unread = {{head, part_removed(site)}}}, c.other, request.question.token,
                                         request.question.foil.value()));
        largest = std::max(largest, difference(request, cell, one.edited));
        moved += std::abs(cell.logit - one.base.as_it_was.prediction->logit) > 1e-6;
      }
    }
    QVERIFY2(largest < kSame, qPrintable(QString::number(largest)));
    QVERIFY(moved > 20);
  }

  void all_heads_without_a_part_are_the_segment_without_it() {
    for (unsigned seed = 120; seed < 128; ++seed) {
      PatchCase c(seed);
      for (const PrefixPart part : {PrefixPart::Sinks, PrefixPart::Retrieved, PrefixPart::Carry}) {
        SegmentEdit apart;
        for (const HeadRef& head : c.all_heads()) apart.unread.push_back({head, part});
        const auto a = c.run(c.patched(apart, c.other)), b = c.run(c.patched(edit_without(part), c.other));
        QVERIFY(std::abs(a.edited.prediction->logit - b.edited.prediction->logit) < kSame);
        QVERIFY(std::abs(a.edited.nll_sum - b.edited.nll_sum) < 1e-4);
      }
    }
  }

  void a_cell_of_tokens_is_the_whole_segment_with_that_value() {
    double largest = 0, moved = 0;
    for (unsigned seed = 200; seed < 218; ++seed) {
      PatchCase c(seed);
      c.request.policy = c.other.policy = std::array{"segmented", "full", "streaming"}[seed % 3];
      const SweepSite site =
          std::array{SweepSite::Attention, SweepSite::FeedForward, SweepSite::Residual}[seed / 3 % 3];
      const ForwardPoint point =
          std::array{ForwardPoint::Attention, ForwardPoint::FeedForward, ForwardPoint::Entering}[seed / 3 % 3];
      const SweepSource source = std::array{SweepSource::Zero, SweepSource::Mean, SweepSource::Run}[seed / 6 % 3];
      SweepRequest request = request_of(c, site, source);
      request.tokens = TokenRange{draw(c.random, 0, request.question.token), c.length()};
      if (request.tokens->last - request.tokens->first > 5) request.tokens->last = request.tokens->first + 5;
      std::map<int, at::Tensor> values;  // of the run that values are taken from
      for (int layer = 0; layer < c.model.layers && source != SweepSource::Zero; ++layer) {
        SweepRequest of_source = request;
        if (source == SweepSource::Run) of_source.run = c.other;
        hooked(c, of_source, point, layer, [&](at::Tensor& seen) { values[layer] = seen.clone(); });
      }
      const Swept swept = sweep(c, request);
      QCOMPARE(swept.cells.size(),
               static_cast<std::size_t>(c.model.layers * (sweep_tokens(request).last - sweep_tokens(request).first)));
      for (const SweepCell& cell : swept.cells) {
        const auto one = hooked(c, request, point, cell.place.layer, [&](at::Tensor& changed) {
          at::Tensor row = changed[cell.place.column];
          if (source == SweepSource::Zero) row.zero_();
          if (source == SweepSource::Mean) row.copy_(values[cell.place.layer].mean(0));
          if (source == SweepSource::Run) row.copy_(values[cell.place.layer][cell.place.column]);
        });
        largest = std::max(largest, difference(request, cell, one));
        moved += std::abs(cell.logit - swept.base.as_it_was.logit) > 1e-6;
      }
    }
    QVERIFY2(largest < kSame, qPrintable(QString::number(largest)));
    QVERIFY(moved > 50);
  }

  void heads_may_change_at_some_tokens_only() {
    for (unsigned seed = 300; seed < 306; ++seed) {
      PatchCase c(seed);
      SweepRequest request = request_of(c, SweepSite::Heads, SweepSource::Zero);
      request.question.token = c.length() - 1;
      request.tokens = TokenRange{draw(c.random, 1, 5), 8};
      const std::int64_t d = c.model.head_dim;
      for (const SweepCell& cell : sweep(c, request).cells) {
        const auto one = hooked(c, request, ForwardPoint::HeadOutputs, cell.place.layer, [&](at::Tensor& outputs) {
          outputs.slice(0, request.tokens->first, request.tokens->last).narrow(1, cell.place.column * d, d).zero_();
        });
        QVERIFY(difference(request, cell, one) < kSame);
      }
    }
  }

  void values_of_the_same_run_change_nothing() {
    for (const SweepSite site : {SweepSite::Heads, SweepSite::Residual, SweepSite::FeedForward}) {
      PatchCase c(400);
      SweepRequest request = request_of(c, site, SweepSource::Run);
      request.patch_source = PatchSource{c.request};
      const Swept swept = sweep(c, request);
      for (const SweepCell& cell : swept.cells) QVERIFY(std::abs(cell.logit - swept.base.as_it_was.logit) < kSame);
    }
  }

  /// The residual stream of one layer at all tokens is all that later layers see.
  void the_residual_of_the_last_token_is_the_other_runs_prediction_in_the_last_layer() {
    PatchCase c(410);
    c.request.policy = c.other.policy = "full";
    SweepRequest request = request_of(c, SweepSite::Residual, SweepSource::Run);
    request.losses = false;
    request.tokens = TokenRange{0, 1};
    request.question.token = 0;
    request.segment = 0;  // token 0 sees itself alone
    const Swept swept = sweep(c, request);
    SweepRequest there = request;
    there.run = c.other;
    const auto other = hooked(c, there, ForwardPoint::Entering, -1, [](at::Tensor&) {});
    for (const SweepCell& cell : swept.cells) QVERIFY(std::abs(cell.foil_logit - other.prediction->foil_logit) < kSame);
  }

  void a_stop_keeps_the_cells_that_are_done() {
    PatchCase c(420);
    const SweepRequest request = request_of(c, SweepSite::Heads, SweepSource::Zero);
    std::vector<SweepCell> cells;
    const SweepObserver observer{[](const SweepBase&) {},
                                 [&](const SweepCell& cell) {
                                   cells.push_back(cell);
                                   if (cells.size() == 3) c.control.request_stop();
                                 }};
    const auto error =
        error_of([&] { run_sweep(c.tiny.decoder, request, observer, c.control, c.archive, c.patch_archive); });
    QVERIFY(error && error->fault() == Fault::Cancelled);
    QCOMPARE(cells.size(), std::size_t{3});
  }

  void what_cannot_be_swept_is_refused() {
    PatchCase c(430);
    const auto problem = [&](const SweepRequest& request) {
      const auto error = error_of([&] { sweep(c, request); });
      return error ? QString::fromStdString(error->problem()) : QString();
    };
    SweepRequest request = request_of(c, SweepSite::Carry, SweepSource::Mean);
    QVERIFY(problem(request).contains("only be removed"));
    request = request_of(c, SweepSite::Heads, SweepSource::Run);
    request.patch_source.reset();
    QVERIFY(problem(request).contains("no other run"));
    request = request_of(c, SweepSite::Residual, SweepSource::Zero);
    request.tokens = TokenRange{2, c.length() + 1};
    QVERIFY(problem(request).contains("not in the segment"));
    request.losses = false;
    request.question.token = 1;
    request.tokens = TokenRange{2, 3};
    QVERIFY(problem(request).contains("can't change it"));
    request = request_of(c, SweepSite::FeedForward, SweepSource::Zero);
    for (const std::int64_t token : {std::int64_t{-1}, c.length(), std::numeric_limits<std::int64_t>::max()}) {
      request.question.token = token;
      QVERIFY(problem(request).contains("not in the segment"));
    }
    request = request_of(c, SweepSite::Heads, SweepSource::Zero);
    request.run.policy = "infllm";
    QVERIFY(problem(request).contains("infllm"));
    request = request_of(c, SweepSite::Carry, SweepSource::Zero);
    request.run.policy = "full";
    QVERIFY(problem(request).contains("full"));
  }

  void the_cost_counts_rows_and_layers() {
    PatchCase c(440);
    SweepRequest request = request_of(c, SweepSite::Heads, SweepSource::Zero);
    request.losses = true;
    const double layers = static_cast<double>(c.model.layers), heads = static_cast<double>(c.model.heads);
    QVERIFY(std::abs(sweep_cost(request, c.model) - heads * (layers + 1) / 2) < 1e-9);
    request.site = SweepSite::Residual;
    request.tokens = TokenRange{c.length() - 1, c.length()};
    QVERIFY(std::abs(sweep_cost(request, c.model) - (layers + 1) / 2 / static_cast<double>(c.length())) < 1e-9);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<SweepTest>};
#include "sweep_test.moc"
