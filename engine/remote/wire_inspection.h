// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/heads/choice/duo_gates.h"
#include "engine/heads/choice/pattern_search.h"
#include "engine/heads/choice/recall_heads.h"
#include "engine/remote/wire_values.h"
#include "engine/runs/values/inspection.h"
#include "engine/runs/values/replay_request.h"
#include "engine/runs/values/sweep.h"

/// The fields of what travels for what-ifs, inspections and searches for heads.
namespace carryover {

constexpr PrefixSource last_of(PrefixSource) {
  return PrefixSource::Oracle;
}
constexpr PrefixPart last_of(PrefixPart) {
  return PrefixPart::Core;
}
constexpr ProbeKind last_of(ProbeKind) {
  return ProbeKind::Passage;
}
constexpr PatternKind last_of(PatternKind) {
  return PatternKind::BlockSparse;
}
constexpr ForwardPoint last_of(ForwardPoint) {
  return ForwardPoint::Leaving;
}
inline std::string_view name_of(ForwardPoint point) {
  return forward_point_name(point);
}
constexpr SweepSite last_of(SweepSite) {
  return SweepSite::Carry;
}
constexpr SweepSource last_of(SweepSource) {
  return SweepSource::Run;
}
inline std::string_view name_of(SweepSite site) {
  return sweep_site_name(site);
}
inline std::string_view name_of(SweepSource source) {
  return sweep_source_name(source);
}
inline std::string_view name_of(PrefixSource source) {
  return prefix_source_name(source);
}
inline std::string_view name_of(PrefixPart part) {
  return kPrefixPartNames[static_cast<std::size_t>(part)];
}
inline std::string_view name_of(ProbeKind kind) {
  return probe_kind_name(kind);
}
inline std::string_view name_of(PatternKind kind) {
  return kPatternKindNames[static_cast<std::size_t>(kind)];
}

template <typename Fields>
void describe(Fields& field, Described<Fields, SlotRef>& value) {
  field("layer", value.layer, kAny);
  field("head", value.head, kAny);
  field("position", value.position, kRequested);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, HeadPart>& value) {
  field("head", value.head);
  field("part", value.part);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, PointRef>& value) {
  field("layer", value.layer, kAny);
  field("point", value.point);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, PointPatch>& value) {
  field("place", value.place);
  field("first", value.first, kAny);
  field("values", value.values);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, PointValues>& value) {
  field("place", value.place);
  field("values", value.values);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, SegmentEdit>& value) {
  field("no_carry", value.no_carry);
  field("no_sinks", value.no_sinks);
  field("prefix", value.prefix);
  field("seed", value.seed, kAny);
  field("dropped", value.dropped);
  field("added", value.added);
  field("banned", value.banned);
  field("config", value.config);
  field("patch_carry", value.patch_carry);
  field("patched_heads", value.patched_heads);
  field("zeroed_heads", value.zeroed_heads);
  field("unread", value.unread);
  field("point_patches", value.point_patches);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, PredictionQuestion>& value) {
  field("token", value.token, kRequested);
  field("foil", value.foil, kAny);
  field("top", value.top, kRequested);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, Prediction>& value) {
  field("token", value.token, kCount);
  field("target", value.target, kId);
  field("logit", value.logit, kAny);
  field("probability", value.probability, kAny);
  field("foil", value.foil, kId);
  field("foil_logit", value.foil_logit, kAny);
  field("foil_probability", value.foil_probability, kAny);
  field("top", value.top);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, WhatIfOutcome>& value) {
  field("target_nll", value.target_nll);
  field("hits", value.hits);
  field("nll_sum", value.nll_sum, kAny);
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
  field("segment", value.segment, kRequested);
  field("edits", value.edits);
  field("record", value.record);
  field("prediction", value.prediction);
  field("patch_source", value.patch_source);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, WhatIfBase>& value) {
  field("first_token", value.first_token, kCount);
  field("segments_run", value.segments_run, kCount);
  field("as_it_was", value.as_it_was);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, HeadRef>& value) {
  field("layer", value.layer, kAny);
  field("head", value.head, kAny);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, SweepRequest>& value) {
  field("run", value.run);
  field("segment", value.segment, kRequested);
  field("site", value.site);
  field("source", value.source);
  field("question", value.question);
  field("losses", value.losses);
  field("tokens", value.tokens);
  field("record", value.record);
  field("patch_source", value.patch_source);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, SweepPlace>& value) {
  field("layer", value.layer, kAny);
  field("column", value.column, kAny);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, SweepCell>& value) {
  field("place", value.place);
  field("logit", value.logit, kAny);
  field("foil_logit", value.foil_logit, kAny);
  field("logprob", value.logprob, kAny);
  field("nll_sum", value.nll_sum, kAny);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, SweepBase>& value) {
  field("prediction", value.prediction);
  field("as_it_was", value.as_it_was);
  field("segments_run", value.segments_run, kCount);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, AttentionPair>& value) {
  field("query", value.query, kRequested);
  field("key", value.key, kRequested);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, InspectionParts>& value) {
  field("attention", value.attention);
  field("map_rows", value.map_rows, kRequested);
  field("map_columns", value.map_columns, kRequested);
  field("masses", value.masses);
  field("search", value.search);
  field("recall", value.recall);
  field("attribution", value.attribution, kRequested);
  field("neurons", value.neurons, kRequested);
  field("lens", value.lens, kRequested);
  field("ablations", value.ablations, kRequested);
  field("sources", value.sources, kRequested);
  field("points", value.points);
  field("pairs", value.pairs);
  field("foil", value.foil, kAny);
  field("top", value.top, kRequested);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, InspectRequest>& value) {
  field("run", value.run);
  field("segment", value.segment, kRequested);
  field("parts", value.parts);
  field("record", value.record);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, AttentionMap>& value) {
  field("head", value.head);
  field("prefix_length", value.prefix_length, kCount);
  field("segment_length", value.segment_length, kCount);
  field("query_step", value.query_step, kCount);
  field("key_step", value.key_step, kCount);
  field("prefix_columns", value.prefix_columns, kCount);
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
  field("summary", value.summary, kCountOrNone);
  field("position", value.position, kCountOrNone);
  field("score", value.score, kAny);
  field("anchor", value.anchor);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, SearchSteps>& value) {
  field("head", value.head);
  field("summaries", value.summaries);
  field("position_step", value.position_step, kCount);
  field("scores", value.scores);
  field("best", value.best);
  field("ranked", value.ranked);
  field("hits", value.hits);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, HeadRecall>& value) {
  field("head", value.head);
  field("recall", value.recall, kAny);
  field("mass", value.mass, kAny);
  field("oracle_mass", value.oracle_mass, kAny);
  field("oracle", value.oracle);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, NeuronShare>& value) {
  field("layer", value.layer, kAny);
  field("neuron", value.neuron, kAny);
  field("activation", value.activation, kAny);
  field("logit", value.logit, kAny);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, LensReading>& value) {
  field("top", value.top);
  field("rank", value.rank, kCount);
  field("target_logprob", value.target_logprob, kAny);
  field("foil_logprob", value.foil_logprob, kAny);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, LogitLens>& value) {
  field("token", value.token, kCount);
  field("target", value.target, kId);
  field("residual", value.residual);
  field("carry", value.carry);
  field("first_carry_layer", value.first_carry_layer, kCount);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, AblatedPrediction>& value) {
  field("part", value.part);
  field("prediction", value.prediction);
  field("logprobs", value.logprobs);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, PredictionAblations>& value) {
  field("as_it_was", value.as_it_was);
  field("without", value.without);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, LogitAttribution>& value) {
  field("prediction", value.prediction);
  field("logit", value.logit, kAny);
  field("embedding", value.embedding, kAny);
  field("biases", value.biases, kAny);
  field("feed_forward", value.feed_forward);
  field("sinks", value.sinks);
  field("retrieved", value.retrieved);
  field("carry", value.carry);
  field("segment", value.segment);
  field("neurons", value.neurons);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, TokenSources>& value) {
  field("token", value.token, kCount);
  field("positions", value.positions);
  field("attention", value.attention);
  field("logit", value.logit);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, Inspection>& value) {
  field("segment", value.segment, kCount);
  field("hits", value.hits);
  field("attention", value.attention);
  field("prefix_mass", value.prefix_mass);
  field("slot_masses", value.slot_masses);
  field("search", value.search);
  field("recall", value.recall);
  field("attribution", value.attribution);
  field("sources", value.sources);
  field("lens", value.lens);
  field("ablations", value.ablations);
  field("points", value.points);
  field("pair_mass", value.pair_mass);
  field("pair_top", value.pair_top);
}

/// `progress` is left out: it is called on the side that asked for the profile.
template <typename Fields>
void describe(Fields& field, Described<Fields, HeadProfileRequest>& value) {
  field("kinds", value.kinds);
  field("text", value.text);
  field("tokens", value.tokens, kRequested);
  field("probes", value.probes, kRequested);
  field("needle", value.needle, kRequested);
  field("seed", value.seed, kAny);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, HeadScores>& value) {
  field("layers", value.layers, kLayersOrHeads);
  field("heads", value.heads, kLayersOrHeads);
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
  field("value_offset", value.value_offset, kRequested);
  field("position", value.position, kRequested);
  field("asked", value.asked);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, NeedleDocument>& value) {
  field("ids", value.ids);
  field("needles", value.needles);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, FoundShare>& value) {
  field("chosen_by", value.chosen_by, kAny);
  field("held_out", value.held_out, kAny);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, SearcherStep>& value) {
  field("head", value.head);
  field("found", value.found);
  field("log_rank", value.log_rank, kAny);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, ReaderStep>& value) {
  field("readers", value.readers);
  field("loss", value.loss, kAny);
  field("answered", value.answered, kAny);
  field("entry_bytes", value.entry_bytes, kByteCount);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, RecallHeads>& value) {
  field("found", value.found);
  field("searchers", value.searchers);
  field("all_searchers", value.all_searchers);
  field("loss_without", value.loss_without, kAny);
  field("answered_without", value.answered_without, kAny);
  field("readers", value.readers);
  field("complete", value.complete);
}

/// The functions are left out: they are called on the side that asked for the heads.
template <typename Fields>
void describe(Fields& field, Described<Fields, RecallHeadsRequest>& value) {
  field("config", value.config);
  field("documents", value.documents);
  field("held_out", value.held_out, kRequested);
  field("most_searchers", value.most_searchers, kRequested);
  field("loss_rise", value.loss_rise, kAny);
  field("known", value.known);
}

/// `progress` is left out: it is called on the side that asked for the patterns.
template <typename Fields>
void describe(Fields& field, Described<Fields, PatternSearchRequest>& value) {
  field("ids", value.ids);
  field("most_keys", value.most_keys, kAny);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, HeadPattern>& value) {
  field("kind", value.kind);
  field("vertical", value.vertical, kCount);
  field("slash", value.slash, kCount);
  field("score", value.score, kAny);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, FoundPattern>& value) {
  field("pattern", value.pattern);
  field("seen", value.seen, kAny);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, FoundPatterns>& value) {
  field("tokens", value.tokens, kCount);
  field("layers", value.layers, kLayersOrHeads);
  field("heads", value.heads, kLayersOrHeads);
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
  field("shortest", value.shortest, kRequested);
  field("longest", value.longest, kRequested);
  field("passkeys", value.passkeys, kRequested);
  field("words", value.words, kRequested);
  field("seed", value.seed, kAny);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, DuoGates>& value) {
  field("layers", value.layers, kLayersOrHeads);
  field("kv_heads", value.kv_heads, kLayersOrHeads);
  field("gates", value.gates);
  field("first_moments", value.first_moments);
  field("second_moments", value.second_moments);
  field("distances", value.distances);
}

/// The functions are left out: they are called on the side that asked for the gates.
template <typename Fields>
void describe(Fields& field, Described<Fields, DuoGatesRequest>& value) {
  field("parts", value.parts);
  field("plan", value.plan);
  field("sinks", value.sinks, kRequested);
  field("recent", value.recent, kRequested);
  field("steps", value.steps, kRequested);
  field("rate", value.rate, kAny);
  field("l1", value.l1, kAny);
  field("known", value.known);
}

}  // namespace carryover
