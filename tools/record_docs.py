#!/usr/bin/env python3
"""Rewrite the tables of docs/record.md from the schemas of the records.

    tools/record_docs.py            rewrite
    tools/record_docs.py --check    exit 1 if a rewrite would change the page

The schema is the one place where members are described; the prose around the tables is written by
hand.
"""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
#: Schema, the mark before its tables, the mark behind them.
PARTS = [("record.schema.json", "<!-- members: written by tools/record_docs.py -->\n", "<!-- end of members -->"),
         ("load-record.schema.json", "<!-- members of load: written by tools/record_docs.py -->\n",
          "<!-- end of members of load -->"),
         ("calibration.schema.json", "<!-- members of calibrate: written by tools/record_docs.py -->\n",
          "<!-- end of members of calibrate -->")]
PAGE = ROOT / "docs" / "record.md"


def type_of(schema):
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return {"figure": "number", "count": "count"}.get(name, f"[{name}](#{name})")
    if "anyOf" in schema:
        return " or ".join(type_of(option) for option in schema["anyOf"])
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return "one of several words"
    if schema["type"] == "array":
        return f"list of {type_of(schema['items'])}"
    if schema["type"] == "object":
        return f"{type_of(schema['additionalProperties'])} by name"
    if schema["type"] == ["integer", "null"]:
        return "count or null"
    if isinstance(schema["type"], list):
        return " or ".join(schema["type"])
    return {"integer": "count", "string": "text", "boolean": "true or false"}.get(
        schema["type"], schema["type"])


def table(title, schema):
    lines = [f"### {title}", "", schema["description"], "", "| member | type | meaning |",
             "|---|---|---|"]
    for name, member in schema["properties"].items():
        lines.append(f"| `{name}` | {type_of(member)} | {member['description']} |")
    return "\n".join(lines) + "\n"


def rewritten(page):
    known = set()
    for name, begin, end in PARTS:
        schema = json.loads((ROOT / "schema" / name).read_text(encoding="utf-8"))
        tables = [table(name.removesuffix(".schema.json"), schema)]
        # What a later schema shares with an earlier one stands there.
        tables += [table(part_name, part) for part_name, part in schema["$defs"].items()
                   if "properties" in part and part_name not in known]
        known.update(schema["$defs"])
        before, rest = page.split(begin, 1)
        page = before + begin + "\n" + "\n".join(tables) + "\n" + end + rest.split(end, 1)[1]
    return page


def main(arguments):
    page = PAGE.read_text(encoding="utf-8")
    wanted = rewritten(page)
    if arguments == ["--check"]:
        if page != wanted:
            print("docs/record.md is stale: run tools/record_docs.py", file=sys.stderr)
        return 0 if page == wanted else 1
    if arguments:
        print(__doc__.strip())
        return 2
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
