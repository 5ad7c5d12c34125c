// What comes in as telemetry is counted or refused, and never read beyond its end.

#include "standin/detail/otlp_items.h"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using weighbridge::standin::detail::OtlpForm;
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  for (const auto* signal : {"traces", "metrics", "logs"})
    for (const auto form : {OtlpForm::json, OtlpForm::protobuf})
      (void)weighbridge::standin::detail::count_otlp_items(signal, form, body);
  return 0;
}
