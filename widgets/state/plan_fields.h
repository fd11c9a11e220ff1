// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <QStringList>
#include <QWidget>
#include <nlohmann/json.hpp>
#include <vector>

class QLabel;

namespace carryover {

/// One field of a TrainingPlan as a form shows it. `key` is its JSON name.
struct PlanField {
  enum class Kind {
    Integer,
    Unsigned,         ///< 64 bits
    OptionalInteger,  ///< 0 stands for null
    Real,
    Text,
    Json,  ///< any JSON value; empty: null
    Folder,
    Model,
    Paths,  ///< one a line
    Integers,
    Choice,
    Flag,
    Modules,
  };
  const char* key;
  Kind kind;
  const char *label, *unit, *help;
  QStringList choices = {};
};

struct PlanGroup {
  const char* title;
  std::vector<PlanField> fields;
};
/// Every field of TrainingPlan, TrainingConfig and SegmentConfig, once.
const std::vector<PlanGroup>& plan_groups();

/// Whether fields of a plan, which may be half of one and come from any file, have values that their editors take. Null
/// will do. Throws EngineError{BadInput} naming `where` and the field.
void check_plan_values(const nlohmann::json& fields, const std::string& where);

/// The editor of one field: a label, an input with its unit, and what it is for or what is wrong with it. GUI thread.
class PlanFieldEditor : public QObject {
  Q_OBJECT
 public:
  PlanFieldEditor(const PlanField& field, QWidget* parent);

  const PlanField& field() const { return field_; }
  QLabel* label() const { return label_; }
  QWidget* input() const { return input_; }
  QLabel* remark() const { return remark_; }

  /// Throws EngineError{BadInput} naming the field where what is typed is no value of its kind.
  nlohmann::json value() const;
  void set_value(const nlohmann::json& value);  ///< one that check_plan_values() takes
  void set_problem(const QString& problem);     ///< empty: none; the help then stands in its place

 Q_SIGNALS:
  void changed();

 private:
  QWidget* make_input(QWidget* parent);
  QWidget* with_browse(QWidget* edit, QWidget* parent);
  void browse(bool folder);

  PlanField field_;
  QWidget *input_, *edit_;
  QLabel *label_, *remark_;
};

}  // namespace carryover
