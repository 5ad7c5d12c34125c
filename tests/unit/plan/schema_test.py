"""Plans, what weighbridge understands of them, their schema and their documentation agree.

    schema_test.py PRINT_PLAN_PROGRAM SOURCE_DIR
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest

import jsonschema

PRINT_PLAN = sys.argv[1]
ROOT = pathlib.Path(sys.argv[2])
SCHEMA = json.loads((ROOT / "schema/plan.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
COMPLETE = ROOT / "tests/fixtures/plans/complete.toml"
INSTALLED = {"node_modules", ".venv", "target", "build"}
READY_PLANS = sorted(path for path in (ROOT / "plans").rglob("*.toml")
                     if path.name != "Cargo.toml" and not INSTALLED & set(path.relative_to(ROOT).parts))

STDIO = '[target.stdio]\ncommand = ["server"]\n'
HTTP = '[target.http]\nurl = "http://127.0.0.1:1/"\n'
VARIANT = STDIO + '[[variant]]\nname = "a"\n'
# Every table of a plan: what must stand before an unknown key in it, and its place in the schema.
TABLES = {
    "top": ("", []),
    "target": ("[target]\n", ["target"]),
    "target.stdio": (STDIO, ["target", "stdio"]),
    "target.stdio.credential": (STDIO + "[target.stdio.credential]\n",
                                ["target", "stdio", "credential"]),
    "target.http": (HTTP, ["target", "http"]),
    "target.http.credential": (HTTP + "[target.http.credential]\n",
                               ["target", "http", "credential"]),
    "variant": (VARIANT, ["variant"]),
    "variant.call": (VARIANT + "[variant.call]\n", ["variant", "call"]),
    "variant.call.expect": (VARIANT + "[variant.call.expect]\n", ["variant", "call", "expect"]),
    "refusal": (STDIO + "[[refusal]]\n", ["refusal"]),
    "standin": ("[standin]\n", ["standin"]),
    "standin.upstream": ("[standin.upstream]\n", ["standin", "upstream"]),
    "standin.upstream.routes": ("[[standin.upstream.routes]]\n",
                                ["standin", "upstream", "routes"]),
    "standin.otlp": ("[standin.otlp]\n", ["standin", "otlp"]),
    "run": ("[run]\n", ["run"]),
    "publish": ("[publish]\n", ["publish"]),
}


def resolved(schema):
    while "$ref" in schema or "items" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema["items"]
    return schema


def properties_at(path):
    schema = SCHEMA
    for name in path:
        schema = resolved(schema["properties"][name])
    return schema["properties"]


def print_plan(text_or_path):
    if isinstance(text_or_path, pathlib.Path):
        return subprocess.run([PRINT_PLAN, text_or_path], capture_output=True, text=True, check=False)
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(text_or_path)
        file.flush()
        return subprocess.run([PRINT_PLAN, file.name], capture_output=True, text=True, check=False)


def seconds(duration):
    number, unit = re.fullmatch(r"([0-9.]+)(ms|s|m)", duration).groups()
    return float(number) * {"ms": 0.001, "s": 1, "m": 60}[unit]


class PlanSchema(unittest.TestCase):
    def test_accepts_the_complete_plan_and_every_ready_one(self):
        for path in [COMPLETE, *READY_PLANS]:
            with self.subTest(path.name):
                VALIDATOR.validate(tomllib.loads(path.read_text(encoding="utf-8")))

    def test_accepts_every_plan_as_weighbridge_prints_it(self):
        for path in [COMPLETE, *READY_PLANS]:
            with self.subTest(path.name):
                printed = print_plan(path)
                self.assertEqual(printed.returncode, 0, printed.stdout)
                VALIDATOR.validate(tomllib.loads(printed.stdout))

    def test_refuses_what_an_editor_can_see_to_be_wrong(self):
        for name in ["unknown_key", "rounds_as_text", "command_as_text", "parallel_zero",
                     "timeout_without_quotes", "refusal_of_everything", "mode_not_built"]:
            text = (ROOT / f"tests/fixtures/plans/refused/{name}.toml").read_text(encoding="utf-8")
            with self.subTest(name), self.assertRaises(jsonschema.ValidationError):
                VALIDATOR.validate(tomllib.loads(text))

    def test_knows_the_keys_that_weighbridge_knows(self):
        for table, (text, path) in TABLES.items():
            with self.subTest(table):
                printed = print_plan(text + "far_from_every_known_key = 1\n")
                self.assertEqual(printed.returncode, 1)
                known = printed.stdout.split("Keys known there: ")[1].split(", ")
                self.assertEqual(known, sorted(properties_at(path)))

    def test_has_no_table_that_is_not_tested_here(self):
        tables = [schema for schema in SCHEMA["$defs"].values() if "properties" in schema]
        tested = [properties_at(path) for _, path in TABLES.values()]
        for schema in tables:
            self.assertIn(schema["properties"], tested)

    def test_knows_the_defaults_that_weighbridge_has(self):
        printed = print_plan(VARIANT + '[[standin.upstream.routes]]\npath = "/"\n')
        plan = tomllib.loads(printed.stdout)
        for got, path in [(plan, []), (plan["target"]["stdio"], ["target", "stdio"]),
                          (plan["variant"][0], ["variant"]), (plan["run"], ["run"]),
                          (plan["standin"]["upstream"], ["standin", "upstream"]),
                          (plan["standin"]["upstream"]["routes"][0],
                           ["standin", "upstream", "routes"])]:
            for key, schema in properties_at(path).items():
                default = schema.get("default", resolved(schema).get("default"))
                if default is None or key in ("call", "routes"):
                    continue
                with self.subTest(key):
                    if str(schema.get("$ref", "")).endswith("/duration"):
                        self.assertEqual(seconds(got[key]), seconds(default))
                    else:
                        self.assertEqual(got[key], default)

    def test_every_key_is_documented(self):
        page = (ROOT / "docs/plan.md").read_text(encoding="utf-8")
        for table, (_, path) in TABLES.items():
            for key in properties_at(path):
                with self.subTest(f"{table}.{key}"):
                    self.assertRegex(page, rf"[`.\[]{key}[`\].]")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
