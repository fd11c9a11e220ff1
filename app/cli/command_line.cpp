// SPDX-License-Identifier: GPL-3.0-or-later
#include <csignal>
#include <sstream>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "engine/base/current_error.h"
#include "engine/base/terminal_text.h"
#include "engine/base/text_parts.h"

namespace carryover {

namespace {

constexpr const char* kFooter = R"(Examples:
  carryover                                      the window
  carryover info model.gguf                      a model's shape, defaults and predicted memory
  carryover models                               the models on this computer
  carryover fetch Qwen/Qwen3-0.6B                fetch a model of the Hugging Face Hub
  carryover run model.gguf book.txt --out run1   run a book in segments, save the record
  carryover run model.gguf book.txt --policy full --tokens 2048
  cat book.txt | carryover run model.gguf - --json
  carryover generate model.gguf --prompt-file question.txt
  carryover export run1 --figure loss -o loss.pdf  a figure, data or a report of a run
  carryover train --config run.json              fine-tune; Ctrl-C saves, --resume continues
  carryover bench model.gguf --output bench1     speed and memory by context, policy and peer
  source <(carryover completion bash)

A model is a Hugging Face folder, a GGUF file, or the name of one on the Hugging Face Hub, such as Qwen/Qwen3-0.6B.
`carryover COMMAND --help` lists the options of a command.

Exit codes: 0 done; 1 failure; 2 wrong usage; 3 bad input; 4 unsupported; 5 a file can't be read or
written; 6 not enough memory; 77 bench --gpu without a GPU; 130 stopped by Ctrl-C, with what was done written.)";

template <typename Action>
int run_action(const Action& action) {
  try {
    return action();
  } catch (...) {
    const EngineError error = current_error();
    print_error_line(std::string("carryover: ") + error.what());
    return exit_code(error.fault());
  }
}

}  // namespace

int exit_code(Fault fault) {
  switch (fault) {
    case Fault::Usage:
      return kExitUsage;
    case Fault::BadInput:
      return kExitBadInput;
    case Fault::Unsupported:
      return kExitUnsupported;
    case Fault::OutOfMemory:
      return kExitOutOfMemory;
    case Fault::Io:
      return kExitIo;
    case Fault::Cancelled:
      return kExitStopped;
    case Fault::Shape:
    case Fault::Internal:
      return kExitFailure;
  }
  return kExitFailure;
}

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all{
      {"info", "Describe a model: shape, defaults, predicted memory", add_info},
      {"models", "List the models on this computer, and which of them open", add_models},
      {"fetch", "Fetch a model by name from the Hugging Face Hub", add_fetch},
      {"run", "Run a text in segments; print or save the record", add_run},
      {"tokenize", "Print a text's token ids as a JSON array", add_tokenize},
      {"generate", "Continue a prompt", add_generate},
      {"train", "Fine-tune a model to segmented execution", add_train},
      {"experiment", "Run a plan of models, recipes, seeds and evaluations into one table", add_experiment},
      {"eval", "Evaluate a model on long-context tasks under several policies, into one table", add_eval},
      {"audit", "Verify training gradients against the objective", add_audit},
      {"export", "Export a run's figures, data or report, or a model with its adapter merged", add_export},
      {"why", "Explain one prediction of a run: layers, heads, neurons, sources", add_why},
      {"sweep", "Patch or ablate a segment's heads, layers and tokens one by one", add_sweep},
      {"heads", "Find the heads that retrieve, and propose a grouping", add_heads},
      {"bench", "Measure speed and memory by context, policy and peer", add_bench},
#ifdef CARRYOVER_SERVER
      {"serve", "Serve an OpenAI-compatible API on this machine", add_serve},
#endif
      {"engine", "Run the engine for a window on another machine, over standard input and output", add_engine},
      {"setup-cuda", "Fetch what an installed Carryover needs to run on a GPU", add_setup_cuda},
      {"completion", "Print a completion script for a shell", add_completion},
  };
  return all;
}

std::vector<std::string>& command_line() {
  static std::vector<std::string> arguments;
  return arguments;
}

FigureMaker& figure_maker() {
  static FigureMaker maker;
  return maker;
}

namespace {

/// Positional arguments are paths, and so is what the help calls a file, a folder or a program.
bool takes_path(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto is_called = [&](const char* name) { return type.find(name) != std::string::npos; };
  return option.get_positional() || is_called("FILE") || is_called("DIR") || is_called("PATH") || is_called("PYTHON");
}

/// An empty path would be the current folder to one command and none to another.
void refuse_empty_paths(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    if (!takes_path(*option)) continue;
    const bool named = option->get_type_name().find("=PATH") != std::string::npos;
    const auto check = [named](const std::string& value) {
      return value.empty() || (named && value.back() == '=') ? "names no file or folder" : std::string();
    };
    option->check(CLI::Validator(check, ""));
  }
}

/// The arguments in reverse, as the library takes them. It would read the word behind "--out=" as its value: the two
/// words "--out" and "" are clear.
std::vector<std::string> reversed_arguments(int argc, char** argv) {
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) {
    std::string argument = argv[i];
    const bool has_empty_value = argument.starts_with("--") && argument.find('=') == argument.size() - 1;
    if (has_empty_value) {
      arguments.emplace_back();
      argument.pop_back();
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

}  // namespace

std::unique_ptr<CLI::App> make_app(std::vector<VerbAction>& actions) {
  auto app = std::make_unique<CLI::App>(
      "Carryover: long texts through segmented language models. Without a command: the window.", "carryover");
  app->footer(kFooter);
  app->set_version_flag("--version", "carryover " CARRYOVER_VERSION);
  app->require_subcommand(1);
  app->get_formatter()->column_width(34);
  for (const Verb& verb : verbs()) {
    CLI::App* subcommand = app->add_subcommand(verb.name, verb.summary);
    actions.push_back(verb.add(*subcommand));
    refuse_empty_paths(*subcommand);
  }
  return app;
}

bool is_command_verb(std::string_view argument) {
  if (argument == "--help" || argument == "-h" || argument == "--version") return true;
  for (const Verb& verb : verbs()) {
    if (argument == verb.name) return true;
  }
  return false;
}

int run_command_line(int argc, char** argv, FigureMaker make_figure) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit then is an error that names the file
  return run_action([&]() -> int {
    command_line().assign(argv, argv + argc);
    figure_maker() = std::move(make_figure);
    if (argc > 1 && argv[1][0] != '-' && !is_command_verb(argv[1])) {
      throw EngineError(Fault::Usage, argv[1], "unknown command", "`carryover --help` lists them.");
    }
    std::vector<VerbAction> actions;
    const auto app = make_app(actions);
    try {
      app->parse(reversed_arguments(argc, argv));
    } catch (const CLI::ParseError& error) {
      std::ostringstream out, problem;
      const int code = app->exit(error, out, problem);
      print(out.str());
      if (!problem.str().empty()) print_error_line(trimmed(problem.str(), "\n"));
      return code == 0 ? kExitOk : kExitUsage;
    }
    std::size_t chosen = 0;
    while (!app->got_subcommand(verbs()[chosen].name)) ++chosen;  // one is required
    return actions[chosen]();
  });
}

}  // namespace carryover
