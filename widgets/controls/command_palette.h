// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractListModel>
#include <QDialog>
#include <functional>
#include <vector>

class QLabel;
class QLineEdit;
class QListView;

namespace carryover {

/// Something that a person can ask for by name.
struct Command {
  QString name;  ///< with its group in front: "Show: Loss"
  QString keys;  ///< its shortcut, or empty
  std::function<void()> run;
};

/// The commands that fit what was typed, the best first. GUI thread.
class CommandModel : public QAbstractListModel {
  Q_OBJECT
 public:
  /// `from_query`: commands that what is typed spells itself, such as "segment 12"; may be empty.
  CommandModel(std::vector<Command> commands, std::function<std::vector<Command>(const QString&)> from_query,
               QObject* parent = nullptr);
  void set_query(const QString& query);
  const Command& command(int row) const { return shown_.at(static_cast<std::size_t>(row)); }

  enum Role { KeysRole = Qt::UserRole };
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  std::vector<Command> commands_, shown_;
  std::function<std::vector<Command>(const QString&)> from_query_;
};

/// A line to type into and the commands that fit. Enter or a click runs one, Esc closes. Deletes itself. GUI thread.
class CommandPalette : public QDialog {
  Q_OBJECT
 public:
  CommandPalette(std::vector<Command> commands, std::function<std::vector<Command>(const QString&)> from_query,
                 QWidget* parent);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void run_current();

  CommandModel model_;
  QLineEdit* query_;
  QListView* list_;
  QLabel* nothing_;  ///< in place of the list where no command matches
};

}  // namespace carryover
