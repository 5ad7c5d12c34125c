#pragma once

#include <gtest/gtest.h>
#include <simdjson.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "reference/catalogue.h"
#include "reference/embedded.h"
#include "transport/http_server.h"

namespace weighbridge::reference::testing {

/// The catalogue that the program carries, read once for all tests.
inline const Catalogue& catalogue() {
  static const Catalogue all(embedded_operations(), embedded_words());
  return all;
}

inline const Operation& operation(std::string_view id) {
  const auto* const found = catalogue().find(id);
  if (found == nullptr) throw std::runtime_error("no operation " + std::string(id));
  return *found;
}

/// A JSON object as the reader of requests gives it. Lives as long as this does.
class Arguments {
 public:
  explicit Arguments(const std::string& text) : text_(text) {
    object_ = parser_.parse(text_).get_object();
  }
  [[nodiscard]] const simdjson::dom::object* get() const { return &object_; }

 private:
  simdjson::padded_string text_;
  simdjson::dom::parser parser_;
  simdjson::dom::object object_;
};

inline std::string text_of(const transport::Body& body) {
  std::string text;
  for (const auto& piece : body.pieces()) text += *piece;
  return text;
}

}  // namespace weighbridge::reference::testing
