// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/analysis/audit_report.h"
#include "engine/core/analysis/duo_gates.h"
#include "engine/core/analysis/head_scores.h"
#include "engine/core/analysis/pattern_search.h"
#include "engine/core/analysis/recall_heads.h"
#include "engine/core/base/run_control.h"
#include "engine/core/run/generate_request.h"
#include "engine/core/run/model_info.h"
#include "engine/core/run/replay_request.h"
#include "engine/core/run/run_request.h"
#include "engine/core/run/state_info.h"
#include "engine/core/run/train_request.h"

/// The façade of the engine: torch-free, so that the window and the command line never see a tensor. Implemented by
/// libcarryover_engine, opened at run time by engine_library.h. A Session belongs to one thread, the engine thread;
/// RunControl alone may be touched from others.
namespace carryover {

class Session {
 public:
  virtual ~Session() = default;
  virtual const ModelInfo& model() const = 0;  ///< train() changes it, also where it throws

  /// Runs the text in segments. A stop request ends it cleanly after what is done: `cancelled` is set, nothing thrown.
  /// Throws EngineError{BadInput, OutOfMemory, …}.
  virtual RunSummary run(const RunRequest& request, RunObserver& observer, RunControl& control) = 0;

  /// Decodes. `on_token` is called for each new token.
  virtual GenerateResult generate(const GenerateRequest& request, const OnToken& on_token, RunControl& control) = 0;

  /// Reads a text as a document, without losses, and keeps the state behind it: whole segments, the last one closed
  /// where the text ends, however short. A prompt of generate() that begins with the same ids, policy and
  /// configuration, and has the rest for its question (GenerateRequest::question_length), goes on from there, bit for
  /// bit as if it had read them. One document is kept at a time, also that of a run whose states are captured, or of
  /// the last question; one that is kept already is not read again. A stop request throws EngineError{Cancelled}, and
  /// nothing is kept. Throws EngineError{BadInput, OutOfMemory}.
  virtual StateInfo read_document(const RunRequest& text, const LoadProgress& progress, RunControl& control) = 0;

  /// Writes the state that is kept as a file, whole or not at all; the path is one of the engine's machine. Throws
  /// EngineError{Usage} where none is kept, {Unsupported, BadInput} where it can't be saved, {Io}.
  virtual void save_state(const std::string& path) = 0;

  /// Keeps the state of such a file, in place of the present one; where it throws, none. Throws EngineError{BadInput}
  /// where the file is damaged, or was saved by other weights or in another dtype, {Unsupported, OutOfMemory, Io}.
  virtual StateInfo load_state(const std::string& path) = 0;

  /// Logits of the given absolute positions, row by row, [positions, V] in fp32, through the same forward. For
  /// comparisons and the lab's token inspector. positions ascend.
  virtual std::vector<float> logits(const RunRequest& request, const std::vector<std::int64_t>& positions,
                                    RunControl& control) = 0;

  /// Runs one segment again with something changed, through the same forward. `done` is called on the engine thread
  /// after each edit, in order. Cancelled within a layer: throws EngineError{Cancelled}. Throws EngineError{BadInput}
  /// where an edit names a slot or a field that the segment does not have, or patches from a segment that does not
  /// correspond; {Usage} under another policy than segmented, and for another model than a record's.
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
  /// merged, tokenizer, and what it was trained under where that is known. Whole or not there. Throws EngineError{Io},
  /// {Usage} where the folder is there already and not empty.
  virtual void save(const std::string& directory) = 0;

  /// Holds the trainer's gradient against its definition (thm:tbptt-exact). For small models, best in fp64.
  virtual AuditReport audit(const AuditRequest& request, RunControl& control) = 0;

  /// How much each head retrieves: probes are read under full attention, each as one segment. Cancelled within a head
  /// of a layer: throws EngineError{Cancelled}. Throws EngineError{BadInput}.
  virtual HeadProfile profile_heads(const HeadProfileRequest& request, RunControl& control) = 0;

  /// Which heads find answers, and which have to read them: documents are read once each, then their questions' drafts
  /// search by every head, and readers of a needle are dropped one part after another. A stop request throws
  /// EngineError{Cancelled}; what request.keep had last goes on from there. Throws EngineError{BadInput}.
  virtual RecallHeads find_recall_heads(const RecallHeadsRequest& request, RunControl& control) = 0;

  /// Which of MInference's patterns suits each head: the text is read once under full attention, in one chunk, and each
  /// head's output is held against that of every candidate on the same queries, keys and values. Cancelled within a
  /// head: throws EngineError{Cancelled}. Throws EngineError{BadInput, OutOfMemory}.
  virtual FoundPatterns search_patterns(const PatternSearchRequest& request, RunControl& control) = 0;

  /// DuoAttention's gates: what each KV head needs of passkey texts so that the last hidden states of their questions
  /// and answers stay those of full attention; weights stay as they are. Each step runs its text under full attention,
  /// then under the gates, forward and backward, as one segment with layers checkpointed. A stop request throws
  /// EngineError{Cancelled}; what request.keep had last goes on from there, bit for bit. Throws EngineError{BadInput,
  /// Unsupported, OutOfMemory}.
  virtual DuoGates learn_gates(const DuoGatesRequest& request, RunControl& control) = 0;
};

/// Loads a model; in libcarryover_engine. Throws EngineError{BadInput, Unsupported, OutOfMemory}.
std::unique_ptr<Session> open_session(const ModelRequest& request, const LoadProgress& progress);

}  // namespace carryover
