// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/refused_kinds.h"

#include <algorithm>
#include <vector>

namespace carryover {

namespace {

struct RefusedKind {
  std::string_view why;
  std::vector<std::string_view> names;  ///< in small letters, without '-' and '_'
  std::vector<std::string_view> parts;  ///< what a name contains
};

/// The first kind that fits counts: models with recurrent layers may have experts, too.
const std::vector<RefusedKind>& kinds() {
  static const std::vector<RefusedKind> table{
      {"some of its layers keep a state in place of keys and values",
       {"plamo2", "plamo3", "recurrentgemma", "griffin"},
       {"mamba", "jamba", "bamba", "zamba", "rwkv", "falconh1", "nemotronh", "lfm2", "qwen3next", "qwen35", "hybrid",
        "xlstm", "kimilinear"}},
      {"it is a mixture of experts",
       {"grok", "minimaxm2", "arctic"},
       {"moe", "mixtral", "deepseek", "gptoss", "dbrx", "llama4", "jetmoe", "kimik2"}},
      {"it has an encoder",
       {"t5", "mt5", "umt5", "bart", "mbart", "whisper", "electra", "xlnet", "longformer", "bigbird"},
       {"bert", "t5encoder", "marian", "pegasus", "t5for", "bartfor", "whisperfor"}},
      {"it reads images or sound, too; a language model alone is run",
       {"gemma3", "gemma3n", "idefics", "mllama", "pixtral", "paligemma", "fuyu"},
       {"vl", "llava", "vision", "omni", "audio", "gemma3for", "gemma3nfor", "mllama", "conditionalgeneration"}},
      {"positions are inside its hidden states, so that keys cannot move to other positions",
       {"gpt2", "opt", "gptbigcode", "starcoder", "xglm", "biogpt", "openaigpt"},
       {"gpt2lm", "optfor", "gptbigcodefor"}},
      {"it has ALiBi in place of RoPE", {"bloom", "mpt"}, {"bloomfor", "mptfor"}},
      {"it has LayerNorm or blocks in parallel",
       {"gptneo", "gptj", "phi", "phi2", "falcon", "stablelm", "cohere", "cohere2", "commandr", "starcoder2", "olmo",
        "codegen", "persimmon", "nemotron"},
       {"gptneofor", "gptjfor", "phifor", "falconfor", "stablelmfor", "coherefor", "cohere2for", "starcoder2for"}}};
  return table;
}

std::string plain(std::string_view name) {
  std::string letters;
  for (const char letter : name) {
    if (letter >= 'A' && letter <= 'Z') letters += static_cast<char>(letter - 'A' + 'a');
    if ((letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9')) letters += letter;
  }
  return letters;
}

}  // namespace

std::string why_refused(std::string_view architecture) {
  const std::string name = plain(architecture);
  const auto fits = [&](const RefusedKind& kind) {
    const auto is_part = [&](std::string_view part) { return name.find(part) != std::string::npos; };
    return std::ranges::find(kind.names, name) != kind.names.end() || std::ranges::any_of(kind.parts, is_part);
  };
  const auto found = std::ranges::find_if(kinds(), fits);
  return found == kinds().end() ? "" : " (" + std::string(found->why) + ")";
}

}  // namespace carryover
