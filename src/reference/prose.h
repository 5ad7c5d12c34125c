#pragma once

#include <string>
#include <string_view>

#include "reference/catalogue.h"
#include "reference/naming.h"

namespace weighbridge::reference {

/// Finds the sentence for each parameter of one operation: the vocabulary's where it has one for
/// this place, else one made from name, type and place.
class ParameterProse {
 public:
  ParameterProse(const Words& words, const Operation& operation);

  /// `name` is the last step of a nested name (`labels` of `not[labels]`), `within` the step before
  /// it, or empty.
  void append_sentence(std::string& out, std::string_view name, std::string_view within,
                       const Parameter& parameter) const;

 private:
  [[nodiscard]] const Words::Entry* find(std::string_view name, std::string_view place) const;
  [[nodiscard]] std::string noun_before(std::string_view parameter) const;
  void append_exclusion(std::string& out, std::string_view name, const Parameter& parameter) const;
  void append_rule(std::string& out, std::string_view name, const Parameter& parameter) const;

  const Words& words_;
  const Operation& operation_;
  PathShape shape_;
  std::array<std::string, 10> contexts_;  // nouns for `name@noun`, nearest first
  std::size_t context_count_ = 0;
};

/// What an operation does, needs and answers, in two to five sentences.
void append_description(std::string& out, const Catalogue& catalogue, const Operation& operation);

}  // namespace weighbridge::reference
