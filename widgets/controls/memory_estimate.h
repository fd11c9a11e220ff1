// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>
#include <optional>

#include "engine/base/memory_bytes.h"

class QLabel;

namespace carryover {

/// Returns the memory that the machine can still give, in bytes; nothing if the system does not say.
std::optional<std::int64_t> free_memory();

/// The memory that a training will need by component, estimated and, after a dry run, measured, beside what is free.
/// GUI thread.
class MemoryEstimate : public QWidget {
  Q_OBJECT
 public:
  explicit MemoryEstimate(QWidget* parent = nullptr);
  void set_estimate(const std::optional<MemoryBytes>& bytes);
  void set_measured(const std::optional<MemoryBytes>& bytes);
  void set_free(const std::optional<std::int64_t>& bytes);
  bool fits() const;  ///< with the reserve; true where nothing is known

 private:
  class Bar;
  struct Row {
    QLabel *estimate, *measured;
  };
  void update_texts();

  Bar* bar_;
  std::vector<Row> rows_;
  QLabel *total_, *measured_total_, *verdict_;
  std::optional<MemoryBytes> estimate_, measured_;
  std::optional<std::int64_t> free_;
};

}  // namespace carryover
