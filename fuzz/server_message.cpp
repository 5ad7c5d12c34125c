// Whatever a client sends is read as messages or refused; what cannot be answered has no id, and
// the same bytes are read the same twice.

#include "protocol/server_message.h"

#include <cstdint>
#include <cstdlib>
#include <string>

#include "protocol/server_route.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weighbridge::protocol;
  const std::string text(reinterpret_cast<const char*>(data), size);
  ClientReader reader;
  const auto first = reader.read(text);
  if (!first) return 0;
  const auto count = (*first)->messages.size();
  for (const auto& message : (*first)->messages) {
    if (message.kind == ClientMessage::Kind::invalid && message.trouble.empty()) std::abort();
    if (message.id.empty()) std::abort();
    (void)message.text_param("name");
    (void)message.meta_text(kMetaVersion);
    (void)decode_header_value(message.method);
  }
  const auto second = reader.read(text);
  if (!second || (*second)->messages.size() != count) std::abort();
  return 0;
}
