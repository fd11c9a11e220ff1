// SPDX-License-Identifier: GPL-3.0-or-later
// A foil token: what is typed becomes one token or says why not, and what views show of it is what a session of its
// own computes.
#include <QLabel>
#include <QTest>

#include "engine/api/engine_library.h"
#include "engine/tokenizers/tokenizer.h"
#include "tests/support/demo_window.h"
#include "tests/support/expect_error.h"
#include "tests/support/gui_test.h"
#include "tests/support/run_script.h"
#include "widgets/inspection/attribution_panel.h"
#include "widgets/lab/foil_field.h"
#include "widgets/look/quantity_text.h"
#include "widgets/plot/plot_view.h"
#include "widgets/runs/state/prediction_change.h"

using namespace carryover;
using namespace carryover::test;

namespace {

void show_demo(MainWindow& window) {
  window.resize(1280, 800);
  window.show();
  open_demo(window, 640);
  run_to_the_end(window);
}

bool says(const QWidget& widget, const QString& text) {
  const auto labels = widget.findChildren<QLabel*>();
  return std::ranges::any_of(labels, [&](const QLabel* label) { return label->text().contains(text); });
}

std::unique_ptr<Session> session_of(const RunModel& run) {
  return load_session({run.model().path, DType::Float32, Device::Cpu, 0, false, {}}, [](double, const std::string&) {});
}

constexpr std::int64_t token = 6 * 64 + 2;  ///< predicted in segment 6

}  // namespace

class FoilTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { fail_on_qt_warnings(); }

  void a_text_is_one_token_or_says_which_it_becomes() {
    RunModel run;
    FoilToken foil(run, nullptr);
    QSignalSpy changed(&foil, &FoilToken::changed);
    foil.set_text(QStringLiteral(" May"));
    QVERIFY(!foil.id() && foil.problem().isEmpty());  // no run: nobody knows yet
    const auto tokenizer = Tokenizer::load(demo_folder().toStdString());
    ModelInfo model;
    model.config.vocabulary = tokenizer->vocabulary();
    RunRequest request;
    request.ids = std::make_shared<std::vector<std::int32_t>>(tokenizer->encode(" Who is May? May Snow."));
    run.begin(model, request, tokenizer);
    QCOMPARE(changed.count(), 2);
    QVERIFY(foil.id() == tokenizer->encode(" May").at(0));
    QCOMPARE(id_text(run, *foil.id()), QStringLiteral(" May"));
    QCOMPARE(quoted_token(QStringLiteral(" May\n")), QStringLiteral("“␣May↵”"));
    QVERIFY(logit_name(QStringLiteral(" to"), QStringLiteral(" for")) !=
            logit_name(QStringLiteral(" to"), QStringLiteral("for")));
    foil.set_text(QStringLiteral("May"));
    QVERIFY(!foil.id());
    QVERIFY2(foil.problem().contains(QStringLiteral("3 tokens: “M”, “a”, “y”")), qPrintable(foil.problem()));
    QVERIFY(foil.problem().contains(QStringLiteral("“ May”, it is one")));
    foil.set_text(QStringLiteral(" May Snow"));
    QVERIFY(!foil.id() && foil.problem().contains(QStringLiteral("Enter a text that is a single token")));
    foil.set_text({});
    QVERIFY(!foil.id() && foil.problem().isEmpty());
    run.begin(model, request, nullptr);
    foil.set_text(QStringLiteral(" May"));
    QVERIFY(!foil.id() && foil.problem().contains(QStringLiteral("no tokenizer")));
  }

  void the_attribution_is_of_the_difference() {
    MainWindow window;
    show_demo(window);
    LabContext& lab = window.lab().context;
    auto& panel = *window.docks().panel("attribution");
    window.docks().raise("attribution");
    lab.select_token(token);
    QVERIFY(panel.findChild<FoilField*>());
    panel.findChild<FoilField*>()->setText(QStringLiteral(" May"));
    const auto foil = lab.run().tokenizer()->encode(" May").at(0);
    InspectionParts parts;
    parts.attribution = 1;
    parts.foil = foil;
    RunControl control;
    const Inspection expected = session_of(lab.run())->inspect({lab.run().request(), 6, parts}, control);
    const Prediction& prediction = expected.attribution->prediction;
    const QString number = QString::number(prediction.logit_difference(), 'f', 2);
    const QString name =
        QStringLiteral("logit of %1 − logit of “␣May” = %2").arg(quoted_token(lab.run().token_text(token)), number);
    QTRY_VERIFY2_WITH_TIMEOUT(says(panel, name), qPrintable(name), patience_ms);
    QVERIFY(says(panel, probability_text(prediction.foil_probability)));
    const QString csv = panel.plots()[0]->csv();
    QVERIFY(csv.contains(QStringLiteral("\n3,4,%1,").arg(expected.attribution->carry.at(3, 4), 0, 'g', 9)));

    for (FoilField* field : window.findChildren<FoilField*>()) QCOMPARE(field->text(), QStringLiteral(" May"));
    lab.foil().set_text(QStringLiteral("May"));
    QTRY_VERIFY(panel.plots()[0]->is_empty());  // nothing else is shown in its place
  }

  void a_what_if_tells_the_prediction_before_and_after() {
    MainWindow window;
    show_demo(window);
    LabContext& lab = window.lab().context;
    lab.select_token(token);
    lab.foil().set_text(QStringLiteral(" May"));
    SegmentEdit edit;
    edit.no_carry = true;
    QSignalSpy appended(&lab.what_ifs(), &WhatIfs::appended);
    QTRY_VERIFY_WITH_TIMEOUT(lab.what_ifs().unavailable().isEmpty(), patience_ms);
    lab.what_ifs().ask_run({6, {edit}}, QStringLiteral("no carry"));
    QVERIFY(appended.wait(patience_ms));
    const auto& found = lab.what_ifs().shown_in_run()->prediction;
    QVERIFY(found.has_value());
    QCOMPARE(found->position, token);
    WhatIfRequest request{lab.run().request(), 6, {edit}};
    request.prediction = PredictionQuestion{1, lab.foil().id()};
    RunControl control;
    WhatIfOutcome outcome;
    const WhatIfBase base = session_of(lab.run())->what_if(
        request, [&](std::size_t, const WhatIfOutcome& edited) { outcome = edited; }, control);
    QCOMPARE(found->before.logit_difference(), base.as_it_was.prediction->logit_difference());
    QCOMPARE(found->after.logit_difference(), outcome.prediction->logit_difference());
    QVERIFY(found->logit_change() != 0);
    QVERIFY(std::abs(std::log(found->after.probability) + static_cast<double>(outcome.target_nll[1])) < 1e-5);
    const Panel& panel = *window.docks().panel("what_if");
    window.docks().raise("what_if");
    QTRY_VERIFY(says(panel, prediction_text(*found).toHtmlEscaped()));
  }

  void a_script_sets_it_and_is_told_what_is_wrong() {
    MainWindow window;
    show_demo(window);
    LabContext& lab = window.lab().context;
    const auto run = [&](const QString& text) { return script_problem(window, text); };
    QCOMPARE(run(QStringLiteral("foil ' May'")), QString());
    QVERIFY(lab.foil().id().has_value());
    QVERIFY(run(QStringLiteral("foil May")).contains(QStringLiteral("3 tokens")));
    QCOMPARE(run(QStringLiteral("foil")), QString());
    QVERIFY(!lab.foil().id() && lab.foil().text().isEmpty());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<FoilTest>};
#include "foil_test.moc"
