// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/templates/jinja_value.h"

/// The parsed form of a template. Immutable once parsed.
namespace carryover::jinja {

struct Expression;
struct Statement;
using ExpressionPtr = std::unique_ptr<const Expression>;
using Body = std::vector<Statement>;

/// `parts` of each kind, of which those in brackets may be null:
///   List, Tuple: items; Dict: keys and values in turn; Attribute (`name`), Not, Negate, Plus: operand;
///   Item: operand, index; Slice: [first], [last], [step]; Call: callee, arguments; Filter (`name`): [operand],
///   arguments; Test (`name`): operand, arguments; Binary (`name`), And, Or: left, right;
///   Compare: operands, with `operators` between; Concat: operands; Conditional: value, condition, [other value].
struct Expression {
  enum class Kind {
    Constant,
    Name,
    List,
    Tuple,
    Dict,
    Attribute,
    Item,
    Slice,
    Call,
    Filter,
    Test,
    Not,
    Negate,
    Plus,
    Binary,
    Compare,
    And,
    Or,
    Concat,
    Conditional
  };
  Kind kind = Kind::Constant;
  int line = 1, depth = 1;
  std::string name;
  Value constant;
  std::vector<ExpressionPtr> parts;
  std::vector<std::pair<std::string, ExpressionPtr>> named;  ///< arguments
  std::vector<std::string> operators;
};

/// The target of `set` and `for`: one name, several names that a value is unpacked to, or an attribute of a namespace.
struct Target {
  std::vector<std::string> names;
  bool unpacks = false;
  std::string attribute;
};

/// A statement. Print: `values[0]`. If: `values[i]` is the condition of `bodies[i]`; one more body is the else. For:
/// `values` is the iterated value and [condition], `bodies` the body and the else. Set: `values[0]`; SetBlock and
/// FilterBlock: [filters around the body]. Macro: `target.names` are the parameters, `values` their defaults, null if
/// they have none.
struct Statement {
  enum class Kind { Text, Print, If, For, Set, SetBlock, FilterBlock, Macro, Generation, Break, Continue };
  Kind kind = Kind::Text;
  int line = 1;
  std::string text;  ///< text of a Text; name of a Macro
  Target target;
  std::vector<ExpressionPtr> values;
  std::vector<Body> bodies;
};

}  // namespace carryover::jinja
