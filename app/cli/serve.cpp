// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/model_argument.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/verbs.h"
#include "app/serve/http_server.h"
#include "app/serve/service.h"
#include "app/serve/session_engine.h"
#include "engine/base/error.h"
#include "engine/base/terminal_text.h"
#include "engine/campaigns/campaign_engine.h"
#include "engine/checkpoints/model_source.h"
#include "engine/checkpoints/trained_under.h"
#include "engine/data/text_source.h"
#include "engine/families/model_config.h"
#include "engine/templates/chat_template.h"
#include "engine/tokenizers/noted_tokenizer.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

namespace {

struct ServeOptions {
  std::string model, adapter, name, host = "127.0.0.1", key, key_file, states;
  int port = 8000;
  std::size_t queue = 16, connections = 64, most_body_megabytes = 16;
  std::int64_t most_new_tokens = 65536;
  bool allow_remote = false, quiet = false;
};

/// --api-key, else the first line of --api-key-file, else CARRYOVER_API_KEY; empty where there is none.
std::string api_key(const ServeOptions& options) {
  if (!options.key.empty()) return options.key;
  if (!options.key_file.empty()) {
    const std::string text = read_text(options.key_file);
    const std::string line = text.substr(0, text.find_first_of("\r\n"));
    if (line.empty()) throw EngineError(Fault::BadInput, options.key_file, "has no key", "Write it in the first line.");
    return line;
  }
  const char* const key = std::getenv("CARRYOVER_API_KEY");
  return key != nullptr ? key : "";
}

AccessRules access_rules(const ServeOptions& options) {
  const bool remote = !is_loopback(options.host);
  if (remote && !options.allow_remote)
    throw EngineError(Fault::Usage, "--host " + options.host, "can be reached from other machines",
                      "Add --allow-remote and a key, or use an SSH tunnel to 127.0.0.1.");
  AccessRules rules{allowed_hosts(options.host), api_key(options)};
  if (remote && rules.key.empty())
    throw EngineError(Fault::Usage, "--allow-remote",
                      "needs a key, because anyone who can reach this machine could send requests",
                      "Add --api-key-file FILE, or set CARRYOVER_API_KEY.");
  return rules;
}

void add_template(ServedModel& served, const std::string& model) {
  const std::optional<ChatTemplate> found = ChatTemplate::load(model);
  if (!found) return;
  served.chat_template = found->text();
  served.render_chat = [found](const nlohmann::json& messages, bool add_generation_prompt,
                               const nlohmann::json& values) {
    nlohmann::ordered_json extra(values);
    extra[kTemplateClock] = wall_clock();
    return found->render(nlohmann::ordered_json(messages), add_generation_prompt, extra);
  };
}

/// `seeded` says that --seed was given, which makes the server's random numbers repeat.
ServedModel served_model(const ServeOptions& options, const RunSettings& settings, const ModelConfig& model,
                         bool seeded) {
  ServedModel served;
  served.names = {options.name.empty() ? served_name(options.model) : served_name(options.name), settings.policy,
                  policies_that_run(settings.config)};
  served.tokenizer = load_tokenizer(options.model);
  served.vocabulary = model.vocabulary;
  served.config = settings.config;
  if (seeded) served.seeds = std::make_shared<SeedSource>(settings.seed);
  served.stop_ids = served.tokenizer->end_ids();
  served.most_new_tokens = options.most_new_tokens;
  served.created = static_cast<std::int64_t>(std::time(nullptr));
  if (settings.config.bos && !served.tokenizer->bos())
    throw EngineError(Fault::BadInput, options.model, "has no BOS token", "Leave out --bos.");
  add_template(served, options.model);
  return served;
}

HttpServerOptions http_options(const ServeOptions& options) {
  HttpServerOptions http;
  http.host = options.host;
  http.port = options.port;
  http.connections = options.connections;
  http.limits.body_bytes = static_cast<std::uint64_t>(options.most_body_megabytes) << 20;
  return http;
}

std::string address(const std::string& host, int port) {
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return "http://" + name + ":" + std::to_string(port);
}

/// Writes each line with the time in front to standard error.
RequestLog request_log(bool quiet) {
  if (quiet) return {};
  return [](const std::string& line) {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", ::localtime_r(&now, &parts));
    print_error_line(std::string(text) + " " + line);
  };
}

int serve(const ServeOptions& options, const ConfigOptions& config_options) {
  const AccessRules access = access_rules(options);
  const ModelConfig model = ModelSource::open(options.model)->config();
  const RunSettings settings = config_options.resolve(model, initial_config(model, options.model, options.adapter));
  settings.validate(model, kFlagsName);
  const ServedModel served = served_model(options, settings, model, config_options.fields(model).contains("seed"));
  StateStore states(options.states);

  RunControl control;
  const InterruptWatch interrupt(control);
  ProgressLine progress(options.quiet);
  const auto open = [&] {
    return serve_session(open_session(
        {options.model, settings.dtype, settings.device, settings.threads, true, options.adapter}, progress, control));
  };
  EngineQueue queue(open, options.queue);
  progress.clear();
  Service service(served, states, access, queue, request_log(options.quiet));
  HttpServer server(http_options(options), service);
  print("Serving " + served.names.name + " at " + address(options.host, server.port()) + "/v1\n");
  server.run([&] { return control.stop_requested(); }, [&] { service.stop(); });
  service.finish();
  return kExitOk;
}

}  // namespace

VerbAction add_serve(CLI::App& app) {
  const auto options = std::make_shared<ServeOptions>();
  add_model(app, options->model)->required();
  app.add_option("--adapter", options->adapter, "PEFT folder (LoRA) that is merged into the model's weights")
      ->type_name("DIR");
  app.add_option("--name", options->name, "name of the model in the API (default: that of its file or folder)")
      ->type_name("NAME");
  app.add_option("--host", options->host, "address to listen on (127.0.0.1)")->type_name("HOST");
  app.add_option("--port", options->port, "port to listen on (8000); 0: any that is free, which is printed")
      ->check(CLI::Range(0, 65535))
      ->type_name("N");
  app.add_flag("--allow-remote", options->allow_remote, "accept connections from other machines; needs a key");
  app.add_option("--api-key", options->key,
                 "key that clients send as Authorization: Bearer KEY; other users of this machine can see it on the "
                 "command line")
      ->check([](const std::string& key) { return key.empty() ? "is empty: leave it out" : std::string(); })
      ->type_name("KEY");
  app.add_option("--api-key-file", options->key_file, "the same, from a file's first line; or CARRYOVER_API_KEY")
      ->type_name("FILE");
  app.add_option("--states", options->states, "folder for document states, which clients can ask about again")
      ->type_name("DIR");
  app.add_option("--queue", options->queue, "requests that may wait for the engine (16); more are refused")
      ->check(CLI::Range(0, 10000))
      ->type_name("N");
  app.add_option("--connections", options->connections, "clients that are connected at the same time (64)")
      ->check(CLI::Range(1, 10000))
      ->type_name("N");
  app.add_option("--max-body", options->most_body_megabytes, "largest request, in MiB (16)")
      ->check(CLI::Range(1, 64))
      ->type_name("N");
  app.add_option("--max-new-tokens", options->most_new_tokens, "most tokens that a request may ask for (65536)")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  app.add_flag("--quiet", options->quiet, "no progress and no line for each request on standard error");
  const auto config = std::make_shared<ConfigOptions>(app);
  config->add_preset(app);
  app.footer(
      R"(Serves an OpenAI-compatible API, one request at a time: completions with the log-probabilities of a prompt,
chats by the model's own template, tokens, and vLLM's old /generate. The model's name alone selects --policy;
NAME:full or NAME:streaming selects another policy.

Examples:
  carryover serve model.gguf
  carryover serve model.gguf --policy streaming --port 0 --states states
  curl http://127.0.0.1:8000/v1/completions -d '{"prompt": "Once upon a time", "max_tokens": 20}'
  ssh -L 8000:127.0.0.1:8000 gpu-machine carryover-cli serve model.gguf)");
  return [options, config] { return serve(*options, *config); };
}

}  // namespace carryover
