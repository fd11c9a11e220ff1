// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/form_history.h"

#include <QAbstractButton>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QEvent>
#include <QGroupBox>
#include <QLineEdit>
#include <QMetaProperty>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>
#include <functional>

#include "widgets/look/filled_text.h"
#include "widgets/look/undo_keys.h"

namespace carryover {
namespace {

constexpr const char* left_out = "carryover_left_out";

bool is_part_of_another(const QWidget& widget) {
  const QWidget* parent = widget.parentWidget();
  return qobject_cast<const QComboBox*>(parent) != nullptr || qobject_cast<const QAbstractSpinBox*>(parent) != nullptr;
}

bool is_text(const QWidget& widget) {
  return qobject_cast<const QLineEdit*>(&widget) != nullptr || qobject_cast<const QPlainTextEdit*>(&widget) != nullptr;
}

/// A key of one of these is one of several that make up a value.
bool is_typed_in(const QWidget& widget) {
  return is_text(widget) || qobject_cast<const QAbstractSpinBox*>(&widget) != nullptr ||
         qobject_cast<const QAbstractSlider*>(&widget) != nullptr;
}

bool is_field(const QWidget& widget) {
  if (widget.property(left_out).toBool() || is_part_of_another(widget)) return false;
  if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) return button->isCheckable();
  if (const auto* box = qobject_cast<const QGroupBox*>(&widget)) return box->isCheckable();
  if (const auto* line = qobject_cast<const QLineEdit*>(&widget)) return !line->isReadOnly();
  if (const auto* text = qobject_cast<const QPlainTextEdit*>(&widget)) return !text->isReadOnly();
  if (qobject_cast<const QScrollBar*>(&widget) != nullptr) return false;
  return is_typed_in(widget) || qobject_cast<const QComboBox*>(&widget) != nullptr ||
         qobject_cast<const QTreeWidget*>(&widget) != nullptr;
}

QString name_of(const QWidget& widget) {
  if (!widget.objectName().isEmpty() && !widget.objectName().startsWith(QStringLiteral("qt_")))
    return widget.objectName();
  if (!widget.accessibleName().isEmpty()) return widget.accessibleName();
  const auto* button = qobject_cast<const QAbstractButton*>(&widget);
  return button != nullptr ? button->text() : QString::fromLatin1(widget.metaObject()->className());
}

/// Also where the keyboard is in a list or a dialog that one of the form's fields has opened.
bool has_keyboard(const QWidget& form) {
  const QWidget* at = QApplication::focusWidget();
  if (at == nullptr) return true;
  while (at != nullptr && at != &form) at = at->parentWidget();
  return at != nullptr;
}

void for_each_leaf(const QTreeWidget& tree, const std::function<void(QTreeWidgetItem&)>& take) {
  for (QTreeWidgetItemIterator at(const_cast<QTreeWidget*>(&tree)); *at != nullptr; ++at)
    if ((*at)->childCount() == 0) take(**at);
}

QVariant value_of(const QWidget& field) {
  if (const auto* box = qobject_cast<const QComboBox*>(&field))
    return box->isEditable() ? QVariant(box->currentText()) : QVariant(box->currentIndex());
  if (const auto* tree = qobject_cast<const QTreeWidget*>(&field)) {
    QVariantList ticked;
    for_each_leaf(*tree, [&](const QTreeWidgetItem& item) { ticked += item.checkState(0) == Qt::Checked; });
    return ticked;
  }
  return field.metaObject()->userProperty().read(&field);
}

void set_value(QWidget& field, const QVariant& value) {
  if (auto* box = qobject_cast<QComboBox*>(&field)) {
    box->isEditable() ? box->setCurrentText(value.toString()) : box->setCurrentIndex(value.toInt());
  } else if (const auto* tree = qobject_cast<const QTreeWidget*>(&field)) {
    const QVariantList ticked = value.toList();
    qsizetype at = 0;
    for_each_leaf(*tree, [&](QTreeWidgetItem& item) {
      const bool tick = at < ticked.size() && ticked[at].toBool();
      if ((item.checkState(0) == Qt::Checked) != tick) item.setCheckState(0, tick ? Qt::Checked : Qt::Unchecked);
      ++at;
    });
  } else {
    field.metaObject()->userProperty().write(&field, value);
  }
}

}  // namespace

/// The step from the values of all fields to others.
class FormHistory::Step : public QUndoCommand {
 public:
  /// `field`: the only one that changed, and is typed in; empty: none, or several.
  Step(FormHistory& history, QVariantMap before, QVariantMap after, QString field, bool goes_on)
      : history_(history),
        before_(std::move(before)),
        after_(std::move(after)),
        field_(std::move(field)),
        goes_on_(goes_on) {}
  void undo() override { history_.set_values(before_); }
  void redo() override { history_.set_values(after_); }
  int id() const override { return 1; }
  bool mergeWith(const QUndoCommand* other) override {
    const auto* next = static_cast<const Step*>(other);
    if (!next->goes_on_ || field_.isEmpty() || next->field_ != field_) return false;
    after_ = next->after_;
    setObsolete(after_ == before_);
    return true;
  }

 private:
  FormHistory& history_;
  QVariantMap before_, after_;
  QString field_;
  bool goes_on_;
};

FormHistory::FormHistory(QWidget& form) : QObject(&form), form_(form) {
  form.installEventFilter(this);
  new UndoKeys(form, {[this](bool redo) {
                        note();
                        return redo ? stack_.canRedo() : stack_.canUndo();
                      },
                      [this](bool redo) { redo ? stack_.redo() : stack_.undo(); }});
  connect(qApp, &QApplication::focusChanged, this, [this] { same_field_ = false; });
  last_ = values();
  watch();
}

void FormHistory::leave_out(QWidget& field) {
  field.setProperty(left_out, true);
}

void FormHistory::begin() {
  begun_ = true;
  start_ = last_ = values();
  stack_.clear();
  watch();
}

bool FormHistory::eventFilter(QObject* watched, QEvent* event) {
  if (watched == &form_ && event->type() == QEvent::Show && !begun_) begin();
  return QObject::eventFilter(watched, event);
}

FormHistory::Fields FormHistory::fields() const {
  Fields fields;
  std::map<QString, int> same;
  for (QWidget* widget : form_.findChildren<QWidget*>()) {
    if (!is_field(*widget)) continue;
    const QString name = name_of(*widget);
    const int number = ++same[name];
    fields[number == 1 ? name : filled(QStringLiteral("%1 %2"), name, number)] = widget;
  }
  return fields;
}

QVariantMap FormHistory::values() const {
  QVariantMap values;
  for (const auto& [name, field] : fields()) values[name] = value_of(*field);
  return values;
}

/// A field may bring others: those get their values in a second round.
void FormHistory::set_values(const QVariantMap& values) {
  setting_ = true;
  for (int round = 0; round < 2; ++round)
    for (const auto& [name, field] : fields())
      if (const auto found = values.find(name); found != values.end() && value_of(*field) != *found)
        set_value(*field, *found);
  setting_ = false;
  same_field_ = false;
  last_ = this->values();
  watch();
}

QVariantMap FormHistory::typed() {
  note();
  QVariantMap typed;
  for (auto value = last_.cbegin(); value != last_.cend(); ++value)
    if (start_.value(value.key()) != value.value()) typed.insert(value.key(), value.value());
  return typed;
}

/// Each field's signal, once: fields come and go.
void FormHistory::watch() {
  static const QMetaMethod changed = metaObject()->method(metaObject()->indexOfSlot("queue_note()"));
  for (const auto& [name, field] : fields()) {
    if (auto* tree = qobject_cast<QTreeWidget*>(field)) {
      connect(tree, &QTreeWidget::itemChanged, this, &FormHistory::queue_note, Qt::UniqueConnection);
    } else if (auto* box = qobject_cast<QComboBox*>(field)) {
      connect(box, &QComboBox::currentIndexChanged, this, &FormHistory::queue_note, Qt::UniqueConnection);
      connect(box, &QComboBox::editTextChanged, this, &FormHistory::queue_note, Qt::UniqueConnection);
    } else {
      connect(field, field->metaObject()->userProperty().notifySignal(), this, changed, Qt::UniqueConnection);
    }
  }
}

void FormHistory::queue_note() {
  if (setting_ || queued_) return;
  queued_ = true;
  QMetaObject::invokeMethod(this, &FormHistory::note, Qt::QueuedConnection);
}

void FormHistory::note() {
  queued_ = false;
  const QVariantMap now = values();
  if (now == last_) return;
  watch();
  if (!begun_ || !has_keyboard(form_)) return void(last_ = now);
  QStringList changed;
  for (auto value = now.cbegin(); value != now.cend(); ++value)
    if (last_.value(value.key()) != value.value()) changed += value.key();
  const Fields all = fields();
  const bool typed = changed.size() == 1 && is_typed_in(*all.at(changed.front()));
  auto* step = new Step(*this, std::exchange(last_, now), now, typed ? changed.front() : QString(), same_field_);
  stack_.push(step);
  same_field_ = true;
}

}  // namespace carryover
