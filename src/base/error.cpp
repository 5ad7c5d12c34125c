#include "base/error.h"

#include <system_error>
#include <utility>

namespace weighbridge {

Error Error::within(const std::string& context) const {
  Error outer = *this;
  outer.where = where.empty() ? context : context + ": " + where;
  return outer;
}

std::string describe(const Error& error) {
  std::string text = error.what;
  if (!error.where.empty()) text += " (" + error.where + ")";
  if (!error.remedy.empty()) {
    if (!text.empty() && text.back() != '.' && text.back() != '\n') text += ".";
    text += (text.empty() || text.back() == '\n') ? error.remedy : " " + error.remedy;
  }
  return text;
}

Error system_error(std::string what, int saved_errno) {
  // generic_category().message() is thread-safe where strerror is not.
  return Error{ErrorCode::system,
               std::move(what) + ": " + std::generic_category().message(saved_errno),
               {},
               {},
               saved_errno};
}

}  // namespace weighbridge
