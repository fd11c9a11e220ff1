// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/state_file.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "engine/base/error.h"
#include "engine/formats/json_file.h"
#include "engine/formats/mapped_file.h"
#include "engine/formats/safetensors_writer.h"
#include "engine/policies/registry.h"
#include "engine/runs/records/state_header.h"
#include "engine/runs/text_run.h"
#include "engine/runs/values/snapshot_check.h"
#include "engine/runtime/finite_values.h"

namespace carryover {

namespace {

constexpr const char* kHits = "hits";  ///< JSON as in hits.jsonl, as bytes
constexpr std::int64_t kMostCount = std::int64_t{1} << 40;

const char* stored_dtype(at::ScalarType type) {
  switch (type) {
    case at::kDouble:
      return "F64";
    case at::kFloat:
      return "F32";
    case at::kBFloat16:
      return "BF16";
    case at::kChar:
      return "I8";
    default:
      CARRYOVER_CHECK(false);
  }
}

at::ScalarType type_of(const at::TensorOptions& options) {
  return c10::typeMetaToScalarType(options.dtype());
}

OutgoingTensor of_bytes(const std::string& name, const char* dtype, std::int64_t elements, std::string bytes) {
  const auto held = std::make_shared<const std::string>(std::move(bytes));
  return {name, dtype, {elements}, [held] { return std::as_bytes(std::span(*held)); }};
}

/// Collects what a state has.
class StateWriter final : public StateFields {
 public:
  explicit StateWriter(const StateHeader& header) : metadata_(state_metadata(header)) {
    const auto* ids = reinterpret_cast<const char*>(header.ids->data());
    tensors_.push_back(of_bytes(kStateIds, "I32", header.tokens(), {ids, header.ids->size() * sizeof(std::int32_t)}));
  }
  void write(const std::string& path) const { write_safetensors(path, tensors_, metadata_); }

  bool reading() const override { return false; }
  void derived(std::int64_t& value, std::int64_t expected) override { CARRYOVER_CHECK(value == expected); }
  void count(const std::string& name, std::int64_t& value) override { metadata_[name] = std::to_string(value); }

  void tensor(const std::string& name, at::Tensor& value, at::IntArrayRef shape, at::TensorOptions options) override {
    CARRYOVER_CHECK(value.defined() && value.sizes() == shape && value.scalar_type() == type_of(options));
    const auto host = std::make_shared<at::Tensor>();
    tensors_.push_back({name, stored_dtype(value.scalar_type()), shape.vec(), [source = value.detach(), host, name] {
                          *host = source.cpu().contiguous();
                          if (!has_finite_values(*host))
                            throw EngineError(Fault::BadInput, "the document's state",
                                              "has a value that is not finite in " + name + ", and is not written",
                                              "Read the document with --dtype fp32, or by another model.");
                          return std::span(static_cast<const std::byte*>(host->const_data_ptr()), host->nbytes());
                        }});
  }

  void hits(std::vector<HeadHits>& hits, std::int64_t) override {
    std::string text = json_text(hits);
    const std::int64_t size = std::ssize(text);
    tensors_.push_back(of_bytes(kHits, "U8", size, std::move(text)));
  }

 private:
  std::map<std::string, std::string> metadata_;
  std::vector<OutgoingTensor> tensors_;
};

/// Fills a state, and believes nothing.
class StateReader final : public StateFields {
 public:
  StateReader(const SafetensorsFile& file, const StateHeader& header, const SegmentFrame& next)
      : file_(file),
        header_(header),
        limits_(snapshot_limits(header.model, header.config, header.tokens())),
        place_{next.index, next.first_token} {}

  bool reading() const override { return true; }
  void derived(std::int64_t& value, std::int64_t expected) override { value = expected; }
  void count(const std::string& name, std::int64_t& value) override { value = state_number(file_, name, kMostCount); }

  void tensor(const std::string& name, at::Tensor& value, at::IntArrayRef shape, at::TensorOptions options) override {
    const SafetensorsTensor& stored = take(name, stored_dtype(type_of(options)));
    if (stored.shape != shape.vec())
      refuse_state(file_.where(), name + " has another shape than its text's length says");
    if (!value.defined()) value = at::empty(shape, options);
    CARRYOVER_CHECK(value.sizes() == shape);
    copy(stored, value);
    if (!has_finite_values(value)) refuse_state(file_.where(), name + " has a value that is not finite");
  }

  void hits(std::vector<HeadHits>& hits, std::int64_t most) override {
    const SafetensorsTensor& stored = take(kHits, "U8");
    const std::string text(reinterpret_cast<const char*>(stored.data.data()), stored.data.size());
    const nlohmann::json lists = parse_json(text, file_.where(), JsonKind::Text);
    if (!lists.is_array()) refuse_state(file_.where(), "its hits are not a list");
    for (const nlohmann::json& list : lists) hits.push_back(head_hits_from_json(list, file_.where()));
    check_hits(hits, place_, limits_, file_.where());
    const bool shared = header_.config.search == SearchBy::Shared;
    for (const HeadHits& list : hits)
      if (list.shared != shared || std::ssize(list.hits) > most)
        refuse_state(file_.where(), "its hits are not of the search that its configuration says");
  }

  /// Throws EngineError{BadInput} where the file has more than what was taken, or was cut meanwhile.
  void finish() const {
    if (file_.tensors().size() != taken_ + 1) refuse_state(file_.where(), "it has tensors that no such state has");
    file_.file()->require_whole();
  }

 private:
  const SafetensorsTensor& take(const std::string& name, const char* dtype) {
    const SafetensorsTensor* stored = file_.find(name);
    if (stored == nullptr) refuse_state(file_.where(), "it lacks " + name);
    if (stored->dtype != dtype) refuse_state(file_.where(), name + " is of type " + stored->dtype + ", not " + dtype);
    ++taken_;
    return *stored;
  }

  /// Row by row of the first dimension, because a view of reserved memory has gaps behind each.
  static void copy(const SafetensorsTensor& stored, const at::Tensor& into) {
    if (into.numel() == 0) return;
    if (!into.is_cpu()) {
      const at::Tensor host = at::empty(into.sizes(), into.options().device(at::kCPU));
      copy(stored, host);
      into.copy_(host);
      return;
    }
    const std::size_t bytes = into.nbytes() / static_cast<std::size_t>(into.size(0));
    for (std::int64_t row = 0; row < into.size(0); ++row) {
      const at::Tensor part = into[row];
      CARRYOVER_CHECK(part.is_contiguous());
      std::memcpy(part.mutable_data_ptr(), stored.data.data() + static_cast<std::size_t>(row) * bytes, bytes);
    }
  }

  const SafetensorsFile& file_;
  const StateHeader& header_;
  SnapshotLimits limits_;
  SegmentPlace place_;
  std::size_t taken_ = 0;
};

/// Names all of a state: what its policy holds, and the windows of the layers that have one.
void name_state(const AttentionPolicy& policy, PolicyState& state, StateFields& fields, const Decoder& decoder) {
  policy.visit(state, fields);
  name_windows(state, fields, decoder.config, decoder.options());
}

void require_same_weights(const StateHeader& header, const ModelInfo& model, const std::string& path) {
  if (header.weights_hash != model.weights_hash)
    throw EngineError(Fault::BadInput, path,
                      "was saved by other weights: those of '" + header.model.name.substr(0, 60) + "', " +
                          header.weights_hash.substr(0, 60) + ", and " + model.weights_hash + " are open",
                      "Open the model (and adapter) that read the document, or read it again.");
  if (header.dtype != model.dtype)
    throw EngineError(Fault::BadInput, path,
                      "was saved in " + std::string(dtype_name(header.dtype)) + ", and the model is open in " +
                          std::string(dtype_name(model.dtype)),
                      "Add --dtype " + std::string(dtype_name(header.dtype)) + ".");
}

}  // namespace

void write_state(const std::string& path, const ModelInfo& model, const Decoder& decoder,
                 const DocumentState& document) {
  const at::NoGradGuard no_gradients;
  if (document.state() == nullptr)
    throw EngineError(Fault::Usage, path, "can't be written: no document's state is kept", "Read a document first.");
  const RunRequest& text = document.document().text;
  if (!text.forced_hits.empty())
    throw EngineError(Fault::Unsupported, path, "can't be written: the document was read with forced hits",
                      "Read it with its own search.");
  const auto policy = make_policy(text.policy, {text.config, decoder.config, decoder.options(), 0, {}});
  StateWriter writer({model.weights_hash, decoder.config, model.dtype, text.policy, text.config,
                      document.document().ntk_length, text.ids});
  const std::unique_ptr<PolicyState> state = document.state()->clone();
  name_state(*policy, *state, writer, decoder);
  writer.write(path);
}

void read_state(const std::string& path, const ModelInfo& model, const Decoder& decoder, DocumentState& document) {
  const at::NoGradGuard no_gradients;
  document.clear();
  const SafetensorsFile file = SafetensorsFile::open(path);
  StateHeader header = read_state_header(file);
  require_same_weights(header, model, path);
  header.model = decoder.config;  // with which sizes are told from here on
  RunRequest text;
  text.ids = header.ids;
  text.policy = header.policy;
  text.config = header.config;
  text.loss = false;
  check_request(decoder, text);
  const auto policy = make_policy(text.policy, {text.config, decoder.config, decoder.options(), header.tokens(), {}});
  const auto state = policy->init_state();
  state->next = {(header.tokens() - 1) / text.config.segment_length + 1, header.tokens()};
  StateReader reader(file, header, state->next);
  try {
    name_state(*policy, *state, reader, decoder);
  } catch (const EngineError& error) {  // hits that the pool lacks
    if (error.fault() != Fault::BadInput || error.where() == path) throw;
    refuse_state(path, error.where() + ": " + error.problem());
  }
  reader.finish();
  document.keep(text, *state, header.ntk_length);
}

}  // namespace carryover
