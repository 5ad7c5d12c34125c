#include "reference/exchange.h"

#include <fmt/format.h>

#include <utility>

#include "protocol/server_json.h"

namespace weighbridge::reference {

Answer text_answer(std::string_view text, bool is_error) {
  Answer answer{.members = R"("content":[{"type":"text","text":)", .is_error = is_error};
  protocol::append_quoted(answer.members, text);
  answer.members += is_error ? R"(}],"isError":true)" : "}]";
  return answer;
}

Answer refused(std::int64_t code, std::string message) {
  return {.refusal = protocol::Refusal{.code = code, .message = std::move(message), .data = {}}};
}

void Exchange::log(protocol::LogLevel level, std::string_view text) const {
  if (!caller || !log_level || level < *log_level) return;
  auto message = fmt::format(
      R"({{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"{}","data":)",
      to_string(level));
  protocol::append_quoted(message, text);
  caller->tell(message + "}}");
}

void Exchange::progress(int done, int total) const {
  if (!caller || progress_token.empty()) return;
  caller->tell(fmt::format(R"({{"jsonrpc":"2.0","method":"notifications/progress","params":{{)"
                           R"("progressToken":{},"progress":{},"total":{}}}}})",
                           progress_token, done, total));
}

}  // namespace weighbridge::reference
