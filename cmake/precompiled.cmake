# More than half of the time to compile a file here went into reading the standard library and fmt. Read once
# per optimisation level, they halve a build on two cores. The price is that a forgotten #include goes
# unnoticed, so the dev preset does without.
option(WEIGHBRIDGE_PRECOMPILE "Precompile the headers that most files read" ON)
if(NOT WEIGHBRIDGE_PRECOMPILE)
  return()
endif()

file(WRITE ${CMAKE_BINARY_DIR}/precompiled/empty.cpp "")

add_library(precompiled_rooms OBJECT ${CMAKE_BINARY_DIR}/precompiled/empty.cpp)
target_link_libraries(precompiled_rooms PRIVATE weighbridge_options fmt::fmt)
target_precompile_headers(precompiled_rooms PRIVATE
  <algorithm> <array> <chrono> <cstdint> <expected> <functional> <map> <memory> <mutex> <optional> <span>
  <string> <string_view> <utility> <vector> <fmt/format.h> <fmt/ranges.h>)

add_library(precompiled_tests OBJECT ${CMAKE_BINARY_DIR}/precompiled/empty.cpp)
target_link_libraries(precompiled_tests PRIVATE weighbridge_options weighbridge_test_options fmt::fmt GTest::gtest GTest::gmock)
target_precompile_headers(precompiled_tests PRIVATE
  <algorithm> <chrono> <expected> <functional> <memory> <optional> <string> <vector>
  <fmt/format.h> <gmock/gmock.h> <gtest/gtest.h>)
