// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/sentencepiece_pieces.h"

#include <sentencepiece_processor.h>

#include "engine/base/error.h"

namespace carryover {

namespace {

class LibraryPieces final : public PieceModel {
 public:
  LibraryPieces(std::string_view model, const SentencePieceFacts& facts, const std::string& where)
      : PieceModel(facts.pieces, facts.byte_pair), where_(where) {
    std::string problem;
    try {
      const auto status = processor_.LoadFromSerializedProto(without_dummy_prefix(model, where));
      if (!status.ok()) problem = status.ToString();
    } catch (const std::exception& error) {  // the library's trie builder throws its own type
      problem = error.what();
    }
    if (!problem.empty()) {
      throw EngineError(Fault::BadInput, where, "the SentencePiece library refuses it: " + problem,
                        "Fetch the file again.");
    }
  }

 private:
  void encode_word(std::string_view word, std::vector<std::int32_t>& ids) const override {
    std::vector<int> found;
    const auto status = processor_.Encode(word, &found);
    if (!status.ok()) {
      throw EngineError(Fault::BadInput, where_, "the SentencePiece library can't encode: " + status.ToString(),
                        "Check the model.");
    }
    ids.insert(ids.end(), found.begin(), found.end());
  }

  std::string where_;
  sentencepiece::SentencePieceProcessor processor_;
};

}  // namespace

std::unique_ptr<const PieceModel> sentencepiece_pieces(std::string_view model, const SentencePieceFacts& facts,
                                                       const std::string& where) {
  return std::make_unique<LibraryPieces>(model, facts, where);
}

}  // namespace carryover
