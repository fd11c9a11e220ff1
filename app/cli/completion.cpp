// SPDX-License-Identifier: GPL-3.0-or-later
#include <iterator>
#include <set>
#include <sstream>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"

namespace carryover {

namespace {

/// Words that a flag takes, or nothing where it takes a file or a number.
const char* words_after(const std::string& flag) {
  if (flag == "--policy") return "segmented full";
  if (flag == "--shape") return "llama2-7b llama3.1-8b smollm2-135m tiny";
  if (flag == "--what") return "prefill decode train";
  if (flag == "--policies") return "segmented full segmented,full";
  if (flag == "--dtype") return "auto fp32 bf16 fp64 q8";
  if (flag == "--pool-keys") return "model bf16 int8";
  if (flag == "--device") return "auto cpu cuda";
  if (flag == "--grouping") return "paper paper-code first-kv-group contiguous interleaved none all";
  if (flag == "--preset") return "paper-7b smollm2-gpu smollm2-cpu tiny-demo";
  if (flag == "--lr-scheduler-type") return "constant cosine";
  if (flag == "--on-alert") return "pause skip stop";
  if (flag == "--no-capture") return "hits nll";
  if (flag == "--prefix") return "search off random recent";
  if (flag == "--style") return "paper screen slide";
  if (flag == "--theme") return "light dark";
  if (flag == "--language") return "system en de";
  return "";
}

/// Flags of the window, which Qt reads (app/shell/window_options.cpp): they stand where no verb does.
constexpr const char* kWindowFlags =
    "--no-fetch --tokens --theme --language --fresh --size --training --screenshots --exit-after-run --headless "
    "--adapter --engine --script --out";

std::vector<std::string> flags_of(CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> split(std::string_view words) {
  std::istringstream stream{std::string(words)};
  return {std::istream_iterator<std::string>(stream), {}};
}

/// Of all verbs and of the window, each once.
std::set<std::string> all_flags(CLI::App& app) {
  const auto window = split(kWindowFlags);
  std::set<std::string> all(window.begin(), window.end());
  for (const Verb& verb : verbs()) {
    for (const std::string& flag : flags_of(*app.get_subcommand(verb.name))) all.insert(flag);
  }
  return all;
}

/// One function that both shells run: zsh through its bashcompinit.
std::string completion_script(CLI::App& app) {
  std::string names, cases, values;
  for (const Verb& verb : verbs()) {
    names += std::string(names.empty() ? "" : " ") + verb.name;
    const char* plain = verb.name == std::string("completion") ? "plain='bash zsh fish'; " : "";
    cases += "    " + std::string(verb.name) + ") " + plain + "words=\"" +
             joined(flags_of(*app.get_subcommand(verb.name))) + "\" ;;\n";
  }
  for (const std::string& flag : all_flags(app)) {
    if (*words_after(flag) == '\0') continue;
    values += "    " + flag + ") COMPREPLY=($(compgen -W \"" + words_after(flag) + "\" -- \"$current\")); return ;;\n";
  }
  return R"(_carryover() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" words="" plain="" window=""
  COMPREPLY=()
  case "${COMP_WORDS[0]}" in *carryover-cli) ;; *) window=")" +
         std::string(kWindowFlags) + R"(" ;; esac
  case "$previous" in
)" + values +
         R"(  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ")" +
         names + " " + joined(flags_of(app)) + R"( $window" -- "$current"))
    return
  fi
  case "${COMP_WORDS[1]}" in
)" + cases +
         R"(    *) words="$window" ;;
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$plain" -f -- "$current")) ;;
  esac
}
complete -o filenames -o default -F _carryover carryover carryover-cli
)";
}

/// To source, and to install as the function _carryover, whose first call then is to read it.
std::string zsh_script(CLI::App& app) {
  return "#compdef carryover carryover-cli\nautoload -U +X bashcompinit && bashcompinit\n" + completion_script(app) +
         "if [ \"${funcstack[1]}\" = _carryover ]; then _bash_complete -o filenames -o default -F _carryover; fi\n";
}

/// `complete` lines of fish for the flags that hold under `condition`.
std::string fish_flags(const std::string& program, const std::string& condition,
                       const std::vector<std::string>& flags) {
  std::string text;
  for (const std::string& flag : flags) {
    text += "complete -c " + program + " -n '" + condition + "' -l " + flag.substr(2);
    if (*words_after(flag) != '\0') text += std::string(" -x -a '") + words_after(flag) + "'";
    text += "\n";
  }
  return text;
}

std::string fish_script(CLI::App& app) {
  std::string text;
  for (const std::string program : {"carryover", "carryover-cli"}) {
    text += fish_flags(program, "__fish_use_subcommand", flags_of(app));
    if (program == "carryover") text += fish_flags(program, "__fish_use_subcommand", split(kWindowFlags));
    for (const Verb& verb : verbs()) {
      text += "complete -c " + program + " -n __fish_use_subcommand -a " + verb.name + " -d \"" + verb.summary + "\"\n";
      text += fish_flags(program, std::string("__fish_seen_subcommand_from ") + verb.name,
                         flags_of(*app.get_subcommand(verb.name)));
    }
  }
  return text + "complete -c carryover -c carryover-cli -n '__fish_seen_subcommand_from completion' -x " +
         "-a 'bash zsh fish'\n";
}

int complete(const std::string& shell) {
  std::vector<VerbAction> actions;
  const auto app = make_app(actions);
  if (shell == "fish") {
    print(fish_script(*app));
  } else {
    print(shell == "zsh" ? zsh_script(*app) : completion_script(*app));
  }
  return kExitOk;
}

}  // namespace

VerbAction add_completion(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  app.add_option("SHELL", *shell, "bash, zsh or fish")
      ->type_name("")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  app.footer(R"(Put one of these where your shell starts:
  source <(carryover completion bash)
  source <(carryover completion zsh)
  carryover completion fish | source)");
  return [shell] { return complete(*shell); };
}

}  // namespace carryover
