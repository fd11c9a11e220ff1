// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/memory_estimate.h"

#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/base/system_file.h"
#include "widgets/look/quantity_text.h"
#include "widgets/look/theme.h"

namespace carryover {
namespace {

constexpr double reserve = 0.1;  ///< of the free memory, left to the rest of the machine

struct Part {
  const char* name;
  std::int64_t MemoryBytes::*bytes;
  int series;
};
// The graph's share counts KV, carry and pool too.
constexpr Part parts[] = {{QT_TRANSLATE_NOOP("MemoryEstimate", "Weights"), &MemoryBytes::weights, 6},
                          {QT_TRANSLATE_NOOP("MemoryEstimate", "Gradients"), &MemoryBytes::gradients, 1},
                          {QT_TRANSLATE_NOOP("MemoryEstimate", "Optimizer"), &MemoryBytes::optimizer, 5},
                          {QT_TRANSLATE_NOOP("MemoryEstimate", "Forward and backward"), &MemoryBytes::graph, 4}};

QColor part_colour(const Part& part) {
  return current_theme().series[static_cast<std::size_t>(part.series)];
}

std::int64_t total(const MemoryBytes& bytes) {
  std::int64_t sum = 0;
  for (const Part& part : parts) sum += bytes.*part.bytes;
  return sum;
}

}  // namespace

std::optional<std::int64_t> free_memory() {
  const std::int64_t bytes = system_bytes("/proc/meminfo", "MemAvailable");
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

/// The parts side by side, to the scale of what is free.
class MemoryEstimate::Bar : public QWidget {
 public:
  explicit Bar(QWidget* parent) : QWidget(parent) { setFixedHeight(18); }
  std::optional<MemoryBytes> bytes;
  std::optional<std::int64_t> free;

 protected:
  void paintEvent(QPaintEvent*) override {
    const Theme& theme = current_theme();
    QPainter painter(this);
    painter.fillRect(rect(), theme.surface);
    if (bytes) {
      const double needed = static_cast<double>(total(*bytes));
      const double all = std::max({needed, static_cast<double>(free.value_or(0)), 1.0});
      double x = 0;
      for (const Part& part : parts) {
        const double width = static_cast<double>((*bytes).*part.bytes) / all * rect().width();
        painter.fillRect(QRectF(x, 0, width, height()), part_colour(part));
        x += width;
      }
      if (free && needed > static_cast<double>(*free)) {
        const double limit = static_cast<double>(*free) / all * rect().width();
        painter.fillRect(QRectF(limit - 1, 0, 2, height()), theme.text);
      }
    }
    painter.setPen(theme.grid);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
};

MemoryEstimate::MemoryEstimate(QWidget* parent) : QWidget(parent), bar_(new Bar(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  auto* grid = new QGridLayout;
  column->addLayout(grid);
  grid->setVerticalSpacing(4);
  grid->setHorizontalSpacing(10);
  grid->setColumnStretch(1, 1);
  grid->addWidget(bar_, 0, 0, 1, 4);
  const auto number = [this] {
    auto* label = new QLabel(this);
    label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
  };
  auto* estimated = number();
  estimated->setText(tr("estimated"));
  auto* measured = number();
  measured->setText(tr("measured"));
  for (QLabel* head : {estimated, measured}) head->setForegroundRole(QPalette::PlaceholderText);
  grid->addWidget(estimated, 1, 2);
  grid->addWidget(measured, 1, 3);
  int row = 2;
  for (const Part& part : parts) {
    auto* swatch = new QLabel(this);
    QPixmap square(10, 10);
    square.fill(part_colour(part));
    swatch->setPixmap(square);
    grid->addWidget(swatch, row, 0);
    grid->addWidget(new QLabel(tr(part.name), this), row, 1);
    rows_.push_back({number(), number()});
    grid->addWidget(rows_.back().estimate, row, 2);
    grid->addWidget(rows_.back().measured, row, 3);
    ++row;
  }
  auto* sum = new QLabel(tr("Total"), this);
  total_ = number();
  measured_total_ = number();
  QFont bold = font();
  bold.setBold(true);
  for (QLabel* label : {sum, total_, measured_total_}) label->setFont(bold);
  grid->addWidget(sum, row, 1);
  grid->addWidget(total_, row, 2);
  grid->addWidget(measured_total_, row, 3);
  verdict_ = new QLabel(this);
  verdict_->setWordWrap(true);
  column->addWidget(verdict_);  // not in the grid, which does not ask how high a label of several columns gets
  update_texts();
}

void MemoryEstimate::set_estimate(const std::optional<MemoryBytes>& bytes) {
  estimate_ = bytes;
  update_texts();
}
void MemoryEstimate::set_measured(const std::optional<MemoryBytes>& bytes) {
  measured_ = bytes;
  update_texts();
}
void MemoryEstimate::set_free(const std::optional<std::int64_t>& bytes) {
  free_ = bytes;
  update_texts();
}

bool MemoryEstimate::fits() const {
  const auto& best = measured_ ? measured_ : estimate_;
  return !best || !free_ || static_cast<double>(total(*best)) <= (1 - reserve) * static_cast<double>(*free_);
}

void MemoryEstimate::update_texts() {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    rows_[i].estimate->setText(estimate_ ? bytes_text((*estimate_).*parts[i].bytes) : QStringLiteral("–"));
    rows_[i].measured->setText(measured_ ? bytes_text((*measured_).*parts[i].bytes) : QStringLiteral("–"));
  }
  total_->setText(estimate_ ? bytes_text(total(*estimate_)) : QStringLiteral("–"));
  measured_total_->setText(measured_ ? bytes_text(total(*measured_)) : QStringLiteral("–"));
  bar_->bytes = measured_ ? measured_ : estimate_;
  bar_->free = free_;
  bar_->update();
  QString verdict;
  if (free_ && estimate_)
    verdict = fits() ? tr("%1 is free: the training fits, with a margin of 10 %.").arg(bytes_text(*free_))
                     : tr("%1 is free: the training may not fit. Shorten segments, train an adapter (LoRA), or turn on "
                          "checkpointing.")
                           .arg(bytes_text(*free_));
  verdict_->setText(verdict);
  QPalette palette = verdict_->palette();
  palette.setColor(QPalette::WindowText, fits() ? current_theme().muted : current_theme().anchor);
  verdict_->setPalette(palette);
}

}  // namespace carryover
