#!/usr/bin/env python3
"""The reference server as its clients see it: raw requests, both transports, both eras."""

import json
import os
import shutil
import signal
import socket
import sys
import threading
import time
import unittest

import jsonschema

import harness
from certificates import Certificates
from reference_server_support import (HANDSHAKES, SERVER_INFO, STATELESS, Http, ReferenceCase, Stdio, initialize,
                                      request, stateless_request)


class StdioTest(ReferenceCase):
    def test_every_handshake_revision_is_spoken_over_either_kind_of_stdio(self):
        for kind in ("socketpair", "pipe"):
            for version in HANDSHAKES:
                server = Stdio(self, kind=kind)
                hello = server.ask(initialize(version))["result"]
                self.assertEqual(hello["protocolVersion"], version)
                self.assertIn("tools", hello["capabilities"])
                server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
                self.assertEqual(server.ask(request(1, "ping"))["result"], {})
                tools = server.ask(request("two", "tools/list"))
                self.assertEqual(tools["id"], "two")
                self.assertNotIn("resultType", tools["result"])
                self.assertIn("gitlab_find_action", [tool["name"] for tool in tools["result"]["tools"]])
                self.assertEqual(server.ask(request(3, "tools/call", {"name": "null"}))["result"],
                                 {"content": []})
                self.assertEqual(server.end(), 0)

    def test_a_newer_or_unknown_revision_is_answered_with_the_newest_handshake(self):
        for version in (STATELESS, "1999-01-01"):
            server = Stdio(self)
            self.assertEqual(server.ask(initialize(version))["result"]["protocolVersion"], HANDSHAKES[-1])

    def test_the_stateless_revision_is_spoken_without_a_handshake(self):
        server = Stdio(self)
        found = server.ask(stateless_request(1, "server/discover"))["result"]
        self.assertEqual(found["supportedVersions"], [STATELESS])
        self.assertEqual(found["resultType"], "complete")
        self.assertIn(SERVER_INFO, found["_meta"])
        tools = server.ask(stateless_request(2, "tools/list"))["result"]
        self.assertGreaterEqual(tools["ttlMs"], 0)
        self.assertEqual(tools["cacheScope"], "public")
        called = server.ask(stateless_request(3, "tools/call", {"name": "null"}))["result"]
        self.assertEqual(called["resultType"], "complete")
        self.assertNotIn("ttlMs", called)
        self.assertEqual(server.ask(stateless_request(4, "ping"))["error"]["code"], -32601)
        wrong = server.ask(stateless_request(5, "tools/list", version="2025-11-25"))["error"]
        self.assertEqual((wrong["code"], wrong["data"]["supported"]), (-32022, [STATELESS]))
        self.assertEqual(server.end(), 0)

    def test_the_two_eras_may_be_mixed(self):
        server = Stdio(self)
        server.ask(initialize("2025-06-18"))
        self.assertIn("resultType", server.ask(stateless_request(1, "tools/list"))["result"])
        self.assertNotIn("resultType", server.ask(request(2, "tools/list"))["result"])

    def test_what_cannot_be_understood_is_answered_and_nothing_breaks(self):
        server = Stdio(self)
        for line, code in (("{", -32700), ("\x00", -32700), ("[]", -32600), ('"text"', -32600),
                           ('{"jsonrpc":"2.0","id":1,"method":"no/such"}', -32601),
                           ('[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600)):
            self.assertEqual(server.ask(line)["error"]["code"], code, line)
        server.write("\n\r\n")
        self.assertEqual(server.ask(request(9, "ping"))["id"], 9)

    def test_a_batch_is_answered_in_the_one_revision_that_has_them(self):
        server = Stdio(self)
        server.ask(initialize("2025-03-26"))
        answers = server.ask([request(1, "ping"), {"jsonrpc": "2.0", "method": "notifications/x"},
                              request(2, "tools/call", {"name": "null"})])
        self.assertEqual([answer["id"] for answer in answers], [1, 2])

    def test_the_end_of_input_ends_it_after_the_last_answer(self):
        gitlab = self.gitlab()
        gitlab.delay = 0.3
        for kind in ("socketpair", "pipe"):
            server = Stdio(self, f"--upstream={gitlab.url}", kind=kind)
            server.send(request(1, "tools/call", {"name": "gitlab_server_status"}))
            self.assertEqual(server.end(), 0)
            answer = server.receive()
            self.assertEqual(answer["result"]["structuredContent"]["gitlab"]["version"], "17.0.0")

    def test_a_signal_ends_it_cleanly(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            server = Stdio(self)
            server.ask(request(1, "ping"))
            server.process.send_signal(number)
            self.assertEqual(server.process.wait(harness.PATIENCE), 0)

    def test_requests_may_come_from_a_file(self):
        path = self.file("requests", "\n".join(json.dumps(message) for message in
                                               (initialize("2025-11-25"), request(1, "tools/list"))))
        with open(path, encoding="utf-8") as requests:
            server = self.start(harness.REFERENCE_SERVER, stdin=requests, stdout=-1, stderr=-1)
            out, _ = server.communicate(timeout=harness.PATIENCE)
        self.assertEqual([json.loads(line)["id"] for line in out.splitlines()], [0, 1])
        self.assertEqual(server.returncode, 0)

    def test_a_cancelled_call_is_not_answered(self):
        gitlab = self.gitlab()
        gitlab.delay = 1
        server = Stdio(self, f"--upstream={gitlab.url}")
        server.send(request("slow", "tools/call", {"name": "gitlab_server_status"}))
        self.assertTrue(harness.wait_until(lambda: gitlab.requests))
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "slow"}})
        self.assertEqual(server.ask(request(2, "ping"))["id"], 2)
        self.assertEqual(server.end(), 0)
        self.assertIsNone(server.receive(), "the cancelled call was answered")

    def test_slow_calls_do_not_hold_up_others(self):
        server = Stdio(self, "--weight-delay=list:1500ms,1ms")
        server.send(request(1, "tools/call", {"name": "null"}))
        server.send(request(2, "tools/call", {"name": "null"}))
        server.send(request(3, "ping"))
        self.assertEqual([server.receive()["id"] for _ in range(3)], [3, 2, 1])

    def test_the_token_of_the_environment_goes_to_gitlab_and_nowhere_else(self):
        gitlab = self.gitlab()
        server = Stdio(self, f"--upstream={gitlab.url}", env={"GITLAB_TOKEN": "sesame-1"})
        answer = server.ask(request(1, "tools/call", {"name": "gitlab_server_status"}))
        self.assertEqual(gitlab.requests[0][2]["PRIVATE-TOKEN"], "sesame-1")
        self.assertEqual(server.end(), 0)
        self.assertNotIn("sesame", json.dumps(answer) + server.process.stderr.read())


class HttpTest(ReferenceCase):
    def test_the_stateless_revision_is_spoken(self):
        server = Http(self)
        found = server.post_stateless("server/discover")
        self.assertEqual(found.status, 200)
        self.assertEqual(found.headers["Content-Type"], "application/json")
        self.assertNotIn("Mcp-Session-Id", found.headers)
        self.assertEqual(found.json["result"]["supportedVersions"], [STATELESS])
        listing = server.post_stateless("tools/list")
        self.assertEqual(listing.json["result"]["resultType"], "complete")
        self.assertEqual(server.call("null")["content"], [])
        read = server.post_stateless("resources/read", {"uri": "gitlab://guide"}).json["result"]
        self.assertIn("gitlab_find_action", read["contents"][0]["text"])
        encoded = server.post_stateless("resources/read", {"uri": "gitlab://guide"},
                                        {"Mcp-Name": "=?base64?Z2l0bGFiOi8vZ3VpZGU=?="})
        self.assertEqual(encoded.status, 200)

    def test_headers_must_say_what_the_message_says(self):
        server = Http(self)
        params = {"name": "null", "arguments": {}}
        for headers, code in (({"MCP-Protocol-Version": None}, -32020),
                              ({"MCP-Protocol-Version": "2025-11-25"}, -32020),
                              ({"Mcp-Method": None}, -32020), ({"Mcp-Method": "tools/list"}, -32020),
                              ({"Mcp-Name": None}, -32020), ({"Mcp-Name": "other"}, -32020),
                              ({"Mcp-Name": "=?base64?***?="}, -32020)):
            reply = server.post_stateless("tools/call", params, headers)
            self.assertEqual((reply.status, reply.json["error"]["code"]), (400, code), headers)

    def test_envelopes_with_faults_are_turned_away_as_the_revision_says(self):
        server = Http(self)
        modern = {"MCP-Protocol-Version": STATELESS, "Mcp-Method": "tools/list"}
        bare = server.post(request(1, "tools/list"), modern)
        self.assertEqual((bare.status, bare.json["error"]["code"]), (400, -32602))
        version = server.post(stateless_request(1, "tools/list", version="2030-01-01"),
                              {**modern, "MCP-Protocol-Version": "2030-01-01"})
        self.assertEqual((version.status, version.json["error"]["code"]), (400, -32022))
        for method in ("initialize", "ping", "resources/subscribe", "logging/setLevel", "no/such"):
            removed = server.post_stateless(method)
            self.assertEqual((removed.status, removed.json["error"]["code"]), (404, -32601), method)

    def test_handshake_revisions_are_served_without_sessions(self):
        server = Http(self)
        for version in HANDSHAKES:
            hello = server.post(initialize(version))
            self.assertEqual(hello.json["result"]["protocolVersion"], version)
            self.assertNotIn("Mcp-Session-Id", hello.headers)
            headers = {"MCP-Protocol-Version": version}
            ready = server.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, headers)
            self.assertEqual((ready.status, ready.body), (202, b""))
            self.assertEqual(server.post(request(1, "ping"), headers).json["result"], {})
            self.assertIn("tools", server.post(request(2, "tools/list"), headers).json["result"])
            self.assertEqual(server.post(request(3, "no/such"), headers).status, 200)
        self.assertEqual(server.post(request(1, "ping"), {"MCP-Protocol-Version": "1999-01-01"}).status, 400)

    def test_only_what_is_a_message_is_taken(self):
        server = Http(self)
        ping = request(1, "ping")
        self.assertEqual(server.post(ping, {"Content-Type": "text/plain"}).status, 415)
        self.assertEqual(server.post(ping, {"Content-Type": None}).status, 415)
        self.assertEqual(server.post(ping, {"Content-Type": "application/json; charset=utf-8"}).status, 200)
        self.assertEqual(server.post(ping, {"Accept": "application/json"}).status, 406)
        self.assertEqual(server.post(ping, {"Accept": "*/*"}).status, 200)
        broken = server.post(b"{")
        self.assertEqual((broken.status, broken.json["error"]["code"]), (400, -32700))
        self.assertEqual(server.post(b"x" * (4 * 1024 * 1024 + 1)).status, 413)
        self.assertEqual(server.send("GET", "/mcp").status, 405)
        self.assertEqual(server.send("DELETE", "/mcp").status, 405)
        self.assertEqual(server.send("GET", "/other").status, 404)
        self.assertEqual(server.post({"jsonrpc": "2.0", "id": 5, "result": {}}).status, 202)

    def test_strangers_are_turned_away(self):
        server = Http(self)
        ping = request(1, "ping")
        self.assertEqual(server.post(ping, host="evil.example:80").status, 403)
        self.assertEqual(server.post(ping, host=f"localhost:{server.port}").status, 200)
        self.assertEqual(server.post(ping, {"Origin": "https://evil.example"}).status, 403)
        self.assertEqual(server.post(ping, {"Origin": "null"}).status, 403)
        self.assertEqual(server.post(ping, {"Origin": "http://localhost:3000"}).status, 200)

    def test_answers_may_be_streams_of_events(self):
        server = Http(self, "--json-response=false")
        for reply in (server.post_stateless("tools/list"), server.post(request(1, "tools/list"))):
            self.assertEqual(reply.status, 200)
            self.assertEqual(reply.headers["Content-Type"], "text/event-stream")
            self.assertEqual(len(reply.event["result"]["tools"]), 4)
        self.assertEqual(server.post_stateless("no/such").headers["Content-Type"], "application/json")
        self.assertEqual(server.post({"jsonrpc": "2.0", "method": "notifications/x"}).status, 202)

    def test_sessions_are_opened_used_and_ended(self):
        server = Http(self, "--stateless=false")
        server.token = "one"
        hello = server.post(initialize("2025-11-25"))
        session = {"Mcp-Session-Id": hello.headers["Mcp-Session-Id"], "MCP-Protocol-Version": "2025-11-25"}
        self.assertEqual(server.post(request(1, "ping"), session).status, 200)
        self.assertEqual(server.post(request(1, "ping")).status, 400, "the session is missing")
        self.assertEqual(server.post(request(1, "ping"), {"Mcp-Session-Id": "made-up"}).status, 404)
        again = server.post(initialize("2025-11-25"), session)
        self.assertEqual((again.status, again.json["error"]["code"]), (400, -32600))
        server.token = "two"
        self.assertEqual(server.post(request(1, "ping"), session).status, 404, "it is another's session")
        self.assertEqual(server.send("DELETE", "/mcp", headers=session).status, 404)
        self.assertEqual(server.post_stateless("tools/list").status, 200, "the newest era has no sessions")
        server.token = "one"
        self.assertEqual(server.send("DELETE", "/mcp").status, 400)
        self.assertEqual(server.send("DELETE", "/mcp", headers=session).status, 204)
        self.assertEqual(server.post(request(1, "ping"), session).status, 404)

    def test_sessions_that_nobody_uses_end(self):
        server = Http(self, "--stateless=false", "--session-timeout=300ms")
        session = {"Mcp-Session-Id": server.post(initialize("2025-11-25")).headers["Mcp-Session-Id"]}
        self.assertEqual(server.post(request(1, "ping"), session).status, 200)
        time.sleep(1)
        self.assertEqual(server.post(request(1, "ping"), session).status, 404)

    def test_lists_may_come_in_pages(self):
        server = Http(self, "--surface=individual", "--page-size=400")
        names, params = [], {}
        while True:
            result = server.post_stateless("tools/list", params).json["result"]
            names += [tool["name"] for tool in result["tools"]]
            self.assertLessEqual(len(result["tools"]), 400)
            if "nextCursor" not in result:
                break
            params = {"cursor": result["nextCursor"]}
        whole = Http(self, "--surface=individual").post_stateless("tools/list").json["result"]["tools"]
        self.assertEqual(names, [tool["name"] for tool in whole])
        self.assertEqual(server.post_stateless("tools/list", {"cursor": "x"}).json["error"]["code"], -32602)

    def test_a_batch_is_answered_where_batches_belong(self):
        server = Http(self)
        batch = [request(1, "ping"), request(2, "tools/call", {"name": "null"})]
        self.assertEqual([answer["id"] for answer in server.post(batch).json], [1, 2])
        self.assertEqual(server.post(batch, {"MCP-Protocol-Version": "2025-06-18"}).status, 400)
        self.assertEqual(server.post([{"jsonrpc": "2.0", "method": "notifications/x"}]).status, 202)

    def test_health_says_what_runs(self):
        server = Http(self, "--surface=meta")
        health = server.send("GET", "/health")
        self.assertEqual(health.status, 200)
        self.assertEqual(health.json["status"], "ok")
        self.assertEqual(health.json["surface"], "meta")
        for field in ("version", "commit", "build", "started_at", "uptime_seconds"):
            self.assertIn(field, health.json)

    def test_a_signal_lets_calls_finish(self):
        gitlab = self.gitlab()
        gitlab.delay = 0.5
        server = Http(self, f"--upstream={gitlab.url}")
        results = []
        caller = threading.Thread(target=lambda: results.append(server.call("gitlab_server_status")))
        caller.start()
        self.assertTrue(harness.wait_until(lambda: gitlab.requests))
        server.process.send_signal(signal.SIGTERM)
        caller.join()
        self.assertEqual(results[0]["structuredContent"]["gitlab"]["version"], "17.0.0")
        self.assertEqual(server.process.wait(harness.PATIENCE), 0)
        self.assertFalse(harness.accepts(server.port))

    def test_a_caller_that_hangs_up_is_not_waited_for(self):
        gitlab = self.gitlab()
        gitlab.delay = 1
        port = harness.free_port()
        server = Http(self, f"--upstream={gitlab.url}", f"--stats=127.0.0.1:{port}")
        body = json.dumps(request(1, "tools/call", {"name": "gitlab_server_status"})).encode()
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                               b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            self.assertTrue(harness.wait_until(lambda: gitlab.requests))
        stats = lambda: harness.get_json(f"http://127.0.0.1:{port}/")["requests"]
        self.assertTrue(harness.wait_until(lambda: stats()["in_flight"] == 0))
        self.assertEqual(stats()["by_method"]["tools/call"]["abandoned"], 1)


class CatalogueTest(ReferenceCase):
    """Every tool of every surface, judged by a validator of JSON Schema that is not ours."""

    def listing(self, surface):
        server = Http(self, f"--surface={surface}")
        return server, server.post_stateless("tools/list").body

    def test_listings_weigh_what_their_surface_is_known_for(self):
        for surface, bytes_, share in (("dynamic", 12_000, 0.15), ("meta", 600_000, 0.1),
                                       ("individual", 3_200_000, 0.1)):
            _, body = self.listing(surface)
            self.assert_near(len(body), bytes_, share, surface)

    def test_every_schema_is_a_schema(self):
        validator = jsonschema.Draft202012Validator(jsonschema.Draft202012Validator.META_SCHEMA)
        for surface in ("dynamic", "meta", "individual"):
            _, body = self.listing(surface)
            seen = set()
            for tool in json.loads(body)["result"]["tools"]:
                for key in ("inputSchema", "outputSchema"):
                    text = json.dumps(tool.get(key, {}))
                    if text in seen:
                        continue
                    seen.add(text)
                    validator.validate(json.loads(text))
                self.assertEqual(tool["inputSchema"]["type"], "object", tool["name"])

    def test_answers_keep_to_the_schemas_that_were_promised(self):
        gitlab = self.gitlab()
        issue = {"id": 1, "iid": 2, "title": "T", "state": "opened", "labels": ["a"], "milestone": None,
                 "author": {"id": 1, "username": "u", "name": "U"}, "assignees": [], "web_url": "http://x"}
        gitlab.answers.update({
            "/api/v4/projects/a%2Fb/issues": (200, [issue]),
            "/api/v4/projects/a%2Fb/issues/2": (200, issue),
            "/api/v4/projects/1/jobs/5/trace": (200, b"line\n"),
            "/api/v4/projects/1/jobs/5/artifacts": (200, b"PK\x00\xff"),
            "/api/v4/projects/1/labels/3": (204, b""),
        })
        server, body = self.listing("individual")
        del server
        tools = {tool["name"]: tool for tool in json.loads(body)["result"]["tools"]}
        server = Http(self, "--surface=individual", f"--upstream={gitlab.url}")
        for name, arguments in (("gitlab_issues_list", {"id": "a/b", "state": "opened"}),
                                ("gitlab_issue_get", {"id": "a/b", "issue_iid": 2}),
                                ("gitlab_job_trace", {"id": 1, "job_id": 5}),
                                ("gitlab_job_artifacts_download", {"id": 1, "job_id": 5}),
                                ("gitlab_label_delete", {"id": 1, "label_id": "3"}),
                                ("gitlab_version_get", {}),
                                ("gitlab_server_status", {})):
            jsonschema.validate(arguments, tools[name]["inputSchema"])
            result = server.call(name, arguments)
            self.assertNotIn("isError", result, (name, result))
            jsonschema.validate(result["structuredContent"], tools[name]["outputSchema"])

    def test_what_is_found_can_be_executed(self):
        gitlab = self.gitlab()
        gitlab.answers["/api/v4/projects/a%2Fb/issues"] = (200, [{"iid": 1}])
        server = Http(self, f"--upstream={gitlab.url}")
        tools = {tool["name"]: tool
                 for tool in server.post_stateless("tools/list").json["result"]["tools"]}
        found = server.call("gitlab_find_action", {"query": "list issues", "limit": 5, "explain": True})
        jsonschema.validate(found["structuredContent"], tools["gitlab_find_action"]["outputSchema"])
        action = found["structuredContent"]["actions"][0]
        self.assertEqual(action["id"], "issues.list")
        params = {"id": "a/b", "labels": ["x"]}
        jsonschema.validate(params, action["parameters"])
        done = server.call("gitlab_execute_action", {"action": action["id"], "params": params})
        jsonschema.validate(done["structuredContent"], tools["gitlab_execute_action"]["outputSchema"])
        self.assertEqual(done["structuredContent"]["data"], [{"iid": 1}])
        self.assertEqual(gitlab.requests[-1][:2], ("GET", "/api/v4/projects/a%2Fb/issues?labels%5B%5D=x"))

    def test_areas_carry_out_their_own_actions(self):
        gitlab = self.gitlab()
        gitlab.answers["/api/v4/projects/1/issues"] = (201, {"iid": 7})
        server = Http(self, "--surface=meta", f"--upstream={gitlab.url}")
        done = server.call("gitlab_issues", {"action": "issue.create", "params": {"id": 1, "title": "T"}})
        self.assertEqual(done["structuredContent"]["data"], {"iid": 7})
        method, path, headers, body = gitlab.requests[-1]
        self.assertEqual((method, path, json.loads(body)), ("POST", "/api/v4/projects/1/issues", {"title": "T"}))
        self.assertEqual(headers["Content-Type"], "application/json")
        wrong = server.call("gitlab_issues", {"action": "branches.list", "params": {"id": 1}})
        self.assertIn("gitlab_branches", wrong["content"][0]["text"])


class UpstreamTest(ReferenceCase):
    def test_each_caller_acts_with_its_own_credential(self):
        gitlab = self.gitlab()
        server = Http(self, f"--upstream={gitlab.url}", env={"GITLAB_TOKEN": "own"})
        call = {"name": "gitlab_server_status", "arguments": {}}
        for headers in ({"PRIVATE-TOKEN": "first"}, {"Authorization": "Bearer second"}, {}):
            server.post_stateless("tools/call", call, headers)
        sent = [(headers.get("PRIVATE-TOKEN"), headers.get("Authorization"))
                for _, _, headers, _ in gitlab.requests]
        self.assertEqual(sent, [("first", None), (None, "Bearer second"), ("own", None)])

    def test_what_goes_wrong_is_an_error_that_says_so(self):
        gitlab = self.gitlab()
        server = Http(self, f"--upstream={gitlab.url}", "--upstream-timeout=200ms")
        missing = server.call("gitlab_execute_action", {"action": "project.get", "params": {"id": "x"}})
        self.assertTrue(missing["isError"])
        self.assertIn("404", missing["content"][0]["text"])
        gitlab.delay = 1
        slow = server.call("gitlab_execute_action", {"action": "version.get"})
        self.assertTrue(slow["isError"])
        self.assertIn("200ms", slow["content"][0]["text"])
        down = Http(self, f"--upstream=http://127.0.0.1:{harness.free_port()}")
        refused = down.call("gitlab_execute_action", {"action": "version.get"})
        self.assertTrue(refused["isError"])
        self.assertFalse(down.call("gitlab_server_status")["structuredContent"]["gitlab"]["reachable"])

    def test_an_instance_on_https_is_asked_when_its_certificate_is_good(self):
        certificates = Certificates()
        self.addCleanup(shutil.rmtree, certificates.folder)
        gitlab = self.gitlab(certificates.good)
        sure = Http(self, f"--upstream={gitlab.url}", f"--upstream-ca-file={certificates.authority}")
        state = sure.call("gitlab_server_status")["structuredContent"]["gitlab"]
        self.assertEqual((state["reachable"], state["version"]), (True, "17.0.0"))
        unsure = Http(self, f"--upstream={gitlab.url}")
        state = unsure.call("gitlab_server_status")["structuredContent"]["gitlab"]
        self.assertFalse(state["reachable"])
        self.assertIn("certificate", state["problem"])
        self.assertEqual(len(gitlab.requests), 1)

    def test_connections_to_gitlab_are_bounded_and_kept(self):
        gitlab = self.gitlab()
        gitlab.delay = 0.05
        port = harness.free_port()
        server = Http(self, f"--upstream={gitlab.url}", "--upstream-connections=2", f"--stats=127.0.0.1:{port}")
        callers = [threading.Thread(target=server.call, args=("gitlab_server_status",)) for _ in range(12)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        upstream = harness.get_json(f"http://127.0.0.1:{port}/")["upstream"]
        self.assertEqual((upstream["calls"], upstream["failures"]), (12, 0))
        self.assertEqual(upstream["connections_opened"], 2)


class StatsTest(ReferenceCase):
    def server(self, *words):
        self.stats_port = harness.free_port()
        return Http(self, f"--stats=127.0.0.1:{self.stats_port}", *words)

    def stats(self):
        return harness.get_json(f"http://127.0.0.1:{self.stats_port}/")

    def test_they_count_what_was_asked(self):
        server = self.server("--stateless=false")
        session = {"Mcp-Session-Id": server.post(initialize("2025-11-25")).headers["Mcp-Session-Id"]}
        server.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, session)
        for token in ("a", "b", "a"):
            server.token = token
            server.post_stateless("tools/list")
        server.call("null")
        server.call("gitlab_execute_action", {"action": "none"})
        server.post_stateless("tools/call", {"name": "no such tool"})
        server.post(b"{")
        server.send("GET", "/mcp")
        stats = self.stats()
        methods = stats["requests"]["by_method"]
        self.assertEqual(methods["initialize"]["ok"], 1)
        self.assertEqual(methods["tools/list"]["ok"], 3)
        self.assertEqual(methods["tools/call"],
                         {"ok": 1, "is_error": 1, "error": 1, "refused": 0, "abandoned": 0})
        self.assertEqual(methods["(transport)"]["refused"], 2)
        self.assertEqual(stats["notifications"], 1)
        self.assertEqual(stats["credentials_seen"], 3)  # none, a and b
        self.assertEqual(stats["sessions"], {"opened": 1, "closed": 0, "expired": 0, "live": 1})
        self.assertEqual(stats["requests"]["total"], 7)
        self.assertGreaterEqual(stats["connections"]["accepted"], 10)

    def test_they_tell_what_the_weights_really_did(self):
        server = self.server("--weight-delay=uniform:2ms-8ms", "--weight-cpu=3ms", "--weight-hold=50KiB",
                             "--stats-delays", "--seed=4")
        for token in ("a", "b"):
            server.token = token
            begin = time.monotonic()
            server.call("null")
            self.assertGreater(time.monotonic() - begin, 0.004)
        weights = self.stats()["weights"]
        self.assertEqual(weights["delay"]["count"], 2)
        self.assertEqual(len(weights["delay"]["values_ns"]), 2)
        self.assertGreaterEqual(weights["delay"]["made_ns"], weights["delay"]["asked_ns"])
        self.assertGreaterEqual(weights["cpu"]["burnt_ns"], 6_000_000)
        self.assertLess(weights["cpu"]["burnt_ns"], 12_000_000)
        self.assertEqual(weights["memory"]["credential"]["bytes"], 2 * 50 * 1024)

    def test_the_same_seed_makes_the_same_delays(self):
        asked = []
        for seed in (1, 1, 2):
            server = self.server("--weight-delay=exponential:1ms", f"--seed={seed}")
            for _ in range(5):
                server.call("null")
            asked.append(self.stats()["weights"]["delay"]["asked_ns"])
        self.assertEqual(asked[0], asked[1])
        self.assertNotEqual(asked[0], asked[2])

    def test_a_freeze_stops_everything_at_the_start_of_every_period(self):
        server = self.server("--weight-freeze=300ms/1s")
        begin = time.monotonic()
        server.call("null")
        self.assertGreaterEqual(time.monotonic() - begin, 0.3)
        time.sleep(1.5)
        freeze = self.stats()["weights"]["freeze"]
        self.assertGreaterEqual(freeze["count"], 2)
        starts = [one["after_start_ns"] / 1e9 for one in freeze["freezes"]]
        self.assertAlmostEqual(starts[1] - starts[0], 1, delta=0.25)

    def test_they_are_told_on_stdio_too(self):
        port = harness.free_port()
        server = Stdio(self, f"--stats=127.0.0.1:{port}")
        server.ask(request(1, "ping"))
        stats = harness.get_json(f"http://127.0.0.1:{port}/")
        self.assertEqual(stats["server"]["transport"], "stdio")
        self.assertEqual(stats["requests"]["by_method"]["ping"]["ok"], 1)


class TelemetryTest(ReferenceCase):
    def test_every_request_becomes_a_span(self):
        collector = self.gitlab()
        for path in ("/v1/traces", "/v1/metrics", "/v1/logs"):
            collector.answers[path] = (200, {})
        server = Stdio(self, "--telemetry", env={"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
                                                 "OTEL_BSP_SCHEDULE_DELAY": "50",
                                                 "OTEL_BLRP_SCHEDULE_DELAY": "50",
                                                 "OTEL_METRIC_EXPORT_INTERVAL": "50"})
        for identifier in range(20):
            server.ask(request(identifier, "tools/call", {"name": "null"}))
        server.ask(request(99, "tools/list"))
        server.ask(request(100, "tools/call", {"name": "no such"}))
        self.assertEqual(server.end(), 0)
        spans = [span for _, path, _, body in collector.requests if path == "/v1/traces"
                 for group in json.loads(body)["resourceSpans"] for scope in group["scopeSpans"]
                 for span in scope["spans"]]
        self.assertEqual(len(spans), 22)
        self.assertEqual(len({span["spanId"] for span in spans}), 22)
        self.assertEqual(sum(span["name"] == "tools/call null" for span in spans), 20)
        last = [json.loads(body) for _, path, _, body in collector.requests if path == "/v1/metrics"][-1]
        counts = last["resourceMetrics"][0]["scopeMetrics"][0]["metrics"][0]["sum"]["dataPoints"]
        self.assertEqual(sum(int(point["asInt"]) for point in counts), 22)
        logs = [record for _, path, _, body in collector.requests if path == "/v1/logs"
                for group in json.loads(body)["resourceLogs"] for scope in group["scopeLogs"]
                for record in scope["logRecords"]]
        self.assertEqual(len(logs), 1, "only what did not end well is logged")
        self.assertEqual(logs[0]["spanId"], next(span["spanId"] for span in spans
                                                 if span["name"] == "tools/call no such"))

    def test_a_collector_that_is_down_costs_nothing_but_the_spans(self):
        server = Stdio(self, "--telemetry", env={
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{harness.free_port()}",
            "OTEL_BSP_SCHEDULE_DELAY": "10"})
        for identifier in range(5):
            self.assertEqual(server.ask(request(identifier, "ping"))["result"], {})
        self.assertEqual(server.end(), 0)


class StartTest(ReferenceCase):
    def fails(self, *words, code, says):
        server = self.start(harness.REFERENCE_SERVER, *words, stdout=-1, stderr=-1)
        out, err = server.communicate(timeout=harness.PATIENCE)
        self.assertEqual(server.returncode, code, err)
        self.assertEqual(len(err.splitlines()), 1, err)
        self.assertIn(says, err)
        self.assertEqual(out, "")

    def test_words_that_cannot_be_meant_are_refused_in_one_line(self):
        self.fails("--surfce=meta", code=2, says="--surface")
        self.fails("--surface=all", code=2, says="dynamic, meta or individual")
        self.fails("--http=0.0.0.0:1", code=2, says="--allow-remote")
        self.fails("--upstream-ca-file=own.pem", code=2, says="https")
        self.fails("--upstream=https://gitlab.com", "--upstream-ca-file=/dev/null", code=2, says="no certificate")
        self.fails("--weight-delay=soon", code=2, says="exponential")

    def test_a_port_in_use_is_said_in_one_line(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            self.fails(f"--http=127.0.0.1:{port}", code=3, says="in use")
            self.fails(f"--stats=127.0.0.1:{port}", code=3, says="in use")

    def test_closed_stdio_is_said_in_one_line(self):
        for closed, says in (("<&-", "stdin"), (">&-", "stdout")):
            server = self.start("sh", "-c", f"exec {harness.REFERENCE_SERVER} {closed}", stdout=-1, stderr=-1)
            _, err = server.communicate(timeout=harness.PATIENCE)
            self.assertEqual(server.returncode, 3)
            self.assertIn(says, err)

    def test_help_and_version_are_told(self):
        for word, says in (("--help", "--weight-freeze"), ("--version", "reference-server")):
            server = self.start(harness.REFERENCE_SERVER, word, stdout=-1, stderr=-1)
            out, _ = server.communicate(timeout=harness.PATIENCE)
            self.assertEqual(server.returncode, 0)
            self.assertIn(says, out)


if __name__ == "__main__":
    if not os.access(harness.REFERENCE_SERVER, os.X_OK):
        sys.exit(f"There is no {harness.REFERENCE_SERVER}: build first, or set WEIGHBRIDGE_BUILD_DIR")
    unittest.main(verbosity=2)
