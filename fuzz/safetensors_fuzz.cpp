// SPDX-License-Identifier: GPL-3.0-or-later
// A Hugging Face model: config.json and model.safetensors in one input. Mutations keep both JSON, and the header's
// length that of the header.
#include <cstring>

#include "engine/checkpoints/hf_config.h"
#include "engine/checkpoints/hf_source.h"
#include "engine/formats/json_file.h"
#include "engine/formats/safetensors.h"
#include "fuzz/support/json_mutator.h"
#include "fuzz/support/model_reading.h"
#include "fuzz/support/sections.h"

using namespace carryover;
using namespace carryover::fuzz;

namespace {

enum { kConfig, kWeights, kFiles };

void check_tensors(const SafetensorsFile& file, std::span<const std::byte> bytes) {
  for (const SafetensorsTensor& tensor : file.tensors()) {
    require(file.find(tensor.name) == &tensor, "a tensor is found by its name");
    require(tensor.data.empty() || (tensor.data.data() >= bytes.data() &&
                                    tensor.data.data() + tensor.data.size() <= bytes.data() + bytes.size()),
            "a tensor lies in the file");
  }
}

std::string mutate_weights(const std::string& file, Random& random, std::size_t most) {
  std::uint64_t length = 0;
  if (file.size() < sizeof length || below(random, 8) == 0) return mutate_bytes(file, most);
  std::memcpy(&length, file.data(), sizeof length);
  if (length > file.size() - sizeof length) return mutate_bytes(file, most);
  const std::string header = mutate_json_text(std::string_view(file).substr(sizeof length, length), random, most);
  const std::uint64_t made = header.size();
  std::string bytes(reinterpret_cast<const char*>(&made), sizeof made);
  return bytes + header + file.substr(sizeof length + length);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Sections files = split_sections(view(data, size), kFiles);
  const std::string weights = files[kWeights].value_or(std::string());
  const std::vector<char> exact(weights.begin(), weights.end());  // no spare bytes that would hide reads past the end
  const auto bytes = std::as_bytes(std::span(exact));
  std::optional<SafetensorsFile> file;
  if (accepts([&] { file = SafetensorsFile::parse(bytes, "model.safetensors"); })) check_tensors(*file, bytes);
  std::optional<ModelConfig> config;
  const auto read_config = [&] {
    config = hf_config_from_json(parse_json(files[kConfig].value_or("{}"), "config.json", JsonKind::Settings), "input",
                                 "config.json");
  };
  if (!accepts(read_config) || !file) return 0;
  std::unique_ptr<ModelSource> model;
  if (accepts([&] { model = hf_model(*config, {*file}); })) read_everything(*model);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  Random random(seed);
  Sections files = split_sections(view(data, size), kFiles);
  if (files[kConfig] && below(random, 2) == 0)
    files[kConfig] = mutate_json_text(*files[kConfig], random, most);
  else
    files[kWeights] = mutate_weights(files[kWeights].value_or(std::string()), random, most);
  const std::string made = join_sections(files);
  return made.size() <= most ? deliver(made, data, most) : size;
}
