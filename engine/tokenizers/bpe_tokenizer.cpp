// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/bpe_tokenizer.h"

#include <deque>

#include "engine/base/error.h"
#include "engine/base/nfc.h"
#include "engine/base/utf8.h"

namespace carryover {

namespace {

[[noreturn]] void refuse_file(const std::string& where, const std::string& problem) {
  throw EngineError(Fault::BadInput, where, problem, "Fetch the file again.");
}

/// Returns true for a byte that no UTF-8 text holds. DeepSeek's vocabularies spell these bytes as one character each,
/// and list the characters as added tokens, too: the character alone can be meant.
bool is_never_in_utf8(std::string_view bytes) {
  return bytes == "\xC0" || bytes == "\xC1" || (bytes.size() == 1 && static_cast<unsigned char>(bytes.front()) >= 0xF5);
}

}  // namespace

BpeTokenizer::BpeTokenizer(const BpeDefinition& definition)
    : where_(definition.where),
      pretokenizer_(definition.patterns, definition.where),
      ignore_merges_(definition.ignore_merges),
      nfc_(definition.nfc),
      bos_(definition.bos),
      eos_(definition.eos) {
  add_tokens(definition);
  add_merges(definition);
  add_added(definition);
  for (const auto& special : {bos_, eos_}) {
    if (special && (*special < 0 || *special >= vocabulary())) {
      refuse_file(where_, "the begin or end token " + std::to_string(*special) + " is outside the vocabulary");
    }
  }
}

void BpeTokenizer::add_tokens(const BpeDefinition& definition) {
  byte_ids_.fill(-1);
  if (definition.tokens.empty()) refuse_file(where_, "its vocabulary is empty");
  for (const std::string& token : definition.tokens) {
    const auto id = static_cast<std::int32_t>(bytes_.size());
    const auto bytes = bytes_of_byte_level(token);
    bytes_.push_back(bytes.value_or(token));
    if (!bytes || bytes->empty()) continue;  // no text leads to this token
    if (!by_bytes_.emplace(*bytes, id).second)
      refuse_file(where_, "the token '" + token.substr(0, 40) + "' appears twice");
    if (bytes->size() == 1) byte_ids_[static_cast<unsigned char>(bytes->front())] = id;
  }
}

void BpeTokenizer::add_merges(const BpeDefinition& definition) {
  merges_.reserve(definition.merges.size());
  const auto find = [this](const std::string& spelled, std::size_t rank) {
    const auto bytes = bytes_of_byte_level(spelled);
    const auto found = bytes ? by_bytes_.find(*bytes) : by_bytes_.end();
    if (found == by_bytes_.end()) {
      refuse_file(where_,
                  "merge " + std::to_string(rank) + " needs '" + spelled.substr(0, 40) + "', which is not a token");
    }
    return found->second;
  };
  for (std::size_t rank = 0; rank < definition.merges.size(); ++rank) {
    const auto& [left, right] = definition.merges[rank];
    merges_.add(find(left, rank), find(right, rank), static_cast<std::int32_t>(rank), find(left + right, rank));
  }
}

void BpeTokenizer::add_added(const BpeDefinition& definition) {
  for (const AddedToken& token : definition.added) {
    if (token.id < 0 || token.id >= kMaxVocabulary || token.text.empty()) {
      refuse_file(where_, "the added token '" + token.text.substr(0, 40) + "' has id " + std::to_string(token.id));
    }
    const auto id = static_cast<std::size_t>(token.id);
    if (id >= bytes_.size()) bytes_.resize(id + 1);
    // An id must give the same bytes as plain text and as byte-level spelling, or it could not be decoded.
    const bool in_model = id < definition.tokens.size() && !definition.tokens[id].empty();
    const std::string& known = in_model ? definition.tokens[id] : bytes_[id];
    const bool same =
        known.empty() || (known == token.text && (bytes_[id] == token.text || is_never_in_utf8(bytes_[id])));
    if (!same) {
      refuse_file(where_, "id " + std::to_string(id) + " is both '" + known.substr(0, 40) + "' and the added token '" +
                              token.text.substr(0, 40) + "'");
    }
    bytes_[id] = token.text;
  }
  added_ = AddedTokens(definition.added);
}

/// The state of one call. Words repeat, so each distinct one is merged once per call.
struct BpeTokenizer::Encoding {
  std::deque<std::string> normalized;                                              // parts that NFC changed
  std::unordered_map<std::string_view, std::pair<std::size_t, std::size_t>> seen;  // range of its ids in `pool`
  std::vector<std::int32_t> pool;
};

std::vector<std::int32_t> BpeTokenizer::encode(std::string_view text, bool parse_special) const {
  require_utf8(text, "the text");
  std::vector<std::int32_t> ids;
  Encoding encoding;
  BpePretokenizer::Cutter cutter(pretokenizer_, text.size());
  const auto on_part = [&](std::string_view part, bool) {
    const auto offset = static_cast<std::size_t>(part.data() - text.data());
    const bool same = !nfc_ || is_surely_nfc(part);
    encode_words(same ? part : encoding.normalized.emplace_back(nfc(part)), offset, cutter, encoding, ids);
  };
  added_.split(text, parse_special, on_part, [&](std::int32_t id) { ids.push_back(id); });
  return ids;
}

/// Appends the ids of a part of the text without special tokens, which begins at byte `offset` of it.
void BpeTokenizer::encode_words(std::string_view part, std::size_t offset, BpePretokenizer::Cutter& cutter,
                                Encoding& encoding, std::vector<std::int32_t>& ids) const {
  cutter.split(part, [&](std::string_view word) {
    const auto [entry, is_new] = encoding.seen.try_emplace(word);
    if (is_new) {
      const std::size_t begin = encoding.pool.size();
      merge_word(word, encoding.pool);
      entry->second = {begin, encoding.pool.size()};
    }
    const auto [begin, end] = entry->second;
    for (std::size_t i = begin; i < end; ++i) {
      if (encoding.pool[i] < 0) refuse_character(part, static_cast<std::size_t>(word.data() - part.data()), offset);
    }
    ids.insert(ids.end(), encoding.pool.begin() + static_cast<std::ptrdiff_t>(begin),
               encoding.pool.begin() + static_cast<std::ptrdiff_t>(end));
  });
}

/// Throws an error that names the first character at or after `from` with a byte that the vocabulary lacks. `offset`:
/// byte of the text at which the part begins.
void BpeTokenizer::refuse_character(std::string_view part, std::size_t from, std::size_t offset) const {
  std::size_t at = from;
  const auto known = [this](char byte) { return byte_ids_[static_cast<unsigned char>(byte)] >= 0; };
  while (known(part[at])) ++at;
  const std::string spelled = "byte " + std::to_string(static_cast<unsigned char>(part[at]));
  throw EngineError(Fault::BadInput, "the text",
                    "has a character at byte " + std::to_string(offset + at) + " (" + spelled +
                        ") that this model's vocabulary can't spell",
                    "Remove that character, or use another model.");
}

/// Appends the word's ids; −1 for a byte that is no token.
void BpeTokenizer::merge_word(std::string_view word, std::vector<std::int32_t>& ids) const {
  if (ignore_merges_) {
    if (const auto whole = by_bytes_.find(std::string(word)); whole != by_bytes_.end())
      return ids.push_back(whole->second);
  }
  std::vector<std::int32_t> bytes;
  bytes.reserve(word.size());
  for (const char byte : word) bytes.push_back(byte_ids_[static_cast<unsigned char>(byte)]);
  merges_.merge(bytes, ids);
}

std::string BpeTokenizer::bytes(std::int32_t id) const {
  const bool known = id >= 0 && id < vocabulary() && !bytes_[static_cast<std::size_t>(id)].empty();
  return known ? bytes_[static_cast<std::size_t>(id)] : unknown_id_text(id);
}

std::string BpeTokenizer::decode(std::span<const std::int32_t> ids) const {
  std::string text;
  for (const std::int32_t id : ids) text += bytes(id);
  return text;
}

}  // namespace carryover
