// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/campaigns/prompts_form.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>

#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/look/form_history.h"
#include "widgets/look/icons.h"

namespace carryover {
PromptsForm::PromptsForm(QWidget* parent) : QWidget(parent) {
  auto* bar = new WrappingBar(this);
  bar->setContentsMargins(0, 0, 0, 0);
  prompts_ = add_path(
      tr("Prompt set"),
      tr("A .jsonl file with a \"text\" on each line and, optionally, \"name\", \"answer\", \"target\" and \"tags\""),
      [this](const QString& now) {
        return QFileDialog::getOpenFileName(this, tr("Prompt set"), now, tr("Prompt sets (*.jsonl);;All files (*)"));
      });
  against_ = new QComboBox(this);
  against_->addItem(tr("no control"), QString());
  for (const char* control : {"off", "random", "recent", "constant", "sinks"})
    against_->addItem(QString::fromLatin1(control), QString::fromLatin1(control));
  against_->setAccessibleName(tr("Control"));
  against_->setToolTip(
      tr("Also run each example under this control, for Δ loss. off: no retrieval; the other controls replace the "
         "retrieved positions"));
  bar->addWidget(labelled(tr("Against"), against_, nullptr, this));
  out_ = add_path(
      tr("Folder"), tr("Folder for its runs; examples that are there already are not run again"),
      [this](const QString& now) { return QFileDialog::getExistingDirectory(this, tr("Folder of the runs"), now); });
  run_ = new QPushButton(tr("Run"), this);
  run_->setIcon(themed_icon(QStringLiteral("run")));
  connect(run_, &QPushButton::clicked, this, [this] { Q_EMIT run_wanted(order()); });
  stop_ = new QPushButton(tr("Stop"), this);
  stop_->setToolTip(tr("Finished examples are kept; Run continues with the others"));
  connect(stop_, &QPushButton::clicked, this, &PromptsForm::stop_wanted);
  bar->addWidget(run_);
  bar->addWidget(stop_);
  connect(prompts_, &QLineEdit::textChanged, this, [this](const QString& path) {
    const QFileInfo file(path);
    if (!out_->isModified() && file.isFile()) out_->setText(file.path() + u'/' + file.completeBaseName() + "-runs");
    update_offer();
  });
  connect(out_, &QLineEdit::textChanged, this, &PromptsForm::update_offer);
  update_offer();
  new FormHistory(*this);
}

QLineEdit* PromptsForm::add_path(const QString& name, const QString& help, const AskPath& ask) {
  auto* field = new QLineEdit(this);
  field->setAccessibleName(name);
  field->setToolTip(help);
  field->setMinimumWidth(90);
  QToolButton* browse = browse_button(field, name, ask, this);
  static_cast<WrappingBar*>(layout())->addWidget(labelled(name, field, browse, this), 1);
  return field;
}

PromptOrder PromptsForm::order() const {
  return {prompts_->text().trimmed(), against_->currentData().toString(), out_->text().trimmed()};
}

void PromptsForm::set_order(const PromptOrder& order) {
  prompts_->setText(order.prompts);
  against_->setCurrentIndex(std::max(0, against_->findData(order.against)));
  out_->setText(order.out);
}

void PromptsForm::set_unavailable(const QString& why) {
  unavailable_ = why;
  update_offer();
}

void PromptsForm::set_running(bool running) {
  running_ = running;
  update_offer();
}

void PromptsForm::update_offer() {
  QString why = unavailable_;
  if (why.isEmpty() && order().prompts.isEmpty()) why = tr("Choose a prompt set");
  if (why.isEmpty() && order().out.isEmpty()) why = tr("Choose a folder for its runs");
  run_->setEnabled(!running_ && why.isEmpty());
  run_->setToolTip(why.isEmpty() ? tr("Run each example with these settings in a separate process") : why);
  stop_->setVisible(running_);
}

}  // namespace carryover
