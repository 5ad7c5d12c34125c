#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace weighbridge::reference {

/// FNV-1a over bytes that `map` may change on the way (an underscore for a dot).
template <typename Map>
std::uint32_t hash_text(std::string_view text, std::uint32_t seed, Map map) {
  std::uint32_t hash = 2166136261U ^ seed;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(map(c))) * 16777619U;
  return hash;
}

/// From hashes of texts to small numbers, by open addressing. The texts stay with the caller, who
/// says whether a candidate is the one. Eight bytes a slot: std::unordered_map would cost fifty,
/// and binary search in sorted texts took a third of the time of a whole listing.
class TextIndex {
 public:
  explicit TextIndex(std::size_t expected = 0) {
    std::size_t slots = 16;
    while (slots < 2 * expected) slots *= 2;
    slots_.resize(slots);
  }

  void insert(std::uint32_t hash, std::uint16_t value) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    place({hash, value, true});
    ++used_;
  }

  static constexpr int kNone = -1;
  /// The first value of that hash which `is_it` accepts, else kNone.
  template <typename Accept>
  [[nodiscard]] int find(std::uint32_t hash, Accept is_it) const {
    for (std::size_t at = hash & (slots_.size() - 1); slots_[at].used;
         at = (at + 1) & (slots_.size() - 1))
      if (slots_[at].hash == hash && is_it(slots_[at].value)) return slots_[at].value;
    return kNone;
  }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint16_t value = 0;
    bool used = false;
  };

  void place(const Slot& slot) {
    std::size_t at = slot.hash & (slots_.size() - 1);
    while (slots_[at].used) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const auto& slot : old)
      if (slot.used) place(slot);
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace weighbridge::reference
