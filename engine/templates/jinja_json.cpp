// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/templates/jinja_json.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/json_integer.h"
#include "engine/base/text_parts.h"
#include "engine/base/utf8.h"
#include "engine/templates/python_text.h"

namespace carryover::jinja {

namespace {

void append_unit(std::string& out, std::uint32_t unit) {
  static constexpr char kDigits[] = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[(unit >> shift) & 15];
}

void append_json_character(std::string& out, std::string_view character, bool ascii) {
  static constexpr std::string_view kEscaped = "\"\\\n\r\t\b\f", kNames = "\"\\nrtbf";
  const std::uint32_t code = utf8_code(character);
  if (const std::size_t at = kEscaped.find(character[0]); at != std::string_view::npos) {
    out += {'\\', kNames[at]};
  } else if (code < 0x20 || (ascii && code >= 0x7F && code < 0x10000)) {
    append_unit(out, code);
  } else if (ascii && code >= 0x10000) {
    append_unit(out, 0xD800 + ((code - 0x10000) >> 10));
    append_unit(out, 0xDC00 + ((code - 0x10000) & 0x3FF));
  } else {
    out += character;
  }
}

std::string json_string(const std::string& text, bool ascii) {
  std::string out = "\"";
  for (const std::string_view character : Characters(text)) append_json_character(out, character, ascii);
  return out += '"';
}

/// Returns the JSON text of None, bool, int and float, which may also be keys of objects; empty for others.
std::string json_scalar(const Value& value) {
  if (value.none()) return "null";
  if (const bool* flag = value.boolean()) return *flag ? "true" : "false";
  if (const auto* integer = value.integer()) return std::to_string(*integer);
  const double* real = value.real();
  if (real == nullptr) return {};
  if (*real != *real) return "NaN";
  if (*real - *real != 0) return *real > 0 ? "Infinity" : "-Infinity";
  return real_text(*real);
}

/// Refuses a text that is too long. Called while a text grows, because a value may contain one text any number of
/// times.
void require_short(const Run& run, const std::string& text) {
  if (text.size() > kMaxTextBytes) run.refuse("a text is longer than " + std::to_string(kMaxTextBytes) + " bytes");
}

class JsonWriter {
 public:
  JsonWriter(Run& run, const JsonStyle& style) : run_(run), style_(style) {}

  void write(const Value& value) {
    run_.step();
    require_short(run_, out_);
    const Sequence* sequence = value.sequence();
    if (const auto* text = value.text()) {
      run_.make(text->size());
      out_ += json_string(*text, style_.ascii);
    } else if (const Dict* dict = value.dict()) {
      write_dict(*dict);
    } else if (sequence && sequence->kind <= Sequence::Kind::Tuple) {
      write_list(sequence->items);
    } else if (const std::string scalar = json_scalar(value); !scalar.empty()) {
      out_ += scalar;
    } else {
      run_.refuse("a value of type '" + type_name(value) + "' can't be written as JSON");
    }
  }
  std::string take() { return std::move(out_); }

 private:
  void new_line() {
    if (!style_.lines) return;
    run_.make(1 + static_cast<std::size_t>(level_) * style_.indent.size());
    out_ += '\n';
    for (int i = 0; i < level_; ++i) out_ += style_.indent;
  }

  template <typename List, typename Write>
  void write_items(char open, char close, const List& list, const Write& write_item) {
    out_ += open;
    ++level_;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out_ += style_.item;
      new_line();
      write_item(list[i]);
    }
    --level_;
    if (!list.empty()) new_line();
    out_ += close;
  }

  void write_list(const Items& items) {
    write_items('[', ']', items, [&](const Value& item) { write(item); });
  }

  void write_dict(const Dict& dict) {
    std::vector<const std::pair<Value, Value>*> entries;
    for (const auto& entry : dict.entries()) entries.push_back(&entry);
    if (style_.sorted) {
      std::stable_sort(entries.begin(), entries.end(),
                       [&](const auto* a, const auto* b) { return compare(run_, a->first, b->first) < 0; });
    }
    write_items('{', '}', entries, [&](const std::pair<Value, Value>* entry) {
      const auto* key = entry->first.text();
      out_ += json_string(key ? *key : json_scalar(entry->first), style_.ascii) + style_.key;
      write(entry->second);
    });
  }

  Run& run_;
  const JsonStyle& style_;
  std::string out_;
  int level_ = 0;
};

void append_represented(Run& run, std::string& out, const Value& value);

void append_sequence(Run& run, std::string& out, const Value& value, const Sequence& sequence) {
  if (sequence.kind > Sequence::Kind::Tuple) run.lack("the text of a value of type '" + type_name(value) + "'");
  const bool tuple = sequence.kind == Sequence::Kind::Tuple;
  out += tuple ? '(' : '[';
  for (std::size_t i = 0; i < sequence.items.size(); ++i) {
    if (i > 0) out += ", ";
    append_represented(run, out, sequence.items[i]);
  }
  if (tuple && sequence.items.size() == 1) out += ',';
  out += tuple ? ')' : ']';
}

void append_dict(Run& run, std::string& out, const Dict& dict) {
  out += '{';
  for (const auto& entry : dict.entries()) {
    if (&entry != dict.entries().data()) out += ", ";
    append_represented(run, out, entry.first);
    out += ": ";
    append_represented(run, out, entry.second);
  }
  out += '}';
}

void append_represented(Run& run, std::string& out, const Value& value) {
  run.step();
  require_short(run, out);
  if (const auto* text = value.text()) {
    run.make(text->size());
    out += quoted_text(*text);
  } else if (const Sequence* sequence = value.sequence()) {
    append_sequence(run, out, value, *sequence);
  } else if (const Dict* dict = value.dict()) {
    append_dict(run, out, *dict);
  } else if (const bool* flag = value.boolean()) {
    out += *flag ? "True" : "False";
  } else if (const auto* integer = value.integer()) {
    append_digits(out, *integer);
  } else if (const double* real = value.real()) {
    out += real_text(*real);
  } else if (value.none() || value.undefined()) {
    out += value.none() ? "None" : "Undefined";
  } else {
    run.lack("the text of a value of type '" + type_name(value) + "'");
  }
}

}  // namespace

Value value_from_json(Run& run, const nlohmann::ordered_json& json) {
  const Level level(run);
  run.step();
  if (json.is_null()) return {std::monostate{}};
  if (json.is_boolean()) return {json.get<bool>()};
  if (json.is_string()) return make_text(run, json.get<std::string>());
  if (json.is_number_float()) return {json.get<double>()};
  if (json.is_number_unsigned() &&
      json.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    run.lack("an integer beyond 64 bits");
  }
  if (json.is_number()) return {json.get<std::int64_t>()};
  if (json.is_array()) {
    Items items;
    for (const auto& item : json) items.push_back(value_from_json(run, item));
    return make_sequence(run, std::move(items));
  }
  if (!json.is_object()) run.lack("binary data");
  Dict dict;
  for (const auto& [key, item] : json.items()) dict.set(run, make_text(run, key), value_from_json(run, item));
  return make_dict(std::move(dict));
}

std::string to_json(Run& run, const Value& value, const JsonStyle& style) {
  JsonWriter writer(run, style);
  writer.write(value);
  return writer.take();
}

std::string to_text(Run& run, const Value& value) {
  std::string out;
  if (const auto* text = value.text()) {
    run.make(text->size());
    out = *text;
  } else if (!value.undefined()) {
    append_represented(run, out, value);
  }
  return out;
}

}  // namespace carryover::jinja
