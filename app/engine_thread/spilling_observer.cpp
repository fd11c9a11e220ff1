// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread/spilling_observer.h"

#include <QDir>
#include <QTemporaryFile>

namespace carryover {
namespace {

std::unique_ptr<RunJournal> nameless_journal(const RunDescription& run) {
  QTemporaryFile file(QDir::tempPath() + QStringLiteral("/carryover-XXXXXX.journal"));
  if (!file.open())
    throw EngineError(Fault::Io, QDir::tempPath().toStdString(), file.errorString().toStdString(),
                      "Free some space, or set TMPDIR to another folder.");
  return std::make_unique<RunJournal>(file.fileName().toStdString(), run);  // stays open; the name goes with `file`
}

}  // namespace

SpillingObserver::SpillingObserver(std::string path, const RunDescription& run, RunObserver& next, Begun begun,
                                   Failed failed)
    : path_(std::move(path)), run_(run), next_(next), begun_(std::move(begun)), failed_(std::move(failed)) {}

void SpillingObserver::begin() {
  began_ = true;
  const auto problem =
      attempt([&] { journal_ = path_.empty() ? nameless_journal(run_) : std::make_unique<RunJournal>(path_, run_); });
  if (problem) return failed_(*problem);
  begun_(journal_->segments());
}

// A journal that a record could not be added to ends there: what stands in it still reads.
void SpillingObserver::write(const std::function<void(RunJournal&)>& what) {
  if (!journal_) return;
  const auto problem = attempt([&] { what(*journal_); });
  if (!problem) return;
  journal_.reset();
  failed_(*problem);
}

void SpillingObserver::segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) {
  if (!began_) begin();
  write([&](RunJournal& journal) { journal.append(*snapshot); });
  next_.segment_done(std::move(snapshot));
}

void SpillingObserver::progress(std::int64_t tokens_done, std::int64_t tokens_total) {
  next_.progress(tokens_done, tokens_total);
}

void SpillingObserver::finish(const RunSummary& summary) {
  write([&](RunJournal& journal) { journal.finish(summary); });
}

}  // namespace carryover
