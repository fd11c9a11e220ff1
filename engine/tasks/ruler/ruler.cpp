// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/ruler/ruler.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "engine/base/error.h"
#include "engine/tasks/base/code_points.h"
#include "engine/tasks/ruler/ruler_form.h"
#include "engine/tasks/ruler/ruler_niah.h"
#include "engine/tasks/ruler/ruler_qa.h"
#include "engine/tasks/ruler/ruler_ready.h"
#include "engine/tasks/ruler/ruler_vt.h"
#include "engine/tasks/ruler/ruler_words.h"

namespace carryover {

namespace {

constexpr std::string_view kRulerPrefix = "ruler/";
constexpr std::int64_t kRulerSamples = 500;  ///< samples of a length, RULER's own number

using MakeRulerSamples = std::vector<TaskSample> (*)(const std::string& task, const SampleRequest& request);

struct RulerRow {
  const char* name;
  const RulerForm& (*form)();
  std::optional<NiahPlan> niah = {};
  std::optional<QaData> qa = {};
  MakeRulerSamples make = nullptr;  ///< of the others
};

const std::vector<RulerRow>& ruler_rows() {
  using enum NiahHay;
  using enum NiahKind;
  static const std::vector<RulerRow> table{
      {"niah_single_1", niah_form, NiahPlan{Noise, Words, Numbers, 1, 1, 1}},
      {"niah_single_2", niah_form, NiahPlan{Essay, Words, Numbers, 1, 1, 1}},
      {"niah_single_3", niah_form, NiahPlan{Essay, Words, Uuids, 1, 1, 1}},
      {"niah_multikey_1", niah_form, NiahPlan{Essay, Words, Numbers, 4, 1, 1}},
      {"niah_multikey_2", niah_form, NiahPlan{Needles, Words, Numbers, 1, 1, 1}},
      {"niah_multikey_3", niah_form, NiahPlan{Needles, Uuids, Uuids, 1, 1, 1}},
      {"niah_multivalue", niah_form, NiahPlan{Essay, Words, Numbers, 1, 4, 1}},
      {"niah_multiquery", niah_form, NiahPlan{Essay, Words, Numbers, 4, 1, 4}},
      {"vt", vt_form, {}, {}, vt_samples},
      {"cwe", cwe_form, {}, {}, cwe_samples},
      {"fwe", fwe_form, {}, {}, fwe_samples},
      {"qa_1", qa_form, {}, QaData::Squad},
      {"qa_2", qa_form, {}, QaData::HotpotQa},
  };
  return table;
}

class RulerTask : public Task {
 public:
  explicit RulerTask(const RulerRow& row) : row_(row) {
    const bool essay = row.niah && row.niah->hay == NiahHay::Essay;
    info_.name = std::string(kRulerPrefix) + row.name;
    info_.max_new_tokens = row.form().answer_tokens;
    info_.metric = "string_match";
    info_.source = "NVIDIA/RULER c3f5e3b";
    info_.needs_data = essay || row.qa;
    if (essay)
      info_.convention = "Needles stand between sentences that a rule finds; RULER's script asks NLTK for them.";
  }

  const TaskInfo& info() const override { return info_; }

  std::vector<TaskSample> samples(const SampleRequest& request) const override {
    if (const std::string path = ready_file(request.data, row_.name); !path.empty())
      return ready_samples(path, row_.form(), request);
    SampleRequest asked = request;
    if (asked.count == 0) asked.count = kRulerSamples;
    require_generator(asked);
    if (row_.niah) return niah_samples(info_.name, *row_.niah, asked);
    return row_.qa ? qa_samples(info_.name, *row_.qa, asked) : row_.make(info_.name, asked);
  }

  /// The share of the references that the answer holds; of the tasks qa, whether it holds any. RULER prints percent.
  Scores score(const TaskSample& sample, const TaskAnswer& answer) const override {
    std::u32string text(python_strip(code_points(answer.text)));
    std::replace_if(
        text.begin(), text.end(), [](char32_t c) { return c < 0x20; }, U'\n');
    const std::u32string lower = python_lower(python_strip(text));
    const auto found = std::count_if(sample.references.begin(), sample.references.end(), [&](const auto& reference) {
      return lower.find(python_lower(code_points(reference))) != std::u32string::npos;
    });
    const auto all = static_cast<double>(sample.references.size());
    const double share = row_.qa ? (found > 0 ? 1 : 0) : static_cast<double>(found) / std::max(all, 1.0);
    return {{info_.metric, share}};
  }

 private:
  void require_generator(const SampleRequest& request) const {
    if (request.length <= 0)
      throw EngineError(Fault::Usage, info_.name, "makes its prompts of a length, and none is given", "Give a length.");
    if (request.seed > std::numeric_limits<std::uint32_t>::max())
      throw EngineError(Fault::Usage, info_.name, "takes no seed above 4294967295, like NumPy",
                        "Choose a smaller one.");
    if (!request.tokenizer)
      throw EngineError(Fault::Usage, info_.name, "counts tokens, and there is no tokenizer", "Name a model with one.");
  }

  const RulerRow& row_;
  TaskInfo info_;
};

}  // namespace

std::vector<std::string> ruler_task_names() {
  std::vector<std::string> names;
  for (const RulerRow& row : ruler_rows()) names.push_back(std::string(kRulerPrefix) + row.name);
  return names;
}

std::unique_ptr<Task> make_ruler_task(const std::string& name) {
  const auto& table = ruler_rows();
  const auto row = std::find_if(table.begin(), table.end(),
                                [&](const RulerRow& r) { return name == std::string(kRulerPrefix) + r.name; });
  CARRYOVER_CHECK(row != table.end());
  return std::make_unique<RulerTask>(*row);
}

}  // namespace carryover
