// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/training/state/plan_fields.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QSpinBox>
#include <QToolButton>
#include <algorithm>
#include <limits>

#include "engine/base/config_fields.h"
#include "engine/base/error.h"
#include "engine/base/json_parser.h"
#include "engine/config/training_config.h"
#include "engine/families/weight_rows.h"
#include "widgets/look/quantity_text.h"
#include "widgets/look/theme.h"
#include "widgets/look/widget_rows.h"

namespace carryover {
namespace {

using Kind = PlanField::Kind;
using nlohmann::json;

std::string utf8(const QString& text) {
  return text.trimmed().toStdString();
}

QString lines_of(const json& value) {
  QStringList lines;
  for (const json& line : value) lines += QString::fromStdString(line.get<std::string>());
  return lines.join(QLatin1Char('\n'));
}

json integers(const QString& text, const char* key) {
  json list = json::array();
  for (const QString& part : text.split(QRegularExpression(QStringLiteral("[,\\s]+")), Qt::SkipEmptyParts)) {
    bool fine = false;
    list.push_back(part.toLongLong(&fine));
    if (!fine) refuse_field("form", key, "has “" + part.toStdString() + "”", "Give whole numbers, as 1024, 4096.");
  }
  return list;
}

json parsed(const QString& text, const char* key) {
  if (text.trimmed().isEmpty()) return nullptr;
  auto value = find_json(text.toStdString(), JsonKind::Settings);
  if (!value) refuse_field("form", key, "is not a JSON value", "Correct its brackets and quotes.");
  return std::move(*value);
}

/// Refuses an empty box, whose value() is the one before somebody emptied it.
int integer(const QSpinBox& box, const char* key) {
  if (!box.hasAcceptableInput()) refuse_field("form", key, "is not a number", "Type one.");
  return box.value();
}

json real(const QString& text, const char* key) {
  const auto value = number_in(text);
  if (!value) refuse_field("form", key, "is not a number: “" + text.toStdString() + "”", "Write it as 0.05 or 2e-5.");
  return *value;
}

/// The linear modules as a row of boxes to tick.
class ModuleBoxes : public QWidget {
 public:
  explicit ModuleBoxes(QWidget* parent) : QWidget(parent) {
    auto* rows = new WidgetRows(this, 2);
    for (const std::string& name : lora_modules()) {
      boxes.push_back(new QCheckBox(QString::fromStdString(name), this));
      rows->append(boxes.back());
    }
  }
  std::vector<QCheckBox*> boxes;
};

QSpinBox* spin_box(QWidget* parent, const QString& unit) {
  auto* box = new QSpinBox(parent);
  box->setRange(-1, std::numeric_limits<int>::max());  // what is out of bounds is said in words, not swallowed
  box->setGroupSeparatorShown(true);
  box->setSuffix(unit);
  return box;
}

QPlainTextEdit* path_list(QWidget* parent) {
  auto* edit = new QPlainTextEdit(parent);
  edit->setLineWrapMode(QPlainTextEdit::NoWrap);
  edit->setTabChangesFocus(true);
  edit->setFixedHeight(edit->fontMetrics().lineSpacing() * 4 + 12);
  return edit;
}

}  // namespace

PlanFieldEditor::PlanFieldEditor(const PlanField& field, QWidget* parent) : QObject(parent), field_(field) {
  label_ = new QLabel(field_label(field.label, field.symbol), parent);
  input_ = make_input(parent);
  label_->setBuddy(edit_);
  remark_ = new QLabel(parent);
  remark_->setWordWrap(true);
  remark_->setTextFormat(Qt::PlainText);
  remark_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  const QString help = QStringLiteral("%1\n%2").arg(field_text(field.help), QLatin1String(field.key));
  for (QWidget* widget : {static_cast<QWidget*>(label_), input_, edit_}) widget->setToolTip(help);
  edit_->setAccessibleName(field_text(field.label));
  edit_->setAccessibleDescription(field_text(field.help));
  edit_->setObjectName(QLatin1String(field.key));
  set_problem({});
}

QWidget* PlanFieldEditor::make_input(QWidget* parent) {
  const QString unit = field_text(field_.unit);
  const auto line = [&] {
    auto* edit = new QLineEdit(parent);
    if (!unit.isEmpty()) edit->setPlaceholderText(unit.trimmed());
    if (field_.kind == Kind::Json) edit->setMaxLength(std::numeric_limits<int>::max());  // patterns of all heads
    connect(edit, &QLineEdit::textChanged, this, &PlanFieldEditor::changed);
    return edit;
  };
  switch (field_.kind) {
    case Kind::Integer:
    case Kind::OptionalInteger: {
      auto* box = spin_box(parent, unit);
      connect(box, &QSpinBox::valueChanged, this, &PlanFieldEditor::changed);
      connect(box->findChild<QLineEdit*>(), &QLineEdit::textChanged, this, &PlanFieldEditor::changed);  // emptied
      return edit_ = box;
    }
    case Kind::Choice: {
      auto* box = new QComboBox(parent);
      box->addItems(field_.choices);
      connect(box, &QComboBox::currentIndexChanged, this, &PlanFieldEditor::changed);
      return edit_ = box;
    }
    case Kind::Flag: {
      auto* box = new QCheckBox(QCoreApplication::translate("carryover", "on"), parent);
      connect(box, &QCheckBox::toggled, this, &PlanFieldEditor::changed);
      return edit_ = box;
    }
    case Kind::Modules: {
      auto* boxes = new ModuleBoxes(parent);
      for (QCheckBox* box : boxes->boxes) connect(box, &QCheckBox::toggled, this, &PlanFieldEditor::changed);
      return edit_ = boxes;
    }
    case Kind::Paths: {
      auto* list = path_list(parent);
      connect(list, &QPlainTextEdit::textChanged, this, &PlanFieldEditor::changed);
      return with_browse(edit_ = list, parent);
    }
    case Kind::Folder:
    case Kind::Model:
      return with_browse(edit_ = line(), parent);
    default:
      return edit_ = line();
  }
}

QWidget* PlanFieldEditor::with_browse(QWidget* edit, QWidget* parent) {
  auto* both = new QWidget(parent);
  auto* row = new QHBoxLayout(both);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  row->addWidget(edit, 1);
  auto* button = new QToolButton(both);
  button->setText(QStringLiteral("…"));
  button->setAccessibleName(QCoreApplication::translate("carryover", "Choose"));
  row->addWidget(button, 0, field_.kind == Kind::Paths ? Qt::AlignTop : Qt::AlignVCenter);
  if (field_.kind == Kind::Folder) {
    connect(button, &QToolButton::clicked, this, [this] { browse(true); });
    return both;
  }
  auto* menu = new QMenu(button);
  menu->addAction(QCoreApplication::translate("carryover", "Files…"), this, [this] { browse(false); });
  menu->addAction(QCoreApplication::translate("carryover", "Folder…"), this, [this] { browse(true); });
  button->setMenu(menu);
  button->setPopupMode(QToolButton::InstantPopup);
  return both;
}

void PlanFieldEditor::browse(bool folder) {
  QStringList chosen;
  const QString title = field_text(field_.label);
  if (folder)
    chosen << QFileDialog::getExistingDirectory(edit_, title);
  else if (field_.kind == Kind::Paths)
    chosen = QFileDialog::getOpenFileNames(edit_, title);
  else
    chosen << QFileDialog::getOpenFileName(edit_, title);
  chosen.removeAll(QString());
  if (chosen.isEmpty()) return;
  if (auto* list = qobject_cast<QPlainTextEdit*>(edit_))
    list->appendPlainText(chosen.join(QLatin1Char('\n')));
  else
    static_cast<QLineEdit*>(edit_)->setText(chosen.first());
}

json PlanFieldEditor::value() const {
  const auto* line = qobject_cast<QLineEdit*>(edit_);
  switch (field_.kind) {
    case Kind::Integer:
      return integer(*static_cast<QSpinBox*>(edit_), field_.key);
    case Kind::OptionalInteger: {
      const int value = integer(*static_cast<QSpinBox*>(edit_), field_.key);
      return value == 0 ? json() : json(value);
    }
    case Kind::Choice:
      return static_cast<QComboBox*>(edit_)->currentText().toStdString();
    case Kind::Flag:
      return static_cast<QCheckBox*>(edit_)->isChecked();
    case Kind::Real:
      return real(line->text(), field_.key);
    case Kind::Integers:
      return integers(line->text(), field_.key);
    case Kind::Json:
      return parsed(line->text(), field_.key);
    case Kind::Modules: {
      json names = json::array();
      for (const QCheckBox* box : static_cast<ModuleBoxes*>(edit_)->boxes)
        if (box->isChecked()) names.push_back(box->text().toStdString());
      return names;
    }
    case Kind::Paths: {
      json paths = json::array();
      for (const QString& path : static_cast<QPlainTextEdit*>(edit_)->toPlainText().split(QLatin1Char('\n')))
        if (!path.trimmed().isEmpty()) paths.push_back(utf8(path));
      return paths;
    }
    case Kind::Unsigned: {
      bool fine = false;
      const qulonglong number = line->text().trimmed().toULongLong(&fine);
      if (!fine) refuse_field("form", field_.key, "is not a whole number of 0 or more", "Give one, such as 42.");
      return static_cast<std::uint64_t>(number);
    }
    default:
      return utf8(line->text());
  }
}

void PlanFieldEditor::set_value(const json& value) {
  auto* line = qobject_cast<QLineEdit*>(edit_);
  switch (field_.kind) {
    case Kind::Integer:
    case Kind::OptionalInteger:
      return static_cast<QSpinBox*>(edit_)->setValue(
          value.is_null()
              ? 0
              : static_cast<int>(std::clamp<std::int64_t>(value.get<std::int64_t>(), std::numeric_limits<int>::min(),
                                                          std::numeric_limits<int>::max())));
    case Kind::Choice:
      return static_cast<QComboBox*>(edit_)->setCurrentText(QString::fromStdString(value.get<std::string>()));
    case Kind::Flag:
      return static_cast<QCheckBox*>(edit_)->setChecked(value.get<bool>());
    case Kind::Real:
      return line->setText(editable_text(value.get<double>()));
    case Kind::Unsigned:
      return line->setText(QString::number(value.get<std::uint64_t>()));
    case Kind::Integers: {
      QStringList numbers;
      for (const json& number : value) numbers += QString::number(number.get<std::int64_t>());
      return line->setText(numbers.join(QStringLiteral(", ")));
    }
    case Kind::Json:
      return line->setText(value.is_null() ? QString() : QString::fromStdString(value.dump()));
    case Kind::Modules:
      for (QCheckBox* box : static_cast<ModuleBoxes*>(edit_)->boxes)
        box->setChecked(std::find(value.begin(), value.end(), box->text().toStdString()) != value.end());
      return;
    case Kind::Paths:
      return static_cast<QPlainTextEdit*>(edit_)->setPlainText(lines_of(value));
    default:
      return line->setText(QString::fromStdString(value.get<std::string>()));
  }
}

void PlanFieldEditor::set_problem(const QString& problem) {
  const QColor colour = problem.isEmpty() ? current_theme().muted : current_theme().anchor;
  remark_->setText(problem.isEmpty() ? field_text(field_.help) : problem);
  QPalette palette = remark_->palette();
  palette.setColor(QPalette::WindowText, colour);
  remark_->setPalette(palette);
}

}  // namespace carryover
