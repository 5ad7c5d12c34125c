#!/usr/bin/env python3
"""What the reference server's fixtures do on the wire: streams, coming back to them, news, and hostile callers."""

import http.client
import json
import signal
import unittest

import harness
from reference_server_support import Http, Stdio, initialize, request, stateless_request

WATCHED = "test://watched-resource"


class Stream:
    """A reply that stays open, read event by event."""

    def __init__(self, case, port, method, headers, message=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=harness.PATIENCE)
        case.addCleanup(self.connection.close)
        body = None if message is None else json.dumps(message)
        self.connection.request(method, "/mcp", body, {
            "Accept": "application/json, text/event-stream", "Content-Type": "application/json", **headers})
        self.reply = self.connection.getresponse()
        self.status = self.reply.status

    def event(self):
        """Fields of the next event; None at the end."""
        fields = {}
        while line := self.reply.readline().decode().rstrip("\n"):
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
        return fields or None

    def message(self):
        """The next event that carries one."""
        while (event := self.event()) is not None:
            if event["data"]:
                return json.loads(event["data"])
        return None


class FixturesTest(harness.Case):
    def serve(self, *words):
        self.server = Http(self, "--fixtures", *words)
        return self.server

    def open_session(self, capabilities=None):
        hello = initialize("2025-11-25")
        hello["params"]["capabilities"] = capabilities or {}
        reply = self.server.post(hello)
        return {"Mcp-Session-Id": reply.headers["Mcp-Session-Id"], "MCP-Protocol-Version": "2025-11-25"}

    def stream(self, method, headers, message=None):
        return Stream(self, self.server.port, method, headers, message)

    def call(self, session, tool, identifier=1, **arguments):
        return self.stream("POST", session, request(identifier, "tools/call",
                                                    {"name": tool, "arguments": arguments}))

    def listen(self, wanted):
        """A listen stream of the stateless era, acknowledged."""
        stream = self.stream("POST", {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"},
                             stateless_request(5, "subscriptions/listen", {"notifications": wanted}))
        self.assertEqual(stream.message()["method"], "notifications/subscriptions/acknowledged")
        return stream

    def test_a_request_to_the_client_travels_on_the_stream_of_the_call(self):
        self.serve()
        session = self.open_session({"sampling": {}})
        stream = self.call(session, "test_sampling", prompt="hello")
        self.assertEqual(stream.event()["data"], "", "the priming event")
        question = stream.message()
        self.assertEqual(question["params"]["messages"][0]["content"]["text"], "hello")
        answer = {"jsonrpc": "2.0", "id": question["id"], "result": {"content": {"type": "text", "text": "hi"}}}
        foreign = self.open_session({"sampling": {}})
        self.assertEqual(self.server.post(answer, foreign).status, 202)
        self.assertEqual(self.server.post(answer, session).status, 202)
        self.assertEqual(stream.message()["result"]["content"][0]["text"], "LLM response: hi")
        self.assertIsNone(stream.event())

    def test_a_client_comes_back_for_the_rest_of_its_stream(self):
        self.serve()
        session = self.open_session()
        stream = self.call(session, "test_reconnection")
        priming = stream.event()
        self.assertEqual((priming["data"], priming["retry"]), ("", "500"))
        self.assertIsNone(stream.event(), "the server ends the stream before it answers")
        again = self.stream("GET", {**session, "Last-Event-ID": priming["id"]})
        self.assertIn("result", again.message())
        self.assertIsNone(again.event())
        late = self.stream("GET", {**session, "Last-Event-ID": priming["id"]})
        self.assertIn("result", late.message(), "an answer that was lost again can be fetched again")

    def test_what_a_client_missed_is_sent_again_and_nothing_else(self):
        self.serve()
        session = self.open_session()
        stream = self.call(session, "test_tool_with_logging")
        first = stream.event()
        while not first["data"]:
            first = stream.event()
        stream.connection.close()
        again = self.stream("GET", {**session, "Last-Event-ID": first["id"]})
        self.assertEqual(again.message()["params"]["data"], "Tool processing data")
        self.assertEqual(again.message()["params"]["data"], "Tool execution completed")
        self.assertIn("result", again.message())

    def test_foreign_places_to_go_on_from_are_refused(self):
        self.serve()
        session, other = self.open_session(), self.open_session()
        mine = self.call(session, "test_reconnection").event()["id"]
        for last in ("x", "1-", "1-99", "99-1", "-1-1", "0-0", mine + "9" * 30, "\u00e9".encode().decode("latin-1")):
            reply = self.stream("GET", {**session, "Last-Event-ID": last})
            self.assertEqual(reply.status, 400, last)
        self.assertEqual(self.stream("GET", {**other, "Last-Event-ID": mine}).status, 400,
                         "another session's stream")
        self.assertEqual(self.stream("GET", {"Last-Event-ID": mine}).status, 400, "no session at all")
        self.assertEqual(self.stream("GET", {"Mcp-Session-Id": "made-up"}).status, 404)
        self.assertEqual(self.stream("GET", {**session, "Accept": "application/json"}).status, 406)
        self.assertEqual(self.stream("GET", {"MCP-Protocol-Version": "2026-07-28"}).status, 405)

    def test_news_come_over_the_get_stream_and_there_is_one(self):
        self.serve()
        session = self.open_session()
        news = self.stream("GET", session)
        self.assertEqual(news.status, 200)
        self.assertEqual(self.stream("GET", session).status, 409)
        self.server.post(request(1, "resources/subscribe", {"uri": WATCHED}), session)
        for tool in ("test_trigger_tool_change", "test_trigger_resource_update"):
            self.server.post(request(2, "tools/call", {"name": tool}), session)
        self.assertEqual(news.message()["method"], "notifications/tools/list_changed")
        self.assertEqual(news.message()["params"], {"uri": WATCHED})
        names = [tool["name"] for tool in
                 self.server.post(request(3, "tools/list"), session).json["result"]["tools"]]
        self.assertIn("test_added_tool", names)
        self.server.send("DELETE", "/mcp", headers=session)
        self.assertIsNone(news.message(), "it ends with its session")

    def test_listen_streams_end_in_order_when_the_server_does(self):
        self.serve()
        streams = [self.listen({"toolsListChanged": True}), self.listen({"promptsListChanged": True})]
        session = self.open_session()
        standing = self.stream("GET", session)
        self.server.process.send_signal(signal.SIGTERM)
        for stream in streams:
            self.assertEqual(stream.message()["result"]["resultType"], "complete")
            self.assertIsNone(stream.event())
        self.assertIsNone(standing.message())
        self.assertEqual(self.server.process.wait(harness.PATIENCE), 0)

    def test_a_listener_that_hangs_up_is_forgotten(self):
        port = harness.free_port()
        self.serve(f"--stats=127.0.0.1:{port}")

        def in_flight():
            return harness.get_json(f"http://127.0.0.1:{port}/")["requests"]["in_flight"]

        stream = self.listen({"toolsListChanged": True})
        self.assertEqual(in_flight(), 1)
        stream.connection.close()
        stream.reply.close()
        self.assertTrue(harness.wait_until(lambda: in_flight() == 0))
        self.assertEqual(self.server.call("test_trigger_tool_change")["content"][0]["text"], "A tool was added.")

    def test_parameters_and_their_headers_must_agree(self):
        self.serve()
        params = {"name": "test_param_headers", "arguments": {"region": "Hello", "count": 7}}
        good = {"Mcp-Param-Region": "=?base64?SGVsbG8=?=", "mcp-param-count": "7"}
        self.assertEqual(self.server.post_stateless("tools/call", params, good).status, 200)
        for bad in ({}, {**good, "Mcp-Param-Region": "hello"}, {**good, "Mcp-Param-Region": "=?base64?SGVsbG8?="},
                    {**good, "mcp-param-count": "8"}):
            reply = self.server.post_stateless("tools/call", params, bad)
            self.assertEqual((reply.status, reply.json["error"]["code"]), (400, -32020), bad)

    def test_a_state_that_was_tampered_with_or_belongs_to_another_is_refused(self):
        self.serve()

        def call(**more):
            return self.server.post(
                {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                    "name": "test_input_required_result_request_state", **more, "_meta": {
                        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}}},
                {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call",
                 "Mcp-Name": "test_input_required_result_request_state"}).json

        self.server.token = "one"
        first = call()["result"]
        self.assertEqual(first["resultType"], "input_required")
        inputs = {"confirm": {"action": "accept", "content": {"ok": True}}}
        state = first["requestState"]
        self.assertIn("state-ok", call(inputResponses=inputs, requestState=state)["result"]["content"][0]["text"])
        for bad in (state + "x", state[:-8] + "AAAAAAA=", "", "x" * 100_000, 7, None, {}):
            self.assertEqual(call(inputResponses=inputs, requestState=bad)["error"]["code"], -32602)
        self.server.token = "two"
        self.assertEqual(call(inputResponses=inputs, requestState=state)["error"]["code"], -32602)

    def test_a_body_beyond_the_limit_is_refused_and_the_server_lives(self):
        self.serve()
        session = self.open_session()
        huge = json.dumps(request(1, "tools/call", {"name": "x" * (5 << 20)})).encode()
        try:
            self.assertEqual(self.server.post(huge, session).status, 413)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it had said so before the body was sent
        self.assertEqual(self.server.post(request(1, "ping"), session).status, 200)

    def test_stdio_has_the_same_dialogue(self):
        server = Stdio(self, "--fixtures")
        hello = initialize("2025-11-25")
        hello["params"]["capabilities"] = {"elicitation": {}}
        self.assertIn("prompts", server.ask(hello)["result"]["capabilities"])
        question = server.ask(request(1, "tools/call", {"name": "test_elicitation_sep1034_defaults"}))
        self.assertEqual(question["method"], "elicitation/create")
        server.send({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}})
        self.assertIn("action=decline", server.receive()["result"]["content"][0]["text"])
        server.ask(request(2, "resources/subscribe", {"uri": WATCHED}))
        server.send(request(3, "tools/call", {"name": "test_trigger_resource_update"}))
        self.assertEqual({server.receive().get("method"), server.receive().get("method")},
                         {None, "notifications/resources/updated"})
        self.assertEqual(server.end(), 0)

    def test_fixtures_without_sessions_are_refused(self):
        run = self.program("--http=127.0.0.1:0", "--fixtures", "--stateless=true",
                           program=harness.REFERENCE_SERVER)
        self.assertEqual(run.code, 2, run)
        self.assertIn("--stateless", run.err)


if __name__ == "__main__":
    harness.main()
