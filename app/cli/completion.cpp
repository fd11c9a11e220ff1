// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <map>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "engine/checkpoints/random_model.h"
#include "engine/cost/policy_table.h"

namespace carryover {

namespace {

/// Words of the flags that are no CLI::IsMember: their values are checked with the model that they are for.
std::string known_words(const std::string& flag) {
  if (flag == "--policy") return listed_policies(" ");
  if (flag == "--shape") return listed_random_shapes(" ");
  if (flag == "--dtype") return "auto fp32 bf16 fp64 q8";
  if (flag == "--pool-keys") return "model bf16 int8";
  if (flag == "--device") return "auto cpu cuda";
  if (flag == "--grouping") return "paper paper-code first-kv-group contiguous interleaved none all";
  if (flag == "--preset") return "paper-7b smollm2-gpu smollm2-cpu tiny-demo";
  if (flag == "--lr-scheduler-type") return "constant cosine";
  if (flag == "--on-alert") return "pause skip stop";
  if (flag == "--style") return "paper screen slide";
  if (flag == "--theme") return "light dark";
  if (flag == "--language") return "system en de";
  return "";
}

/// The words that each flag takes; none for a flag that takes a file or a number.
using FlagWords = std::map<std::string, std::string>;

/// CLI::IsMember describes itself in the option's type: "KIND:{copy,needle}".
std::string words_of(const CLI::Option& option, const std::string& flag) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find(":{"), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return known_words(flag);
  std::string words = type.substr(begin + 2, end - begin - 2);
  std::replace(words.begin(), words.end(), ',', ' ');
  return words;
}

FlagWords flags_of(const CLI::App& app) {
  FlagWords flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) flags["--" + name] = words_of(*option, "--" + name);
  }
  return flags;
}

/// Flags of the window, which Qt reads (app/start/window_options.cpp): they stand where no verb does.
FlagWords window_flags() {
  FlagWords flags;
  for (const char* flag :
       {"--no-fetch", "--tokens", "--theme", "--language", "--fresh", "--size", "--training", "--screenshots",
        "--exit-after-run", "--exit-after-story", "--headless", "--adapter", "--engine", "--script", "--out"})
    flags[flag] = known_words(flag);
  return flags;
}

std::string names_of(const FlagWords& flags) {
  std::string text;
  for (const auto& [flag, words] : flags) text += (text.empty() ? "" : " ") + flag;
  return text;
}

/// Returns the flags of all verbs and of the window, each once.
FlagWords all_flags(const CLI::App& app) {
  FlagWords all = window_flags();
  for (const Verb& verb : verbs()) all.merge(flags_of(*app.get_subcommand(verb.name)));
  return all;
}

/// One function that both shells run: zsh through its bashcompinit.
std::string completion_script(const CLI::App& app) {
  std::string names, cases, values;
  for (const Verb& verb : verbs()) {
    names += std::string(names.empty() ? "" : " ") + verb.name;
    const char* plain = verb.name == std::string("completion") ? "plain='bash zsh fish'; " : "";
    cases += "    " + std::string(verb.name) + ") " + plain + "words=\"" +
             names_of(flags_of(*app.get_subcommand(verb.name))) + "\" ;;\n";
  }
  for (const auto& [flag, words] : all_flags(app)) {
    if (!words.empty())
      values += "    " + flag + ") COMPREPLY=($(compgen -W \"" + words + "\" -- \"$current\")); return ;;\n";
  }
  return R"(_carryover() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" words="" plain="" window=""
  COMPREPLY=()
  case "${COMP_WORDS[0]}" in *carryover-cli) ;; *) window=")" +
         names_of(window_flags()) + R"(" ;; esac
  case "$previous" in
)" + values +
         R"(  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ")" +
         names + " " + names_of(flags_of(app)) + R"( $window" -- "$current"))
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

/// Returns a script to source, or to install as the function _carryover, which is then read at its first call.
std::string zsh_script(const CLI::App& app) {
  return "#compdef carryover carryover-cli\nautoload -U +X bashcompinit && bashcompinit\n" + completion_script(app) +
         "if [ \"${funcstack[1]}\" = _carryover ]; then _bash_complete -o filenames -o default -F _carryover; fi\n";
}

/// `complete` lines of fish for the flags that hold under `condition`.
std::string fish_flags(const std::string& program, const std::string& condition, const FlagWords& flags) {
  std::string text;
  for (const auto& [flag, words] : flags) {
    text += "complete -c " + program + " -n '" + condition + "' -l " + flag.substr(2);
    if (!words.empty()) text += " -x -a '" + words + "'";
    text += "\n";
  }
  return text;
}

std::string fish_script(const CLI::App& app) {
  std::string text;
  for (const std::string program : {"carryover", "carryover-cli"}) {
    text += fish_flags(program, "__fish_use_subcommand", flags_of(app));
    if (program == "carryover") text += fish_flags(program, "__fish_use_subcommand", window_flags());
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
