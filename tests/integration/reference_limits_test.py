#!/usr/bin/env python3
"""Whom the reference server serves, how much of it, and how it says no."""

import json
import resource
import threading
import time

import harness
from reference_server_support import Http, ReferenceCase, Stdio, initialize, request

CALL = {"name": "gitlab_execute_action", "arguments": {"action": "version.get"}}


class LimitCase(ReferenceCase):
    def server(self, *words, **options):
        self.stats_port = harness.free_port()
        return Http(self, f"--stats=127.0.0.1:{self.stats_port}", *words, **options)

    @property
    def stats(self):
        return harness.get_json(f"http://127.0.0.1:{self.stats_port}/")

    @property
    def limits(self):
        return self.stats["limits"]

    def holding_gitlab(self, seconds=2):
        gitlab = self.gitlab()
        gitlab.delay = seconds
        return gitlab

    def hold(self, server, count):
        """So many calls that wait for GitLab."""
        calls = [server.begin("tools/call", CALL) for _ in range(count)]
        self.assertTrue(harness.wait_until(lambda: self.stats["upstream"]["calls"] >= count))
        return calls


class RateTest(LimitCase):
    def test_a_caller_is_served_its_burst_and_told_so_afterwards(self):
        server = self.server("--rate-limit-rps=0.5", "--rate-limit-burst=3")
        server.token = "noisy"
        results = [server.call("null") for _ in range(5)]
        self.assertEqual(["isError" in result for result in results], [False] * 3 + [True] * 2)
        self.assertEqual(results[-1]["content"][0]["text"],
                         "rate limit exceeded for null; retry after a short backoff")
        read = server.post_stateless("resources/read", {"uri": "gitlab://guide"})
        self.assertEqual((read.status, read.json["error"]["code"]), (200, -42900))
        self.assertEqual([server.post_stateless("tools/list").status for _ in range(3)], [200] * 3)
        self.assertEqual(server.post_stateless("tools/list").json["error"]["code"], -42900)
        server.token = "quiet"
        self.assertNotIn("isError", server.call("null"))
        self.assertEqual(self.limits["rate_limited"], 4)
        self.assertEqual(self.stats["requests"]["by_method"]["tools/call"]["refused"], 2)

    def test_one_bucket_for_all_starves_the_quiet(self):
        server = self.server("--rate-limit-rps=0.5", "--rate-limit-burst=3", "--rate-limit-scope=process")
        server.token = "noisy"
        for _ in range(3):
            server.call("null")
        server.token = "quiet"
        self.assertIn("isError", server.call("null"))

    def test_the_tools_that_all_list_together_are_metered(self):
        server = self.server("--rate-limit-rps=100", "--rate-limit-listed=1/8")
        answers = []
        for token in ("a", "b", "c"):
            server.token = token
            answers.append(server.post_stateless("tools/list").json)
        self.assertEqual(["error" in answer for answer in answers], [False, False, True])


class CeilingTest(LimitCase):
    def test_more_held_calls_than_may_be_are_refused_by_the_rules_of_their_revision(self):
        gitlab = self.holding_gitlab()
        server = self.server(f"--upstream={gitlab.url}", "--max-held-calls=2")
        held = self.hold(server, 2)
        busy = server.post_stateless("tools/call", CALL)
        self.assertEqual((busy.status, busy.json["error"]["code"]), (503, -50300))
        self.assertEqual((busy.headers["Retry-After"], busy.headers["Connection"]), ("30", "close"))
        older = server.post(request(1, "tools/call", CALL), {"MCP-Protocol-Version": "2025-11-25"})
        self.assertTrue(older.json["result"]["isError"])
        self.assertIn("busy", older.json["result"]["content"][0]["text"])
        self.assertEqual(server.call("null")["content"], [], "what does not reach GitLab is served")
        for call in held:
            self.assertIn("result", json.loads(call.answer()))
        self.assertIn("result", server.post_stateless("tools/call", CALL).json)
        self.assertEqual((self.limits["busy"], self.limits["held_calls"]), (2, {"ceiling": 2, "most": 2}))

    def test_the_ceiling_comes_from_the_hard_limit_on_descriptors(self):
        def few():
            resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
        port = harness.free_port()
        server = self.start(harness.REFERENCE_SERVER, f"--stats=127.0.0.1:{port}", stdin=-1, stdout=-1, stderr=-1,
                            preexec_fn=few)
        self.assertTrue(harness.wait_until(lambda: harness.accepts(port)))
        limits = harness.get_json(f"http://127.0.0.1:{port}/")["limits"]
        self.assertEqual((limits["held_calls"]["ceiling"], limits["session_ceiling"]), (192, 96))
        server.stdin.close()

    def test_more_sessions_than_may_be_are_refused(self):
        server = self.server("--stateless=false", "--max-sessions=2")
        sessions = [server.post(initialize("2025-11-25")).headers["Mcp-Session-Id"] for _ in range(2)]
        busy = server.post(initialize("2025-11-25"))
        self.assertEqual((busy.status, busy.json["error"]["code"]), (503, -50300))
        server.send("DELETE", "/mcp", headers={"Mcp-Session-Id": sessions[0]})
        self.assertEqual(server.post(initialize("2025-11-25")).status, 200)


class PoolTest(LimitCase):
    def test_the_least_recently_used_credential_goes(self):
        server = self.server("--max-http-clients=2")
        for token in ("a", "b", "a", "c", "a"):
            server.token = token
            server.call("null")
        pool = self.limits["pool"]
        self.assertEqual(pool, {"capacity": 2, "entries": 2, "built": 3, "evicted": 1, "expired": 0})

    def test_credentials_that_do_not_come_any_more_are_forgotten(self):
        server = self.server("--pool-idle-timeout=200ms")
        server.call("null")
        self.assertTrue(harness.wait_until(lambda: self.limits["pool"]["expired"] == 1))

    def test_all_credentials_share_one_catalogue(self):
        server = self.server()
        for token in "abcdef":
            server.token = token
            server.call("gitlab_find_action", {"query": "issues"})
        self.assertEqual(self.stats["catalogue"], {"builds": 1})


class VerifyTest(LimitCase):
    def gitlab(self):
        gitlab = super().gitlab()
        gitlab.answers["/api/v4/user"] = (200, {"id": 1, "username": "u"})
        return gitlab

    def test_gitlab_is_asked_once_who_a_credential_is(self):
        gitlab = self.gitlab()
        gitlab.delay = 0.1
        server = self.server("--verify", f"--upstream={gitlab.url}")
        server.token = "good"
        callers = [threading.Thread(target=server.call, args=("null",)) for _ in range(5)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        self.assertEqual([path for _, path, _, _ in gitlab.requests],
                         ["/api/v4/user", "/api/v4/version", "/api/v4/personal_access_tokens/self"])
        self.assertEqual({headers["PRIVATE-TOKEN"] for _, _, headers, _ in gitlab.requests}, {"good"})
        self.assertEqual(self.limits["probes"], {"sent": 3, "most_at_once": 1})

    def test_a_bearer_token_is_asked_about_where_gitlab_tells_of_it(self):
        gitlab = self.gitlab()
        server = self.server("--verify", f"--upstream={gitlab.url}/root")
        gitlab.answers["/root/api/v4/user"] = (200, {"id": 1})
        self.assertEqual(server.post(request(1, "ping"), {"Authorization": "Bearer x"}).status, 200)
        self.assertEqual(gitlab.requests[-1][1], "/root/oauth/token/info")

    def test_what_gitlab_does_not_know_is_not_served_and_too_many_tries_are_not_even_asked_about(self):
        gitlab = self.gitlab()
        gitlab.answers["/api/v4/user"] = (401, {"message": "401 Unauthorized"})
        server = self.server("--verify", f"--upstream={gitlab.url}")
        missing = server.post(request(1, "ping"))
        self.assertEqual((missing.status, missing.json["error"]["code"]), (401, -40100))
        self.assertEqual(missing.headers["WWW-Authenticate"], "Bearer")
        self.assertEqual(gitlab.requests, [])
        for number in range(9):
            server.token = f"invented-{number}"
            self.assertEqual(server.post(request(1, "ping")).status, 401)
        blocked = server.post(request(1, "ping"))
        self.assertEqual((blocked.status, blocked.json["error"]["code"]), (429, -42900))
        self.assertEqual(len(gitlab.requests), 9)
        self.assertEqual((self.limits["unauthorized"], self.limits["pool"]["entries"]), (10, 0))
        self.assertEqual(server.send("GET", "/health").status, 200)

    def test_an_instance_that_is_down_says_nothing_against_a_credential(self):
        server = self.server("--verify", f"--upstream=http://127.0.0.1:{harness.free_port()}")
        server.token = "good"
        self.assertEqual(server.post(request(1, "ping")).status, 200)

    def test_sixteen_at_once_are_asked_about(self):
        gitlab = self.gitlab()
        gitlab.delay = 0.2
        server = self.server("--verify", f"--upstream={gitlab.url}")
        statuses = []

        def ask(number):
            statuses.append(server.post(request(1, "ping"), {"PRIVATE-TOKEN": f"t{number}"}).status)

        callers = [threading.Thread(target=ask, args=(number,)) for number in range(20)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        self.assertEqual(statuses, [200] * 20)
        self.assertEqual(self.limits["probes"], {"sent": 60, "most_at_once": 16})


class CatalogueGateTest(LimitCase):
    def test_what_needs_the_catalogue_waits_and_the_rest_is_answered(self):
        server = self.server("--weight-build-delay=1s")
        begin = time.monotonic()
        calls = [server.begin("tools/list"), server.begin("tools/call", {"name": "null"})]
        self.assertEqual(server.send("GET", "/health").status, 200)
        self.assertEqual(server.post(initialize("2025-11-25")).status, 200)
        self.assertEqual(server.post_stateless("server/discover").status, 200)
        self.assertLess(time.monotonic() - begin, 1)
        answers = [json.loads(call.answer()) for call in calls]
        self.assertGreaterEqual(time.monotonic() - begin, 0.9)
        self.assertEqual(len(answers[0]["result"]["tools"]), 4)
        self.assertEqual(answers[1]["result"]["content"], [])
        self.assertEqual(self.stats["requests"]["in_flight"], 0)

    def test_stdio_waits_likewise(self):
        server = Stdio(self, "--weight-build-delay=500ms")
        server.send(request(1, "tools/list"))
        server.send(request(2, "ping"))
        self.assertEqual([server.receive()["id"] for _ in range(2)], [2, 1])


class WordsTest(ReferenceCase):
    def test_limits_that_contradict_each_other_are_refused(self):
        for words in (["--rate-limit-burst=5"], ["--rate-limit-scope=process"], ["--rate-limit-listed=1/2"],
                      ["--verify"], ["--max-sessions=5"], ["--max-http-clients=0"], ["--rate-limit-rps=1001"],
                      ["--rate-limit-rps=nan"], ["--rate-limit-rps=5", "--rate-limit-scope=all"],
                      ["--max-held-calls=0"], ["--upstream-connections=0"]):
            server = self.start(harness.REFERENCE_SERVER, *words, stdout=-1, stderr=-1)
            _, err = server.communicate(timeout=harness.PATIENCE)
            self.assertEqual((server.returncode, len(err.splitlines())), (2, 1), (words, err))


if __name__ == "__main__":
    harness.main()
