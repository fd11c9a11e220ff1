// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/served_model.h"

#include "engine/tokenizers/token_checks.h"

namespace carryover {

std::vector<std::int32_t> ServedModel::encode(const std::string& text) const {
  std::vector<std::int32_t> ids = encode_behind(text);
  if (config.bos) put_any_bos_first(ids, *tokenizer);
  return ids;
}

std::vector<std::int32_t> ServedModel::encode_behind(const std::string& text) const {
  std::vector<std::int32_t> ids = tokenizer->encode(text, /*parse_special=*/true);
  require_rows(ids, vocabulary, *tokenizer);
  return ids;
}

}  // namespace carryover
