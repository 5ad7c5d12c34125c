#pragma once

#include <string>
#include <string_view>

namespace weighbridge::protocol {

/// What a body says that stands where a message should: of HTML its text without the markup, of
/// anything else its first bytes. Gateways and frameworks answer in HTML, plain text, JSON of their
/// own and nothing at all. Not yet bounded for a line: see first_words.
std::string text_of_body(std::string_view body);

}  // namespace weighbridge::protocol
