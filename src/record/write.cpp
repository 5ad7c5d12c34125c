#include <type_traits>

#include "record/detail/json_text.h"
#include "record/detail/members.h"
#include "record/json.h"

namespace weighbridge::record {
namespace {

/// Writes the members of one object after the other.
class ObjectWriter {
 public:
  explicit ObjectWriter(detail::JsonText& out) : out_(out) {}

  template <typename Value>
  void operator()(std::string_view name, const Value& value) {
    out_.next(name);
    write(value);
  }

 private:
  void write(bool value) { out_.scalar(value); }
  void write(int value) { out_.scalar(std::int64_t{value}); }
  void write(std::uint64_t value) { out_.scalar(value); }
  void write(double value) { out_.scalar(value); }
  void write(const std::string& value) { out_.scalar(std::string_view(value)); }

  template <typename Value>
  void write(const std::optional<Value>& value) {
    if (value)
      write(*value);
    else
      out_.null();
  }

  template <typename Element>
  void write(const std::vector<Element>& elements) {
    if constexpr (std::is_arithmetic_v<Element>) {
      out_.numbers_on_one_line(elements);
    } else {
      out_.open('[');
      for (const Element& element : elements) {
        out_.next();
        write(element);
      }
      out_.close(']');
    }
  }

  template <typename Value>
  void write(const std::map<std::string, Value>& entries) {
    out_.open('{');
    for (const auto& [name, value] : entries) (*this)(name, value);
    out_.close('}');
  }

  template <typename Value>
  void write(const Value& value) {
    if constexpr (std::is_enum_v<Value>) {
      out_.scalar(to_string(value));
    } else {
      out_.open('{');
      detail::members(*this, value);
      out_.close('}');
    }
  }

  detail::JsonText& out_;
};

template <typename Document>
std::string document_to_json(const Document& record) {
  detail::JsonText out;
  out.open('{');
  ObjectWriter writer(out);
  detail::members(writer, record);
  out.close('}');
  return out.take();
}

}  // namespace

std::string to_json(const Record& record) {
  return document_to_json(record);
}

std::string to_json(const LoadRecord& record) {
  return document_to_json(record);
}

std::string to_json(const Calibration& record) {
  return document_to_json(record);
}

}  // namespace weighbridge::record
