// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/engine_dialog.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "widgets/look/form_history.h"

namespace carryover {

EngineDialog::EngineDialog(const QString& command, QWidget* parent)
    : QDialog(parent), field_(new QLineEdit(command, this)) {
  setWindowTitle(tr("Remote engine"));
  auto* label = new QLabel(tr("&Command that starts the engine:"), this);
  label->setBuddy(field_);
  field_->setPlaceholderText(QStringLiteral("ssh gpu-machine carryover-cli engine"));
  auto* help = new QLabel(
      tr("The other machine needs the same version of Carryover. The window talks to the engine over the command's "
         "standard input and output; no port is opened. SSH can't ask for a password here: use a key or an "
         "agent.\nModels and training data are then read from the other machine, texts from this one."),
      this);
  help->setWordWrap(true);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  connect_ = buttons->addButton(tr("Connect"), QDialogButtonBox::AcceptRole);
  connect_->setDefault(true);
  const auto check = [this] { connect_->setEnabled(!field_->text().trimmed().isEmpty()); };
  connect(field_, &QLineEdit::textChanged, this, check);
  check();
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(label);
  layout->addWidget(field_);
  layout->addWidget(help);
  layout->addStretch();
  layout->addWidget(buttons);
  resize(540, 210);
  new FormHistory(*this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(buttons, &QDialogButtonBox::accepted, this, [this] {
    accept();
    Q_EMIT command_chosen(field_->text().trimmed());
  });
}

}  // namespace carryover
