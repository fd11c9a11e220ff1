// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heads/recall_heads_form.h"

#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>

#include "widgets/look/form_history.h"
#include "widgets/look/icons.h"

namespace carryover {

RecallHeadsForm::RecallHeadsForm(QWidget* parent) : QWidget(parent) {
  auto* form = new QFormLayout(this);
  form->setContentsMargins(8, 8, 8, 8);
  form->setVerticalSpacing(4);
  texts_button_ = new QPushButton(this);
  texts_button_->setAccessibleName(tr("Novels"));
  connect(texts_button_, &QPushButton::clicked, this, &RecallHeadsForm::choose_texts);
  form->addRow(tr("Novels"), texts_button_);
  const auto number = [&](const QString& name, const QString& help, std::int64_t value, int least, int most) {
    auto* box = new QSpinBox(this);
    box->setRange(least, most);
    box->setValue(static_cast<int>(value));
    box->setToolTip(help);
    box->setAccessibleName(name);
    form->addRow(name, box);
    connect(box, &QSpinBox::valueChanged, this, [this] {
      update_offer();
      Q_EMIT order_changed();
    });
    return box;
  };
  const RecallOrder usual;
  documents_ =
      number(tr("Documents"), tr("Excerpts of the novels, into which needles are inserted"), usual.documents, 1, 1000);
  held_out_ =
      number(tr("Held out"), tr("The last documents, which are used only to check searchers"), usual.held_out, 0, 999);
  segments_ = number(tr("Segments"), tr("Length of a document"), usual.segments, 2, 1000);
  needles_ =
      number(tr("Needles"), tr("Numbers, words and facts in a document: this many of each"), usual.needles, 1, 12);
  searchers_ =
      number(tr("Searchers"), tr("Maximum number of heads that search for all readers"), usual.searchers, 1, 64);
  rise_ = new QDoubleSpinBox(this);
  rise_->setRange(0, 100);
  rise_->setDecimals(1);
  rise_->setSuffix(tr(" %"));
  rise_->setValue(100 * usual.loss_rise);
  rise_->setAccessibleName(tr("Loss may rise by"));
  rise_->setToolTip(tr("Readers are dropped until the loss of the answers has risen by this share"));
  form->addRow(rise_->accessibleName(), rise_);
  connect(rise_, &QDoubleSpinBox::valueChanged, this, [this] { Q_EMIT order_changed(); });
  start_ = new QPushButton(this);
  start_->setIcon(themed_icon(QStringLiteral("run")));
  connect(start_, &QPushButton::clicked, this, &RecallHeadsForm::start);
  cancel_ = new QPushButton(tr("Cancel"), this);
  connect(cancel_, &QPushButton::clicked, this, [this] {
    status_->setText(tr("Cancelling…"));
    cancel_->setEnabled(false);
    Q_EMIT cancel_wanted();
  });
  progress_ = new QProgressBar(this);
  progress_->setRange(0, 1000);
  progress_->setAccessibleName(tr("Progress of the search"));
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(start_);
  buttons->addWidget(cancel_);
  buttons->addStretch(1);
  form->addRow(buttons);
  form->addRow(progress_);
  status_ = new QLabel(this);
  status_->setWordWrap(true);
  form->addRow(status_);
  update_offer();
  new FormHistory(*this);
}

void RecallHeadsForm::set_has_model(bool has_model) {
  has_model_ = has_model;
  update_offer();
}

void RecallHeadsForm::set_open_text(const QString& path) {
  open_text_ = path;
  update_offer();
}

void RecallHeadsForm::set_engine_busy(const QString& why) {
  busy_ = why;
  update_offer();
}

void RecallHeadsForm::set_texts(const QStringList& paths) {
  texts_ = paths;
  update_offer();
  Q_EMIT order_changed();
}

void RecallHeadsForm::set_unfinished(bool unfinished) {
  unfinished_ = unfinished;
  update_offer();
}

void RecallHeadsForm::choose_texts() {
  const QStringList paths = QFileDialog::getOpenFileNames(this, tr("Novels into which needles are inserted"), {},
                                                          tr("Text files (*.txt);;All files (*)"));
  if (!paths.isEmpty()) set_texts(paths);
}

RecallOrder RecallHeadsForm::order() const {
  RecallOrder order;
  const QStringList texts = texts_.isEmpty() && !open_text_.isEmpty() ? QStringList{open_text_} : texts_;
  for (const QString& path : texts) order.texts.push_back(path.toStdString());
  order.documents = documents_->value();
  order.held_out = held_out_->value();
  order.segments = segments_->value();
  order.needles = needles_->value();
  order.searchers = searchers_->value();
  order.loss_rise = rise_->value() / 100;
  return order;
}

void RecallHeadsForm::set_order(const RecallOrder& order) {
  QStringList texts;
  for (const std::string& path : order.texts) texts += QString::fromStdString(path);
  const auto set = [](QSpinBox* box, std::int64_t value) { box->setValue(static_cast<int>(value)); };
  set(documents_, order.documents);
  set(held_out_, order.held_out);
  set(segments_, order.segments);
  set(needles_, order.needles);
  set(searchers_, order.searchers);
  rise_->setValue(100 * order.loss_rise);
  set_texts(texts);
}

QString RecallHeadsForm::why_not() const {
  if (!has_model_) return tr("No model is open");
  if (running_) return tr("A search is running");
  if (!busy_.isEmpty()) return tr("Not now: %1").arg(busy_);
  if (order().texts.empty()) return tr("Choose novels, or open a text from a file");
  if (held_out_->value() >= documents_->value()) return tr("No documents are left to choose heads on: hold out fewer");
  return {};
}

void RecallHeadsForm::update_offer() {
  const QString why = why_not();
  start_->setText(unfinished_ ? tr("Resume") : tr("Find heads"));
  start_->setEnabled(why.isEmpty());
  start_->setToolTip(why.isEmpty() ? tr("Takes minutes for a small model; Cancel keeps the results so far") : why);
  texts_button_->setText(texts_.isEmpty()     ? tr("The open text")
                         : texts_.size() == 1 ? QFileInfo(texts_.front()).fileName()
                                              : tr("%1 texts").arg(texts_.size()));
  texts_button_->setToolTip(texts_.isEmpty()
                                ? tr("Choose other novels: choose heads on texts other than those that you use them on")
                                : texts_.join(QLatin1Char('\n')));
  for (QWidget* each :
       std::initializer_list<QWidget*>{texts_button_, documents_, held_out_, segments_, needles_, searchers_, rise_})
    each->setEnabled(!running_);
  progress_->setVisible(running_);
  status_->setVisible(running_);
  cancel_->setVisible(running_);
  start_->setVisible(!running_);
}

void RecallHeadsForm::begin() {
  running_ = true;
  cancel_->setEnabled(true);
  set_progress(0, tr("waiting for the engine"));
  update_offer();
}

void RecallHeadsForm::set_progress(double share, const QString& what) {
  if (!running_ || !cancel_->isEnabled()) return;
  progress_->setValue(static_cast<int>(1000 * share));
  status_->setText(what);
}

void RecallHeadsForm::end() {
  running_ = false;
  update_offer();
}

void RecallHeadsForm::start() {
  if (why_not().isEmpty()) Q_EMIT search_wanted(order());
}

}  // namespace carryover
