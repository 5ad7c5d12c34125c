"""Records as they are really written, the schema, the headers and the page of documentation agree.

    schema_test.py SAMPLES_PROGRAM SOURCE_DIR
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SAMPLES_PROGRAM = sys.argv[1]
ROOT = pathlib.Path(sys.argv[2])
SCHEMA = json.loads((ROOT / "schema/record.schema.json").read_text(encoding="utf-8"))
LOAD_SCHEMA = json.loads((ROOT / "schema/load-record.schema.json").read_text(encoding="utf-8"))
CALIBRATION_SCHEMA = json.loads((ROOT / "schema/calibration.schema.json").read_text(encoding="utf-8"))
#: What each schema describes: its headers, and the struct that is the whole document.
DOCUMENTS = [(SCHEMA, ["src/record/accuracy.h", "src/record/doubt.h", "src/record/scenario.h", "src/record/record.h",
                       "src/stats/interval.h"], "Record"),
             (LOAD_SCHEMA, ["src/record/load_record.h"], "LoadRecord"),
             (CALIBRATION_SCHEMA, ["src/record/calibration.h"], "Calibration")]
NOT_IN_A_RECORD = {"RankInterval"}


def validate(*files):
    return subprocess.run([sys.executable, ROOT / "tools/validate_record.py", *files],
                          capture_output=True, text=True, check=False)


def structs(headers):
    """Name of each struct of the headers -> names of its members."""
    found = {}
    for header in headers:
        text = re.sub(r"//.*", "", (ROOT / header).read_text(encoding="utf-8"))
        for name, body in re.findall(r"^struct (\w+) \{(.*?)^\};", text, re.S | re.M):
            declarations = [part.strip() for part in body.split(";") if part.strip()]
            found[name] = [re.search(r"(\w+)\s*(=.*|\{.*\})?$", declaration, re.S).group(1)
                           for declaration in declarations]
    return {name: members for name, members in found.items() if name not in NOT_IN_A_RECORD}


def definition_of(schema, struct, document):
    if struct == document:
        return schema
    return schema["$defs"].get(re.sub(r"(?<!^)(?=[A-Z])", "_", struct).lower(), {})


def every_definition():
    """(name, definition, names of its members in the header) of every struct of every document."""
    for schema, headers, document in DOCUMENTS:
        for struct, members in structs(headers).items():
            yield struct, definition_of(schema, struct, document), members


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.directory = pathlib.Path(directory.name)
        subprocess.run([SAMPLES_PROGRAM, cls.directory], check=True)
        cls.samples = sorted(cls.directory.glob("*.json"))

    def damaged(self, change):
        """The validator's words on a sample after `change`, which must have been refused."""
        # Samples differ in what they have, so take a small one that has a scenario.
        for path in sorted(self.samples, key=lambda path: path.stat().st_size):
            record = json.loads(path.read_text(encoding="utf-8"))
            if record.get("scenarios"):
                break
        change(record)
        path = self.directory / "damaged"
        path.write_text(json.dumps(record))
        result = validate(path)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        return result.stdout

    def test_describes_every_record_that_is_written(self):
        self.assertGreaterEqual(len(self.samples), 20)
        result = validate(*self.samples)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_refuses_a_missing_member(self):
        self.assertIn("'kernel' is a required property", self.damaged(lambda r: r["host"].pop("kernel")))

    def test_refuses_an_unknown_member(self):
        words = self.damaged(lambda r: r["scenarios"][0].update(extra=1))
        self.assertIn("scenarios[0]: ", words)
        self.assertIn("'extra' was unexpected", words)

    def test_refuses_a_wrong_type(self):
        words = self.damaged(lambda r: r["scenarios"][0].update(clients="8"))
        self.assertIn("scenarios[0].clients: ", words)

    def test_refuses_a_doubt_of_unknown_kind(self):
        self.damaged(lambda r: r["doubts"].append(
            {"kind": "bad_mood", "where": "", "message": "", "advice": ""}))

    def test_refuses_another_schema(self):
        self.damaged(lambda r: r.update(schema=2))

    def test_names_the_members_that_the_headers_name(self):
        for struct, definition, members in every_definition():
            self.assertEqual(list(definition.get("properties", {})), members, struct)

    def test_has_no_definition_without_a_struct(self):
        used = [definition for _, definition, _ in every_definition()]
        for schema in (SCHEMA, LOAD_SCHEMA, CALIBRATION_SCHEMA):
            for name, definition in schema["$defs"].items():
                self.assertTrue(definition in used or "properties" not in definition, name)

    def test_says_the_same_of_what_documents_share(self):
        for schema in (LOAD_SCHEMA, CALIBRATION_SCHEMA):
            for name, definition in schema["$defs"].items():
                self.assertEqual(SCHEMA["$defs"].get(name, definition), definition, name)

    def test_requires_and_describes_every_member_and_allows_no_other(self):
        for struct, definition, _ in every_definition():
            self.assertEqual(definition["required"], list(definition["properties"]), struct)
            self.assertIs(definition["additionalProperties"], False, struct)
            for name, member in definition["properties"].items():
                self.assertTrue(member.get("description"), f"{struct}.{name}")

    def test_is_what_the_documentation_shows(self):
        subprocess.run([sys.executable, ROOT / "tools/record_docs.py", "--check"], check=True)

    def test_doubts_are_all_explained(self):
        page = (ROOT / "docs/record.md").read_text(encoding="utf-8")
        for kind in SCHEMA["$defs"]["doubt"]["properties"]["kind"]["enum"]:
            self.assertIn(f"| `{kind}` |", page)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
