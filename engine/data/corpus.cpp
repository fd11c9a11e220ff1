// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/corpus.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/data/text_source.h"
#include "engine/data/token_cache.h"
#include "engine/formats/cache_folder.h"
#include "engine/formats/fingerprint.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

enum class Kind { Text, Lines, Ids };

struct SourceFile {
  std::string path;
  Kind kind;
  double bytes;
};

std::string extension(const fs::path& path) {
  std::string text = path.extension().string();
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

SourceFile source_file(const fs::path& path) {
  const std::string suffix = extension(path);
  std::error_code unknown;
  const auto bytes = fs::file_size(path, unknown);
  return {path.string(),
          suffix == ".jsonl"  ? Kind::Lines
          : suffix == ".json" ? Kind::Ids
                              : Kind::Text,
          unknown ? 0.0 : static_cast<double>(bytes)};
}

bool wanted(const fs::directory_entry& entry) {
  const std::string suffix = extension(entry.path());
  const bool known = suffix.empty() || suffix == ".txt" || suffix == ".md" || suffix == ".jsonl" || suffix == ".json";
  return known && entry.is_regular_file() && entry.file_size() > 0;
}

std::vector<SourceFile> files_below(const std::string& folder) {
  std::vector<SourceFile> files;
  try {
    for (auto at = fs::recursive_directory_iterator(folder); at != fs::recursive_directory_iterator(); ++at) {
      if (at->path().filename().string().starts_with('.')) {
        at.disable_recursion_pending();
      } else if (wanted(*at)) {
        files.push_back(source_file(at->path()));
      }
    }
  } catch (const fs::filesystem_error& error) {
    throw EngineError(Fault::Io, folder, "can't be read: " + error.code().message(),
                      "Check the folder and its permissions.");
  }
  if (files.empty())
    throw EngineError(Fault::BadInput, folder, "holds no text",
                      "Put UTF-8 texts (*.txt, *.md, files without an extension), *.jsonl or *.json of ids into it.");
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

std::vector<SourceFile> find_files(const std::vector<std::string>& data) {
  if (data.empty())
    throw EngineError(Fault::BadInput, "data", "names no text to train on",
                      "Give files or folders: --data book.txt, or \"data\": [\"book.txt\"].");
  std::vector<SourceFile> files;
  for (const std::string& path : data) {
    std::error_code unreadable;
    if (!fs::exists(path, unreadable))
      throw EngineError(Fault::Io, path, "does not exist", "Check the path of this entry of data.");
    if (fs::is_directory(path, unreadable)) {
      const auto below = files_below(path);
      files.insert(files.end(), below.begin(), below.end());
    } else {
      files.push_back(source_file(path));
    }
  }
  return files;
}

std::vector<std::int32_t> ids_of(const json& list, std::int64_t vocabulary, const std::string& where) {
  std::vector<std::int32_t> ids;
  ids.reserve(list.size());
  for (const json& value : list) {
    const bool fits = value.is_number_unsigned() && value.get<std::uint64_t>() < static_cast<std::uint64_t>(vocabulary);
    if (!fits)
      throw EngineError(
          Fault::BadInput, where,
          "entry " + std::to_string(ids.size()) + " is " + value.dump().substr(0, 40) + ", not an id",
          "Ids are whole numbers from 0 to " + std::to_string(vocabulary - 1) + " for this model's tokenizer.");
    ids.push_back(value.get<std::int32_t>());
  }
  return ids;
}

/// Reads files one after another into documents.
class Reading {
 public:
  Reading(const CorpusRequest& request, const Tokenizer& tokenizer, const CorpusProgress& progress, RunControl& control)
      : request_(request),
        tokenizer_(tokenizer),
        progress_(progress),
        control_(control),
        cache_(request.cache_directory, tokenizer),
        files_(find_files(request.data)) {
    for (const SourceFile& file : files_) total_bytes_ += file.bytes;
  }

  std::vector<Document> run() {
    for (const SourceFile& file : files_) {
      report(file, 0);
      if (file.kind == Kind::Ids) {
        add_ids(file.path);
      } else {
        add_tokenised(file);
      }
      done_bytes_ += file.bytes;
    }
    if (progress_) progress_(1, "tokenised");
    return std::move(documents_);
  }

 private:
  void report(const SourceFile& file, double share) {
    control_.checkpoint();
    if (progress_)
      progress_(total_bytes_ > 0 ? (done_bytes_ + share * file.bytes) / total_bytes_ : 0, "tokenising " + file.path);
  }

  void add(std::string source, std::vector<std::int32_t> ids) {
    if (!ids.empty()) documents_.push_back({std::move(source), std::move(ids)});
  }

  void add_ids(const std::string& path) {
    const json lists = read_json_file(path, JsonKind::Numbers);
    if (!lists.is_array())
      throw EngineError(Fault::BadInput, path, "is not a JSON array of token ids",
                        "Give ids as [12, 7, 4000], or several documents as [[12, 7], [4000]]; texts as .jsonl.");
    if (lists.empty() || !lists[0].is_array()) return add(path, ids_of(lists, tokenizer_.vocabulary(), path));
    for (std::size_t i = 0; i < lists.size(); ++i) {
      const std::string where = path + "[" + std::to_string(i) + "]";
      if (!lists[i].is_array())
        throw EngineError(Fault::BadInput, where, "is not an array, but the entries before it are",
                          "Give arrays only.");
      add(where, ids_of(lists[i], tokenizer_.vocabulary(), where));
    }
  }

  void add_tokenised(const SourceFile& file) {
    const std::string text = read_text(file.path);
    const std::string key = cache_.key(text, file.kind == Kind::Text ? "text" : "jsonl " + request_.text_field);
    auto entries = cache_.find(key);
    if (!entries) {
      entries = file.kind == Kind::Text ? std::vector<TokenCache::Entry>{{0, encode(text, file.path)}}
                                        : encode_lines(text, file);
      keep(key, *entries);
    }
    for (TokenCache::Entry& entry : *entries)
      add(entry.line == 0 ? file.path : file.path + ":" + std::to_string(entry.line), std::move(entry.ids));
  }

  void keep(const std::string& key, const std::vector<TokenCache::Entry>& entries) {
    try {
      cache_.store(key, entries);
    } catch (const EngineError& error) {
      if (progress_) progress_(done_bytes_ / std::max(1.0, total_bytes_), std::string("not cached: ") + error.what());
    }
  }

  std::vector<std::int32_t> encode(std::string_view text, const std::string& where) const {
    try {
      return tokenizer_.encode(text);
    } catch (const EngineError& error) {
      throw EngineError(error.fault(), where, error.problem(), error.advice());
    }
  }

  std::vector<TokenCache::Entry> encode_lines(std::string_view text, const SourceFile& file) {
    std::vector<TokenCache::Entry> entries;
    std::int64_t line = 0;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view content = text.substr(begin, end - begin);
      const std::string where = file.path + ":" + std::to_string(++line);
      if (content.find_first_not_of(" \t\r") != std::string_view::npos) {
        entries.push_back({line, encode(text_of_line(content, where), where)});
        report(file, static_cast<double>(end) / static_cast<double>(text.size()));
      }
      begin = end + 1;
    }
    return entries;
  }

  std::string text_of_line(std::string_view line, const std::string& where) const {
    const json object = parse_json(line, where, JsonKind::Text);
    const auto refuse = [&](const std::string& problem) {
      throw EngineError(
          Fault::BadInput, where, problem,
          "Each line is an object such as {\"" + request_.text_field + "\": \"…\"}; text_field names the field.");
    };
    if (!object.is_object()) refuse("is not a JSON object");
    const auto found = object.find(request_.text_field);
    if (found == object.end()) refuse("has no field " + request_.text_field);
    if (!found->is_string()) refuse("its field " + request_.text_field + " is not a string");
    return found->get<std::string>();
  }

  const CorpusRequest& request_;
  const Tokenizer& tokenizer_;
  const CorpusProgress& progress_;
  RunControl& control_;
  TokenCache cache_;
  std::vector<SourceFile> files_;
  double total_bytes_ = 0, done_bytes_ = 0;
  std::vector<Document> documents_;
};

std::int64_t tokens_of(const std::vector<Document>& documents) {
  std::int64_t tokens = 0;
  for (const Document& document : documents) tokens += std::ssize(document.ids);
  return tokens;
}

/// Moves the held-out part out of corpus.train, from its end.
void hold_out(Corpus& corpus, double fraction) {
  const std::int64_t all = tokens_of(corpus.train);
  const auto share = static_cast<std::int64_t>(fraction * static_cast<double>(all));
  if (share < 2) return;
  std::int64_t whole = 0;
  std::size_t first = corpus.train.size();
  while (whole < share && first > 0) whole += std::ssize(corpus.train[--first].ids);
  if (whole <= all / 2) {
    const auto begin = corpus.train.begin() + static_cast<std::ptrdiff_t>(first);
    corpus.held_out.assign(std::make_move_iterator(begin), std::make_move_iterator(corpus.train.end()));
    corpus.train.erase(begin, corpus.train.end());
    return;
  }
  Document& last = corpus.train.back();
  const std::int64_t count = std::min(share, std::ssize(last.ids) / 2);
  corpus.held_out.push_back({last.source + " (end)", {last.ids.end() - count, last.ids.end()}});
  last.ids.resize(last.ids.size() - static_cast<std::size_t>(count));
}

std::string hash_of(const Corpus& corpus) {
  Fingerprint fingerprint;
  for (const auto* documents : {&corpus.train, &corpus.held_out}) {
    fingerprint.add("documents " + std::to_string(documents->size()) + "\n");
    for (const Document& document : *documents) {
      fingerprint.add("ids " + std::to_string(document.ids.size()) + "\n");
      fingerprint.add(std::as_bytes(std::span(document.ids)));
    }
  }
  return fingerprint.hex();
}

}  // namespace

std::int64_t Corpus::train_tokens() const {
  return tokens_of(train);
}
std::int64_t Corpus::held_out_tokens() const {
  return tokens_of(held_out);
}

std::vector<std::int32_t> Corpus::sample(std::span<const std::int32_t> tokens, bool with_bos) const {
  if (!with_bos || !bos) return {tokens.begin(), tokens.end()};
  std::vector<std::int32_t> ids{*bos};
  ids.insert(ids.end(), tokens.begin(), tokens.end() - 1);
  return ids;
}

std::vector<std::string> corpus_files(const std::vector<std::string>& data) {
  std::vector<std::string> paths;
  for (const SourceFile& file : find_files(data)) paths.push_back(file.path);
  return paths;
}

std::string default_token_cache() {
  return cache_folder("tokens");
}

Corpus read_corpus(const CorpusRequest& request, const Tokenizer& tokenizer, const CorpusProgress& progress,
                   RunControl& control) {
  Corpus corpus;
  corpus.train = Reading(request, tokenizer, progress, control).run();
  if (corpus.train_tokens() < 2)
    throw EngineError(Fault::BadInput, request.data[0], "holds fewer than two tokens", "Give a longer text.");
  hold_out(corpus, request.validation_fraction);
  corpus.hash = hash_of(corpus);
  corpus.bos = tokenizer.bos();
  return corpus;
}

}  // namespace carryover
