// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/model_loader.h"

#include <QFileInfo>
#include <utility>

#include "app/controllers/adapter_base.h"
#include "app/engine_thread/post.h"
#include "engine/base/error.h"
#include "engine/checkpoints/measured_memory.h"
#include "engine/data/text_source.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/model_label.h"

namespace carryover {

SegmentConfig opening_config(const LoadedModel& model) {
  return model.trained_under ? model.trained_under->config : SegmentConfig::untrained_defaults_for(model.info.config);
}

void TextReader::read(TextRequest request) {
  const auto problem = attempt([&] {
    if (!request.path.isEmpty()) request.contents = read_text(request.path.toStdString());
    if (request.contents.empty())
      throw EngineError(Fault::BadInput, request.name.toStdString(), tr("the text is empty").toStdString(),
                        tr("Paste or choose another one.").toStdString());
  });
  if (problem) return Q_EMIT failed(*problem);
  Q_EMIT done(std::make_shared<const TextRequest>(std::move(request)));
}

QString ModelLoader::note_of(const MeasuredMemory& measured) {
  QString note =
      filled(tr("On %1 held-out books, a carry with %2 sinks (S = %3, M = %4) changes the loss by %5 nats per "
                "token compared with M = R = 0, with all heads local (lower on %6)"),
             measured.books, measured.sink_length, measured.segment_length, measured.carry_length,
             decimal_text(measured.all_local.nats, 3), measured.all_local.lower_on);
  if (const auto& grouped = measured.default_grouping)
    note += filled(tr(", and by %1 with the default grouping (lower on %2)"), decimal_text(grouped->nats, 3),
                   grouped->lower_on);
  return note;
}

ModelLoader::ModelLoader(LabContext& context, EngineConnection& engine, QObject* parent)
    : QObject(parent), context_(context), engine_(engine) {
  connect(&engine, &EngineConnection::starting, this, &ModelLoader::restart);
  connect(&engine, &EngineConnection::changing, this, &ModelLoader::begin_load);
  connect(&engine, &EngineConnection::replaced, this, &ModelLoader::forget_model);
  connect(&engine, &EngineConnection::ready, this, [this] {
    if (std::exchange(reopen_, false)) open_model(model_path_, adapter_path_);
  });
  connect(&engine, &EngineConnection::busy_changed, this, &ModelLoader::reopen_if_due);
  EngineWorker* worker = &engine.worker();
  connect(worker, &EngineWorker::loading, this, &ModelLoader::progressed);
  connect(worker, &EngineWorker::open_done, this, &ModelLoader::end_load);
  connect(worker, &EngineWorker::model_opened, this, &ModelLoader::accept_model);
  connect(worker, &EngineWorker::model_failed, this, [this](const ErrorReport& report, bool has_model) {
    if (!has_model) forget_model();
    if (model_) Q_EMIT model_refused(opened_dtype_, opened_device_);
    Q_EMIT failed(report);
  });
  connect(worker, &EngineWorker::model_reloaded, this, &ModelLoader::model_changed);
  connect(worker, &EngineWorker::model_trained, this, [this](const LoadedModel& model) {
    model_ = model;  // its tokens are the same, and so the text stays
    context_.set_trained_under(model.trained_under);
    context_.set_model_dtype(model.info.dtype);
    context_.tell_weights_changed();
    Q_EMIT model_changed();
  });
  connect(reader_.get(), &TextReader::done, this, [this](const std::shared_ptr<const TextRequest>& request) {
    Q_EMIT opening_text();
    engine_.post([request](EngineWorker& worker) { worker.open_text(request); });
  });
  connect(reader_.get(), &TextReader::failed, this, [this](const ErrorReport& report) {
    Q_EMIT failed(report);
    end_load();
  });
  connect(worker, &EngineWorker::text_opened, this, &ModelLoader::accept_text);
  connect(worker, &EngineWorker::text_failed, this, &ModelLoader::failed);
}

/// The engine that had the model is gone. The same engine opens it again once it is ready.
void ModelLoader::restart(bool again) {
  if (!again) {
    forget_model();
  } else if (model_) {
    model_path_ = QString::fromStdString(model_->info.path);
    adapter_path_ = QString::fromStdString(model_->info.adapter);
  }
  reopen_ = again && !model_path_.isEmpty();
  begin_load();
}

void ModelLoader::forget_model() {
  model_.reset();
  Q_EMIT model_changed();
}

void ModelLoader::open_model(const QString& path, const QString& adapter) {
  if (engine_.refuse_when_busy()) return;
  if (engine_.command().isEmpty() && adapter.isEmpty() && is_adapter_folder(path)) {
    QString base = base_of_adapter(path);
    if (base.isEmpty() && model_) base = QString::fromStdString(model_->info.path);
    if (!base.isEmpty()) return open_model(base, path);
  }
  Q_EMIT opening_model();
  reopen_when_free_ = false;
  model_path_ = path;
  adapter_path_ = adapter;
  const RunOptions& options = context_.run_options();
  dtype_ = options.dtype;
  device_ = options.device;
  const ModelRequest request{path.toStdString(), options.dtype, options.device, 0, false, adapter.toStdString()};
  begin_load();
  engine_.post([request](EngineWorker& worker) { worker.open_model(request); });
}

void ModelLoader::reopen_model() {
  if (!model_) return;
  reopen_when_free_ = !engine_.busy().isEmpty();
  if (reopen_when_free_)
    return context_.add_note(tr("The model will be opened with the chosen dtype and device when the engine is free"));
  open_model(QString::fromStdString(model_->info.path), QString::fromStdString(model_->info.adapter));
}

/// Unless what was chosen meanwhile is what it was opened with. A lost engine opens it when it is back.
void ModelLoader::reopen_if_due() {
  if (!engine_.busy().isEmpty() || engine_.lost() || !std::exchange(reopen_when_free_, false)) return;
  const RunOptions& chosen = context_.run_options();
  if (chosen.dtype != dtype_ || chosen.device != device_) reopen_model();
}

void ModelLoader::open_text(const QString& path, const QString& name) {
  read({path, {}, name});
}

void ModelLoader::open_pasted_text(const QString& text, const QString& name) {
  read({{}, text.toStdString(), name.isEmpty() ? tr("pasted text") : name});
}

void ModelLoader::read(const TextRequest& request) {
  if (engine_.refuse_when_busy()) return;
  begin_load();
  Q_EMIT progressed(0,
                    tr("Reading %1").arg(request.path.isEmpty() ? request.name : QFileInfo(request.path).fileName()));
  post(reader_.get(), [request](TextReader& reader) { reader.read(request); });
}

void ModelLoader::begin_load() {
  under_way_ += 1;
  Q_EMIT loads_changed();
}

void ModelLoader::end_load() {
  under_way_ -= 1;
  Q_EMIT loads_changed();
}

void ModelLoader::accept_model(const LoadedModel& model) {
  const bool same = model_ && model_->info.weights_hash == model.info.weights_hash;
  model_ = model;
  opened_dtype_ = dtype_;
  opened_device_ = device_;
  context_.set_trained_under(model.trained_under);
  if (!same) context_.set_model(model.info.config, opening_config(model));
  context_.set_model_dtype(model.info.dtype);
  text_.reset();  // its ids were the last model's; the worker sends this one's next
  const QString dtype = QString::fromUtf8(dtype_name(model.info.dtype).data());
  context_.add_note(filled(tr("%1: %2 layers, %3 heads, %4 of weights in %5 on %6"), model_name(model.info),
                           model.info.config.layers, model.info.config.heads, bytes_text(model.info.weight_bytes),
                           dtype, QString::fromUtf8(device_name(model.info.device).data())));
  context_.add_note(tr("dtype %1: %2").arg(dtype, QString::fromStdString(model.info.dtype_reason)));
  if (const auto measured = measured_memory(model.info.weights_hash)) context_.add_note(note_of(*measured));
  if (model.tokenizer)
    for (const std::string& note : model.tokenizer->notes()) context_.add_note(QString::fromStdString(note));
  Q_EMIT model_opened();
  Q_EMIT model_changed();
}

void ModelLoader::accept_text(const LoadedText& text) {
  text_ = text;
  context_.add_note(
      filled(tr("%1: %L2 tokens"), QFileInfo(text.name).fileName(), static_cast<qlonglong>(text.ids->size())));
  Q_EMIT text_opened();
}

}  // namespace carryover
