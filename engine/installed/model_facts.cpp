// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/installed/model_facts.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>

#include "engine/base/error.h"
#include "engine/base/json_integer.h"
#include "engine/base/utf8.h"
#include "engine/checkpoints/gguf_source.h"
#include "engine/checkpoints/hf_source.h"
#include "engine/cost/dtype_choice.h"
#include "engine/cost/policy_table.h"
#include "engine/families/family.h"
#include "engine/formats/ggml_names.h"
#include "engine/formats/gguf.h"
#include "engine/formats/json_file.h"
#include "engine/formats/safetensors.h"

namespace carryover {

namespace {

/// How many numbers are stored in each type, by its name.
using StoredNumbers = std::map<std::string, std::uint64_t>;

/// Returns text from a file with every invalid byte as U+FFFD, without what no name needs.
std::string clean_text(std::string text, std::size_t longest) {
  text.resize(std::min(text.size(), longest));
  return take_utf8(text, /*last=*/true);
}

constexpr std::size_t kLongestName = 60, kLongestProblem = 2000;

std::string most_common(const StoredNumbers& numbers) {
  const auto most = std::ranges::max_element(numbers, {}, [](const auto& entry) { return entry.second; });
  return most == numbers.end() ? std::string() : most->first;
}

std::int64_t total_of(const StoredNumbers& numbers) {
  std::uint64_t total = 0;
  for (const auto& [type, count] : numbers) total += count;
  return static_cast<std::int64_t>(std::min<std::uint64_t>(total, std::numeric_limits<std::int64_t>::max()));
}

/// Returns what `read` returns, or an empty value if it can't be read, or is of another type than a reader expects.
template <typename Read>
auto if_readable(const Read& read) -> decltype(read()) {
  try {
    return read();
  } catch (const EngineError&) {
    return decltype(read())();
  }
}

std::string gguf_text(const GgufFile& file, const std::string& key) {
  const auto text = if_readable([&] { return file.find_string(key); });
  return text ? clean_text(std::string(*text), kLongestName) : std::string();
}

std::int64_t gguf_number(const GgufFile& file, const std::string& key) {
  return if_readable([&] { return file.find_int(key); }).value_or(0);
}

/// Refuses a GGUF that belongs to a model and is none, which says more than that its architecture is not supported.
void refuse_companion(const std::string& path, const GgufFile& keys, const std::string& architecture) {
  const std::string file = std::filesystem::path(path).filename().string(), kind = gguf_text(keys, "general.type");
  if (architecture == "clip" || kind == "mmproj" || file.starts_with("mmproj"))
    throw EngineError(Fault::Unsupported, path, "is a projector for images or sound (mmproj), not a model",
                      "Open the language model that it belongs to.");
  if (kind == "adapter")
    throw EngineError(Fault::Unsupported, path, "is an adapter, not a model",
                      "Open its base model; adapters are read from PEFT folders.");
}

/// Forecasts the memory of a run on this computer's CPU with the settings that the model opens with.
void predict_memory(const ModelConfig& model, ModelFacts& facts) {
  facts.parameters = model.parameters();
  const SegmentConfig config = SegmentConfig::untrained_defaults_for(model);
  const DType dtype = choose_dtype(DType::Auto, Device::Cpu, this_cpu(), model, Phase::Prefill).dtype;
  const CostModel cost = cost_model(model, config, dtype);
  // Behind the first segments only the pool grows.
  const std::int64_t tokens = 4 * config.segment_length + model.window;
  facts.memory_per_token = cost.pool_bytes_per_token();
  facts.memory = policy_row(kMethodPolicy).memory(cost, tokens, {}).device_peak - tokens * facts.memory_per_token;
}

void describe_gguf(const ModelCandidate& candidate, ModelFacts& facts) {
  const GgufOutline outline = read_gguf_outline(candidate.path);
  facts.architecture = gguf_text(outline.keys, "general.architecture");
  const bool windowed = gguf_number(outline.keys, facts.architecture + ".attention.sliding_window") > 0;
  if (const Family* family = find_gguf_family(facts.architecture, windowed)) facts.family = family->models;
  facts.context = std::max<std::int64_t>(0, gguf_number(outline.keys, facts.architecture + ".context_length"));
  StoredNumbers numbers;
  const auto add = [&](const GgufOutline& part) {
    for (const auto& [type, count] : part.numbers) numbers[ggml_type_name(type)] += count;
  };
  add(outline);
  for (const std::string& part : candidate.weights)
    if (part != candidate.path) add(if_readable([&] { return read_gguf_outline(part); }));
  facts.parameters = total_of(numbers);
  if (outline.keys.has("general.file_type"))
    facts.storage = gguf_file_type_name(gguf_number(outline.keys, "general.file_type"));
  if (facts.storage.empty()) facts.storage = most_common(numbers);
  refuse_companion(candidate.path, outline.keys, facts.architecture);
  predict_memory(gguf_model(GgufFile::open(candidate.path), {})->config(), facts);
}

/// Looks up facts in a config.json of any family, of which some keep the language model's below `text_config`.
class LooseConfig {
 public:
  explicit LooseConfig(const nlohmann::json& config) : config_(config) {}

  std::string text(const char* key) const {
    const nlohmann::json* value = find(config_, key);
    return value != nullptr && value->is_string() ? clean_text(value->get<std::string>(), kLongestName) : std::string();
  }
  std::int64_t number(const char* key) const {
    const nlohmann::json* value = find(config_, key);
    if (const nlohmann::json* inner = find(config_, "text_config"); value == nullptr && inner != nullptr)
      value = find(*inner, key);
    return value == nullptr ? 0 : std::max<std::int64_t>(0, find_integer(*value).value_or(0));
  }
  /// Returns the first class of `architectures`.
  std::string class_name() const {
    const nlohmann::json* list = find(config_, "architectures");
    const bool named = list != nullptr && list->is_array() && !list->empty() && list->front().is_string();
    return named ? clean_text(list->front().get<std::string>(), kLongestName) : std::string();
  }
  /// Returns the method of `quantization_config`, with which tensors hold packed numbers.
  std::string packing() const {
    const nlohmann::json* packed = find(config_, "quantization_config");
    return packed == nullptr ? std::string() : LooseConfig(*packed).text("quant_method");
  }

 private:
  static const nlohmann::json* find(const nlohmann::json& object, const char* key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() ? &*found : nullptr;
  }
  const nlohmann::json& config_;
};

void add_numbers(const SafetensorsFile& file, StoredNumbers& numbers) {
  for (const SafetensorsTensor& tensor : file.tensors()) {
    std::uint64_t count = 1;
    for (const std::int64_t size : tensor.shape) count *= static_cast<std::uint64_t>(size);
    numbers[tensor.dtype] += count;
  }
}

void describe_folder(const ModelCandidate& candidate, ModelFacts& facts) {
  const std::string config_path = (std::filesystem::path(candidate.path) / "config.json").string();
  const nlohmann::json json = read_json_file(config_path, JsonKind::Settings);
  const LooseConfig config(json);
  facts.architecture = config.text("model_type");
  const Family* family = find_family(facts.architecture);
  if (facts.architecture.empty()) {
    facts.architecture = config.class_name();
    family = find_class_family(facts.architecture);
  }
  if (family != nullptr) facts.family = family->models;
  facts.context = config.number("max_position_embeddings");
  StoredNumbers numbers;
  for (const std::string& file : candidate.weights)
    if_readable([&] { add_numbers(SafetensorsFile::open(file), numbers); });
  facts.storage = config.packing();
  if (facts.storage.empty()) {
    facts.storage = most_common(numbers);
    facts.parameters = total_of(numbers);
  }
  const ModelConfig model = check_hf_folder(candidate.path);
  facts.family = family_of(model).models;  // of a model that reads images, too, that of its text half
  predict_memory(model, facts);
}

void note_problem(const std::string& path, const EngineError& error, ModelFacts& facts) {
  const bool elsewhere = !error.where().empty() && error.where() != path;
  facts.problem = clean_text((elsewhere ? error.where() + ": " : "") + error.problem(), kLongestProblem);
  facts.advice = clean_text(error.advice(), kLongestProblem);
  if (facts.problem.empty()) facts.problem = fault_name(error.fault());
}

}  // namespace

ModelFacts read_model_facts(const ModelCandidate& candidate) {
  ModelFacts facts;
  try {
    if (candidate.weights.empty())
      throw EngineError(Fault::Unsupported, candidate.path, "names no GGUF file on this computer",
                        "Fetch the model's GGUF file.");
    if (candidate.is_folder)
      describe_folder(candidate, facts);
    else
      describe_gguf(candidate, facts);
  } catch (const EngineError& error) {
    note_problem(candidate.path, error, facts);
  }
  return facts;
}

}  // namespace carryover
