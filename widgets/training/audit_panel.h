// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>

#include "engine/cost/audit_cost.h"
#include "widgets/lab/panel.h"
#include "widgets/training/audit_form.h"
#include "widgets/training/audit_table.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QTableView;

namespace carryover {

/// Compares the trainer's gradient with its definition (thm:tbptt-exact): a form with the cost of the audit, and a
/// table of checks. It runs nothing itself: it asks by signals, and is told the results.
class AuditPanel : public Panel {
  Q_OBJECT
 public:
  explicit AuditPanel(LabContext& context, QWidget* parent = nullptr);

  /// Sets if a model is open: the LabContext's model may be only the shape of the one whose run is on show.
  void set_has_model(bool has_model);
  void set_text(const QString& name, std::int64_t tokens);  ///< the open text; no tokens: none is open
  void set_engine_busy(const QString& why);                 ///< why no audit can start; empty: it can
  void set_free_memory(std::optional<std::int64_t> bytes);  ///< instead of what the machine says when it is shown

  AuditSettings settings() const;
  QString why_not() const { return why_not_; }  ///< empty: Run is offered

  void begin();
  void set_progress(double share, const QString& what);
  void end();  ///< without a report: cancelled, or failed
  void show_report(const AuditReport& report, const QString& provenance);

  void export_csv(const QString& path) const;  ///< Throws EngineError{Io}.

 Q_SIGNALS:
  void audit_wanted(const carryover::AuditSettings& settings);
  void cancel_wanted();

 protected:
  void refresh() override;
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QWidget* build_form();
  QWidget* build_result();
  void adopt_model();
  void mark_outdated();
  void estimate();
  QString cost_text(const AuditSettings& wanted, const AuditCost& cost) const;
  QString find_problem(const AuditSettings& wanted, const AuditCost& cost) const;
  void update_buttons();
  void show_headline();

  LabContext& lab_;
  AuditForm* form_;
  QLabel *cost_, *headline_ = nullptr, *headline_icon_;
  QPushButton *run_, *cancel_;
  QProgressBar* progress_;
  QTableView* view_;
  AuditTable table_;
  QString text_name_, busy_, why_not_, provenance_, note_;
  std::int64_t text_tokens_ = 0;
  std::optional<std::int64_t> free_;
  std::optional<AuditReport> report_;
  bool free_given_ = false, running_ = false, has_model_ = true;
  bool outdated_ = false;  ///< report_ is of another model or of other weights than the open ones
};

}  // namespace carryover
