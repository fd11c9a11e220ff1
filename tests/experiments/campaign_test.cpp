// SPDX-License-Identifier: GPL-3.0-or-later
// The loop over cells that experiments, evaluations and prompt sets share.
#include "engine/campaigns/kernel/campaign.h"

#include <QTest>
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/support/expect_error.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// Cells in groups of two, with a log of what was called.
class Logged final : public Campaign {
 public:
  std::set<std::size_t> done, failing, fatal;
  std::size_t stop_at = SIZE_MAX;    ///< before this cell
  std::size_t cancel_in = SIZE_MAX;  ///< this cell
  std::vector<std::string> log;

  std::size_t cells() const override { return 5; }
  std::size_t group_of(std::size_t cell) const override { return cell / 2; }
  bool is_done(std::size_t cell) const override { return done.contains(cell); }
  bool is_stopped() const override { return stop_at > 0 && done.contains(stop_at - 1); }
  void start_cell(std::size_t cell) override { add("begin", cell); }
  void run_cell(std::size_t cell) override {
    if (cell == cancel_in) throw_stopped("a cell");
    if (failing.contains(cell)) throw EngineError(Fault::BadInput, "a cell", "fails");
    if (fatal.contains(cell)) throw EngineError(Fault::Usage, "a cell", "is not to be run");
    add("run", cell);
    done.insert(cell);
  }
  bool record_failure(std::size_t cell, const EngineError& error) override {
    if (error.fault() == Fault::Usage) return false;
    add("failed", cell);
    return true;
  }
  void end_cell(std::size_t cell) override { add("end", cell); }
  void finish_group(std::size_t group, bool worked) override { add(worked ? "group" : "idle group", group); }

 private:
  void add(const char* what, std::size_t number) { log.push_back(what + (" " + std::to_string(number))); }
};

using Log = std::vector<std::string>;

}  // namespace

class CampaignTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void what_is_done_is_left_out() {
    Logged campaign;
    campaign.done = {0, 1, 3};
    QVERIFY(run_campaign(campaign));
    QVERIFY((campaign.log ==
             Log{"idle group 0", "begin 2", "run 2", "end 2", "group 1", "begin 4", "run 4", "end 4", "group 2"}));
  }

  void an_error_is_recorded_and_the_others_go_on() {
    Logged campaign;
    campaign.done = {2, 3};
    campaign.failing = {0};
    QVERIFY(run_campaign(campaign));
    QVERIFY((campaign.log == Log{"begin 0", "failed 0", "end 0", "begin 1", "run 1", "end 1", "group 0", "idle group 1",
                                 "begin 4", "run 4", "end 4", "group 2"}));
  }

  void an_error_that_is_not_recorded_ends_it() {
    Logged campaign;
    campaign.fatal = {1};
    QVERIFY(error_of([&] { run_campaign(campaign); }));
    QVERIFY((campaign.log == Log{"begin 0", "run 0", "end 0", "begin 1"}));
  }

  void a_stopped_campaign_continues() {
    for (const bool within : {false, true}) {
      Logged campaign;
      (within ? campaign.cancel_in : campaign.stop_at) = 1;
      QVERIFY(!run_campaign(campaign));
      QVERIFY((campaign.done == std::set<std::size_t>{0}));
      QCOMPARE(campaign.log.back(), std::string(within ? "begin 1" : "end 0"));
      QVERIFY(std::ranges::find(campaign.log, "group 0") == campaign.log.end());
      campaign.stop_at = campaign.cancel_in = SIZE_MAX;
      QVERIFY(run_campaign(campaign));
      QCOMPARE(campaign.done.size(), campaign.cells());
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<CampaignTest>};
#include "campaign_test.moc"
