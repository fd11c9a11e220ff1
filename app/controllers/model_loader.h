// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <optional>

#include "app/controllers/engine_connection.h"
#include "widgets/lab/lab_context.h"

namespace carryover {

struct MeasuredMemory;

/// The settings that a model opens with: those of its training, where it was trained for segments.
SegmentConfig opening_config(const LoadedModel& model);

/// Reads texts on a thread of its own: a run goes on until there is another text for it.
class TextReader : public QObject {
  Q_OBJECT
 public:
  /// The contents of its file, where it is one.
  void read(TextRequest request);

 Q_SIGNALS:
  void done(const std::shared_ptr<const carryover::TextRequest>& request);
  void failed(const carryover::ErrorReport& report);  ///< or it is empty
};

/// The open model and text, and the loads under way. GUI thread.
class ModelLoader : public QObject {
  Q_OBJECT
 public:
  ModelLoader(LabContext& context, EngineConnection& engine, QObject* parent = nullptr);

  const std::optional<LoadedModel>& model() const { return model_; }
  const std::optional<LoadedText>& text() const { return text_; }
  bool loading() const { return under_way_ > 0; }

  /// `adapter`: a PEFT folder merged into it. A path that is such a folder itself is merged into its base model, or
  /// into the model that is open where the base is not on this machine.
  void open_model(const QString& path, const QString& adapter = {});
  /// Opens the model again with the dtype and device now chosen; if other work has the engine, once that ends.
  void reopen_model();
  void open_text(const QString& path, const QString& name = {});  ///< `name`: see TextRequest
  void open_pasted_text(const QString& text, const QString& name = {});
  /// A load of something else, which the worker ends with open_done().
  void begin_load();

 Q_SIGNALS:
  void opening_model();  ///< runs of the open model must stop
  void model_opened();
  /// Another one could not be opened, and the open one stays; what it was asked for with.
  void model_refused(carryover::DType dtype, carryover::Device device);
  void model_changed();  ///< opened, trained, or gone: model() is another one
  void opening_text();   ///< it could be read: what runs is to stop where that one is wanted
  void text_opened();
  void loads_changed();  ///< one began or ended
  void progressed(double fraction, const QString& what);
  void failed(const carryover::ErrorReport& report);

 private:
  static QString note_of(const MeasuredMemory& measured);
  void restart(bool again);
  void reopen_if_due();
  void forget_model();
  void read(const TextRequest& request);
  void accept_model(const LoadedModel& model);
  void accept_text(const LoadedText& text);
  void end_load();

  LabContext& context_;
  EngineConnection& engine_;
  std::optional<LoadedModel> model_;
  std::optional<LoadedText> text_;
  QString model_path_, adapter_path_;  ///< asked for last
  DType dtype_ = DType::Auto;          ///< likewise
  Device device_ = Device::Auto;       ///< likewise
  DType opened_dtype_ = DType::Auto;   ///< dtype that was asked for with the open model
  Device opened_device_ = Device::Auto;
  bool reopen_ = false;            ///< once the engine is ready
  bool reopen_when_free_ = false;  ///< once nothing has the engine
  int under_way_ = 0;
  WorkerThread<TextReader> reader_{QStringLiteral("text")};
};

}  // namespace carryover
