// SPDX-License-Identifier: GPL-3.0-or-later
// The dialog's command line, taken apart by a shell and read by the program's own options, is the dialog's plan.
#include "widgets/training/state/plan_command.h"

#include <QProcess>
#include <QTest>
#include <nlohmann/json.hpp>
#include <random>

#include "app/cli/training/train_options.h"
#include "engine/checkpoints/model_source.h"
#include "tests/support/test_program.h"

using namespace carryover;
using nlohmann::json;

namespace {

const std::string demo = CARRYOVER_SOURCE_DIR "/resources/demo";

ModelConfig demo_config() {
  return ModelSource::open(demo)->config();
}

TrainingPlan default_plan() {
  TrainingPlan plan;
  plan.model = demo;
  plan.data = {"a text.txt"};
  plan.output_dir = "/tmp/it's a run";
  plan.config = SegmentConfig::defaults_for(demo_config());
  return plan;
}

/// The words of a command as bash gives them to a program.
std::vector<std::string> shell_words(const QString& command) {
  QProcess shell;
  shell.start(QStringLiteral("bash"), {QStringLiteral("-c"), QStringLiteral("printf '%s\\0' ") + command});
  shell.waitForFinished();
  std::vector<std::string> words;
  for (const QByteArray& word : shell.readAllStandardOutput().split('\0')) words.push_back(word.toStdString());
  words.pop_back();  // after the last one's end
  return words;
}

TrainingPlan as_typed(const QString& command) {
  std::vector<std::string> words = shell_words(command);
  if (words.size() < 2 || words[0] != "carryover" || words[1] != "train") throw std::runtime_error("no such program");
  CLI::App app;
  const TrainOptions options(app);
  std::vector<std::string> reversed(words.rbegin(), words.rend() - 2);
  app.parse(reversed);
  return options.resolve();
}

bool survives(const TrainingPlan& plan, const std::string& preset = {}) {
  const QString command = plan_command(plan, demo_config(), preset);
  const bool same = plan_json(as_typed(command)) == plan_json(plan);
  if (!same) qWarning("%s", qPrintable(command));
  return same;
}

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  std::int64_t whole(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  bool coin() { return whole(0, 1) == 1; }
  double real(double least, double most) { return std::uniform_real_distribution<double>(least, most)(random_); }

 private:
  std::mt19937_64 random_;
};

void draw_segments(SegmentConfig& config, Draw& draw) {
  config.segment_length = draw.whole(2, 500);
  config.carry_length = draw.whole(0, config.segment_length);
  config.retrieval_length = draw.whole(0, 300);
  config.truncation_depth = draw.whole(0, 3);
  config.query_length = draw.whole(1, 70);
  config.summary_window = draw.whole(1, 9);
  config.summary_stride = draw.whole(1, 9);
  config.summary_tail = draw.whole(1, 9);
  config.top_k = draw.whole(1, 20);
  if (draw.coin()) config.anchors = draw.whole(1, 9);
  config.expand_before = draw.whole(0, 4);
  config.expand_after = draw.whole(0, 4);
  for (bool* flag : {&config.bos, &config.cross_boundary_target, &config.boundary_at_prompt_end, &config.pool_on_host})
    *flag = draw.coin();
  config.pool_keys = static_cast<PoolKeys>(draw.whole(0, 2));
  config.grouping = draw.coin() ? Grouping({0, 2}, {{0}, {1}, {}, {0, 1}}) : Grouping({1}, {{0, 1}});
  if (draw.coin()) config.grouping = Grouping({}, {{}});
  if (draw.coin()) {
    RopeConfig rope;
    rope.kind = RopeConfig::Kind::Linear;
    rope.factor = draw.real(1, 9);
    config.rope = rope;
  }
}

void draw_training(TrainingConfig& training, Draw& draw) {
  training.max_steps = draw.whole(1, 1'000'000'000);
  training.micro_batch_size = draw.whole(1, 8);
  training.gradient_accumulation_steps = draw.whole(1, 64);
  if (draw.coin()) training.train_segments = draw.whole(1, 8);
  training.learning_rate = draw.real(1e-8, 1e-2);
  training.lr_scheduler_type = draw.coin() ? LrSchedule::Cosine : LrSchedule::Constant;
  training.warmup_steps = draw.whole(0, 500);
  training.weight_decay = draw.real(0, 0.2);
  training.adam_beta1 = draw.real(0.1, 0.95);
  training.adam_beta2 = draw.real(0.1, 0.9995);
  training.adam_epsilon = draw.real(1e-12, 1e-6);
  training.max_grad_norm = draw.real(0, 3);
  if (draw.coin()) training.distillation = draw.real(0, 1);
  if (draw.coin()) training.recall_samples = draw.whole(0, 4);
  if (draw.coin()) training.recall_segments = draw.whole(2, 64);
  if (draw.coin()) training.recall_weight = draw.real(0.5, 20);
  training.gradient_checkpointing = draw.coin();
  training.seed = static_cast<std::uint64_t>(draw.whole(0, std::numeric_limits<std::int64_t>::max())) * 2 + 1;
  if (draw.coin()) training.seed %= 1000;
  training.validation_fraction = draw.real(0, 0.5);
  training.eval_steps = draw.whole(0, 100);
  for (auto count = draw.whole(0, 2); count > 0; --count) training.eval_lengths.push_back(draw.whole(16, 9999));
  training.save_steps = draw.whole(0, 100);
  training.save_total_limit = draw.whole(1, 5);
  training.on_alert = draw.coin() ? AlertPolicy::Skip : AlertPolicy::Stop;
  training.spike_factor = draw.real(1.1, 9);
  training.lora.rank = draw.whole(0, 16);
  training.lora.alpha = draw.real(1, 64);
  training.lora.dropout = draw.real(0, 0.5);
  training.lora.rslora = draw.coin();
  if (draw.coin()) training.lora.target_modules = {"v_proj", "down_proj"};
}

}  // namespace

class PlanCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void the_defaults_need_no_flags() {
    const QString command = plan_command(default_plan(), demo_config(), {});
    QVERIFY(survives(default_plan()));
    QCOMPARE(command, QStringLiteral("carryover train --model %1 --data 'a text.txt' --output '/tmp/it'\\''s a run'")
                          .arg(shell_word(QString::fromStdString(demo))));
  }

  void each_preset_is_named_and_needs_no_more() {
    for (const TrainingPreset& preset : training_presets()) {
      TrainingPlan plan = default_plan();
      preset.apply(plan);
      QVERIFY2(survives(plan), preset.name.c_str());  // said flag by flag
      QVERIFY2(survives(plan, preset.name), preset.name.c_str());
      QVERIFY(plan_command(plan, demo_config(), preset.name).endsWith(QString::fromStdString(preset.name)));
      plan.training.max_steps += 1;
      QVERIFY2(survives(plan, preset.name), preset.name.c_str());
      QVERIFY2(survives(default_plan(), preset.name), preset.name.c_str());  // all of it taken back
    }
  }

  void any_plan_survives_the_shell() {
    for (unsigned seed = 0; seed < 300; ++seed) {
      Draw draw(seed);
      TrainingPlan plan = default_plan();
      if (draw.coin()) plan.data = {"-dash.txt", "two\nlines", "$HOME `x` \"q\" \\", "naïve ~ *.txt"};
      if (draw.coin()) plan.text_field = "the text";
      if (draw.coin()) plan.policy = "full";
      if (draw.coin()) plan.dtype = DType::BFloat16;
      if (draw.coin()) plan.device = Device::Cpu;
      plan.threads = static_cast<int>(draw.whole(0, 4));
      draw_segments(plan.config, draw);
      draw_training(plan.training, draw);
      if (plan.policy == "full") plan.training.recall_samples = 0;
      const std::string preset = draw.coin() ? training_presets()[seed % training_presets().size()].name : "";
      QVERIFY2(survives(plan, preset), std::to_string(seed).c_str());
    }
  }

  void a_shell_gets_back_every_word() {
    for (const char* word :
         {"", "plain", "a b", "it's", "-x", "$(id)", "a\\b", "\"", "*", "#", "~", "é", "a;b", "\t"}) {
      const QString text = QString::fromUtf8(word);
      QCOMPARE(shell_words(shell_word(text)), std::vector<std::string>{word});
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<PlanCommandTest>};
#include "plan_command_test.moc"
