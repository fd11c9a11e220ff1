// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/config/window_settings.h"
#include "engine/policies/streaming/streaming_settings.h"
#include "engine/runs/text_run.h"
#include "tests/support/random_config.h"
#include "tests/support/tiny_model.h"

namespace carryover::test {

/// A random model in the engine, and its weights for references.
struct TinyDecoder {
  std::map<std::string, std::vector<float>> values;
  Decoder decoder;

  TinyDecoder(const ModelConfig& config, unsigned seed, at::ScalarType type)
      : TinyDecoder(config, random_weights(config, seed), type) {}

  TinyDecoder(const ModelConfig& config, std::map<std::string, std::vector<float>> weights, at::ScalarType type)
      : values(std::move(weights)) {
    const TempDir dir;
    write_tiny_model(dir.path(), config, values);
    const auto source = ModelSource::open(dir.path().string());
    decoder = {source->config(), empty_weights(source->config(), at::TensorOptions().dtype(type), false), {}};
    read_weights(*source, decoder.weights, {});
    if (config.window_rope)
      decoder.config.window_rope = config.window_rope;  // which the family's files have no place for
  }
};

/// Makes the model one of a family that scales what it computes (kind 1) or that has a layer without RoPE (kind 2).
inline void scale_or_unrotate(ModelConfig& config, std::int64_t kind) {
  if (kind == 1) {
    config.architecture = "granite";
    config.embedding_scale = 3;
    config.query_scale = 0.25 * std::sqrt(static_cast<double>(config.head_dim));
    config.residual_scale = 0.5;
    config.logit_divisor = 4;
  }
  if (kind == 2) {
    config.architecture = "smollm3";
    config.unrotated_layers = {1};
  }
}

/// Makes the model one of a family that caps scores and logits (kind 1), or with LayerNorms, biases everywhere and
/// blocks in parallel (kind 2, where each head has its own keys).
inline void cap_or_run_in_parallel(ModelConfig& config, std::int64_t kind) {
  if (kind == 1) {
    config.architecture = "gemma2";
    config.embedding_scale = std::sqrt(static_cast<double>(config.hidden));
    config.score_cap = 1.5;
    config.logit_cap = 3;
  }
  if (kind == 2 && config.kv_heads == config.heads) {
    config.architecture = "gpt_neox";
    config.rotated_dims = 4;
    config.parallel_blocks = true;
  }
}

/// MHA, GQA and one KV head; tied or not; with biases on queries, keys and values, with norms of queries and keys, or
/// without; with some layers that have a window, shorter or longer than segments, and a RoPE of their own, or without;
/// with factors of what is computed, with a layer without RoPE, or with neither.
inline ModelConfig random_tiny_config(std::mt19937& random) {
  const std::int64_t heads = draw(random, 1, 2) * 4, kv_heads = heads >> draw(random, 0, 2);
  ModelConfig config = tiny_config(draw(random, 2, 4), heads, kv_heads, 8, 160);
  config.tied_embeddings = draw(random, 0, 1) == 0;
  if (config.layers == 3) config.architecture = "qwen2";
  if (config.layers == 4) config.architecture = "qwen3";
  std::mt19937 apart = random;  // so that the rest is drawn as it was
  if (config.layers == 2) scale_or_unrotate(config, draw(apart, 0, 2));
  if (config.layers == 4 && draw(apart, 0, 2) > 0) {
    config.window = draw(apart, 1, 40);
    config.window_layers = draw(apart, 0, 1) == 0 ? std::vector<int>{2} : std::vector<int>{2, 3};
    if (draw(apart, 0, 1) == 0) config.window_rope = RopeConfig{.theta = 500};
    if (config.window_rope && draw(apart, 0, 1) == 0) {
      config.architecture = "gemma3_text";
      config.query_scale = 0.75;
      config.embedding_scale = std::sqrt(static_cast<double>(config.hidden));
    }
  }
  return config;
}

/// The same with soft caps or as GPT-NeoX, too, for tests whose reference is the engine itself.
inline ModelConfig random_family_config(std::mt19937& random) {
  ModelConfig config = random_tiny_config(random);
  std::mt19937 apart = random;
  if (config.layers == 3) cap_or_run_in_parallel(config, draw(apart, 0, 3));
  return config;
}

/// Small segments, so that a text of 100 tokens has several, with every corner: M ≠ R, M or R = 0, a pool smaller than
/// R. The pool is exact, as the plain references are.
inline SegmentConfig random_small_config(std::mt19937& random, const ModelConfig& model) {
  SegmentConfig config = random_segment_config(random, model);
  config.segment_length = draw(random, 6, 40);
  config.carry_length = draw(random, 0, 3) == 0 ? 0 : draw(random, 1, config.segment_length);
  config.retrieval_length = draw(random, 0, 3) == 0 ? 0 : draw(random, 1, 60);
  config.sink_length = draw(random, 0, std::min<std::int64_t>(6, config.segment_length - config.carry_length));
  config.rope.reset();
  config.pool_on_host = false;
  config.pool_keys = PoolKeys::Model;
  config.cross_boundary_target = true;
  config.of<WindowSettings>().attention_window = draw(random, 0, 3) == 0 ? draw(random, 1, 3) : draw(random, 4, 60);
  config.of<StreamingSettings>().cache_positions = draw(random, 0, 1) == 0;
  return config;
}

/// Returns the same, and in half of the cases with other readers and searches than the paper's.
inline SegmentConfig random_varied_config(std::mt19937& random, const ModelConfig& model) {
  SegmentConfig config = random_small_config(random, model);
  if (draw(random, 0, 1) == 0) vary_search(random, config, model);
  return config;
}

/// No id twice: in layer 0 a key depends on its token alone, so repeated tokens would tie up to rounding.
inline std::vector<std::int32_t> distinct_ids(std::mt19937& random, std::int64_t count, std::int64_t vocabulary) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(vocabulary));
  std::iota(ids.begin(), ids.end(), 0);
  std::shuffle(ids.begin(), ids.end(), random);
  ids.resize(static_cast<std::size_t>(count));
  return ids;
}

inline std::vector<std::int32_t> random_ids(std::mt19937& random, std::int64_t count, std::int64_t vocabulary) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(count));
  for (std::int32_t& id : ids) id = static_cast<std::int32_t>(draw(random, 0, vocabulary - 1));
  return ids;
}

inline at::Tensor as_tensor(const std::vector<std::int32_t>& ids) {
  return at::tensor(std::vector<std::int64_t>(ids.begin(), ids.end()));
}

/// Returns the length of the next chunk inside a segment: how a text is fed.
using Chunking = std::function<std::int64_t(std::int64_t left_in_segment)>;

/// Hidden states of a whole text [T, D]: whole segments without `chunking`, else chunk by chunk. `hits` collects what
/// each segment read.
inline at::Tensor run_hidden(const Decoder& decoder, const std::string& policy, const SegmentConfig& config,
                             const std::vector<std::int32_t>& ids, const Chunking& chunking = {},
                             std::vector<HeadHits>* hits = nullptr, const std::vector<HeadHits>& forced = {}) {
  const auto tokens = static_cast<std::int64_t>(ids.size());
  PreparedRun prepared(decoder, {policy, config, tokens, forced});
  SegmentRunner& runner = prepared.runner();
  const at::Tensor all = as_tensor(ids);
  std::vector<at::Tensor> hidden;
  for (std::int64_t first = 0; first < tokens; first += config.segment_length) {
    if (hits) hits->insert(hits->end(), runner.state().hits.begin(), runner.state().hits.end());
    const std::int64_t length = std::min(config.segment_length, tokens - first);
    if (!chunking) {
      hidden.push_back(runner.run_segment(all.narrow(0, first, length)));
      continue;
    }
    for (std::int64_t done = 0; done < length;) {
      const std::int64_t chunk = chunking(length - done);
      hidden.push_back(runner.extend(all.narrow(0, first + done, chunk)));
      done += chunk;
    }
    runner.close();
  }
  return at::cat(hidden, 0);
}

}  // namespace carryover::test
