// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/remote/wire.h"
#include "engine/runs/values/generate_request.h"
#include "engine/runs/values/model_info.h"
#include "engine/runs/values/run_request.h"
#include "engine/runs/values/state_info.h"

/// The fields of what travels: models, runs, generation, errors. A new field of one of these types is one line here;
/// the protocol's fingerprint changes with it.
namespace carryover {

/// The machine and program of an engine.
struct EnginePlace {
  std::string host;
  std::string version;  ///< of the program there
  std::int64_t cores = 0;
  std::int64_t memory_bytes = 0;  ///< the machine's
};

/// An EngineError as a value.
struct Failure {
  Fault fault = Fault::Internal;
  std::string where, problem, advice;
};

/// A small file of a model's folder.
struct ModelFile {
  std::string name, contents;
};

/// A text whose ids are asked for: of the open model's tokenizer, without a token that is not asked for.
struct TextToEncode {
  std::string text;
  bool bos = false;            ///< BOS comes first
  bool parse_special = false;  ///< special tokens in the text count as such
};

/// For each enumeration in a message: last_of() returns its last member, and name_of() the names that a description
/// gives its members.
constexpr Fault last_of(Fault) {
  return Fault::Internal;
}
constexpr DType last_of(DType) {
  return DType::Q8;
}
constexpr Device last_of(Device) {
  return Device::Cuda;
}
constexpr HitKind last_of(HitKind) {
  return HitKind::Padding;
}
inline std::string_view name_of(Fault fault) {
  return fault_name(fault);
}
inline std::string_view name_of(DType dtype) {
  return dtype_name(dtype);
}
inline std::string_view name_of(Device device) {
  return device_name(device);
}
inline std::string_view name_of(HitKind kind) {
  return hit_kind_name(kind);
}

std::string text_of(const SegmentConfig& config);
SegmentConfig segment_config_of(const std::string& text);
std::string text_of_shape(const ModelConfig& model);  ///< without the name, which may be of any bytes
ModelConfig shape_of(const std::string& text);
std::string text_of_grouping(const Grouping& grouping);
Grouping grouping_of(const std::string& text);

/// Called for each value that arrives: what the ranges of its fields don't say. Throw EngineError{BadInput}.
void check_received(const Map& map);  ///< its size is that of its values

/// The value that `describe` gets: const where it is written.
template <typename Fields, typename T>
using Described = typename Fields::template Value<T>;

template <typename Fields>
void describe(Fields& field, Described<Fields, SegmentConfig>& value) {
  field.as_text(
      "config", value, [](const SegmentConfig& config) { return text_of(config); }, &segment_config_of);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, Grouping>& value) {
  field.as_text("grouping", value, &text_of_grouping, &grouping_of);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, MemoryBytes>& value) {
  for (const MemoryKind& kind : kMemoryKinds) field(kind.name, value.*kind.bytes, kByteChange);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, SegmentTime>& value) {
  for (const TimePart& part : kTimeParts) field(part.name, value.*part.seconds, kSeconds);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, SinkSummary>& value) {
  for (const SinkNumber& number : kSinkNumbers) field(number.name, value.*number.value, kReal);
  field("lost", value.lost);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, SegmentRecord>& value) {
  field("index", value.index, kCount);
  field("first_token", value.first_token, kCount);
  field("length", value.length, kCount);
  field("targets", value.targets, kCount);
  field("nll_sum", value.nll_sum, kAny);
  field("seconds", value.seconds, kSeconds);
  field("pool_entries", value.pool_entries, kCount);
  field("near_ties", value.near_ties, kCount);
  field("memory", value.memory);
  field("time", value.time);
  field("sinks", value.sinks);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, Map>& value) {
  field("rows", value.rows, kAny);  // check_received() says more
  field("columns", value.columns, kAny);
  field("values", value.values);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, Hit>& value) {
  field("position", value.position, kCount);
  field("kind", value.kind);
  field("score", value.score, kAny);
  field("anchor", value.anchor, kCountOrNone);
  field("summary", value.summary, kCountOrNone);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, HeadHits>& value) {
  field("segment", value.segment, kCount);
  field("layer", value.layer, kLayersOrHeads);
  field("head", value.head, kLayersOrHeads);
  field("hits", value.hits);
  field("shared", value.shared);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, SegmentSnapshot>& value) {
  field("record", value.record);
  field("ids", value.ids);
  field("target_nll", value.target_nll);
  field("hits", value.hits);
  field("carry_key_norm", value.carry_key_norm);
  field("carry_value_norm", value.carry_value_norm);
  field("carry_drift", value.carry_drift);
  field("sinks", value.sinks);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, ModelConfig>& value) {
  field.as_text("shape", value, &text_of_shape, &shape_of);
  field("name", value.name);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, ModelRequest>& value) {
  field("path", value.path);
  field("dtype", value.dtype);
  field("device", value.device);
  field("threads", value.threads, kThreads);
  field("for_decoding", value.for_decoding);
  field("adapter", value.adapter);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, ModelInfo>& value) {
  field("config", value.config);
  field("path", value.path);
  field("adapter", value.adapter);
  field("weights_hash", value.weights_hash);
  field("trained_steps", value.trained_steps, kCount);
  field("trained_in", value.trained_in);
  field("dtype", value.dtype);
  field("dtype_reason", value.dtype_reason);
  field("device", value.device);
  field("threads", value.threads, kThreads);
  field("weight_bytes", value.weight_bytes, kByteCount);
  field("library_versions", value.library_versions);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, CaptureOptions>& value) {
  field("hits", value.hits);
  field("target_nll", value.target_nll);
  field("carry_maps", value.carry_maps);
  field("states", value.states);
  field("sinks", value.sinks);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, RunSummary>& value) {
  field("tokens", value.tokens, kCount);
  field("targets", value.targets, kCount);
  field("segments", value.segments, kCount);
  field("nll_sum", value.nll_sum, kReal);
  field("seconds", value.seconds, kSeconds);
  field("near_ties", value.near_ties, kCount);
  field("sinks_lost", value.sinks_lost, kCount);
  field("peak_memory_bytes", value.peak_memory_bytes, kByteCount);
  field("cancelled", value.cancelled);
  field("memory", value.memory);
  field("time", value.time);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, RunResume>& value) {
  field("segment", value.segment, kRequested);
  field("first_sinks", value.first_sinks);
  field("before", value.before);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, RunRequest>& value) {
  field("ids", value.ids);
  field("policy", value.policy);
  field("config", value.config);
  field("forced_hits", value.forced_hits);
  field("capture", value.capture);
  field("loss", value.loss);
  field("resume", value.resume);
  field("latch_segment", value.latch_segment, kRequested);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, StateInfo>& value) {
  field("ids", value.ids);
  field("policy", value.policy);
  field("config", value.config);
  field("segments", value.segments, kCount);
  field("bytes", value.bytes, kByteCount);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, Sampling>& value) {
  field("temperature", value.temperature, kAny);
  field("top_p", value.top_p, kAny);
  field("seed", value.seed, kAny);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, TokenRange>& value) {
  field("first", value.first, kRequested);
  field("last", value.last, kRequested);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, GenerateRequest>& value) {
  field("prompt", value.prompt);
  field("question_length", value.question_length, kRequested);
  field("max_new_tokens", value.max_new_tokens, kRequested);
  field("stop_ids", value.stop_ids);
  field("barred_ids", value.barred_ids);
  field("barred_tokens", value.barred_tokens, kRequested);
  field("policy", value.policy);
  field("config", value.config);
  field("sampling", value.sampling);
  field("forced_hits", value.forced_hits);
  field("without_retrieval", value.without_retrieval);
  field("question_without", value.question_without);
  field("answer", value.answer);
  field("logprobs", value.logprobs);
  field("top_logprobs", value.top_logprobs, kRequested);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, TopToken>& value) {
  field("id", value.id, kId);
  field("logprob", value.logprob, kAny);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, GeneratedToken>& value) {
  field("id", value.id, kId);
  field("logprob", value.logprob, kAny);
  field("top", value.top);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, GenerateResult>& value) {
  field("ids", value.ids);
  field("question_hits", value.question_hits);
  field("logprobs", value.logprobs);
  field("prompt_seconds", value.prompt_seconds, kSeconds);
  field("decode_seconds", value.decode_seconds, kSeconds);
  field("draft_seconds", value.draft_seconds, kSeconds);
  field("cancelled", value.cancelled);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, EnginePlace>& value) {
  field("host", value.host);
  field("version", value.version);
  field("cores", value.cores, kThreads);
  field("memory_bytes", value.memory_bytes, kByteCount);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, Failure>& value) {
  field("fault", value.fault);
  field("where", value.where);
  field("problem", value.problem);
  field("advice", value.advice);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, TextToEncode>& value) {
  field("text", value.text, kLongText);
  field("bos", value.bos);
  field("parse_special", value.parse_special);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, ModelFile>& value) {
  field("name", value.name);
  field("contents", value.contents, kLongText);
}

}  // namespace carryover
