// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/cost_model.h"
#include "engine/core/head_scores.h"
#include "engine/core/inspection.h"
#include "engine/core/run_control.h"
#include "engine/core/segment_config.h"
#include "engine/core/snapshot.h"
#include "engine/core/training_values.h"
#include "engine/core/what_if.h"

/// The façade of the engine: torch-free, so that the window and the command line never see a tensor. Implemented by
/// libcarryover_engine, opened at run time by engine_library.h. A Session belongs to one thread, the engine thread;
/// RunControl alone may be touched from others.
namespace carryover {

/// Q8: weights in 8 bits, as GGUF's Q8_0 has them, and all else in bf16. On the CPU, and not for training.
enum class DType { Auto, Float32, BFloat16, Float64, Q8 };
enum class Device { Auto, Cpu, Cuda };
std::string_view dtype_name(DType dtype);
std::string_view device_name(Device device);
int bytes_per_value(DType dtype);  ///< of keys, values and activations; fp32's for Auto
CostModel cost_model(const ModelConfig& model, const SegmentConfig& config, DType dtype);
DType parse_dtype(const std::string& text);    ///< "auto", "fp32", "bf16", "fp64", "q8"; throws EngineError{Usage}
Device parse_device(const std::string& text);  ///< "auto", "cpu", "cuda"; throws EngineError{Usage}

struct ModelRequest {
  std::string path;              ///< HF folder or GGUF file
  DType dtype = DType::Auto;     ///< Auto: the faster one here, by the table of core/dtype_choice.h
  Device device = Device::Auto;  ///< Auto: CUDA where a GPU and the CUDA parts are there
  int threads = 0;               ///< 0: all cores, or one where a model is too small to be shared
  bool for_decoding = false;     ///< what Auto optimises: one row at a time instead of whole segments
  std::string adapter;           ///< PEFT folder merged into the weights as they load, or empty
};

/// The weights that a session computes with. They are always those that open_session() gives for `path`, `adapter` and
/// `dtype`: training in a session ends by loading what it wrote, so that a run after it and a run of the command line
/// on the same folders have the same hash, id, command and numbers.
struct ModelInfo {
  ModelConfig config;
  std::string path;          ///< after training of all weights: final/ of its output folder, or the newest checkpoint
  std::string adapter;       ///< merged into it, or empty; after training of a LoRA: the folder that was written
  std::string weights_hash;  ///< 16 hex digits, of every byte of every tensor and of the shape; then "+", the adapter's
  std::int64_t trained_steps = 0;  ///< optimizer steps of this session's training in them; 0: as they were opened
  std::string trained_in;          ///< the output folder of that training, or empty
  DType dtype = DType::Float32;
  std::string dtype_reason;  ///< why it is this one; empty where an older version recorded it
  Device device = Device::Cpu;
  int threads = 1;
  std::int64_t weight_bytes = 0;
  std::string library_versions;  ///< LibTorch and CUDA, for config.json
};

/// How much a run copies out for looking at.
struct CaptureOptions {
  bool hits = true;
  bool target_nll = true;
  bool carry_maps = true;
  bool states = false;  ///< keep what each segment started from, for what_if() and inspect(), within a budget
};

struct RunRequest {
  std::shared_ptr<const std::vector<std::int32_t>> ids;  ///< the whole text, BOS included where asked for
  std::string policy = "segmented";                      ///< a name of policy_names()
  SegmentConfig config;
  std::vector<HeadHits> forced_hits;  ///< replayed instead of searched, where given (by segment, layer and head)
  CaptureOptions capture;
  bool loss = true;                 ///< off: prefill alone; logits of the very last token only, and no targets
  std::int64_t latch_segment = -1;  ///< tests: pause by itself in the middle of this segment
};

struct RunSummary {
  std::int64_t tokens = 0, targets = 0, segments = 0;
  double nll_sum = 0;
  double seconds = 0;
  std::int64_t close_cuts = 0;
  std::int64_t peak_memory_bytes = 0;  ///< the most that the run held at once: weights and all that it allocated
  bool cancelled = false;
  MemoryBytes memory;  ///< maxima over segments
  SegmentTime time;    ///< sums over the segments whose time was measured

  std::optional<double> nll_mean() const;  ///< none without targets
  std::optional<double> ppl() const;
};

/// Called on the engine thread; must return quickly and never wait for another thread.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) = 0;
  /// Layer by layer inside a segment: tokens done so far, fractional progress counted in layers.
  virtual void progress(std::int64_t /*tokens_done*/, std::int64_t /*tokens_total*/) {}
};

/// What a run's record says of one segment. A replay that is given it compares before it shows anything, and throws
/// EngineError{Usage} where the session has other weights (naming both hashes) or another dtype, {BadInput} where the
/// un-edited segment comes out with other losses or hits (by how much, and what is allowed: eval/replay_check.h).
struct RecordedSegment {
  std::string weights_hash;  ///< ModelInfo's of the run
  DType dtype = DType::Float32;
  std::vector<float> target_nll;  ///< of the segment; empty: the record has no losses
  std::vector<HeadHits> hits;     ///< of the segment; empty: the record has no hits
};

/// Segment `segment` of `run` again, under each of `edits`. States that a run with the same values left are used; what
/// was not kept is run again first.
struct WhatIfRequest {
  RunRequest run;
  std::int64_t segment = 0;
  std::vector<SegmentEdit> edits;
  std::optional<RecordedSegment> record = std::nullopt;  ///< none: nothing is compared
};

/// What the segment was without an edit, and where the replay began.
struct WhatIfBase {
  std::int64_t first_token = 0;
  std::int64_t segments_run = 0;  ///< before the first outcome
  WhatIfOutcome as_it_was;
};
using WhatIfDone = std::function<void(std::size_t edit, const WhatIfOutcome& outcome)>;

struct InspectRequest {
  RunRequest run;
  std::int64_t segment = 0;
  InspectionParts parts;
  std::optional<RecordedSegment> record = std::nullopt;  ///< none: nothing is compared
};

struct Sampling {
  double temperature = 0;  ///< 0: greedy
  double top_p = 1;
  std::uint64_t seed = 0;
};

struct GenerateRequest {
  std::vector<std::int32_t> prompt;
  std::int64_t max_new_tokens = 128;
  std::vector<std::int32_t> stop_ids;
  std::string policy = "segmented";
  SegmentConfig config;
  Sampling sampling;
};

struct GenerateResult {
  std::vector<std::int32_t> ids;
  double prompt_seconds = 0, decode_seconds = 0;
  bool cancelled = false;
};

struct TrainingPlan;
struct Corpus;

struct TrainRequest {
  std::shared_ptr<const TrainingPlan> plan;
  std::shared_ptr<const Corpus> corpus;
  bool resume = false;   ///< from the newest whole checkpoint of plan.output_dir
  bool dry_run = false;  ///< one step on the first samples, measured; nothing is written and the weights stay
};

/// Called on the engine thread; must return quickly and never wait for another thread.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  virtual void step_done(std::shared_ptr<const StepSnapshot> snapshot) = 0;
  virtual void validation_done(const ValidationRecord& /*record*/) {}
  virtual void checkpoint_saved(std::int64_t /*step*/, const std::string& /*directory*/) {}
  virtual void alerted(const TrainingAlert& /*alert*/) {}
  virtual void noted(const std::string& /*text*/) {}  ///< for the log; asks for nothing
  /// Inside a step: tokens done of the step's.
  virtual void progress(std::int64_t /*tokens_done*/, std::int64_t /*tokens_total*/) {}
  /// Whether step_done should carry the last sample's segments; asked once per step.
  virtual bool wants_segments() const { return false; }
};

struct AuditRequest {
  std::shared_ptr<const std::vector<std::int32_t>> ids;
  std::string policy = "segmented";
  SegmentConfig config;
  std::int64_t lora_rank = 0;  ///< > 0: of an adapter on all modules, with random B
  std::string gradients_path;  ///< ∇L_K by HF name is written here (safetensors), or empty
  bool checks = true;          ///< off: gradients alone
  /// Called on the engine thread with the share that is done and what comes next; must return quickly. May be empty.
  std::function<void(double share, const std::string& what)> progress;
};

/// A row of the audit's table. `bound` 0: must be exactly equal.
struct AuditCheck {
  std::string name, measure;
  double difference = 0, bound = 0;
  double margin = 0;  ///< what a gradient of the nearest other K would show on this model and text; 0: not measured
  bool passed() const { return difference <= bound; }
};
struct AuditReport {
  std::int64_t segments = 0, truncation_depth = 0;
  double loss = 0;  ///< L_K: ΣNLL, nats
  std::vector<AuditCheck> checks;
  bool passed() const;
};

class Session {
 public:
  virtual ~Session() = default;
  virtual const ModelInfo& model() const = 0;  ///< train() changes it, also where it throws

  /// Runs the text in segments. A stop request ends it cleanly after what is done: `cancelled` is set, nothing thrown.
  /// Throws EngineError{BadInput, OutOfMemory, …}.
  virtual RunSummary run(const RunRequest& request, RunObserver& observer, RunControl& control) = 0;

  /// Decodes. `on_token` is called for each new id and returns false to stop.
  virtual GenerateResult generate(const GenerateRequest& request, const std::function<bool(std::int32_t)>& on_token,
                                  RunControl& control) = 0;

  /// Logits of the given absolute positions, row by row, [positions, V] in fp32, through the same forward. For
  /// comparisons and the lab's token inspector. positions ascend.
  virtual std::vector<float> logits(const RunRequest& request, const std::vector<std::int64_t>& positions,
                                    RunControl& control) = 0;

  /// Runs one segment again with something changed, through the same forward. `done` is called on the engine thread
  /// after each edit, in order. Cancelled within a layer: throws EngineError{Cancelled}. Throws EngineError{BadInput}
  /// where an edit names a slot or a field that the segment does not have, {Usage} under another policy than segmented.
  virtual WhatIfBase what_if(const WhatIfRequest& request, const WhatIfDone& done, RunControl& control) = 0;

  /// Segments that what_if() would run, the edited ones included: its price, from what is kept now.
  virtual std::int64_t what_if_segments(const WhatIfRequest& request) const = 0;

  /// Runs one segment again and copies out what its attention saw. Throws as what_if().
  virtual Inspection inspect(const InspectRequest& request, RunControl& control) = 0;

  /// Trains the session's weights (method/: truncated backpropagation through F_θ) and writes plan.output_dir. A stop
  /// request saves a checkpoint and returns with `stopped` set. After it, and after an error, the session has loaded
  /// the newest of what was written (final/, else a checkpoint), or else what it had before: model() says which.
  /// Throws EngineError{BadInput, Io, OutOfMemory}; a checkpoint is saved first where that is still possible. {Usage}
  /// for a LoRA while an adapter is merged: its folder would not repeat the weights without that one.
  virtual TrainingSummary train(const TrainRequest& request, TrainObserver& observer, RunControl& control) = 0;

  /// Writes the model as a folder that transformers and open_session load: weights in the session's dtype, adapter
  /// merged, tokenizer, and what it was trained under where that is known. Whole or not there. Throws EngineError{Io}.
  virtual void save(const std::string& directory) = 0;

  /// Holds the trainer's gradient against its definition (thm:tbptt-exact). For small models, best in fp64.
  virtual AuditReport audit(const AuditRequest& request, RunControl& control) = 0;

  /// How much each head retrieves: probes are read under full attention, each as one segment. Cancelled within a head
  /// of a layer: throws EngineError{Cancelled}. Throws EngineError{BadInput}.
  virtual HeadProfile profile_heads(const HeadProfileRequest& request, RunControl& control) = 0;
};

using LoadProgress = std::function<void(double fraction, const std::string& what)>;

/// Loads a model; in libcarryover_engine. Throws EngineError{BadInput, Unsupported, OutOfMemory}.
std::unique_ptr<Session> open_session(const ModelRequest& request, const LoadProgress& progress);

/// "segmented", "full": what RunRequest::policy takes. Needs no engine; policies/registry has a row for each.
std::vector<std::string> policy_names();

}  // namespace carryover
