// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/api/session.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/util/Exception.h>
#include <cpuinfo.h>
#include <torch/csrc/api/include/torch/version.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <new>
#include <numeric>
#include <thread>
#include <type_traits>

#include "engine/base/error.h"
#include "engine/base/system_file.h"
#include "engine/checkpoints/hash_cache.h"
#include "engine/checkpoints/model_source.h"
#include "engine/checkpoints/trained_under.h"
#include "engine/cost/dtype_choice.h"
#include "engine/cost/memory_advice.h"
#include "engine/formats/cache_folder.h"
#include "engine/formats/whole_folder.h"
#include "engine/heads/gate_learning.h"
#include "engine/heads/head_profile.h"
#include "engine/heads/pattern_choice.h"
#include "engine/heads/recall_search.h"
#include "engine/inspection/inspect.h"
#include "engine/inspection/replay_check.h"
#include "engine/runs/document_reading.h"
#include "engine/runs/finite_losses.h"
#include "engine/runs/generation.h"
#include "engine/runs/measured_limits.h"
#include "engine/runs/state_file.h"
#include "engine/runs/text_run.h"
#include "engine/runtime/cuda_runtime.h"
#include "engine/runtime/memory_meter.h"
#include "engine/runtime/scalar_type.h"
#include "engine/runtime/tensor_heap.h"
#include "engine/training/adapter_file.h"
#include "engine/training/audit.h"
#include "engine/training/checkpoint.h"
#include "engine/training/records/training_plan.h"
#include "engine/training/trainer.h"
#include "engine/what_if/sweep.h"
#include "engine/what_if/what_if.h"

namespace carryover {

namespace {

/// Returns the bytes of states to keep for what_if() and inspect(). With 1 GB, each segment of 150000 tokens of SmolLM2
/// can be run again without the ones before it.
std::int64_t state_bytes() {
  constexpr std::int64_t kLeast = std::int64_t{512} << 20, kMost = std::int64_t{1} << 30;
  return std::clamp(machine_memory() / 16, kLeast, kMost);
}
constexpr int kMostThreads = 1024;  ///< each thread takes memory before it does anything
constexpr const char* kMemoryAdvice = "Run fewer tokens or a shorter segment, or close other programs.";

/// Gives memory that long work has freed back to the system when the work ends.
struct GivesMemoryBack {
  ~GivesMemoryBack() { give_back_free_memory(); }
};

/// Converts LibTorch's and the allocator's exceptions to EngineError. No other place does this.
template <typename Work>
auto guarded(const Work& work) {
  try {
    return work();
  } catch (const EngineError&) {
    throw;
  } catch (const c10::OutOfMemoryError& error) {
    throw EngineError(Fault::OutOfMemory, "memory", error.what_without_backtrace(), kMemoryAdvice);
  } catch (const std::bad_alloc&) {
    throw EngineError(Fault::OutOfMemory, "memory", "an allocation failed", kMemoryAdvice);
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    if (text.find("can't allocate memory") != std::string::npos || text.find("_ALLOC_FAILED") != std::string::npos)
      throw EngineError(Fault::OutOfMemory, "memory", text, kMemoryAdvice);
    throw EngineError(Fault::Internal, "LibTorch", text, "This is a bug in Carryover; please report it.");
  }
}

/// Throws if LibTorch can't identify the processor. Otherwise it would silently take other kernels, and every number
/// would differ in its last digits.
void require_known_processor() {
  if (!cpuinfo_initialize())
    throw EngineError(Fault::Io, "/proc/cpuinfo", "LibTorch can't find out what this processor can do",
                      "Check that /proc and /sys can be read, and that there is memory left.");
}

/// Returns the dtype of most of the file's weights, or Auto if that is not one of the program's dtypes.
DType stored_dtype(const ModelSource& source) {
  std::map<StorageType, std::int64_t> values;
  for (const StoredTensor& tensor : source.tensors())
    values[tensor.type] +=
        std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::int64_t{1}, std::multiplies());
  const auto most = std::ranges::max_element(values, {}, [](const auto& type) { return type.second; });
  if (most == values.end()) return DType::Auto;
  switch (most->first) {
    case StorageType::F32:
      return DType::Float32;
    case StorageType::BF16:
      return DType::BFloat16;
    case StorageType::Q8_0:
      return DType::Q8;
    default:
      return DType::Auto;
  }
}

/// Restores the process's number of threads unless keep() was called, so that a model that is refused leaves the number
/// of the open one.
class ThreadCount {
 public:
  void keep() { before_ = 0; }
  ~ThreadCount() {
    if (before_ > 0) at::set_num_threads(before_);
  }

 private:
  int before_ = at::get_num_threads();
};

Device choose_device(Device wanted) {
  if (wanted == Device::Cpu) return wanted;
  std::string why_not;
  if (ops::open_cuda(why_not)) return Device::Cuda;
  if (wanted == Device::Cuda)
    throw EngineError(Fault::Unsupported, "--device cuda", why_not, "Use --device cpu, or auto to take what is there.");
  return Device::Cpu;
}

/// Returns one thread for a model whose matmuls take one core less time than waking another would, else all cores.
int automatic_threads(const ModelConfig& model) {
  return is_small_model(model) ? 1 : static_cast<int>(std::thread::hardware_concurrency());
}

class EngineSession final : public Session {
 public:
  EngineSession(const ModelRequest& request, const LoadProgress& progress) {
    const auto source = ModelSource::open(request.path);
    stored_ = stored_dtype(*source);
    ThreadCount threads;
    info_.config = source->config();
    info_.device = choose_device(request.device);
    if (request.threads < 0 || request.threads > kMostThreads)
      throw EngineError(Fault::Usage, "threads", "are " + std::to_string(request.threads),
                        "Use 0 for all cores, or up to " + std::to_string(kMostThreads) + ".");
    info_.threads = request.threads > 0 ? request.threads : automatic_threads(info_.config);
    at::set_num_threads(info_.threads);
    if (info_.device == Device::Cpu) decode_threads_ = std::make_unique<ThreadChoice>(info_.threads);
    DTypeChoice choice = choose_dtype(request.dtype, info_.device, this_cpu(), info_.config,
                                      request.for_decoding ? Phase::Decode : Phase::Prefill);
    info_.dtype = choice.dtype;
    info_.dtype_reason = std::move(choice.reason);
    if ((info_.dtype == DType::Float64 || packed()) && info_.device == Device::Cuda)
      throw EngineError(Fault::Unsupported, "--dtype " + std::string(dtype_name(info_.dtype)), "runs on the CPU only",
                        "Add --device cpu.");
    if (!request.adapter.empty()) refuse_packed("merging an adapter");
    info_.library_versions = std::string("LibTorch ") + TORCH_VERSION;

    const auto options =
        at::TensorOptions().dtype(scalar_type(info_.dtype)).device(info_.device == Device::Cuda ? at::kCUDA : at::kCPU);
    advised([&] {
      decoder_ = {info_.config, empty_weights(info_.config, options, packed()), {}};
      read_model(*source, request.path, progress);
      if (!request.adapter.empty()) merge(request.adapter);
    });
    info_.weight_bytes = decoder_.weights.bytes();
    threads.keep();
  }

  const ModelInfo& model() const override { return info_; }

  std::int64_t free_memory() const override {
    constexpr std::int64_t most = std::int64_t{1} << 60;  // where the system does not say
    return std::min(available_memory_bytes(decoder_.options().device()), most);
  }

  RunSummary run(const RunRequest& request, RunObserver& observer, RunControl& control) override {
    const GivesMemoryBack at_the_end;
    FiniteLosses finite(observer);
    patch_archive_.clear();  // the run needs its memory
    return advised([&] { return run_text(decoder(), request, finite, control, &archive_, &document_); });
  }
  GenerateResult generate(const GenerateRequest& request, const OnToken& on_token, RunControl& control) override {
    const GivesMemoryBack at_the_end;
    return advised(
        [&] { return generate_text(decoder(), request, on_token, control, &document_, decode_threads_.get()); });
  }
  StateInfo read_document(const RunRequest& text, const LoadProgress& progress, RunControl& control) override {
    const GivesMemoryBack at_the_end;
    patch_archive_.clear();  // the document needs its memory
    return advised([&] { return carryover::read_document(decoder(), text, progress, control, document_); });
  }
  void save_state(const std::string& path) override {
    advised([&] { write_state(path, info_, decoder(), document_); });
  }
  StateInfo load_state(const std::string& path) override {
    const GivesMemoryBack at_the_end;
    patch_archive_.clear();
    return advised([&] {
      read_state(path, info_, decoder(), document_);
      return document_.info();
    });
  }
  std::vector<float> logits(const RunRequest& request, const std::vector<std::int64_t>& positions,
                            RunControl& control) override {
    return advised([&] { return logits_at(decoder(), request, positions, control); });
  }
  WhatIfBase what_if(const WhatIfRequest& request, const WhatIfDone& done, RunControl& control) override {
    refuse_another_model(request.record, info_);
    if (request.patch_source) refuse_another_model(request.patch_source->record, info_);
    return advised([&] { return run_what_if(decoder(), request, done, control, archive_, patch_archive_); });
  }
  std::int64_t what_if_segments(const WhatIfRequest& request) const override {
    return count_what_if_segments(request, archive_, patch_archive_);
  }
  void sweep(const SweepRequest& request, const SweepObserver& observer, RunControl& control) override {
    refuse_another_model(request.record, info_);
    if (request.patch_source) refuse_another_model(request.patch_source->record, info_);
    return advised([&] { return run_sweep(decoder(), request, observer, control, archive_, patch_archive_); });
  }
  Inspection inspect(const InspectRequest& request, RunControl& control) override {
    refuse_another_model(request.record, info_);
    return advised([&] { return inspect_segment(decoder(), request, control, archive_); });
  }
  HeadProfile profile_heads(const HeadProfileRequest& request, RunControl& control) override {
    const GivesMemoryBack at_the_end;
    return advised([&] { return carryover::profile_heads(decoder(), request, control); });
  }
  RecallHeads find_recall_heads(const RecallHeadsRequest& request, RunControl& control) override {
    document_.clear();  // the search needs its pool's memory
    const GivesMemoryBack at_the_end;
    return advised([&] { return carryover::find_recall_heads(decoder(), request, control); });
  }
  FoundPatterns search_patterns(const PatternSearchRequest& request, RunControl& control) override {
    const GivesMemoryBack at_the_end;
    return advised([&] { return carryover::search_patterns(decoder(), request, control); });
  }
  DuoGates learn_gates(const DuoGatesRequest& request, RunControl& control) override {
    refuse_packed("learning gates");
    const GivesMemoryBack at_the_end;
    return advised_to_train([&] { return carryover::learn_gates(decoder(), request, control); });
  }
  TrainingSummary train(const TrainRequest& request, TrainObserver& observer, RunControl& control) override {
    refuse_packed("training");
    refuse_lora_over_adapter(*request.plan);
    forget_states();  // training needs their memory
    const GivesMemoryBack at_the_end;
    return advised_to_train([&] {
      TrainingResult result;
      TrainingSummary summary;
      std::exception_ptr failure;
      try {
        summary = train_model(decoder(), info_, request, observer, control, result);
      } catch (...) {
        failure = std::current_exception();
      }
      try {
        take_over(result, *request.plan);
      } catch (...) {
        if (!failure) failure = std::current_exception();  // the first failure is the cause
      }
      if (failure) std::rethrow_exception(failure);
      return summary;
    });
  }
  void save(const std::string& directory) override {
    refuse_packed("saving a model");
    advised([&] {
      Decoder& model = decoder();
      const auto trained = read_trained_under(info_.adapter.empty() ? info_.path : info_.adapter);
      write_whole_folder(directory, ExistingFolder::Refuse, [&](const std::string& folder) {
        write_model(folder, model, info_.path);
        if (trained) write_trained_under(folder, *trained);
      });
    });
  }
  AuditReport audit(const AuditRequest& request, RunControl& control) override {
    refuse_packed("an audit");
    const GivesMemoryBack at_the_end;
    return advised_to_train([&] { return audit_model(decoder(), request, control); });
  }

 private:
  /// Runs `work` as guarded() does. If memory is short, the error's advice says how much this model would take in other
  /// dtypes.
  template <typename Work>
  std::invoke_result_t<const Work&> advised(const Work& work, bool trains = false) {
    try {
      return guarded(work);
    } catch (const EngineError& error) {
      if (error.fault() != Fault::OutOfMemory) throw;
      const bool q8 = info_.device == Device::Cpu && info_.adapter.empty() && !trains;
      const std::string smaller = smaller_dtypes_text(info_.config, info_.dtype, stored_, q8);
      throw EngineError(error.fault(), error.where(), error.problem(),
                        smaller.empty() ? error.advice() : error.advice() + " " + smaller);
    }
  }
  template <typename Work>
  std::invoke_result_t<const Work&> advised_to_train(const Work& work) {
    return advised(work, true);
  }

  bool packed() const { return info_.dtype == DType::Q8; }
  void refuse_packed(const std::string& what) const {
    if (packed())
      throw EngineError(Fault::Unsupported, "--dtype q8", what + " needs weights that can change",
                        "Use --dtype bf16 or fp32.");
  }

  /// Refuses to train a LoRA while another adapter is merged: a LoRA is trained over the weights at `path`, so that its
  /// folder and `path` reproduce the result.
  void refuse_lora_over_adapter(const TrainingPlan& plan) const {
    if (plan.training.lora.rank > 0 && !info_.adapter.empty())
      throw EngineError(Fault::Usage, info_.adapter, "is merged into the weights that a LoRA would be trained over",
                        "Open the model without it, train all weights, or export the merged model and train that.");
  }

  Decoder& decoder() {
    if (!whole_)
      throw EngineError(Fault::Io, info_.path, "could not be read again after a training", "Open the model again.");
    return decoder_;
  }

  void read_model(const ModelSource& source, const std::string& path, const LoadProgress& progress) {
    whole_ = false;
    forget_states();
    decoder_.config = info_.config = source.config();
    info_.path = path;
    info_.adapter.clear();
    const HashCache cache(cache_folder("weights"), source);
    info_.weights_hash = read_weights(source, decoder_.weights, progress);
    cache.store(info_.weights_hash);
    whole_ = true;
  }

  /// Forgets the states of all runs, because the weights have changed or the memory is needed.
  void forget_states() {
    archive_.clear();
    patch_archive_.clear();
    document_.clear();
  }

  void merge(const std::string& adapter) {
    forget_states();
    const LoadedAdapter loaded = read_adapter(adapter, decoder_);
    merge_adapter(decoder_.weights, loaded.adapter);
    for (std::size_t layer = 0; layer < loaded.gates.size(); ++layer)
      decoder_.weights.layers[layer].gates = loaded.gates[layer];
    info_.adapter = adapter;
    info_.weights_hash += "+" + loaded.hash;
  }

  /// Loads what a training wrote, in place of what the training left in memory. The two can differ in rounding: a LoRA
  /// beside its weights, or bf16 weights with fp32 halves, round differently from what is read from the folder. If the
  /// training wrote nothing, loads what was there before.
  void take_over(const TrainingResult& result, const TrainingPlan& plan) {
    if (result.folder.empty() && !result.changed_weights) return;
    whole_ = whole_ && !result.changed_weights;
    if (result.folder.empty()) {
      const std::string path = info_.path, adapter = info_.adapter;
      read_model(*ModelSource::open(path), path, {});
      if (!adapter.empty()) merge(adapter);
      return;
    }
    if (plan.training.lora.rank > 0)
      merge(result.folder);
    else
      read_model(*ModelSource::open(result.folder), result.folder, {});
    info_.trained_steps = result.steps;
    info_.trained_in = plan.output_dir;
  }

  ModelInfo info_;
  DType stored_ = DType::Auto;  ///< dtype of the file that was opened
  Decoder decoder_;
  bool whole_ = false;                                                  ///< true if the decoder holds all that info_
                                                                        ///< names
  StateArchive archive_{state_bytes()}, patch_archive_{state_bytes()};  ///< states of the run, and of the text that
                                                                        ///< patches take values from
  std::unique_ptr<ThreadChoice> decode_threads_;                        ///< null on a GPU
  DocumentState document_;
};

}  // namespace

std::unique_ptr<Session> open_session(const ModelRequest& request, const LoadProgress& progress) {
  use_tensor_heap();
  require_known_processor();
  return guarded([&] { return std::make_unique<EngineSession>(request, progress); });
}

}  // namespace carryover

/// The functions that engine_library.cpp looks up.
extern "C" carryover::Session* carryover_open_session(const carryover::ModelRequest& request,
                                                      const carryover::LoadProgress& progress) {
  return carryover::open_session(request, progress).release();
}
extern "C" void carryover_measure_limits(const carryover::ModelInfo& model, std::int64_t rows,
                                         carryover::MachineLimits& limits) {
  limits = carryover::guarded([&] { return carryover::find_limits(model, rows); });
}
extern "C" void carryover_give_back_memory() {
  carryover::give_back_free_memory(0);
}
