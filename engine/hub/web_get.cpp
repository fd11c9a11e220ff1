// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/hub/web_get.h"

#include <curl/curl.h>

#include <exception>
#include <memory>
#include <new>

#include "engine/base/error.h"
#include "engine/base/run_control.h"

namespace carryover {

namespace {

constexpr int kMostRedirects = 10;
constexpr long kSilenceSeconds = 30, kBufferBytes = 1L << 18;

template <auto release>
struct Release {
  template <typename Resource>
  void operator()(Resource* resource) const {
    release(resource);
  }
};
using Handle = std::unique_ptr<CURL, Release<curl_easy_cleanup>>;
using Lines = std::unique_ptr<curl_slist, Release<curl_slist_free_all>>;
using Address = std::unique_ptr<CURLU, Release<curl_url_cleanup>>;

Handle new_handle() {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  Handle handle(ready == CURLE_OK ? curl_easy_init() : nullptr);
  if (!handle) throw std::bad_alloc();
  return handle;
}

std::string part_of(CURLU* address, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(address, part, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) return {};
  std::string copy = text;
  curl_free(text);
  return copy;
}

/// The owner of a token, whose host messages name.
struct Server {
  std::string scheme, host, port;
  bool operator==(const Server&) const = default;
};

Server server_of(const std::string& url) {
  const Address address(curl_url());
  if (!address) throw std::bad_alloc();
  curl_url_set(address.get(), CURLUPART_URL, url.c_str(), 0);
  return {part_of(address.get(), CURLUPART_SCHEME), part_of(address.get(), CURLUPART_HOST),
          part_of(address.get(), CURLUPART_PORT)};
}

bool is_lasting(CURLcode code) {
  switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_TOO_MANY_REDIRECTS:
      return true;
    default:
      return false;
  }
}

/// One connection after another: those of a request and of the redirects that it meets.
class Transfer {
 public:
  Transfer(const WebRequest& request, const WebBody& body, RunControl& control)
      : request_(request), body_(body), control_(control), home_(server_of(request.url)), handle_(new_handle()) {
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_CONNECTTIMEOUT, kSilenceSeconds);
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, kSilenceSeconds);
    set(CURLOPT_BUFFERSIZE, kBufferBytes);
    set(CURLOPT_USERAGENT, "carryover/" CARRYOVER_VERSION);
    set(CURLOPT_PROTOCOLS_STR, home_.scheme == "https" ? "https" : "http,https");
    set(CURLOPT_ERRORBUFFER, problem_);
    set(CURLOPT_WRITEFUNCTION, &Transfer::take);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_XFERINFOFUNCTION, &Transfer::watch);
    set(CURLOPT_XFERINFODATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
    if (request.from > 0) set(CURLOPT_RANGE, (std::to_string(request.from) + "-").c_str());
  }

  WebReply run() {
    std::string url = request_.url;
    for (int redirects = 0;; ++redirects) {
      const CURLcode code = redirects <= kMostRedirects ? ask(url) : CURLE_TOO_MANY_REDIRECTS;
      const char* next = nullptr;
      curl_easy_getinfo(handle_.get(), CURLINFO_REDIRECT_URL, &next);
      if (code != CURLE_OK || next == nullptr) return reply(url, code);
      url = next;
    }
  }

 private:
  template <typename Value>
  void set(CURLoption option, Value value) {
    CARRYOVER_CHECK(curl_easy_setopt(handle_.get(), option, value) == CURLE_OK);
  }

  CURLcode ask(const std::string& url) {
    const bool home = server_of(url) == home_;
    const std::string line = "Authorization: Bearer " + request_.token;
    const Lines lines(home && !request_.token.empty() ? curl_slist_append(nullptr, line.c_str()) : nullptr);
    set(CURLOPT_HTTPHEADER, lines.get());
    set(CURLOPT_URL, url.c_str());
    problem_[0] = '\0';
    const CURLcode code = curl_easy_perform(handle_.get());
    set(CURLOPT_HTTPHEADER, static_cast<curl_slist*>(nullptr));
    if (thrown_) std::rethrow_exception(thrown_);
    if (code == CURLE_ABORTED_BY_CALLBACK) control_.checkpoint();
    if (code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
    return code;
  }

  WebReply reply(const std::string& url, CURLcode code) const {
    WebReply reply;
    curl_off_t wait = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_RETRY_AFTER, &wait);
    reply.status = status();
    reply.server = server_of(url).host;
    reply.retry_after = wait;
    reply.error_code = header("X-Error-Code");
    reply.error_message = header("X-Error-Message");
    if (code == CURLE_OK) return reply;
    reply.problem = problem_[0] != '\0' ? problem_ : curl_easy_strerror(code);
    reply.lasting = is_lasting(code);
    return reply;
  }

  int status() const {
    long status = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
    return static_cast<int>(status);
  }

  std::string header(const char* name) const {
    curl_header* found = nullptr;
    return curl_easy_header(handle_.get(), name, 0, CURLH_HEADER, -1, &found) == CURLHE_OK ? found->value : "";
  }

  /// libcurl is C: nothing may be thrown through it.
  static std::size_t take(char* bytes, std::size_t size, std::size_t count, void* transfer) {
    auto& self = *static_cast<Transfer*>(transfer);
    const int status = self.status();
    try {
      if (status == 200 || status == 206) self.body_(status, std::string_view(bytes, size * count));
      return size * count;
    } catch (...) {
      self.thrown_ = std::current_exception();
      return 0;
    }
  }

  static int watch(void* transfer, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return static_cast<Transfer*>(transfer)->control_.stop_requested() ? 1 : 0;
  }

  const WebRequest& request_;
  const WebBody& body_;
  RunControl& control_;
  Server home_;
  Handle handle_;
  char problem_[CURL_ERROR_SIZE] = {};
  std::exception_ptr thrown_;
};

}  // namespace

WebReply web_get(const WebRequest& request, const WebBody& body, RunControl& control) {
  control.checkpoint();
  return Transfer(request, body, control).run();
}

}  // namespace carryover
