// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/analysis/duo_gates.h"
#include "engine/core/analysis/pattern_search.h"
#include "engine/core/analysis/recall_heads.h"
#include "engine/core/run/inspection.h"
#include "engine/core/run/replay_request.h"
#include "engine/remote/wire_values.h"

/// The fields of what travels for what-ifs, inspections and searches for heads.
namespace carryover {

constexpr PrefixSource last_of(PrefixSource) {
  return PrefixSource::Oracle;
}
constexpr ProbeKind last_of(ProbeKind) {
  return ProbeKind::Passage;
}
constexpr PatternKind last_of(PatternKind) {
  return PatternKind::BlockSparse;
}
inline std::string_view name_of(PrefixSource source) {
  return prefix_source_name(source);
}
inline std::string_view name_of(ProbeKind kind) {
  return probe_kind_name(kind);
}
inline std::string_view name_of(PatternKind kind) {
  return kPatternKindNames[static_cast<std::size_t>(kind)];
}

template <typename Fields>
void describe(Fields& field, Described<Fields, SlotRef>& value) {
  field("layer", value.layer);
  field("head", value.head);
  field("position", value.position);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, SegmentEdit>& value) {
  field("no_carry", value.no_carry);
  field("prefix", value.prefix);
  field("seed", value.seed);
  field("dropped", value.dropped);
  field("added", value.added);
  field("banned", value.banned);
  field("config", value.config);
  field("patch_carry", value.patch_carry);
  field("patched_heads", value.patched_heads);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, PredictionQuestion>& value) {
  field("token", value.token);
  field("foil", value.foil);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, Prediction>& value) {
  field("token", value.token);
  field("target", value.target);
  field("logit", value.logit);
  field("probability", value.probability);
  field("foil", value.foil);
  field("foil_logit", value.foil_logit);
  field("foil_probability", value.foil_probability);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, WhatIfOutcome>& value) {
  field("target_nll", value.target_nll);
  field("hits", value.hits);
  field("nll_sum", value.nll_sum);
  field("prediction", value.prediction);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, RecordedSegment>& value) {
  field("weights_hash", value.weights_hash);
  field("dtype", value.dtype);
  field("target_nll", value.target_nll);
  field("hits", value.hits);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, PatchSource>& value) {
  field("run", value.run);
  field("record", value.record);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, WhatIfRequest>& value) {
  field("run", value.run);
  field("segment", value.segment);
  field("edits", value.edits);
  field("record", value.record);
  field("prediction", value.prediction);
  field("patch_source", value.patch_source);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, WhatIfBase>& value) {
  field("first_token", value.first_token);
  field("segments_run", value.segments_run);
  field("as_it_was", value.as_it_was);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, HeadRef>& value) {
  field("layer", value.layer);
  field("head", value.head);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, AttentionPair>& value) {
  field("query", value.query);
  field("key", value.key);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, InspectionParts>& value) {
  field("attention", value.attention);
  field("map_rows", value.map_rows);
  field("map_columns", value.map_columns);
  field("masses", value.masses);
  field("search", value.search);
  field("recall", value.recall);
  field("attribution", value.attribution);
  field("sources", value.sources);
  field("pairs", value.pairs);
  field("foil", value.foil);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, InspectRequest>& value) {
  field("run", value.run);
  field("segment", value.segment);
  field("parts", value.parts);
  field("record", value.record);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, AttentionMap>& value) {
  field("head", value.head);
  field("prefix_length", value.prefix_length);
  field("segment_length", value.segment_length);
  field("query_step", value.query_step);
  field("key_step", value.key_step);
  field("prefix_columns", value.prefix_columns);
  field("mean", value.mean);
  field("prefix_positions", value.prefix_positions);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, SlotMasses>& value) {
  field("head", value.head);
  field("mass", value.mass);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, SearchSteps::Ranked>& value) {
  field("summary", value.summary);
  field("position", value.position);
  field("score", value.score);
  field("anchor", value.anchor);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, SearchSteps>& value) {
  field("head", value.head);
  field("summaries", value.summaries);
  field("position_step", value.position_step);
  field("scores", value.scores);
  field("best", value.best);
  field("ranked", value.ranked);
  field("hits", value.hits);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, HeadRecall>& value) {
  field("head", value.head);
  field("recall", value.recall);
  field("mass", value.mass);
  field("oracle_mass", value.oracle_mass);
  field("oracle", value.oracle);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, LogitAttribution>& value) {
  field("prediction", value.prediction);
  field("logit", value.logit);
  field("embedding", value.embedding);
  field("feed_forward", value.feed_forward);
  field("sinks", value.sinks);
  field("retrieved", value.retrieved);
  field("carry", value.carry);
  field("segment", value.segment);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, TokenSources>& value) {
  field("token", value.token);
  field("positions", value.positions);
  field("attention", value.attention);
  field("logit", value.logit);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, Inspection>& value) {
  field("segment", value.segment);
  field("hits", value.hits);
  field("attention", value.attention);
  field("prefix_mass", value.prefix_mass);
  field("slot_masses", value.slot_masses);
  field("search", value.search);
  field("recall", value.recall);
  field("attribution", value.attribution);
  field("sources", value.sources);
  field("pair_mass", value.pair_mass);
  field("pair_top", value.pair_top);
}

/// Without `progress`, which is called where the profile was asked for.
template <typename Fields>
void describe(Fields& field, Described<Fields, HeadProfileRequest>& value) {
  field("kinds", value.kinds);
  field("text", value.text);
  field("tokens", value.tokens);
  field("probes", value.probes);
  field("needle", value.needle);
  field("seed", value.seed);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, HeadScores>& value) {
  field("layers", value.layers);
  field("heads", value.heads);
  field("values", value.values);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, ProbeScores>& value) {
  field("kind", value.kind);
  field("attention", value.attention);
  field("copies", value.copies);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, HeadProfile>& value) {
  field("kinds", value.kinds);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, Needle>& value) {
  field("kind", value.kind);
  field("statement", value.statement);
  field("question", value.question);
  field("value", value.value);
  field("value_offset", value.value_offset);
  field("position", value.position);
  field("asked", value.asked);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, NeedleDocument>& value) {
  field("ids", value.ids);
  field("needles", value.needles);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, FoundShare>& value) {
  field("chosen_by", value.chosen_by);
  field("held_out", value.held_out);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, SearcherStep>& value) {
  field("head", value.head);
  field("found", value.found);
  field("log_rank", value.log_rank);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, ReaderStep>& value) {
  field("readers", value.readers);
  field("loss", value.loss);
  field("answered", value.answered);
  field("entry_bytes", value.entry_bytes);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, RecallHeads>& value) {
  field("found", value.found);
  field("searchers", value.searchers);
  field("all_searchers", value.all_searchers);
  field("loss_without", value.loss_without);
  field("answered_without", value.answered_without);
  field("readers", value.readers);
  field("complete", value.complete);
}

/// Without its functions, which are called where the heads were asked for.
template <typename Fields>
void describe(Fields& field, Described<Fields, RecallHeadsRequest>& value) {
  field("config", value.config);
  field("documents", value.documents);
  field("held_out", value.held_out);
  field("most_searchers", value.most_searchers);
  field("loss_rise", value.loss_rise);
  field("known", value.known);
}

/// Without `progress`, which is called where the patterns were asked for.
template <typename Fields>
void describe(Fields& field, Described<Fields, PatternSearchRequest>& value) {
  field("ids", value.ids);
  field("most_keys", value.most_keys);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, HeadPattern>& value) {
  field("kind", value.kind);
  field("vertical", value.vertical);
  field("slash", value.slash);
  field("score", value.score);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, FoundPattern>& value) {
  field("pattern", value.pattern);
  field("seen", value.seen);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, FoundPatterns>& value) {
  field("tokens", value.tokens);
  field("layers", value.layers);
  field("heads", value.heads);
  field("found", value.found);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, PasskeyParts>& value) {
  field("opening", value.opening);
  field("closing", value.closing);
  field("statements", value.statements);
  field("questions", value.questions);
  field("ending", value.ending);
  field("words", value.words);
  field("hay", value.hay);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, PasskeyPlan>& value) {
  field("shortest", value.shortest);
  field("longest", value.longest);
  field("passkeys", value.passkeys);
  field("words", value.words);
  field("seed", value.seed);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, DuoGates>& value) {
  field("layers", value.layers);
  field("kv_heads", value.kv_heads);
  field("gates", value.gates);
  field("first_moments", value.first_moments);
  field("second_moments", value.second_moments);
  field("distances", value.distances);
}

/// Without its functions, which are called where the gates were asked for.
template <typename Fields>
void describe(Fields& field, Described<Fields, DuoGatesRequest>& value) {
  field("parts", value.parts);
  field("plan", value.plan);
  field("sinks", value.sinks);
  field("recent", value.recent);
  field("steps", value.steps);
  field("rate", value.rate);
  field("l1", value.l1);
  field("known", value.known);
}

}  // namespace carryover
