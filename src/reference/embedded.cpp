#include "reference/embedded.h"

// .incbin rather than a generated array: 300 KB of text as C++ costs the compiler seconds. The
// pages are read-only and backed by the file, so untouched ones cost no memory.
asm(R"(
  .section .rodata
  .balign 16
reference_operations_begin:
  .incbin ")" WEIGHBRIDGE_DATA_DIR R"(/gitlab-rest-v4.tsv"
reference_operations_end:
reference_words_begin:
  .incbin ")" WEIGHBRIDGE_DATA_DIR R"(/gitlab-words.tsv"
reference_words_end:
  .byte 0
  .previous
)");

extern "C" {
extern const char reference_operations_begin[];
extern const char reference_operations_end[];
extern const char reference_words_begin[];
extern const char reference_words_end[];
}

namespace weighbridge::reference {

std::string_view embedded_operations() {
  return {reference_operations_begin, reference_operations_end};
}

std::string_view embedded_words() {
  return {reference_words_begin, reference_words_end};
}

}  // namespace weighbridge::reference
