// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <memory>
#include <typeindex>
#include <typeinfo>
#include <vector>

namespace carryover {

/// The settings that single policies have for themselves, one struct for each kind (such as infllm_settings.h). A kind
/// that was never changed has its defaults, so nobody lists the kinds. A plain value; any thread.
class PolicySettings {
 public:
  PolicySettings() = default;
  PolicySettings(const PolicySettings& other) {
    for (const auto& each : other.held_) held_.push_back(each->copy());
  }
  PolicySettings(PolicySettings&&) noexcept = default;
  PolicySettings& operator=(PolicySettings other) noexcept {
    held_.swap(other.held_);
    return *this;
  }
  ~PolicySettings() = default;

  /// `Settings` can be compared and made without arguments.
  template <typename Settings>
  const Settings& of() const {
    static const Settings defaults{};
    const Held* held = find(typeid(Settings));
    return held == nullptr ? defaults : static_cast<const HeldValue<Settings>*>(held)->value;
  }
  template <typename Settings>
  Settings& of() {
    if (find(typeid(Settings)) == nullptr) held_.push_back(std::make_unique<HeldValue<Settings>>());
    return static_cast<HeldValue<Settings>*>(find(typeid(Settings)))->value;
  }

  /// Settings that were never changed equal those that were set to the defaults.
  bool operator==(const PolicySettings& other) const { return covers(other) && other.covers(*this); }

 private:
  struct Held {
    Held() = default;
    Held(const Held&) = default;
    Held& operator=(const Held&) = delete;
    virtual ~Held() = default;
    virtual std::type_index kind() const = 0;
    virtual std::unique_ptr<Held> copy() const = 0;
    virtual bool equals(const Held* other) const = 0;  ///< null: the defaults
  };
  template <typename Settings>
  struct HeldValue final : Held {
    Settings value;
    std::type_index kind() const override { return typeid(Settings); }
    std::unique_ptr<Held> copy() const override { return std::make_unique<HeldValue>(*this); }
    bool equals(const Held* other) const override {
      return value == (other == nullptr ? Settings() : static_cast<const HeldValue*>(other)->value);
    }
  };

  Held* find(std::type_index kind) const {
    const auto found = std::ranges::find_if(held_, [kind](const auto& each) { return each->kind() == kind; });
    return found == held_.end() ? nullptr : found->get();
  }
  bool covers(const PolicySettings& other) const {
    return std::ranges::all_of(other.held_, [this](const auto& each) { return each->equals(find(each->kind())); });
  }

  std::vector<std::unique_ptr<Held>> held_;
};

}  // namespace carryover
