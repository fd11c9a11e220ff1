// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/run_control.h"
#include "engine/heads/choice/duo_gates.h"
#include "engine/heads/choice/head_scores.h"
#include "engine/heads/choice/pattern_search.h"
#include "engine/heads/choice/recall_heads.h"
#include "engine/runs/values/generate_request.h"
#include "engine/runs/values/model_info.h"
#include "engine/runs/values/replay_request.h"
#include "engine/runs/values/run_request.h"
#include "engine/runs/values/state_info.h"
#include "engine/runs/values/sweep.h"
#include "engine/training/records/audit_report.h"
#include "engine/training/records/train_request.h"

/// The façade of the engine. It is torch-free, so that the window and the command line never see a tensor. Implemented
/// by libcarryover_engine, which engine_library.h opens at run time. A Session belongs to one thread, the engine
/// thread; other threads may use only RunControl.
namespace carryover {

class Session {
 public:
  virtual ~Session() = default;
  virtual const ModelInfo& model() const = 0;  ///< train() changes it, even if it throws

  /// Returns the bytes that the model's device can still give without swapping: on the engine's machine, or its GPU.
  virtual std::int64_t free_memory() const = 0;

  /// Runs the text in segments. A stop request ends the run cleanly after what is done: `cancelled` is set and nothing
  /// is thrown. Throws EngineError{BadInput, OutOfMemory, …}.
  virtual RunSummary run(const RunRequest& request, RunObserver& observer, RunControl& control) = 0;

  /// Generates tokens. `on_token` is called for each new token.
  virtual GenerateResult generate(const GenerateRequest& request, const OnToken& on_token, RunControl& control) = 0;

  /// Reads a text as a document, without losses, and keeps the state after it. Segments are whole; the last one is
  /// closed where the text ends, however short it is. A prompt of generate() continues from that state, bit for bit as
  /// if it had read the document, if it begins with the same ids, has the same policy and configuration, and has the
  /// rest as its question (GenerateRequest::question_length). One document is kept at a time; a run whose states are
  /// captured and the last question leave their document, too. A document that is kept already is not read again. A
  /// stop request throws EngineError{Cancelled}, and nothing is kept. Throws EngineError{BadInput, OutOfMemory}.
  virtual StateInfo read_document(const RunRequest& text, const LoadProgress& progress, RunControl& control) = 0;

  /// Writes the kept state to a file, whole or not at all. The path is on the engine's machine. Throws
  /// EngineError{Usage} if no state is kept, {Unsupported, BadInput} if it can't be saved, and {Io}.
  virtual void save_state(const std::string& path) = 0;

  /// Loads a state from such a file and keeps it in place of the present one; after an error, no state is kept. Throws
  /// EngineError{BadInput} if the file is damaged, or was saved by other weights or in another dtype, and {Unsupported,
  /// OutOfMemory, Io}.
  virtual StateInfo load_state(const std::string& path) = 0;

  /// Returns the logits of the given absolute positions, row by row, [positions, V] in fp32, from the same forward
  /// pass. For comparisons and for the lab's token inspector. `positions` must ascend.
  virtual std::vector<float> logits(const RunRequest& request, const std::vector<std::int64_t>& positions,
                                    RunControl& control) = 0;

  /// Runs one segment again with a change, through the same forward pass. `done` is called on the engine thread after
  /// each edit, in order. A stop request takes effect within a layer and throws EngineError{Cancelled}. Throws
  /// EngineError{BadInput} if an edit names a slot or a field that the segment does not have, or patches from a segment
  /// that does not correspond; {Usage} under another policy than segmented, and for another model than a record's.
  virtual WhatIfBase what_if(const WhatIfRequest& request, const WhatIfDone& done, RunControl& control) = 0;

  /// Returns the cost of what_if() with what is kept now: the number of segments that it would run, including the
  /// edited ones.
  virtual std::int64_t what_if_segments(const WhatIfRequest& request) const = 0;

  /// Runs one segment again for each cell of a heatmap, with one value of the forward pass replaced, in the order of
  /// sweep_places(). A cell runs only what comes after its value. Stops and throws as what_if() does, but the policies
  /// full and streaming can be swept, too, except for what a head reads.
  virtual void sweep(const SweepRequest& request, const SweepObserver& observer, RunControl& control) = 0;

  /// Runs one segment again and copies what its attention saw. Throws as what_if() does.
  virtual Inspection inspect(const InspectRequest& request, RunControl& control) = 0;

  /// Trains the session's weights (method/: truncated backpropagation through F_θ) and writes plan.output_dir. A stop
  /// request saves a checkpoint and returns with `stopped` set. Afterwards, also after an error, the session has loaded
  /// the newest weights that were written (final/, else a checkpoint), or else those that it had before: model() says
  /// which. Throws EngineError{BadInput, Io, OutOfMemory}, after it saved a checkpoint if that is still possible.
  /// Throws {Usage} for a LoRA while an adapter is merged, because the LoRA's folder would not reproduce the weights
  /// without that adapter.
  virtual TrainingSummary train(const TrainRequest& request, TrainObserver& observer, RunControl& control) = 0;

  /// Writes the model as a folder that transformers and open_session() load: weights in the session's dtype with the
  /// adapter merged, the tokenizer, and the settings of the training if they are known. The folder is written whole or
  /// not at all. Throws EngineError{Io}, or {Usage} if the folder exists and is not empty.
  virtual void save(const std::string& directory) = 0;

  /// Compares the trainer's gradient with its definition (thm:tbptt-exact). For small models, best in fp64.
  virtual AuditReport audit(const AuditRequest& request, RunControl& control) = 0;

  /// Measures how much each head retrieves. Probes are read under full attention, each as one segment. A stop request
  /// takes effect within a head of a layer and throws EngineError{Cancelled}. Throws EngineError{BadInput}.
  virtual HeadProfile profile_heads(const HeadProfileRequest& request, RunControl& control) = 0;

  /// Finds the heads that find answers and the heads that have to read them. Documents are read once each; then the
  /// drafts of their questions search by every head, and the readers of a needle are dropped one part after another. A
  /// stop request throws EngineError{Cancelled}; a later call continues from what request.keep got last. Throws
  /// EngineError{BadInput}.
  virtual RecallHeads find_recall_heads(const RecallHeadsRequest& request, RunControl& control) = 0;

  /// Finds the pattern of MInference that suits each head. The text is read once under full attention, in one chunk,
  /// and each head's output is compared with that of every candidate on the same queries, keys and values. A stop
  /// request takes effect within a head and throws EngineError{Cancelled}. Throws EngineError{BadInput, OutOfMemory}.
  virtual FoundPatterns search_patterns(const PatternSearchRequest& request, RunControl& control) = 0;

  /// Learns DuoAttention's gates: how much of full attention each KV head needs on passkey texts, so that the last
  /// hidden states of their questions and answers stay those of full attention. Weights are not changed. Each step runs
  /// its text under full attention, then under the gates, forward and backward, as one segment with gradient
  /// checkpointing. A stop request throws EngineError{Cancelled}; a later call continues from what request.keep got
  /// last, bit for bit. Throws EngineError{BadInput, Unsupported, OutOfMemory}.
  virtual DuoGates learn_gates(const DuoGatesRequest& request, RunControl& control) = 0;
};

/// Loads a model. Defined in libcarryover_engine. Throws EngineError{BadInput, Unsupported, OutOfMemory}.
std::unique_ptr<Session> open_session(const ModelRequest& request, const LoadProgress& progress);

}  // namespace carryover
