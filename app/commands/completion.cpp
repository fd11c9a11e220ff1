// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/commands.h"
#include "app/commands/output.h"
#include "app/commands/verbs.h"

namespace carryover {

namespace {

/// Words that a flag takes, or nothing where it takes a file or a number.
const char* words_after(const std::string& flag) {
  if (flag == "--policy") return "segmented full";
  if (flag == "--dtype") return "auto fp32 bf16 fp64";
  if (flag == "--device") return "auto cpu cuda";
  if (flag == "--grouping") return "paper paper-code first-kv-group contiguous interleaved none all";
  if (flag == "--preset") return "paper-7b smollm2-gpu smollm2-cpu tiny-demo";
  if (flag == "--lr-scheduler-type") return "constant cosine";
  if (flag == "--on-alert") return "pause skip stop";
  if (flag == "--no-capture") return "hits nll";
  return "";
}

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

/// One function that both shells run: zsh through its bashcompinit.
std::string completion_script(CLI::App& app) {
  std::string names, cases, values;
  std::vector<std::string> seen;
  for (const Verb& verb : verbs()) {
    names += std::string(names.empty() ? "" : " ") + verb.name;
    const auto flags = flags_of(*app.get_subcommand(verb.name));
    const char* plain = verb.name == std::string("completion") ? "plain='bash zsh fish'; " : "";
    cases += "    " + std::string(verb.name) + ") " + plain + "words=\"" + joined(flags) + "\" ;;\n";
    for (const std::string& flag : flags) {
      if (*words_after(flag) == '\0' || std::find(seen.begin(), seen.end(), flag) != seen.end()) continue;
      seen.push_back(flag);
      values +=
          "    " + flag + ") COMPREPLY=($(compgen -W \"" + words_after(flag) + "\" -- \"$current\")); return ;;\n";
    }
  }
  return R"(_carryover() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" words="" plain=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ")" +
         names + " " + joined(flags_of(app)) + R"(" -- "$current"))
    return
  fi
  case "$previous" in
)" + values +
         R"(  esac
  case "${COMP_WORDS[1]}" in
)" + cases +
         R"(  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$plain" -f -- "$current")) ;;
  esac
}
complete -o filenames -F _carryover carryover carryover-cli
)";
}

std::string fish_script(CLI::App& app) {
  std::string text;
  for (const Verb& verb : verbs()) {
    text +=
        std::string("complete -c carryover -n __fish_use_subcommand -a ") + verb.name + " -d '" + verb.summary + "'\n";
    for (const std::string& flag : flags_of(*app.get_subcommand(verb.name))) {
      text +=
          std::string("complete -c carryover -n '__fish_seen_subcommand_from ") + verb.name + "' -l " + flag.substr(2);
      if (*words_after(flag) != '\0') text += std::string(" -x -a '") + words_after(flag) + "'";
      text += "\n";
    }
  }
  return text;
}

int complete(const std::string& shell) {
  std::vector<VerbAction> actions;
  const auto app = make_app(actions);
  if (shell == "fish") {
    print(fish_script(*app));
  } else {
    print((shell == "zsh" ? "autoload -U +X bashcompinit && bashcompinit\n" : "") + completion_script(*app));
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
