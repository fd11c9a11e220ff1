// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoints/adapter_fit.h"

#include <algorithm>
#include <map>

#include "engine/base/error.h"
#include "engine/checkpoints/stored_model.h"
#include "engine/families/weight_rows.h"

namespace carryover {
namespace {

using Shapes = std::map<std::string, std::vector<std::int64_t>, std::less<>>;

class FitCheck {
 public:
  FitCheck(const StoredAdapter& adapter, const ModelConfig& model) : adapter_(adapter), model_(model) {}

  void run() const {
    const Shapes wanted = wanted_shapes();
    for (const SafetensorsTensor& tensor : adapter_.tensors.tensors()) check(tensor, wanted);
    for (const auto& [name, shape] : wanted)
      if (!is_gate(name) && adapter_.tensors.find(name) == nullptr) refuse("lacks the tensor " + name);
  }

 private:
  [[noreturn]] void refuse(const std::string& problem) const {
    const std::string base = adapter_.base_model.empty() ? "" : ": '" + adapter_.base_model.substr(0, 120) + "'";
    throw EngineError(Fault::BadInput, adapter_.tensors.where(), "this adapter does not fit the model: it " + problem,
                      "Open the adapter with the base model that it was trained on" + base + ".");
  }

  static bool is_gate(std::string_view name) { return name.find(".g_proj.") != std::string_view::npos; }

  /// Returns the shapes of A and B of every targeted module, and of the gates, which an adapter may have.
  Shapes wanted_shapes() const {
    Shapes shapes;
    const std::string prefix(adapter_prefix);
    const std::vector<std::string> modules = lora_modules_of(model_);
    for (const std::string& target : adapter_.lora.target_modules)
      if (std::ranges::find(modules, target) == modules.end())
        refuse("is for the module " + target + ", which the model lacks");
    for (const WeightRow& tensor : model_tensors(model_)) {
      const auto& targets = adapter_.lora.target_modules;
      if (std::ranges::find(targets, tensor.module) == targets.end()) continue;
      shapes[prefix + tensor.module_path() + ".lora_A.weight"] = {adapter_.lora.rank, tensor.columns};
      shapes[prefix + tensor.module_path() + ".lora_B.weight"] = {tensor.rows, adapter_.lora.rank};
    }
    for (const WeightRow& tensor : gate_tensors(model_)) shapes[prefix + tensor.hf_name] = tensor.shape();
    return shapes;
  }

  void check(const SafetensorsTensor& tensor, const Shapes& wanted) const {
    const auto found = wanted.find(tensor.name);
    if (found == wanted.end()) {
      refuse("has the tensor " + tensor.name.substr(0, 120) +
             ", for a layer or module that the model lacks (it has layers 0 to " + std::to_string(model_.layers - 1) +
             ")");
    }
    if (tensor.shape == found->second) return;
    refuse("has the tensor " + tensor.name.substr(0, 120) + " of shape " + listed_shape(tensor.shape) +
           ", where the model needs " + listed_shape(found->second));
  }

  const StoredAdapter& adapter_;
  const ModelConfig& model_;
};

}  // namespace

void check_adapter_fits(const StoredAdapter& adapter, const ModelConfig& model) {
  FitCheck(adapter, model).run();
}

}  // namespace carryover
