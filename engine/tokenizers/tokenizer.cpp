// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/tokenizer.h"

#include <filesystem>

#include "engine/base/utf8.h"
#include "engine/tokenizers/end_tokens.h"
#include "engine/tokenizers/gguf_tokenizer.h"
#include "engine/tokenizers/hf_tokenizer.h"

namespace carryover {

std::shared_ptr<const Tokenizer> Tokenizer::load(const std::string& model_path) {
  std::error_code unreadable;  // opening it then reports the reason
  const std::shared_ptr<Tokenizer> tokenizer = std::filesystem::is_directory(model_path, unreadable)
                                                   ? load_hf_tokenizer(model_path)
                                                   : load_gguf_tokenizer(GgufFile::open(model_path));
  tokenizer->set_end_ids(end_tokens(model_path, tokenizer.get()));
  return tokenizer;
}

std::string unknown_id_text(std::int32_t id) {
  return "⟨id " + std::to_string(id) + "⟩";
}

std::string StreamDecoder::push(std::int32_t id) {
  pending_ += tokenizer_->bytes_behind(previous_, id);
  previous_ = id;
  return take_utf8(pending_, false);
}

std::string StreamDecoder::finish() {
  return take_utf8(pending_, true);
}

}  // namespace carryover
