// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QTimer>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/config/segment_fields.h"
#include "widgets/lab/panel.h"

class QAbstractSpinBox;
class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;
class QSpinBox;
class QToolButton;

namespace carryover {

/// Every field of SegmentConfig but the grouping (which has the grid), with units; policy, dtype and device.
/// What is typed is checked at once, and becomes the configuration (undoable) when it is valid. GUI thread.
class ConfigPanel : public Panel {
  Q_OBJECT
 public:
  ConfigPanel(LabContext& context, QWidget* parent = nullptr);
  ~ConfigPanel() override;

 protected:
  void refresh() override;

 private:
  struct NumberField {
    const SegmentField& field;
    QLabel* label;
    QSpinBox* box;
    QString help;
    std::int64_t read(const SegmentConfig& config) const;
    void write(SegmentConfig& config) const;
  };
  struct ChoiceField {
    QComboBox* box;
    const Choice& choice;
  };
  struct SwitchField {
    QCheckBox* box;
    SettingOf<bool> value;
  };
  void add_fields(QFormLayout* form);
  void add_number(QFormLayout* form, const SegmentField& field);
  void add_switch(QFormLayout* form, const SegmentField& field);
  void add_options(QFormLayout* form);
  void add_undo_keys();
  void add_presets(QFormLayout* form);
  void choose_preset(int index);
  void show_preset();
  void add_choice(QFormLayout* form, const SegmentField& field);
  void add_heads(QFormLayout* form, const SegmentField& field);
  void add_patterns(QFormLayout* form, const SegmentField& field);
  void add_rope(QFormLayout* form, const SegmentField& field);
  template <typename Take>
  void add_option(QFormLayout* form, QComboBox* box, const QString& label, const QString& what, Take take);
  void write_tokens();
  SegmentConfig typed_config();
  std::optional<RopeConfig> typed_rope();
  struct Problem {
    QString key;   ///< of the field, where there is one
    QString text;  ///< empty: nothing is wrong
  };
  Problem find_problem();
  void watch_text(QAbstractSpinBox* box);
  void validate();
  void commit();
  void settle();

  QFormLayout* form_ = nullptr;
  std::vector<std::pair<std::string_view, QWidget*>> rows_;  ///< a field's key and its box: the policy's own are shown
  std::vector<NumberField> numbers_;
  std::vector<SwitchField> switches_;
  std::vector<ChoiceField> choices_;
  QLineEdit* search_heads_;
  QLabel* head_patterns_;
  QToolButton* clear_patterns_;
  QComboBox *preset_, *policy_, *dtype_, *device_, *rope_;
  QDoubleSpinBox* rope_factor_;
  QSpinBox* token_limit_;
  int shown_tokens_ = 0;  ///< in it, before anybody types
  QLabel* problem_;
  QTimer commit_timer_;
  bool updating_ = false;
};

}  // namespace carryover
