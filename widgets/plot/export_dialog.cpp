// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/export_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>

#include "engine/base/error.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/form_history.h"

namespace carryover {
namespace {

const QStringList suffixes = {QStringLiteral("pdf"), QStringLiteral("svg"), QStringLiteral("png"),
                              QStringLiteral("csv"), QStringLiteral("npy")};
constexpr PlotView::Format formats[] = {PlotView::Format::Pdf, PlotView::Format::Svg, PlotView::Format::Png,
                                        PlotView::Format::Csv, PlotView::Format::Npy};

QDoubleSpinBox* millimetres(double value, QWidget* parent) {
  auto* box = new QDoubleSpinBox(parent);
  box->setRange(20, 1000);
  box->setDecimals(1);
  box->setSuffix(QObject::tr(" mm"));
  box->setValue(value);
  return box;
}

}  // namespace

ExportDialog::ExportDialog(PlotView& plot) : QDialog(&plot), plot_(plot) {
  setWindowTitle(tr("Export figure"));
  setAttribute(Qt::WA_DeleteOnClose);
  auto* form = new QFormLayout(this);
  format_ = new QComboBox(this);
  format_->addItems({tr("PDF"), tr("SVG"), tr("PNG"), tr("CSV (the data)"), tr("NumPy array (the data)")});
  form->addRow(tr("&Format"), format_);
  style_ = new QComboBox(this);
  for (const FigureStyle& style : figure_styles()) style_->addItem(style.title);
  form->addRow(tr("&Style"), style_);
  size_ = new QComboBox(this);
  for (const FigureSize& size : figure_sizes())
    size_->addItem(
        filled(tr("%1, %2 × %3 mm"), size.title, QString::number(size.mm.width()), QString::number(size.mm.height())));
  size_->addItem(tr("Custom"));
  form->addRow(tr("Si&ze"), size_);
  width_ = millimetres(0, this);
  form->addRow(tr("&Width"), width_);
  height_ = millimetres(0, this);
  form->addRow(tr("&Height"), height_);
  size_->setCurrentIndex(1);
  take_size(1);
  dpi_ = new QSpinBox(this);
  dpi_->setRange(50, 1200);
  dpi_->setValue(300);
  form->addRow(tr("&Dots per inch"), dpi_);
  auto* row = new QHBoxLayout;
  path_ = new QLineEdit(QDir::current().filePath(plot.id() + QLatin1String(".pdf")), this);
  path_->setMinimumWidth(320);
  auto* browse_button = new QPushButton(tr("&Browse…"), this);
  row->addWidget(path_, 1);
  row->addWidget(browse_button);
  form->addRow(tr("F&ile"), row);
  problem_ = new QLabel(this);
  problem_->setWordWrap(true);
  problem_->hide();
  form->addRow(problem_);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
  form->addRow(buttons);
  connect(format_, &QComboBox::currentIndexChanged, this, &ExportDialog::follow_format);
  connect(size_, &QComboBox::currentIndexChanged, this, &ExportDialog::take_size);
  for (QDoubleSpinBox* box : {width_, height_})
    connect(box, &QDoubleSpinBox::valueChanged, this, [this] { size_->setCurrentIndex(size_->count() - 1); });
  connect(browse_button, &QPushButton::clicked, this, &ExportDialog::browse);
  connect(buttons, &QDialogButtonBox::accepted, this, &ExportDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &ExportDialog::reject);
  follow_format();
  new FormHistory(*this);
}

void ExportDialog::follow_format() {
  const PlotView::Format format = formats[format_->currentIndex()];
  const bool picture = format != PlotView::Format::Csv && format != PlotView::Format::Npy;
  for (QWidget* field : {static_cast<QWidget*>(style_), static_cast<QWidget*>(size_), static_cast<QWidget*>(width_),
                         static_cast<QWidget*>(height_)})
    field->setEnabled(picture);
  dpi_->setEnabled(format == PlotView::Format::Png);
  const QFileInfo file(path_->text());
  if (suffixes.contains(file.suffix()))
    path_->setText(
        QDir(file.path()).filePath(file.completeBaseName() + QLatin1Char('.') + suffixes[format_->currentIndex()]));
}

void ExportDialog::take_size(int index) {
  const auto& sizes = figure_sizes();
  if (index < 0 || index >= static_cast<int>(sizes.size())) return;
  const QSizeF mm = sizes[static_cast<std::size_t>(index)].mm;
  const QSignalBlocker width(width_), height(height_);
  width_->setValue(mm.width());
  height_->setValue(mm.height());
}

void ExportDialog::browse() {
  const QString path = QFileDialog::getSaveFileName(this, windowTitle(), path_->text());
  if (path.isEmpty()) return;
  path_->setText(path);
  replaceable_ = path;  // the file dialog has asked
  const auto index = suffixes.indexOf(QFileInfo(path).suffix());
  if (index >= 0) format_->setCurrentIndex(static_cast<int>(index));
}

void ExportDialog::accept() {
  if (QFileInfo::exists(path_->text()) && replaceable_ != path_->text()) {
    replaceable_ = path_->text();
    problem_->setText(tr("%1 exists: save again to replace it").arg(path_->text()));
    problem_->show();
    return;
  }
  try {
    plot_.export_to(path_->text(), formats[format_->currentIndex()], {width_->value(), height_->value()}, dpi_->value(),
                    figure_styles()[static_cast<std::size_t>(style_->currentIndex())]);
    Q_EMIT plot_.exported(path_->text());
    QDialog::accept();
  } catch (const EngineError& error) {
    problem_->setText(QString::fromStdString(error.what()));
    problem_->show();
  }
}

}  // namespace carryover
