// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>
#include <memory>
#include <optional>

#include "app/controllers/model_fetcher.h"
#include "app/engine_thread/worker_thread.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace carryover {

/// Offers to fetch a model of a hub, and shows how far that is and what went wrong; hidden while there is nothing to
/// fetch. GUI thread.
class HubFetch : public QWidget {
  Q_OBJECT
 public:
  explicit HubFetch(QWidget* parent);
  ~HubFetch() override;  ///< stops a fetch, and waits for it about a second

  /// Offers this model; nothing: none. A fetch that is under way goes on, and the offer is shown at its end.
  void offer(const std::optional<HubName>& name);
  bool is_fetching() const { return control_ != nullptr; }
  QPushButton& button() { return *button_; }
  QLabel& note() { return *note_; }

 Q_SIGNALS:
  void fetched(const QString& path);

 private:
  void press();
  void end(const QString& note);

  std::optional<HubName> name_;  ///< offered last
  QPushButton* button_;
  QProgressBar* bar_;
  QLabel* note_;
  std::shared_ptr<RunControl> control_;  ///< of the fetch under way
  WorkerThread<ModelFetcher> thread_;
};

}  // namespace carryover
