// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/asked_prediction.h"
#include "app/cli/commands.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/verbs.h"
#include "engine/base/error.h"
#include "engine/base/text_parts.h"
#include "engine/campaigns/campaign_engine.h"
#include "engine/formats/json_file.h"
#include "engine/runs/records/run_reader.h"
#include "engine/runs/values/logit_shares.h"
#include "engine/tokenizers/noted_tokenizer.h"

namespace carryover {

namespace {

using nlohmann::json;

struct WhyOptions {
  std::string folder, foil;
  std::int64_t token = 0, top = 5, heads = 20, neurons = 20, sources = 20;
  bool json = false, quiet = false;
};

/// An answer, and what its text needs.
struct Why {
  const WhyOptions& options;
  const RunContents& run;
  const Tokenizer& tokenizer;
  Inspection seen;

  std::string text_of(std::int32_t id) const { return tokenizer.bytes(id); }
  std::int32_t id_at(std::int64_t position) const {
    return (*run.description.request.ids)[static_cast<std::size_t>(position)];
  }
};

/// Returns the request for everything about one prediction. The token before it makes it.
InspectRequest request_of(const WhyOptions& options, const RunContents& run, const Tokenizer& tokenizer) {
  const AskedPrediction which = ask_prediction(run, options.token, options.foil, tokenizer);
  InspectRequest asked{run.description.request, which.segment, {}};
  asked.parts.attribution = asked.parts.sources = asked.parts.lens = asked.parts.ablations = which.question.token;
  asked.parts.neurons = options.neurons;
  asked.parts.top = options.top;
  asked.parts.foil = which.question.foil;
  asked.record = recorded_segment(run, which.segment);
  return asked;
}

json prediction_json(const Why& why, const Prediction& prediction) {
  json top = json::array();
  for (const TopToken& likely : prediction.top)
    top.push_back({{"id", likely.id}, {"text", why.text_of(likely.id)}, {"logprob", likely.logprob}});
  json fields{{"logit", prediction.logit}, {"probability", prediction.probability}, {"top", top}};
  if (prediction.foil)
    fields.update({{"foil_logit", prediction.foil_logit}, {"foil_probability", prediction.foil_probability}});
  return fields;
}

json readings_json(const Why& why, const std::vector<LensReading>& readings, std::int64_t first_layer) {
  json rows = json::array();
  for (const LensReading& reading : readings) {
    json row{{"layer", first_layer++},         {"id", reading.top.id}, {"text", why.text_of(reading.top.id)},
             {"logprob", reading.top.logprob}, {"rank", reading.rank}, {"target_logprob", reading.target_logprob}};
    if (why.seen.attribution->prediction.foil) row["foil_logprob"] = reading.foil_logprob;
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Layer −1 is the embedding.
json why_json(const Why& why) {
  const LogitAttribution& split = *why.seen.attribution;
  const LogitLens& lens = *why.seen.lens;
  json heads = json::array(), neurons = json::array(), sources = json::array(), without = json::object();
  for (const HeadShare& share : largest_heads(split, why.options.heads))
    heads.push_back({{"layer", share.head.layer},
                     {"head", share.head.head},
                     {"logit", share.logit},
                     {"sinks", share.sinks},
                     {"retrieved", share.retrieved},
                     {"carry", share.carry},
                     {"segment", share.segment}});
  for (const NeuronShare& share : split.neurons)
    neurons.push_back(
        {{"layer", share.layer}, {"neuron", share.neuron}, {"activation", share.activation}, {"logit", share.logit}});
  for (const SourceShare& share : largest_sources(*why.seen.sources, why.options.sources))
    sources.push_back(
        {{"position", share.position}, {"text", why.text_of(why.id_at(share.position))}, {"logit", share.logit}});
  for (const AblatedPrediction& each : why.seen.ablations->without)
    without[std::string(kPrefixPartNames[static_cast<std::size_t>(each.part)])] = prediction_json(why, each.prediction);
  const auto settled = settled_from(lens.residual);
  json fields{{"token", why.options.token},
              {"segment", why.seen.segment},
              {"id", split.prediction.target},
              {"text", why.text_of(split.prediction.target)},
              {"logit", split.logit},
              {"embedding", split.embedding},
              {"biases", split.biases},
              {"feed_forward", split.feed_forward},
              {"as_it_was", prediction_json(why, why.seen.ablations->as_it_was)},
              {"without", without},
              {"lens",
               {{"residual", readings_json(why, lens.residual, -1)},
                {"carry", readings_json(why, lens.carry, lens.first_carry_layer)},
                {"settled_layer", settled ? json(*settled - 1) : json()}}},
              {"heads", heads},
              {"neurons", neurons},
              {"sources", sources}};
  if (split.prediction.foil)
    fields.update({{"foil", *split.prediction.foil}, {"foil_text", why.text_of(*split.prediction.foil)}});
  return fields;
}

// --- the text for people

std::string percent(double logprob) {
  return fixed_text(100 * std::exp(logprob), 1) + " %";
}

std::string top_text(const Why& why, const Prediction& prediction) {
  std::string text;
  for (const TopToken& likely : prediction.top)
    text += (text.empty() ? "" : ", ") + quoted(why.text_of(likely.id)) + " " + percent(likely.logprob);
  return text + "\n";
}

std::string predictions_text(const Why& why) {
  const PredictionAblations& found = *why.seen.ablations;
  std::string text = "likeliest tokens\n  " + padded("as it was", 20) + top_text(why, found.as_it_was);
  for (const AblatedPrediction& each : found.without) {
    const std::string part(kPrefixPartNames[static_cast<std::size_t>(each.part)]);
    text += "  " + padded("without " + part, 20) + top_text(why, each.prediction);
  }
  return text;
}

std::string readings_text(const Why& why, const std::vector<LensReading>& readings, std::int64_t first_layer) {
  std::string text;
  for (const LensReading& reading : readings) {
    const std::string place = first_layer < 0 ? "embedding" : "layer " + std::to_string(first_layer);
    text += "  " + padded(place, 12) + padded(quoted(why.text_of(reading.top.id)), 20) +
            padded(percent(reading.top.logprob), 10) + "target: rank " + padded(std::to_string(reading.rank + 1), 8) +
            percent(reading.target_logprob) + "\n";
    ++first_layer;
  }
  return text;
}

std::string lens_text(const Why& why) {
  const LogitLens& lens = *why.seen.lens;
  std::string text = "logit lens of the residual stream\n" + readings_text(why, lens.residual, -1);
  if (const auto settled = settled_from(lens.residual))
    text += "  the target stays the likeliest token from " +
            (*settled == 0 ? std::string("the embedding") : "layer " + std::to_string(*settled - 1)) + " on\n";
  if (lens.carry.empty()) return text;
  return text + "logit lens of what was read from the carry\n" + readings_text(why, lens.carry, lens.first_carry_layer);
}

std::string shares_text(const Why& why) {
  const LogitAttribution& split = *why.seen.attribution;
  std::string text = "heads that change the logit most (sinks, retrieved, carry, segment)\n";
  for (const HeadShare& share : largest_heads(split, why.options.heads))
    text += "  " + padded("L" + std::to_string(share.head.layer) + " H" + std::to_string(share.head.head), 12) +
            padded(signed_text(share.logit), 10) + "(" + signed_text(share.sinks) + ", " +
            signed_text(share.retrieved) + ", " + signed_text(share.carry) + ", " + signed_text(share.segment) + ")\n";
  text += "neurons that change the logit most (activation)\n";
  for (const NeuronShare& share : split.neurons)
    text += "  " + padded("L" + std::to_string(share.layer) + " N" + std::to_string(share.neuron), 12) +
            padded(signed_text(static_cast<double>(share.logit)), 10) + "(" +
            fixed_text(static_cast<double>(share.activation), 3) + ")\n";
  text += "positions that change the logit most\n";
  for (const SourceShare& share : largest_sources(*why.seen.sources, why.options.sources))
    text += "  " + padded(std::to_string(share.position), 12) + padded(signed_text(share.logit), 10) +
            quoted(why.text_of(why.id_at(share.position))) + "\n";
  return text;
}

std::string why_text(const Why& why) {
  const LogitAttribution& split = *why.seen.attribution;
  std::string name = quoted(why.text_of(split.prediction.target));
  if (split.prediction.foil) name += " against " + quoted(why.text_of(*split.prediction.foil));
  return "token      " + std::to_string(why.options.token) + ", " + name + ", in segment " +
         std::to_string(why.seen.segment) + "\nlogit      " + fixed_text(static_cast<double>(split.logit), 3) +
         ", probability " + fixed_text(100 * split.prediction.probability, 2) + " %\n" + predictions_text(why) +
         lens_text(why) + shares_text(why);
}

int explain(const WhyOptions& options) {
  const RunContents run = reopen_to_repeat(options.folder);
  const ModelInfo& model = run.description.model;
  const auto tokenizer = load_tokenizer(model.path);
  const InspectRequest request = request_of(options, run, *tokenizer);
  RunControl control;
  const InterruptWatch interrupt(control);
  ProgressLine progress(options.quiet);
  const auto session =
      open_session({model.path, model.dtype, Device::Auto, 0, false, model.adapter}, progress, control);
  progress.note("Running " + std::to_string(request.segment + 1) + " segments again");
  const Why why{options, run, *tokenizer, session->inspect(request, control)};
  progress.clear();
  print(options.json ? json_text(why_json(why), 2) + "\n" : why_text(why));
  return kExitOk;
}

}  // namespace

VerbAction add_why(CLI::App& app) {
  const auto options = std::make_shared<WhyOptions>();
  app.add_option("RUN", options->folder, "a run's folder, as `carryover run --out` writes it")
      ->required()
      ->type_name("");
  app.add_option("--token", options->token, "the token, counted from the text's start, whose prediction is explained")
      ->required()
      ->type_name("N");
  app.add_option("--foil", options->foil, "one token with which the target is compared: logits become differences")
      ->type_name("TEXT");
  const auto add_count = [&](const char* flag, std::int64_t& target, const char* help) {
    app.add_option(flag, target, help)->check(CLI::Range(0, 1000))->type_name("N");
  };
  add_count("--top", options->top, "list so many of the likeliest tokens (5)");
  add_count("--heads", options->heads, "list so many heads (20)");
  add_count("--neurons", options->neurons, "list so many neurons (20)");
  add_count("--sources", options->sources, "list so many positions (20)");
  app.add_flag("--json", options->json, "print JSON");
  app.add_flag("--quiet", options->quiet, "no progress on standard error");
  app.footer(
      R"(The run's model reads the text again up to the token's segment, and the segment once more without its
sinks, its retrieved tokens and its carry. The answer: the likeliest tokens each time; the logit lens after each
layer, of the residual stream and of what attention read from the carry; and the heads, neurons and positions of
the text that change the token's logit most.

Examples:
  carryover why run1 --token 1043
  carryover why run1 --token 1043 --foil " Mary" --json)");
  return [options] { return explain(*options); };
}

}  // namespace carryover
