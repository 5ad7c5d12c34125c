function(precompile TARGET FROM)
  if(TARGET ${FROM})
    target_precompile_headers(${TARGET} REUSE_FROM ${FROM})
  endif()
endfunction()

# room(NAME SOURCES … USES …): one static library per room. USES names other rooms and outside parts;
# tools/check_rooms.py holds the includes against design's table.
function(room NAME)
  cmake_parse_arguments(ROOM "" "" "SOURCES;USES" ${ARGN})
  add_library(${NAME} STATIC ${ROOM_SOURCES})
  target_link_libraries(${NAME} PUBLIC weighbridge_options ${ROOM_USES})
  precompile(${NAME} precompiled_rooms)
endfunction()

# room_tests(NAME SOURCES … USES …): the unit tests of one room, one program, every case its own CTest.
function(room_tests NAME)
  cmake_parse_arguments(TESTS "" "" "SOURCES;USES" ${ARGN})
  add_executable(unit_${NAME} ${TESTS_SOURCES})
  target_link_libraries(unit_${NAME} PRIVATE ${NAME} ${TESTS_USES} fmt::fmt GTest::gtest GTest::gmock GTest::gtest_main
    weighbridge_test_options)
  precompile(unit_${NAME} precompiled_tests)
  target_compile_definitions(unit_${NAME} PRIVATE WEIGHBRIDGE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  gtest_discover_tests(unit_${NAME} TEST_PREFIX "${NAME}." PROPERTIES LABELS unit)
endfunction()
