// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/templates/jinja_run.h"

/// Values of a template, with Python's meaning. Lists and dicts never change once they are made (transformers' sandbox
/// refuses that too), so no value can contain itself.
namespace carryover::jinja {

struct Value;
struct Statement;
class Scope;
using Items = std::vector<Value>;

struct Undefined {
  std::shared_ptr<const std::string> reason;  ///< text about it in errors; may be null
  bool operator==(const Undefined&) const = default;
};

struct Text {
  std::string bytes;
  bool safe = false;  ///< true if made by `safe` or `escape`: text that is added to it is escaped, as in markupsafe
};

struct Sequence {
  /// The kinds of sequences. A View is the result of items(), keys() and values() of a dict. A Generator is the result
  /// of most filters: it has no length and is empty once read.
  enum class Kind { List, Tuple, Range, View, Generator };
  Kind kind = Kind::List;
  Items items;
  int depth = 1;
  mutable std::size_t taken = 0;  ///< number of items of a Generator that were read
};

class Dict;
struct Namespace;
struct Loop;
struct Callable;

/// A value. monostate is None. Namespaces belong to the interpreter.
struct Value {
  std::variant<Undefined, std::monostate, bool, std::int64_t, double, std::shared_ptr<const Text>,
               std::shared_ptr<const Sequence>, std::shared_ptr<const Dict>, Namespace*, std::shared_ptr<const Loop>,
               std::shared_ptr<const Callable>>
      data;

  bool undefined() const { return std::holds_alternative<Undefined>(data); }
  bool none() const { return std::holds_alternative<std::monostate>(data); }
  const bool* boolean() const { return std::get_if<bool>(&data); }
  const std::int64_t* integer() const { return std::get_if<std::int64_t>(&data); }
  const double* real() const { return std::get_if<double>(&data); }
  const std::string* text() const;  ///< null if it is not a text, and likewise below
  bool safe() const;
  const Sequence* sequence() const;
  const Sequence* sequence(Sequence::Kind kind) const;  ///< null also if it is of another kind
  const Dict* dict() const;
  const Callable* callable() const;
};

/// A dict in the order in which keys came, as in Python. Keys are equal if they are equal as values: 1, 1.0 and True
/// are one key.
class Dict {
 public:
  void set(Run& run, const Value& key, Value value);
  const Value* find(Run& run, const Value& key) const;  ///< null if absent
  const Value* find(const std::string& key) const;
  const std::vector<std::pair<Value, Value>>& entries() const { return entries_; }
  int depth() const { return depth_; }

 private:
  std::vector<std::pair<Value, Value>> entries_;
  std::map<std::string, std::size_t> index_;  // not a hash table, because keys could be made to collide
  int depth_ = 1;
};

struct Namespace {
  std::map<std::string, Value> values;
};

struct Loop {
  std::shared_ptr<const Sequence> items;
  std::size_t index = 0;
  int depth = 1;
};

/// A function of the language, a method of `self`, or a macro with the scope that defined it.
struct Callable {
  std::string name;
  Value self;
  const Statement* macro = nullptr;
  Scope* scope = nullptr;
};

struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;

  /// Returns the argument at a place or of a name; null if neither is given.
  const Value* find(std::size_t place, const std::string& name) const;
  /// Refuses more than `most` positional arguments, and names that are not in the list.
  void check(Run& run, const std::string& callee, std::size_t most, const std::vector<std::string>& names = {}) const;
};

Value make_text(Run& run, std::string bytes, bool safe = false);
Value make_sequence(Run& run, Items items, Sequence::Kind kind = Sequence::Kind::List);
int list_depth(Run& run, const Items& items);  ///< depth of a list of them; refuses items that are nested too deeply
Value make_dict(Dict dict);
Value make_undefined(std::string reason);

/// Returns Python's name of the type, for errors.
std::string type_name(const Value& value);
bool is_true(const Value& value);
bool equal(Run& run, const Value& left, const Value& right);
/// Returns a number less than 0, 0, or greater than 0. Refuses values that Python can't compare.
int compare(Run& run, const Value& left, const Value& right);
/// Returns the items of an iteration: characters of a string, keys of a dict, nothing for an undefined value.
Items iterate(Run& run, const Value& value);
/// Computes len().
std::int64_t length(Run& run, const Value& value);

}  // namespace carryover::jinja
