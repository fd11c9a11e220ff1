// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/longbench_sets.h"

namespace carryover {

const std::vector<LongBenchSet>& longbench_sets() {
  using enum LongBenchMetric;
  const char *const single = "Single-Doc QA", *const multi = "Multi-Doc QA", *const summaries = "Summarization";
  const char *const few_shot = "Few-shot Learning", *const synthetic = "Synthetic Tasks",
                    *const code = "Code Completion";
  static const std::vector<LongBenchSet> sets{
      // name, category, metric, tokens, in E, first line alone, chat
      {"narrativeqa", single, QaF1, 128, false, false, true},
      {"qasper", single, QaF1, 128, true, false, true},
      {"multifieldqa_en", single, QaF1, 64, true, false, true},
      {"hotpotqa", multi, QaF1, 32, true, false, true},
      {"2wikimqa", multi, QaF1, 32, true, false, true},
      {"musique", multi, QaF1, 32, false, false, true},
      {"gov_report", summaries, Rouge, 512, true, false, true},
      {"qmsum", summaries, Rouge, 512, false, false, true},
      {"multi_news", summaries, Rouge, 512, true, false, true},
      {"trec", few_shot, Classification, 64, true, true, false},
      {"triviaqa", few_shot, QaF1, 32, true, true, false},
      {"samsum", few_shot, Rouge, 128, true, true, false},
      {"lsht", "", Classification, 64, false, true, false},
      {"passage_count", synthetic, Count, 32, true, false, true},
      {"passage_retrieval_en", synthetic, Retrieval, 32, true, false, true},
      {"passage_retrieval_zh", "", ChineseRetrieval, 32, false, false, true},
      {"lcc", code, Code, 64, true, false, false},
      {"repobench-p", code, Code, 64, true, false, false},
  };
  return sets;
}

}  // namespace carryover
