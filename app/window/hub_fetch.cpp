// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/hub_fetch.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/engine_thread/post.h"
#include "engine/base/error.h"
#include "engine/base/run_control.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/quantity_text.h"

namespace carryover {

HubFetch::HubFetch(QWidget* parent)
    : QWidget(parent),
      button_(new QPushButton(tr("Fetch"), this)),
      bar_(new QProgressBar(this)),
      note_(new QLabel(this)),
      thread_(QStringLiteral("model fetch")) {
  button_->setAutoDefault(false);
  bar_->setRange(0, 1000);
  bar_->setTextVisible(false);
  bar_->setAccessibleName(tr("Progress of the fetch"));
  note_->setTextFormat(Qt::PlainText);
  note_->setWordWrap(true);
  note_->setAccessibleName(tr("State of the fetch"));
  auto* row = new QHBoxLayout;
  row->addWidget(button_);
  row->addWidget(bar_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(row);
  layout->addWidget(note_);
  connect(button_, &QPushButton::clicked, this, &HubFetch::press);
  connect(thread_.get(), &ModelFetcher::came, this, [this](const QString& file, qint64 done, qint64 total) {
    bar_->setValue(total > 0 ? static_cast<int>(1000.0 * static_cast<double>(done) / static_cast<double>(total)) : 0);
    note_->setText(filled(tr("%1: %2 of %3"), file, bytes_text(done), bytes_text(total)));
  });
  connect(thread_.get(), &ModelFetcher::waits, note_, &QLabel::setText);
  connect(thread_.get(), &ModelFetcher::failed, this, [this](const QString& problem) {
    end(problem.isEmpty() ? tr("Stopped. What has come is kept, and Fetch continues.") : problem);
  });
  connect(thread_.get(), &ModelFetcher::fetched, this, [this](const QString& path) {
    end({});
    Q_EMIT fetched(path);
  });
  offer({});
}

HubFetch::~HubFetch() {
  if (control_) control_->request_stop();
}

void HubFetch::offer(const std::optional<HubName>& name) {
  name_ = name;
  if (is_fetching()) return;
  setVisible(name.has_value());
  bar_->hide();
  note_->clear();
}

void HubFetch::press() {
  if (is_fetching()) return control_->request_stop();
  if (!name_) return;
  try {
    const HubSettings settings = hub_settings();
    control_ = std::make_shared<RunControl>();
    post(thread_.get(), [name = *name_, settings, control = control_](ModelFetcher& fetcher) {
      fetcher.fetch(name, settings, control);
    });
  } catch (const EngineError& error) {
    return note_->setText(QString::fromStdString(error.what()));
  }
  button_->setText(tr("Stop"));
  bar_->setValue(0);
  bar_->show();
  note_->setText(tr("Asking the hub…"));
}

void HubFetch::end(const QString& note) {
  control_.reset();
  button_->setText(tr("Fetch"));
  offer(name_);
  note_->setText(note);
}

}  // namespace carryover
