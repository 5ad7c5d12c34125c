#!/usr/bin/env python3
"""Sees each rule of check_rooms.py go red on a tiny house of its own: python3 tools/check_rooms_test.py"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import check_rooms

ORDERLY = {
    "src/base/CMakeLists.txt": "room(base SOURCES clock.cpp USES fmt::fmt)\n",
    "src/base/clock.h": "#pragma once\n\n#include <chrono>\n",
    "src/base/clock.cpp": '#include "base/clock.h"\n',
    "src/os/CMakeLists.txt": "room(os\n  SOURCES fd.cpp detail/raw.cpp\n  USES base Threads::Threads)\n",
    "src/os/fd.h": '#pragma once\n#include "base/clock.h"\n',
    "src/os/fd.cpp": '#include "os/fd.h"\n#include "os/detail/raw.h"\n',
    "src/os/detail/raw.h": "#pragma once\n",
    "src/os/detail/raw.cpp": '#include "os/detail/raw.h"\n',
    "src/record/record.h": "#pragma once\n",
    "src/cli/program.h": "#pragma once\n",
    "apps/CMakeLists.txt": "add_subdirectory(weighbridge)\n",
    "apps/weighbridge/main.cpp": '#include "cli/program.h"\n#include "os/fd.h"\n',
}


def build_house(folder, changes):
    for path, text in {**ORDERLY, **changes}.items():
        if text is None:
            continue
        file = Path(folder, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def run(folder):
    return subprocess.run(
        [sys.executable, check_rooms.__file__, folder], capture_output=True, text=True, check=False, timeout=60
    )


class CheckRooms(unittest.TestCase):
    def faults(self, changes):
        """Of the orderly house with `changes`: path -> text, or None for no such file."""
        with tempfile.TemporaryDirectory() as folder:
            build_house(folder, changes)
            return check_rooms.House(Path(folder).resolve()).check()

    def assert_green(self, changes):
        self.assertEqual(self.faults(changes), [])

    def assert_red(self, changes, *words):
        """Exactly one fault, which begins with words[0] and holds the others."""
        faults = self.faults(changes)
        self.assertEqual(len(faults), 1, faults)
        self.assertTrue(faults[0].startswith(words[0]), faults)
        for word in words[1:]:
            self.assertIn(word, faults[0])

    def test_passes_an_orderly_house(self):
        self.assert_green({})

    def test_refuses_an_include_that_climbs_the_table(self):
        self.assert_red(
            {"src/base/clock.h": '#pragma once\n\n#include "os/fd.h"\n', "src/os/fd.h": "#pragma once\n"},
            "src/base/clock.h:3: ",
            "src/base may not include os",
            "Move the code",
        )

    def test_refuses_an_include_with_space_in_it(self):
        self.assert_red(
            {"src/base/clock.h": '#pragma once\n  #  include  "record/record.h"\n'},
            "src/base/clock.h:2: ",
            "may not include record",
        )

    def test_holds_programs_to_their_rooms(self):
        self.assert_red(
            {"apps/weighbridge/main.cpp": '#include "record/record.h"\n'},
            "apps/weighbridge/main.cpp:1: ",
            "apps/weighbridge may not include record (it may: cli os)",
        )

    def test_keeps_conformance_client_from_os(self):
        self.assert_red(
            {"apps/conformance_client/main.cpp": '#include "os/fd.h"\n'}, "apps/conformance_client/main.cpp:1: "
        )

    def test_lets_a_program_include_the_headers_beside_it(self):
        own = {"apps/weighbridge/words.h": "#pragma once\n", "apps/weighbridge/main.cpp": '#include "words.h"\n'}
        self.assert_green(own)
        self.assert_red({**own, "src/os/fd.cpp": '#include "words.h"\n'}, "src/os/fd.cpp:1: ")

    def test_names_every_step_of_a_circle(self):
        faults = self.faults(
            {
                "src/record/record.h": '#pragma once\n#include "report/page.h"\n',
                "src/report/page.h": '#pragma once\n\n#include "record/record.h"\n',
            }
        )
        output = "\n".join(faults)
        self.assertIn("src/record/record.h:2: \"report/page.h\": src/record may not include report", output)
        self.assertIn("record includes report at src/record/record.h:2", output)
        self.assertIn("report includes record at src/report/page.h:3", output)
        self.assertEqual(output.count("rooms in a circle"), 1)

    def test_refuses_the_private_parts_of_another_room(self):
        self.assert_red(
            {"src/transport/http.h": '#pragma once\n#include "os/detail/raw.h"\n'},
            "src/transport/http.h:2: ",
            "private to os",
        )

    def test_refuses_private_parts_in_programs(self):
        self.assert_red(
            {"apps/weighbridge/main.cpp": '#include "os/detail/raw.h"\n'},
            "apps/weighbridge/main.cpp:1: ",
            "private to os",
        )

    def test_lets_a_unit_test_see_the_private_parts_of_its_room_only(self):
        self.assert_green({"tests/unit/os/raw_test.cpp": '#include "os/detail/raw.h"\n'})
        self.assert_red(
            {"tests/unit/transport/http_test.cpp": '\n#include "os/detail/raw.h"\n'},
            "tests/unit/transport/http_test.cpp:2: ",
            "Test it under tests/unit/os",
        )
        self.assert_red(
            {"tests/integration/run_test.cpp": '#include "os/detail/raw.h"\n'}, "tests/integration/run_test.cpp:1: "
        )

    def test_refuses_an_unknown_room(self):
        self.assert_red({"src/utils/misc.h": "#pragma once\n"}, "src/utils:1: ", "unknown folder src/utils")
        self.assert_red({"apps/tool/main.cpp": ""}, "apps/tool:1: ", "unknown folder apps/tool")

    def test_refuses_a_source_outside_every_room(self):
        self.assert_red({"src/misc.h": "#pragma once\n"}, "src/misc.h:1: ", "outside every folder of src")

    def test_refuses_a_header_without_pragma_once(self):
        self.assert_red({"src/os/poller.h": "int x;\n"}, "src/os/poller.h:1: ", "#pragma once")
        self.assert_red({"src/os/poller.h": "// #pragma once\n"}, "src/os/poller.h:1: ", "#pragma once")

    def test_refuses_an_include_of_no_file(self):
        self.assert_red(
            {"src/os/fd.cpp": '#include "os/fdd.h"\n'}, "src/os/fd.cpp:1: ", "no file src/os/fdd.h", "<os/fdd.h>"
        )

    def test_wants_includes_written_from_src(self):
        self.assert_red({"src/os/fd.cpp": '#include "fd.h"\n'}, "src/os/fd.cpp:1: ", 'Write "os/fd.h"')
        self.assert_red({"src/os/fd.cpp": '#include "../base/clock.h"\n'}, "src/os/fd.cpp:1: ", '"base/clock.h"')

    def test_wants_our_own_files_in_quotes(self):
        self.assert_red({"src/os/fd.cpp": "#include <base/clock.h>\n"}, "src/os/fd.cpp:1: ", "in quotes")

    def test_lets_a_room_include_what_its_build_generates(self):
        version = {"src/os/fd.cpp": '#include "version.h"\n'}
        self.assert_red(version, "src/os/fd.cpp:1: ", "no file src/version.h")
        generated = ORDERLY["src/os/CMakeLists.txt"] + "set(header ${CMAKE_CURRENT_BINARY_DIR}/made/version.h)\n"
        self.assert_green({**version, "src/os/CMakeLists.txt": generated})
        elsewhere = {"src/base/CMakeLists.txt": ORDERLY["src/base/CMakeLists.txt"] + "set(h ${BUILD}/made/version.h)\n"}
        self.assert_red({**version, **elsewhere}, "src/os/fd.cpp:1: ")
        self.assert_green({**version, "cmake/version.cmake": "set(header ${CMAKE_BINARY_DIR}/made/version.h)\n"})

    def test_does_not_count_what_is_not_an_include(self):
        self.assert_green(
            {
                "src/base/clock.h": "#pragma once\n"
                '// #include "os/fd.h"\n'
                '/* #include "os/fd.h"\n#include "os/fd.h"\n*/\n'
                'const char* const kText = R"(\n#include "os/fd.h"\n)";\n'
                "namespace weighbridge::os { class Fd; }\n"
            }
        )

    def test_is_not_fooled_by_a_comment_that_begins_in_a_literal(self):
        for literal in ('"*/*"', '"\\"/*"', "'\"'", '"//"', "1'000'000"):
            self.assert_red(
                {"src/base/clock.h": f'#pragma once\nauto x = {literal};\n#include "record/record.h"\n// */\n'},
                "src/base/clock.h:3: ",
            )

    def test_refuses_a_body_that_is_not_built(self):
        self.assert_red({"src/os/poller.cpp": ""}, "src/os/CMakeLists.txt:1: ", "poller.cpp", "Add it to SOURCES")
        self.assert_red({"src/os/detail/more.cpp": ""}, "src/os/CMakeLists.txt:1: ", "detail/more.cpp")
        self.assert_red(
            {"src/os/CMakeLists.txt": "room(os SOURCES detail/raw.cpp # fd.cpp\n USES base)\n"},
            "src/os/CMakeLists.txt:1: ",
            "fd.cpp",
        )
        self.assert_red({"src/record/json.cpp": ""}, "src/record/json.cpp:1: ", "no CMakeLists.txt")

    def test_refuses_a_listed_body_that_is_not_there(self):
        self.assert_red({"src/base/clock.cpp": None}, "src/base/CMakeLists.txt:1: ", "no file clock.cpp in src/base")

    def test_finds_bodies_that_are_listed_through_a_variable(self):
        self.assert_green({"src/base/CMakeLists.txt": "set(bodies clock.cpp)\nroom(base SOURCES ${bodies})\n"})

    def test_refuses_to_link_a_room_that_may_not_be_included(self):
        self.assert_red(
            {"src/os/CMakeLists.txt": "# os\nroom(os\n  SOURCES fd.cpp detail/raw.cpp\n  USES base record)\n"},
            "src/os/CMakeLists.txt:2: ",
            "src/os may not use record",
        )
        self.assert_red(
            {"src/os/CMakeLists.txt": ORDERLY["src/os/CMakeLists.txt"] + "target_link_libraries(os PRIVATE stats)\n"},
            "src/os/CMakeLists.txt:4: ",
            "src/os may not use stats",
        )

    def test_wants_a_room_named_for_its_folder(self):
        self.assert_red(
            {"src/base/CMakeLists.txt": "room(basis SOURCES clock.cpp)\n"},
            "src/base/CMakeLists.txt:1: ",
            "the room is not called base",
        )

    def test_ends_in_0_or_1_and_prints_each_fault(self):
        with tempfile.TemporaryDirectory() as folder:
            build_house(folder, {})
            done = run(folder)
            self.assertEqual((done.returncode, done.stdout), (0, "rooms: every include keeps to the table\n"))
            build_house(folder, {"src/os/poller.h": "", "src/os/pipe.h": ""})
            done = run(folder)
            self.assertEqual(done.returncode, 1)
            self.assertEqual([line.split(":")[0] for line in done.stdout.splitlines()],
                             ["src/os/pipe.h", "src/os/poller.h"])

    def test_says_so_when_given_no_project(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run(folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no src folder", done.stderr)


if __name__ == "__main__":
    unittest.main()
