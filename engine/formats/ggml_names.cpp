// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/ggml_names.h"

#include <iterator>

namespace carryover {

std::string ggml_type_name(std::uint32_t number) {
  static constexpr const char* kNames[] = {
      "F32",    "F16",   "Q4_0",  "Q4_1",   "",      "",      "Q5_0",    "Q5_1",   "Q8_0",    "Q8_1",
      "Q2_K",   "Q3_K",  "Q4_K",  "Q5_K",   "Q6_K",  "Q8_K",  "IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S",
      "IQ4_NL", "IQ3_S", "IQ2_S", "IQ4_XS", "I8",    "I16",   "I32",     "I64",    "F64",     "IQ1_M",
      "BF16",   "",      "",      "",       "TQ1_0", "TQ2_0", "",        "",       "",        "MXFP4"};
  const std::string name = number < std::size(kNames) ? kNames[number] : "";
  return name.empty() ? "type " + std::to_string(number) : name;
}

std::string gguf_file_type_name(std::int64_t number) {
  static constexpr const char* kNames[] = {
      "F32",    "F16",    "Q4_0",   "Q4_1",    "",       "",       "",       "Q8_0",   "Q5_0",  "Q5_1",
      "Q2_K",   "Q3_K_S", "Q3_K_M", "Q3_K_L",  "Q4_K_S", "Q4_K_M", "Q5_K_S", "Q5_K_M", "Q6_K",  "IQ2_XXS",
      "IQ2_XS", "Q2_K_S", "IQ3_XS", "IQ3_XXS", "IQ1_S",  "IQ4_NL", "IQ3_S",  "IQ3_M",  "IQ2_S", "IQ2_M",
      "IQ4_XS", "IQ1_M",  "BF16",   "",        "",       "",       "TQ1_0",  "TQ2_0",  "MXFP4"};
  constexpr std::int64_t kGuessed = 1024;
  const std::int64_t type = number >= kGuessed ? number - kGuessed : number;
  return type >= 0 && type < std::ssize(kNames) ? kNames[type] : "";
}

}  // namespace carryover
