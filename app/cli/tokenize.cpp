// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/model_argument.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "engine/base/error.h"
#include "engine/base/utf8.h"
#include "engine/checkpoints/model_source.h"
#include "engine/data/text_source.h"
#include "engine/tokenizers/noted_tokenizer.h"
#include "engine/tokenizers/token_checks.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

namespace {

struct TokenizeOptions {
  std::string model, text, input_ids;
  bool bos = false, parse_special = false;
};

/// The text of each id; bytes that are only a part of a character are U+FFFD.
int print_texts(const TokenizeOptions& options) {
  const auto tokenizer = Tokenizer::load(options.model);
  nlohmann::json texts = nlohmann::json::array();
  for (const std::int32_t id : read_ids(options.input_ids, ModelSource::open(options.model)->config().vocabulary)) {
    std::string bytes = tokenizer->bytes(id);
    texts.push_back(take_utf8(bytes, /*last=*/true));
  }
  print(texts.dump() + "\n");
  return kExitOk;
}

int print_ids(const TokenizeOptions& options) {
  const auto tokenizer = load_tokenizer(options.model);
  std::vector<std::int32_t> ids = tokenizer->encode(read_text(options.text), options.parse_special);
  if (options.bos) put_bos_first(ids, *tokenizer, options.model);
  print(nlohmann::json(ids).dump() + "\n");
  return kExitOk;
}

int tokenize(const TokenizeOptions& options) {
  if (options.text.empty() == options.input_ids.empty())
    throw EngineError(Fault::Usage, "tokenize", "needs either TEXT or --input-ids FILE",
                      "See `carryover tokenize --help`.");
  return options.text.empty() ? print_texts(options) : print_ids(options);
}

}  // namespace

VerbAction add_tokenize(CLI::App& app) {
  const auto options = std::make_shared<TokenizeOptions>();
  add_model(app, options->model)->required();
  app.add_option("TEXT", options->text, "text file, or - for standard input")->type_name("");
  app.add_option("--input-ids", options->input_ids,
                 "decode instead: print the text of each id of this JSON array (- for standard input) or ids.npy")
      ->type_name("FILE");
  app.add_flag("--bos", options->bos, "put the BOS token first");
  app.add_flag("--parse-special", options->parse_special, "parse special tokens in the text");
  app.footer(R"(No special token is added unless asked for. The output is what `run --input-ids` reads:
  carryover tokenize model.gguf book.txt > ids.json
  carryover run model.gguf --input-ids ids.json
  carryover tokenize model.gguf --input-ids run1/ids.npy      the text of each token of a run)");
  return [options] { return tokenize(*options); };
}

}  // namespace carryover
