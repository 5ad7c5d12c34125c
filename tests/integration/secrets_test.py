#!/usr/bin/env python3
"""Credentials never leave the program, however they came in and however loudly the server repeats them."""

import sys

import harness

LEAKY = [sys.executable, str(harness.SERVERS / "leaky.py")]
QUICK = ["--quick", "-v"]


def quoted(words):
    return ", ".join(f'"{word}"' for word in words)


class SecretsTest(harness.Case):
    """Every secret here contains "hush"; so nothing that the program writes may."""

    def assert_hushed(self, run):
        written = {"standard output": run.out, "standard error": run.err}
        for path in run.folder.rglob("*") if run.folder.exists() else []:
            written[path.name] = path.read_text(encoding="utf-8")
        for where, text in written.items():
            for line in text.splitlines():
                self.assertNotIn("hush", line.lower(), f"in {where}")
        return written

    def test_credentials_of_a_plan_stay_inside(self):
        plan = self.file("plan.toml", f"""
            schema = 1
            name = "leaky"
            [target.stdio]
            command = [{quoted(LEAKY)}]
            env = {{ LEAKY_API_KEY = "hush-of-env" }}
            credential = {{ environment = "LEAKY_TOKEN", value = "hush-token-{{credential}}" }}
            [target.http]
            command = [{quoted(LEAKY)}, "--http", "{{port}}"]
            url = "http://127.0.0.1:{{port}}/mcp"
            headers = {{ X-Team = "hush-of-header" }}
            credential = {{ header = "Authorization", value = "Bearer hush-bearer-{{credential}}" }}
            """)
        run = self.weigh(plan, *QUICK)
        written = self.assert_hushed(run)
        self.assertEqual(set(written), {"standard output", "standard error", "record.json", "report.md"})
        self.assertEqual([scenario["id"] for scenario in run.record["scenarios"]],
                         ["stdio", "http"])

    def test_credentials_of_flags_stay_inside_when_every_call_fails_with_them(self):
        run = self.weigh(*QUICK, "--env", "LEAKY_SECRET=hush-of-flag", "--credential",
                         "LEAKY_TOKEN=hush-{credential}-token", command=[*LEAKY, "fails"])
        self.assert_hushed(run)
        # The first failure is told, with its secrets masked.
        self.assertIn("the answer repeats", run.err + run.out + run.record_path.read_text())
        self.assertIn("***", run.record_path.read_text())

    def test_headers_of_flags_stay_inside_when_every_call_fails_with_them(self):
        run = self.weigh(*QUICK, "--header", "X-Team: hush-of-flag", "--credential",
                         "PRIVATE-TOKEN: hush-{credential}", "--url", "http://127.0.0.1:{port}/mcp",
                         command=[*LEAKY, "fails", "--http", "{port}"])
        self.assert_hushed(run)
        self.assertIn("***", run.record_path.read_text())

    def test_last_words_of_a_server_are_shown_without_its_secrets(self):
        run = self.weigh(*QUICK, "--env", "LEAKY_PASSWORD=hush-of-flag", "--credential",
                         "LEAKY_TOKEN=hush-{credential}", command=[*LEAKY, "exits"], code=3)
        self.assert_hushed(run)
        self.assertIn("stderr repeats", run.err)
        self.assertIn("***", run.err)

    def test_inherited_variables_are_told_by_name_and_never_by_value(self):
        run = self.weigh(*QUICK, env={"LEAKY_PLAIN": "hush-inherited", "LEAKY_TOKEN": "hush-inherited-too"},
                         command=[*LEAKY, "fails"])
        self.assertIn("LEAKY_PLAIN", run.record["settings"]["inherited_env"])
        # What the server itself says is its own: of the inherited values only those whose names tell of
        # a secret can be known for one.
        for where, text in {"stdout": run.out, "stderr": run.err, "record": run.record_path.read_text()}.items():
            self.assertNotIn("hush-inherited-too", text, where)

    def test_a_secret_on_a_command_line_is_masked(self):
        # The interpreter has no such flag, so it is handed over behind a dash that it ignores.
        command = ["sh", "-c", 'exec "$0" "$1"', *LEAKY, "--api-key=hush-of-command", "--token",
                   "hush-of-command"]
        run = self.weigh(*QUICK, command=command)
        self.assert_hushed(run)
        self.assertIn("--api-key=***", " ".join(run.record["servers"][0]["command"]))

    def test_the_plan_as_understood_is_printed_without_secrets(self):
        plan = self.file("plan.toml", """
            schema = 1
            [target.stdio]
            command = ["server"]
            env = { API_KEY = "hush-key" }
            credential = { environment = "WHO", value = "hush-{credential}" }
            """)
        run = self.program("plan", plan, folder=self.folder / "none")
        self.assertEqual(run.code, 0, run)
        self.assert_hushed(run)
        self.assertIn("API_KEY", run.out)


if __name__ == "__main__":
    harness.main()
