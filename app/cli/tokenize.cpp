// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "engine/core/base/error.h"
#include "engine/data/text_source.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

namespace {

struct TokenizeOptions {
  std::string model, text;
  bool bos = false, parse_special = false;
};

int tokenize(const TokenizeOptions& options) {
  const auto tokenizer = Tokenizer::load(options.model);
  std::vector<std::int32_t> ids = tokenizer->encode(read_text(options.text), options.parse_special);
  if (options.bos) {
    if (!tokenizer->bos()) {
      throw EngineError(Fault::BadInput, options.model, "its tokenizer has no BOS token", "Leave out --bos.");
    }
    ids.insert(ids.begin(), *tokenizer->bos());
  }
  print(nlohmann::json(ids).dump() + "\n");
  return kExitOk;
}

}  // namespace

VerbAction add_tokenize(CLI::App& app) {
  const auto options = std::make_shared<TokenizeOptions>();
  app.add_option("MODEL", options->model, "Hugging Face folder or GGUF file")->type_name("")->required();
  app.add_option("TEXT", options->text, "UTF-8 text file, or - for standard input")->type_name("")->required();
  app.add_flag("--bos", options->bos, "put the BOS token first");
  app.add_flag("--parse-special", options->parse_special, "text that spells a special token becomes that token");
  app.footer(R"(No special token is added unless asked for. The output is what `run --input-ids` reads:
  carryover tokenize model.gguf book.txt > ids.json
  carryover run model.gguf --input-ids ids.json)");
  return [options] { return tokenize(*options); };
}

}  // namespace carryover
