// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace carryover {

// The one entry for JSON and CBOR: nothing else calls the library's parsers (tests/repo/json_entry_test.cpp). Bytes,
// depth and memory are bounded while a text is parsed, so that a small file can't take the machine's memory or stack.

/// The kinds of JSON that the program reads. Real files of a kind have a fraction of its limits.
enum class JsonKind {
  Settings,    ///< config.json, adapter_config.json, a policy's configuration, plans, what people type
  Record,      ///< sessions, a run's own files, tokenizer_config.json, results of one run, lines of records
  TensorList,  ///< a safetensors header, model.safetensors.index.json
  Tokenizer,   ///< tokenizer.json
  Results,     ///< results of experiments and evaluations
  Request,     ///< the body of a client's request
  Text,        ///< lines of corpora and tasks, journals: texts and arrays of any length
  Numbers,     ///< token ids, losses: a list, or a list of lists
};

struct JsonLimits {
  const char* name;     ///< name in messages
  std::int64_t bytes;   ///< largest size of the text
  std::int64_t memory;  ///< upper bound of the bytes that its values take, which bounds their number too
  int depth;
};
const JsonLimits& json_limits(JsonKind kind);

/// Says how an object that has a key twice is read: its last value counts, as most readers have it, or it is refused.
enum class JsonKeys { Any, Unique };

/// Parses a JSON text. Throws EngineError{BadInput}, which names `where`, and the byte at which the text is not JSON.
/// Any thread.
nlohmann::json parse_json(std::string_view text, const std::string& where, JsonKind kind = JsonKind::Record,
                          JsonKeys keys = JsonKeys::Any);

/// Does the same, but keeps the members of objects in the order of the text. A repeated key is refused.
nlohmann::ordered_json parse_ordered_json(std::string_view text, const std::string& where,
                                          JsonKind kind = JsonKind::Record);

/// Returns nothing where parse_json would throw: for text that may be something else.
std::optional<nlohmann::json> find_json(std::string_view text, JsonKind kind = JsonKind::Record);

/// Parses CBOR bytes: one item, every length within the bytes, no tags and no indefinite lengths. All of this is
/// checked before anything is parsed. Throws EngineError{BadInput}, which names `where`. Any thread.
nlohmann::json parse_cbor(std::string_view bytes, const std::string& where, JsonKind kind = JsonKind::Text);

/// Throws EngineError{BadInput} if a text of `bytes` bytes is too large for its kind.
void check_json_size(std::int64_t bytes, const std::string& where, JsonKind kind);

}  // namespace carryover
