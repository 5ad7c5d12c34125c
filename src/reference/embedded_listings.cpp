#include "reference/embedded_listings.h"

#include <array>

asm(R"(
  .section .rodata
  .balign 4096
reference_listing_dynamic:
  .incbin ")" WEIGHBRIDGE_LISTINGS_DIR R"(/dynamic.json"
reference_listing_meta:
  .incbin ")" WEIGHBRIDGE_LISTINGS_DIR R"(/meta.json"
reference_listing_individual:
  .incbin ")" WEIGHBRIDGE_LISTINGS_DIR R"(/individual.json"
reference_listings_end:
  .byte 0
  .previous
)");

extern "C" {
extern const char reference_listing_dynamic[];
extern const char reference_listing_meta[];
extern const char reference_listing_individual[];
extern const char reference_listings_end[];
}

namespace weighbridge::reference {

std::string_view embedded_listing(Surface surface) {
  const std::array beginnings{reference_listing_dynamic, reference_listing_meta,
                              reference_listing_individual, reference_listings_end};
  const auto number = static_cast<std::size_t>(surface);
  return {beginnings[number], beginnings[number + 1]};
}

}  // namespace weighbridge::reference
