// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/run_control.h"
#include "engine/core/segment_config.h"
#include "engine/core/snapshot.h"

/// The façade of the engine: torch-free, so that the window and the command line never see a tensor. Implemented by
/// libcarryover_engine, opened at run time by engine_library.h. A Session belongs to one thread, the engine thread;
/// RunControl alone may be touched from others.
namespace carryover {

enum class DType { Auto, Float32, BFloat16, Float64 };
enum class Device { Auto, Cpu, Cuda };
std::string_view dtype_name(DType dtype);
std::string_view device_name(Device device);
DType parse_dtype(const std::string& text);    ///< "auto", "fp32", "bf16", "fp64"; throws EngineError{Usage}
Device parse_device(const std::string& text);  ///< "auto", "cpu", "cuda"; throws EngineError{Usage}

struct ModelRequest {
  std::string path;              ///< HF folder or GGUF file
  DType dtype = DType::Auto;     ///< Auto: the faster one here, found by timing a product of the model's shape
  Device device = Device::Auto;  ///< Auto: CUDA where a GPU and the CUDA parts are there
  int threads = 0;               ///< 0: all cores
  bool for_decoding = false;     ///< what Auto optimises: one row at a time instead of whole segments
};

/// What was loaded.
struct ModelInfo {
  ModelConfig config;
  std::string path;
  std::string weights_hash;  ///< of names, shapes and sampled contents: tells checkpoints apart
  DType dtype = DType::Float32;
  Device device = Device::Cpu;
  int threads = 1;
  std::int64_t weight_bytes = 0;
  std::string library_versions;  ///< LibTorch and CUDA, for config.json
};

/// How much a run copies out for looking at. Each flag's price is CaptureOptions::bytes_per_segment.
struct CaptureOptions {
  bool hits = true;
  bool target_nll = true;
  bool carry_maps = true;
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
  std::int64_t peak_memory_bytes = 0;
  bool cancelled = false;
  MemoryBytes memory;  ///< maxima over segments

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

class Session {
 public:
  virtual ~Session() = default;
  virtual const ModelInfo& model() const = 0;

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
};

using LoadProgress = std::function<void(double fraction, const std::string& what)>;

/// Loads a model; in libcarryover_engine. Throws EngineError{BadInput, Unsupported, OutOfMemory}.
std::unique_ptr<Session> open_session(const ModelRequest& request, const LoadProgress& progress);

/// "segmented", "full": what RunRequest::policy takes. Needs no engine; policies/registry has a row for each.
std::vector<std::string> policy_names();

}  // namespace carryover
