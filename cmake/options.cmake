set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# -O3 makes g++ 12 report false -Wrestrict errors on ordinary string code, so the optimised build is -O2.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")

set(WEIGHBRIDGE_SANITIZE "" CACHE STRING "Value for -fsanitize=, e.g. address,undefined or thread")

option(WEIGHBRIDGE_FUZZ "Build the libFuzzer targets under fuzz/ (clang only; see there)" OFF)

add_library(weighbridge_options INTERFACE)
target_include_directories(weighbridge_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
# g++ 12 falsely reports overreads in string searches once <string> comes out of a precompiled header.
target_compile_options(weighbridge_options INTERFACE -Wall -Wextra -Werror -Wshadow -Wpedantic -Wno-stringop-overread)

# The tests' own code is read once and run once: optimising it costs more than it gives.
add_library(weighbridge_test_options INTERFACE)
target_compile_options(weighbridge_test_options INTERFACE -O0)

if(WEIGHBRIDGE_SANITIZE)
  add_compile_options(-fsanitize=${WEIGHBRIDGE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${WEIGHBRIDGE_SANITIZE})
endif()

find_package(Threads REQUIRED)
