#!/usr/bin/env python3
"""Hold records against their JSON Schemas with a validator that is not ours.

    tools/validate_record.py record.json [more.json ...]

Exit code 0: all valid. 1: at least one is not, and what is wrong with it was printed. 2: no record,
or the validator is missing. Needs Debian's python3-jsonschema.
"""

import json
import pathlib
import sys

SCHEMAS = pathlib.Path(__file__).resolve().parent.parent / "schema"
#: By the record's mode; whatever else it says, it is held against the first.
BY_MODE = {"run": "record.schema.json", "load": "load-record.schema.json", "calibrate": "calibration.schema.json"}
MOST_ERRORS = 10


def path_of(error):
    """The place of an error as weighbridge itself would write it: scenarios[0].cpu"""
    text = ""
    for step in error.absolute_path:
        text += f"[{step}]" if isinstance(step, int) else ("." if text else "") + step
    return text or "the record"


def problems(validators, path):
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return [str(error)]
    mode = record.get("mode") if isinstance(record, dict) else None
    validator = validators.get(mode, validators["run"])
    errors = sorted(validator.iter_errors(record), key=lambda error: list(map(str, error.absolute_path)))
    # A wrong member of a long array would fill the screen with the array.
    return [f"{path_of(error)}: {error.message[:300]}" for error in errors[:MOST_ERRORS]]


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if arguments else 2
    try:
        import jsonschema
    except ImportError:
        print("The validator is missing: apt-get install python3-jsonschema", file=sys.stderr)
        return 2
    validators = {mode: jsonschema.Draft202012Validator(json.loads((SCHEMAS / name).read_text(encoding="utf-8")))
                  for mode, name in BY_MODE.items()}
    valid = True
    for name in arguments:
        found = problems(validators, pathlib.Path(name))
        valid = valid and not found
        print(f"{name}: valid" if not found else f"{name}:")
        for problem in found:
            print(f"  {problem}")
    return 0 if valid else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
