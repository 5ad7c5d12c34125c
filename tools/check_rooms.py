#!/usr/bin/env python3
"""Holds the source tree against the table of rooms: who may include whom.

    tools/check_rooms.py [ROOT]

Prints one line a fault, `file:line: what is wrong. What to do`, and exits 1; prints one line and exits 0 when the
house is in order. Only #include lines count: a forward declaration couples by name alone and is free.
"""

import re
import sys
from pathlib import Path

# The rooms, each below those that may use it. A room may include itself and what stands here.
ROOMS = {
    "base": "",
    "stats": "base",
    "protocol": "base",
    "plan": "base",
    "record": "base stats plan",
    "os": "base",
    "transport": "base os",
    "client": "base os protocol transport",
    "target": "base os plan client transport",
    "load": "base os stats plan protocol transport client",
    "sampling": "base os",
    "profile": "base",
    "tokens": "base",
    "standin": "base os plan protocol transport",
    "modes": "base stats protocol plan record os transport client target load sampling profile tokens standin",
    "report": "base stats plan record",
    "reference": "base os protocol transport",
    "cli": "base os plan record modes report",
}
# `os` for weighbridge: its main() hands over to the supervisor before any word is read.
APPS = {
    "weighbridge": "cli os",
    "reference_server": "reference",
    "conformance_client": "client",
}

HEADERS = {".h", ".hpp"}
BODIES = {".cpp", ".cc", ".c"}

# Comments, and every literal in which the beginning of a comment might stand. Literals are kept, but for raw
# strings, which may hold whole lines that look like an include.
TOKEN = re.compile(
    r"""(?P<raw>R"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)")"""
    r"""|(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)"""
    r"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'""",
    re.DOTALL,
)
INCLUDE = re.compile(r"""^[ \t]*\#[ \t]*include[ \t]*(["<])([^">\n]+)[">]""", re.MULTILINE)
PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+once\b", re.MULTILINE)


def without_comments(text):
    """The same text, line for line, with comments and raw strings emptied."""

    def emptied(match):
        if match["raw"] is None and match["comment"] is None:
            return match[0]
        return "\n" * match[0].count("\n")

    return TOKEN.sub(emptied, text)


class House:
    def __init__(self, root):
        self.root = root
        self.faults = []
        self.edges = {}  # (room, room) -> first "file:line" that made it

    def fault(self, path, line, words):
        self.faults.append(f"{path.relative_to(self.root)}:{line}: {words}")

    def check(self):
        for room in self.folders("src", ROOMS, "a row to ROOMS in tools/check_rooms.py"):
            self.check_folder(room, "src", ROOMS)
            self.check_build_file(room)
        for app in self.folders("apps", APPS, "the program to APPS in tools/check_rooms.py"):
            self.check_folder(app, "apps", APPS)
        self.check_test_details()
        self.check_cycles()
        return self.faults

    def folders(self, parent, table, remedy):
        """The known folders of `parent`; unknown ones, and sources in no folder, are faults."""
        known = []
        for path in sorted((self.root / parent).glob("*")):
            if path.is_dir():
                if path.name in table:
                    known.append(path)
                else:
                    self.fault(path, 1, f"unknown folder {parent}/{path.name}. Move its files or add {remedy}")
            elif path.suffix in HEADERS | BODIES:
                self.fault(path, 1, f"a source outside every folder of {parent}. Move it into the one it belongs to")
        return known

    def check_folder(self, folder, parent, table):
        allowed = set(table[folder.name].split())
        if parent == "src":
            allowed.add(folder.name)
        for path in sources(folder):
            text = without_comments(path.read_text(encoding="utf-8"))
            if path.suffix in HEADERS and not PRAGMA.search(text):
                self.fault(path, 1, "a header without #pragma once. Begin it with that line")
            for line, quoted, name in includes(text):
                self.check_include(path, line, quoted, name, folder, parent, allowed)

    def check_include(self, path, line, quoted, name, folder, parent, allowed):
        exists = (self.root / "src" / name).is_file()
        room = name.split("/")[0]
        if not quoted:
            if exists and room in ROOMS:
                self.fault(path, line, f"<{name}> is our own file. Include it in quotes")
            else:
                return
        if not exists:
            # A program's own headers are nobody else's: no room, so they are written as they stand beside it.
            if parent == "apps" and (path.parent / name).is_file() and "/" not in name:
                return
            if not is_generated(self.root, folder, name):
                self.fault(path, line, self.missing(path, name))
            return
        if room not in ROOMS:
            return  # its folder has been reported already
        where = f"{path.relative_to(self.root)}:{line}"
        owner = f"{parent}/{folder.name}"
        if parent == "src" and room != folder.name:
            self.edges.setdefault((folder.name, room), where)
        if room not in allowed:
            may = " ".join(sorted(allowed - {folder.name})) or "nothing but itself"
            self.fault(
                path, line, f'"{name}": {owner} may not include {room} (it may: {may}). Move the code to the room it '
                "belongs to, or pass in what it needs"
            )
        elif "detail" in name.split("/")[1:-1] and owner != f"src/{room}":
            self.fault(path, line, f'"{name}" is private to {room}. Use what {room} offers outside its detail/')

    def missing(self, path, name):
        beside = path.parent / name
        if beside.is_file():
            own = beside.resolve().relative_to(self.root)
            right = own.relative_to("src") if own.parts[0] == "src" else own
            return f'"{name}" is written from its own folder. Write "{right}", from src'
        return f'no file src/{name}. Correct the name, or write <{name}> when it belongs to an outside part'

    def check_test_details(self):
        """A test may look into the private parts of the room that it tests, and of no other."""
        tests = self.root / "tests"
        for path in sources(tests):
            parts = path.relative_to(tests).parts
            tested = parts[1] if parts[0] == "unit" and len(parts) > 2 else None
            for line, _, name in includes(without_comments(path.read_text(encoding="utf-8"))):
                room = name.split("/")[0]
                if room in ROOMS and room != tested and "detail" in name.split("/")[1:-1]:
                    self.fault(path, line, f'"{name}" is private to {room}. Test it under tests/unit/{room}')

    def check_build_file(self, folder):
        build_file = folder / "CMakeLists.txt"
        bodies = [path for path in sources(folder) if path.suffix in BODIES]
        if not build_file.is_file():
            if bodies:
                self.fault(bodies[0], 1, f"src/{folder.name} has no CMakeLists.txt, so nobody compiles it. Add one")
            return
        text = without_cmake_comments(build_file.read_text(encoding="utf-8"))
        words = set(re.findall(r"[^\s()\"]+", text))
        for body in bodies:
            name = body.relative_to(folder).as_posix()
            if name not in words:
                self.fault(build_file, 1, f"{name} is in the folder and not listed. Add it to SOURCES or delete it")
        for line, call, arguments in calls(text):
            if call == "room":
                self.check_room_call(build_file, line, arguments, folder)
            elif call == "target_link_libraries":
                self.check_uses(build_file, line, arguments[1:], folder)

    def check_room_call(self, build_file, line, arguments, folder):
        if not arguments or arguments[0] != folder.name:
            self.fault(build_file, line, f"the room is not called {folder.name}. Name it for its folder")
        section = None
        for argument in arguments[1:]:
            if argument in ("SOURCES", "USES"):
                section = argument
            elif section == "USES":
                self.check_uses(build_file, line, [argument], folder)
            elif section == "SOURCES" and "$" not in argument and not (folder / argument).is_file():
                self.fault(build_file, line, f"no file {argument} in src/{folder.name}. Correct the name or remove it")

    def check_uses(self, build_file, line, names, folder):
        for name in names:
            if name in ROOMS and name != folder.name and name not in ROOMS[folder.name].split():
                self.fault(build_file, line, f"src/{folder.name} may not use {name}. Remove it from USES")

    def check_cycles(self):
        """The table has no cycle, so this finds what the table forbids too: it says why that is grave."""
        for cycle in cycles(self.edges):
            steps = [f"{a} includes {b} at {self.edges[a, b]}" for a, b in zip(cycle, cycle[1:])]
            self.faults.append(f"{self.edges[cycle[0], cycle[1]]}: rooms in a circle ({', '.join(steps)}). Cut one")


def sources(folder):
    return [path for path in sorted(folder.rglob("*")) if path.suffix in HEADERS | BODIES and path.is_file()]


def is_generated(root, folder, name):
    """Whether the folder's CMake file, or one that serves all of them, writes such a file into the build tree: then
    `${…}/…/name` stands in it."""
    made = re.compile(r"\$\{\w+\}\S*/" + re.escape(name) + r"(?![\w.])")
    build_files = [folder / "CMakeLists.txt", root / "CMakeLists.txt", *(root / "cmake").glob("*.cmake")]
    texts = (path.read_text(encoding="utf-8") for path in build_files if path.is_file())
    return any(made.search(without_cmake_comments(text)) for text in texts)


def without_cmake_comments(text):
    return re.sub(r"#[^\n]*", "", text)


def includes(text):
    """(line, whether in quotes, name) of every include."""
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start(1)) + 1, match[1] == '"', match[2]


def calls(cmake):
    """(line, command, arguments) of every CMake call without nested parentheses."""
    for match in re.finditer(r"(\w+)\s*\(([^()]*)\)", cmake):
        yield cmake.count("\n", 0, match.start()) + 1, match[1], match[2].replace('"', " ").split()


def cycles(edges):
    """One cycle for each first edge that closes one, as [a, …, a]; each set of rooms once."""
    onward = {}
    for a, b in edges:
        onward.setdefault(a, []).append(b)
    seen = set()
    for start in sorted(onward):
        queue = [[start]]
        reached = {start}
        while queue:
            way = queue.pop(0)
            for room in sorted(onward.get(way[-1], [])):
                if room == start:
                    if frozenset(way) not in seen:
                        seen.add(frozenset(way))
                        yield [*way, start]
                elif room not in reached:
                    reached.add(room)
                    queue.append([*way, room])


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    if not (root / "src").is_dir():
        sys.exit(f"{root}: no src folder. Give the root of the project")
    table = {(room, other): "tools/check_rooms.py" for room, row in ROOMS.items() for other in row.split()}
    assert not list(cycles(table)), "the table itself has a circle"
    faults = House(root).check()
    for fault in faults:
        print(fault)
    if faults:
        sys.exit(1)
    print("rooms: every include keeps to the table")


if __name__ == "__main__":
    main()
