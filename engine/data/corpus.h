// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/run_control.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// A tokenised text to train on or to hold out.
struct Document {
  std::string source;  ///< the file, with ":line" for JSONL
  std::vector<std::int32_t> ids;
};

/// Documents, kept apart: no sample crosses from one to the next. Immutable; any thread.
struct Corpus {
  std::vector<Document> train, held_out;
  std::string hash;                      ///< hash of all ids: a resumed run refuses another corpus
  std::optional<std::int32_t> bos = {};  ///< the tokenizer's

  std::int64_t train_tokens() const;
  std::int64_t held_out_tokens() const;
  /// Returns the ids of a sample of these tokens: with `with_bos`, BOS and all but the last, if the tokenizer has one.
  std::vector<std::int32_t> sample(std::span<const std::int32_t> tokens, bool with_bos) const;
};

struct CorpusRequest {
  /// Text files (UTF-8), .jsonl, .json (an array of ids, or of arrays), and folders. Of a folder, *.txt, *.md, *.jsonl,
  /// *.json and files without an extension are read, in order of path, without hidden and empty ones.
  std::vector<std::string> data;
  std::string text_field = "text";
  double validation_fraction = 0;
  std::string cache_directory;  ///< for tokenised texts by content and tokenizer; empty: no cache
};

using CorpusProgress = std::function<void(double fraction, const std::string& what)>;

/// Reads and tokenises a corpus; slow texts come from the cache the second time. The last whole documents that make up
/// the fraction are held out; if these would be more than half of all, the end of the last one is held out instead.
/// `control` may stop it between documents (EngineError{Cancelled}). A cache that can't be written is reported to
/// `progress` and not used. Any thread. Throws EngineError{BadInput, Io}, which names file and line.
Corpus read_corpus(const CorpusRequest& request, const Tokenizer& tokenizer, const CorpusProgress& progress,
                   RunControl& control);

/// Returns the files of CorpusRequest::data in the order in which they are read. Throws EngineError{BadInput, Io}.
std::vector<std::string> corpus_files(const std::vector<std::string>& data);

/// Returns the folder for tokenised texts: tokens/ in $CARRYOVER_CACHE, $XDG_CACHE_HOME/carryover or
/// ~/.cache/carryover. Empty if the environment names no home.
std::string default_token_cache();

/// A sample: consecutive tokens of one training document.
struct SampleSpan {
  std::size_t document = 0;
  std::int64_t first = 0, length = 0;
  bool operator==(const SampleSpan&) const = default;
};

/// The order in which samples are seen. Every epoch takes each document's windows of `length` tokens once, shuffled by
/// (seed, epoch); where the first window starts changes with the epoch, within the tokens that whole windows leave
/// over. A document shorter than `length` gives one shorter sample (at least two tokens). sample(n) needs no history,
/// so that a run can resume anywhere, and is the same on every platform. Owner: one thread.
class SampleOrder {
 public:
  /// Throws EngineError{BadInput} if no document gives a sample.
  SampleOrder(const std::vector<Document>& documents, std::int64_t length, std::uint64_t seed);
  SampleSpan sample(std::int64_t n);

 private:
  void prepare(std::int64_t epoch);

  std::vector<std::int64_t> document_lengths_;
  std::int64_t length_;
  std::uint64_t seed_;
  std::int64_t epoch_ = -1, samples_per_epoch_ = 0;
  std::vector<SampleSpan> spans_;  ///< spans of the prepared epoch
};

}  // namespace carryover
