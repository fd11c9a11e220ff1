// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/state/open_document.h"

#include <QFileInfo>

#include "widgets/look/filled_text.h"
#include "widgets/look/quantity_text.h"

namespace carryover {

QString OpenDocument::label() const {
  return QFileInfo(file_).fileName();
}

QString OpenDocument::details() const {
  if (!is_open()) return {};
  return filled(tr("Document state: %1\n%L2 tokens, policy %3, %4"), file_, text_.token_count(),
                QString::fromStdString(text_.request().policy), bytes_text(bytes_));
}

void OpenDocument::open(const QString& file, const ModelInfo& model, const StateInfo& state,
                        const std::shared_ptr<const Tokenizer>& tokenizer) {
  RunRequest request;
  request.ids = state.ids;
  request.policy = state.policy;
  request.config = state.config;
  text_.begin(model, request, tokenizer);
  RunOrigin origin = text_.origin();
  origin.text = file.toStdString();
  text_.set_origin(origin);
  bytes_ = state.bytes;
  file_ = file;
  Q_EMIT changed();
}

void OpenDocument::close() {
  if (!is_open()) return;
  file_.clear();
  Q_EMIT changed();
}

}  // namespace carryover
