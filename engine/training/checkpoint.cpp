// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/training/checkpoint.h"

#include <ATen/ATen.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/checkpoints/model_folder.h"
#include "engine/checkpoints/trained_under.h"
#include "engine/formats/checksums.h"
#include "engine/formats/json_file.h"
#include "engine/formats/output_file.h"
#include "engine/ops/cpu/weight_halves.h"
#include "engine/training/tensor_file.h"

namespace carryover {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr const char* kPosition = "position.json";
constexpr const char* kOptimizer = "optimizer.safetensors";

const char* hf_dtype(at::ScalarType type) {
  if (type == at::kDouble) return "float64";
  return type == at::kBFloat16 ? "bfloat16" : "float32";
}

at::Tensor rows_of(const at::Tensor& tensor, const NamedRows& named) {
  return tensor.narrow(0, named.first_row, named.rows);
}

/// Calls visit(name, tensor) for each moment in optimizer.safetensors and visit_master(name, leaf, low) for each fp32
/// weight, with views into the live ones.
template <typename Visit, typename VisitMaster>
void each_optimizer_tensor(TrainableParameters& parameters, Optimizer& optimizer, const Visit& visit,
                           const VisitMaster& visit_master) {
  for (const NamedRows& named : parameters.names()) {
    const std::size_t i = named.parameter;
    visit(named.name + ".exp_avg", rows_of(optimizer.first_moments()[i], named));
    visit(named.name + ".exp_avg_sq", rows_of(optimizer.second_moments()[i], named));
    const Parameter& parameter = parameters.all()[i];
    if (parameter.low.defined())
      visit_master(named.name + ".master", rows_of(parameter.leaf.detach(), named), rows_of(parameter.low, named));
  }
}

std::string model_file(const std::string& directory) {
  const std::string model = (fs::path(directory) / "model.safetensors").string();
  return fs::exists(model) ? model : (fs::path(directory) / "adapter_model.safetensors").string();
}

}  // namespace

void write_model(const std::string& directory, Decoder& decoder, const std::string& tokenizer_of) {
  std::vector<OutgoingTensor> tensors;
  for (const NamedParameter& named : named_parameters(decoder.weights, decoder.config))
    tensors.push_back(outgoing(named.name, named.tensor->narrow(0, named.first_row, named.rows)));
  write_model_folder(directory, decoder.config, hf_dtype(decoder.options().dtype().toScalarType()), tensors,
                     tokenizer_of);
}

void write_trained(const std::string& directory, Decoder& decoder, TrainableParameters& parameters,
                   const TrainingPlan& plan) {
  if (plan.training.lora.rank == 0) {
    write_model(directory, decoder, plan.model);
  } else {
    std::vector<OutgoingTensor> tensors;
    for (const NamedRows& named : parameters.names())
      tensors.push_back(outgoing(named.name, rows_of(parameters.all()[named.parameter].leaf, named)));
    write_adapter_folder(directory, plan.training.lora, plan.model, tensors);
  }
  write_trained_under(directory, {plan.config, plan.policy});
}

void write_checkpoint(const std::string& directory, Decoder& decoder, TrainableParameters& parameters,
                      Optimizer& optimizer, const TrainingPlan& plan, const TrainingPosition& position) {
  write_trained(directory, decoder, parameters, plan);
  std::vector<OutgoingTensor> tensors;
  each_optimizer_tensor(
      parameters, optimizer,
      [&](const std::string& name, const at::Tensor& tensor) { tensors.push_back(outgoing(name, tensor)); },
      [&](const std::string& name, const at::Tensor& leaf, const at::Tensor& low) {
        tensors.push_back(outgoing(name, at::kFloat, leaf.sizes(), [=] { return ops::join_halves(leaf, low); }));
      });
  write_safetensors((fs::path(directory) / kOptimizer).string(), tensors);
  const json state{{"step", position.step},
                   {"tokens", position.tokens},
                   {"smoothed_loss", position.smoothed_loss},
                   {"optimizer_steps", optimizer.steps()},
                   {"corpus", position.corpus_hash},
                   {"base", position.base_hash.empty() ? json() : json(position.base_hash)},
                   {"teacher", position.teacher_hash.empty() ? json() : json(position.teacher_hash)}};
  write_file_atomically((fs::path(directory) / kPosition).string(), state.dump(2) + "\n");
  write_checksums(directory);
}

CheckpointRead read_checkpoint(const std::string& directory, TrainableParameters& parameters, Optimizer& optimizer) {
  const bool checked = check_checksums(directory);
  const std::string path = (fs::path(directory) / kPosition).string();
  const json state = read_json_file(path);
  const JsonFields fields(state, path);
  TrainingPosition position{fields.integer("step"),
                            fields.integer("tokens"),
                            fields.find_number("smoothed_loss").value_or(0),
                            fields.find_text("corpus").value_or(""),
                            fields.find_text("base").value_or(""),
                            fields.find_text("teacher").value_or("")};

  const SafetensorsFile model = SafetensorsFile::open(model_file(directory));
  for (const NamedRows& named : parameters.names())
    read_tensor(model, named.name, rows_of(parameters.all()[named.parameter].leaf, named));
  const SafetensorsFile moments = SafetensorsFile::open((fs::path(directory) / kOptimizer).string());
  each_optimizer_tensor(
      parameters, optimizer,
      [&](const std::string& name, const at::Tensor& tensor) { read_tensor(moments, name, tensor); },
      [&](const std::string& name, const at::Tensor& leaf, const at::Tensor& low) {
        const at::Tensor master = at::empty(leaf.sizes(), leaf.options().dtype(at::kFloat));
        read_tensor(moments, name, master);
        ops::split_halves(master, leaf, low);
      });
  optimizer.set_steps(fields.integer("optimizer_steps"));
  return {std::move(position), checked};
}

}  // namespace carryover
