// SPDX-License-Identifier: GPL-3.0-or-later
// Messages between a window and an engine elsewhere arrive bit for bit, and damaged bytes are refused.
#include "engine/remote/wire.h"

#include <QTest>
#include <bit>
#include <cmath>
#include <random>
#include <stdexcept>
#include <type_traits>

#include "engine/remote/protocol.h"
#include "engine/remote/protocol_description.h"
#include "engine/remote/wire_description.h"
#include "engine/remote/wire_inspection.h"
#include "engine/remote/wire_training.h"
#include "tests/support/expect_error.h"
#include "tests/support/fake_session.h"
#include "tests/support/test_program.h"
#include "tests/support/wire_types.h"

using namespace carryover;
using namespace carryover::test;

namespace {

class CountFields {
 public:
  template <typename T>
  using Value = T;
  template <typename T>
  void operator()(const char*, T&) {
    ++count;
  }
  template <typename T, typename Range>
  void operator()(const char*, T&, Range) {
    ++count;
  }
  template <typename T, typename ToText, typename FromText>
  void as_text(const char*, T&, ToText, FromText) {
    ++count;
  }
  std::size_t count = 0;
};

template <typename T>
constexpr bool is_optional = false;
template <typename T>
constexpr bool is_optional<std::optional<T>> = true;

/// Initialises any member; an optional one by what it holds.
struct Anything {
  template <typename T>
  requires(!is_optional<T>) operator T() const { throw std::logic_error("is not called"); }
};

/// Returns how many members an aggregate has: as many as it can be initialised with.
template <typename T, typename... Members>
constexpr std::size_t member_count() {
  if constexpr (requires { T{Members{}..., Anything{}}; }) {
    return member_count<T, Members..., Anything>();
  } else {
    return sizeof...(Members);
  }
}

template <typename T>
std::size_t described_fields() {
  CountFields fields;
  T value{};
  describe(fields, value);
  return fields.count;
}

/// Random values of T, packed, unpacked and packed again: the same bytes, which hold every bit.
template <typename T>
void round_trips() {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const T value = RandomFields(seed).any<T>();
    const std::string bytes = pack(value);
    QCOMPARE(pack(unpack_as<T>(bytes)), bytes);
  }
}

/// Cut anywhere, and with any byte changed: an EngineError or a value, never anything else.
template <typename T>
void survives_damage() {
  std::mt19937_64 random(7);
  for (unsigned seed = 0; seed < 4; ++seed) {
    const T value = RandomFields(seed).any<T>();
    const std::string bytes = pack(value);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      QVERIFY(error_of([&] { unpack_as<T>(std::string_view(bytes).substr(0, size)); }).has_value());
    QVERIFY(error_of([&] { unpack_as<T>(bytes + "x"); }).has_value());
    for (int change = 0; change < 100 && !bytes.empty(); ++change) {
      std::string damaged = bytes;
      damaged[random() % damaged.size()] = static_cast<char>(random());
      const auto error = error_of([&] { unpack_as<T>(damaged); });
      if (error) QVERIFY(error->fault() == Fault::BadInput);
    }
  }
}

}  // namespace

class WireTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void every_member_of_every_type_travels() {
    for_all_types([]<typename T>() {
      const bool reports = std::is_same_v<T, AuditRequest> || std::is_same_v<T, HeadProfileRequest> ||
                           std::is_same_v<T, PatternSearchRequest>;
      const bool keeps = std::is_same_v<T, RecallHeadsRequest> || std::is_same_v<T, DuoGatesRequest>;
      const std::size_t kept_here = keeps ? 2 : reports ? 1 : 0;  // its functions
      QCOMPARE(described_fields<T>() + kept_here, member_count<T>());
    });
  }

  void every_member_of_a_shape_is_in_its_json() {
    std::size_t members = 0;
    const auto count = [&](const char*, auto, InJson) { ++members; };
    each_field(ModelConfig{}, count);
    QCOMPARE(members, member_count<ModelConfig>());
    members = 0;
    each_field(RopeConfig{}, count);
    QCOMPARE(members, member_count<RopeConfig>());
    round_trips<ModelConfig>();
  }

  // tests/python/wire_test.py reads and writes all messages by it.
  void a_description_has_every_field_and_the_defaults() {
    for_all_types([]<typename T>() {
      const nlohmann::json type = wire_type<T>();
      if (type == "json") return;
      QCOMPARE(type.at("record").size(), described_fields<T>());
      QCOMPARE(type.at("default").get<std::string>(), hex_digits(pack(T{})));
    });
    using Json = nlohmann::json;
    QVERIFY(wire_type<HitKind>() == Json::parse(R"({"enum": ["anchor", "expanded", "padding"]})"));
    QVERIFY(wire_type<std::vector<std::optional<bool>>>() == Json::parse(R"({"list": {"optional": "bool"}})"));
    QVERIFY(wire_type<TokenRange>().at("record") == Json::parse(R"([["first", "i8"], ["last", "i8"]])"));
    QVERIFY(wire_type<SegmentConfig>() == "json" && wire_type<float>() == "f4" && wire_type<std::uint64_t>() == "u8");
    QCOMPARE(hex_digits(std::string("\x00\xf7\x10", 3)), std::string("00f710"));
  }

  void the_protocol_s_description_has_every_message() {
    const nlohmann::json messages = describe_protocol().at("messages");
    QCOMPARE(messages.size(), static_cast<std::size_t>(kLastMessage) + 1);
    for (const nlohmann::json& message : messages) {
      const auto kind = static_cast<MessageKind>(message.at("kind").get<std::uint32_t>());
      QCOMPARE(message.contains("answer"), kind < MessageKind::Stop);
      QCOMPARE(message.at("most_bytes").get<std::uint64_t>(), most_body_bytes(kind));
    }
  }

  void every_value_arrives_bit_for_bit() {
    for_all_types([]<typename T>() { round_trips<T>(); });
  }

  void damaged_values_are_refused() {
    for_all_types([]<typename T>() { survives_damage<T>(); });
  }

  void numbers_keep_their_bits() {
    const double quiet = std::bit_cast<double>(std::uint64_t{0xfff8dead0000beef});
    for (const double number : {quiet, -0.0, 5e-324, 1.0 / 3, std::numeric_limits<double>::infinity()}) {
      const auto back = unpack_as<double>(pack(number));
      QCOMPARE(std::bit_cast<std::uint64_t>(back), std::bit_cast<std::uint64_t>(number));
    }
  }

  void a_list_that_claims_more_than_there_is_takes_no_memory() {
    const std::string claim = pack(std::uint64_t{1} << 60);
    QCOMPARE(unlike(Fault::BadInput, "damaged", [&] { unpack_as<std::vector<double>>(claim); }), std::string());
    QCOMPARE(unlike(Fault::BadInput, "damaged", [&] { unpack_as<std::vector<HeadHits>>(claim); }), std::string());
    QCOMPARE(unlike(Fault::BadInput, "damaged", [&] { unpack_as<std::string>(claim); }), std::string());
  }

  void maps_must_have_the_size_that_they_say() {
    SegmentSnapshot snapshot;
    snapshot.carry_drift = {2, 3, std::vector<float>(6)};
    unpack_as<SegmentSnapshot>(pack(snapshot));
    for (const auto& [rows, columns] :
         {std::pair<std::int64_t, std::int64_t>{3, 3}, {-2, -3}, {6, 0}, {1LL << 62, 4}}) {
      snapshot.carry_drift.rows = rows;
      snapshot.carry_drift.columns = columns;
      QCOMPARE(unlike(Fault::BadInput, "map", [&] { unpack_as<SegmentSnapshot>(pack(snapshot)); }), std::string());
    }
  }

  /// The row of a field says which numbers it may have, and the reader refuses all others before anybody computes with
  /// them.
  void numbers_out_of_range_are_refused() {
    const auto fault = [](const auto& value, const char* field) {
      using T = std::decay_t<decltype(value)>;
      return unlike(Fault::BadInput, field, [&] { unpack_as<T>(pack(value)); });
    };
    const auto field = [&]<typename T, typename Member>(Member T::*member, std::type_identity_t<Member> number,
                                                        const char* name) {
      T value{};
      value.*member = number;
      return fault(value, name);
    };
    ModelInfo good;
    good.config = RandomFields(1).any<ModelConfig>();
    unpack_as<ModelInfo>(pack(good));
    const auto info = [&](const auto& change) {
      ModelInfo changed = good;
      change(changed);
      return changed;
    };
    constexpr std::int64_t kHuge = std::int64_t{1} << 62;
    QCOMPARE(fault(info([](ModelInfo& i) { i.config.kv_heads = 0; }), "KV heads"), std::string());
    QCOMPARE(fault(info([](ModelInfo& i) { i.config.kv_heads = -1; }), "KV heads"), std::string());
    QCOMPARE(fault(info([](ModelInfo& i) { i.config.kv_heads = i.config.heads + 1; }), "KV heads"), std::string());
    QCOMPARE(fault(info([](ModelInfo& i) { i.config.head_dim = 0; }), "head size"), std::string());
    QCOMPARE(fault(info([](ModelInfo& i) { i.config.head_dim = -kHuge; }), "head size"), std::string());
    QCOMPARE(fault(info([](ModelInfo& i) { i.config.vocabulary = 0; }), "vocabulary"), std::string());
    QCOMPARE(fault(info([](ModelInfo& i) { i.config.vocabulary = kHuge; }), "vocabulary"), std::string());
    QCOMPARE(fault(info([](ModelInfo& i) { i.config.hidden = kHuge; }), "hidden"), std::string());
    QCOMPARE(fault(info([](ModelInfo& i) { i.config.context = INT64_MIN; }), "context"), std::string());
    QCOMPARE(fault(info([](ModelInfo& i) { i.config.layers = 1 << 20; }), "layers"), std::string());
    QCOMPARE(fault(info([](ModelInfo& i) { i.config.norm_epsilon = std::nan(""); }), "norm_epsilon"), std::string());
    QCOMPARE(fault(info([](ModelInfo& i) { i.config.rope.theta = std::nan(""); }), "theta"), std::string());
    QCOMPARE(fault(info([](ModelInfo& i) { i.config.bos_id = std::int64_t{1} << 40; }), "BOS"), std::string());
    QCOMPARE(fault(info([](ModelInfo& i) { i.config.eos_id = -5; }), "EOS"), std::string());
    QCOMPARE(fault(info([](ModelInfo& i) { i.weight_bytes = INT64_MAX; }), "weight_bytes"), std::string());
    QCOMPARE(fault(info([](ModelInfo& i) { i.threads = INT32_MIN; }), "threads"), std::string());
    QCOMPARE(fault(info([](ModelInfo& i) { i.path = std::string(3'000'000, 'B'); }), "path"), std::string());
    QCOMPARE(field(&RunSummary::targets, -1, "targets"), std::string());
    QCOMPARE(field(&RunSummary::tokens, INT64_MAX, "tokens"), std::string());
    QCOMPARE(field(&RunSummary::nll_sum, std::nan(""), "nll_sum"), std::string());
    QCOMPARE(field(&RunSummary::seconds, -INFINITY, "seconds"), std::string());
    QCOMPARE(field(&RunSummary::peak_memory_bytes, INT64_MIN, "peak_memory_bytes"), std::string());
    QCOMPARE(field(&SegmentRecord::seconds, -1e308, "seconds"), std::string());
    QCOMPARE(field(&SegmentRecord::near_ties, INT64_MAX, "near_ties"), std::string());
    QCOMPARE(field(&StepRecord::tokens_per_second, INFINITY, "tokens_per_second"), std::string());
    QCOMPARE(field(&StepRecord::learning_rate, std::nan(""), "learning_rate"), std::string());
    QCOMPARE(field(&EnginePlace::cores, INT64_MIN, "cores"), std::string());
    QCOMPARE(field(&EnginePlace::memory_bytes, -1, "memory_bytes"), std::string());
    QCOMPARE(field(&GeneratedToken::id, INT32_MIN, "id"), std::string());
    QCOMPARE(field(&GenerateRequest::max_new_tokens, INT64_MAX, "max_new_tokens"), std::string());
    QCOMPARE(field(&HeadProfileRequest::tokens, INT64_MIN, "tokens"), std::string());
  }

  void frames_come_together_from_any_pieces() {
    const std::string stream = "Last login: today\n" + greeting() + frame_head(MessageKind::Token, 3) + "abc" +
                               frame_head(MessageKind::Pong, 0);
    FrameBuffer buffer;
    bool greeted = false;
    std::vector<Frame> frames;
    for (const char byte : stream) {
      buffer.feed({&byte, 1});
      if (!greeted) greeted = buffer.take_greeting(1000);
      if (!greeted) continue;
      while (auto frame = buffer.next()) frames.push_back(*frame);
    }
    QVERIFY(greeted && buffer.empty());
    QCOMPARE(frames.size(), std::size_t{2});
    QVERIFY(frames[0].kind == MessageKind::Token && frames[0].body == "abc");
    QVERIFY(frames[1].kind == MessageKind::Pong && frames[1].body.empty());
  }

  void what_is_no_carryover_is_said_so() {
    const auto greets = [](const std::string& bytes, std::size_t noise) {
      FrameBuffer buffer;
      buffer.feed(bytes);
      return buffer.take_greeting(noise);
    };
    QCOMPARE(unlike(Fault::BadInput, "bash: no", [&] { greets("bash: no\n" + std::string(2000, '.'), 1000); }),
             std::string());
    QCOMPARE(unlike(Fault::BadInput, "says \"GET", [&] { greets("GET / HTTP", 0); }), std::string());
    QVERIFY(!greets("carryover en", 0));
    std::string other = greeting();
    other[other.size() - 2] = other[other.size() - 2] == '0' ? '1' : '0';
    QCOMPARE(unlike(Fault::Unsupported, "another version", [&] { greets(other, 0); }), std::string());
  }

  // Refused when its head has come: nothing waits for a body of that size.
  void frames_that_are_too_long_for_their_kind_are_refused() {
    const auto announced = [](MessageKind kind, std::uint64_t size) {
      std::string head = frame_head(kind, 0);
      std::memcpy(head.data() + 8, &size, sizeof size);
      FrameBuffer buffer;
      buffer.feed(head);
      return error_of([&] { buffer.next(); });
    };
    for (const MessageKind kind : {MessageKind::Done, MessageKind::Segment, MessageKind::Run})
      QVERIFY(announced(kind, std::uint64_t{1} << 31).has_value());
    for (const MessageKind kind : {MessageKind::Stop, MessageKind::Pong, MessageKind::Token, MessageKind::Failed}) {
      QVERIFY(announced(kind, std::uint64_t{1} << 24).has_value());
      QVERIFY(error_of([&] { frame_head(kind, std::uint64_t{1} << 24); }).has_value());
    }
    QVERIFY(!announced(MessageKind::Segment, std::uint64_t{1} << 24));
  }

  void a_configuration_that_is_nested_too_deep_is_refused() {
    const std::string nested(200'000, '[');
    QCOMPARE(unlike(Fault::BadInput, "nested", [&] { segment_config_of(nested); }), std::string());
  }

  void frames_that_are_none_are_refused() {
    const auto reads = [](const std::string& bytes) {
      FrameBuffer buffer;
      buffer.feed(bytes);
      buffer.next();
    };
    QCOMPARE(unlike(Fault::BadInput, "not a message", [&] { reads(std::string(16, 'x')); }), std::string());
    std::string kind = frame_head(MessageKind::Done, 0);
    kind[4] = 99;
    QCOMPARE(unlike(Fault::BadInput, "not a message", [&] { reads(kind); }), std::string());
    std::string size = frame_head(MessageKind::Done, 0);
    size[14] = 1;
    QCOMPARE(unlike(Fault::BadInput, "announced", [&] { reads(size); }), std::string());
    QCOMPARE(unlike(Fault::Unsupported, "too long", [] { frame_head(MessageKind::Done, std::uint64_t{1} << 40); }),
             std::string());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<WireTest>};
#include "wire_test.moc"
