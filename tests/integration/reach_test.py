#!/usr/bin/env python3
"""Reaching and naming a server: TLS and its certificates, redirects, proxies, credentials, clients' files."""

import json
import shutil
import sys

import harness
from certificates import Certificates

sys.path.insert(0, str(harness.SERVERS))
from sites import Proxy, Site  # noqa: E402

WRONG_WORDS, TARGET = 2, 3
QUICK = ["--quick", "--no-report"]
SOLID = [sys.executable, str(harness.SERVERS / "leaky.py")]


class TlsTest(harness.Case):
    @classmethod
    def setUpClass(cls):
        cls.certificates = Certificates()
        cls.addClassCleanup(shutil.rmtree, cls.certificates.folder)

    def refuse(self, site, *parts, flags=(), code=TARGET):
        run = self.weigh(*QUICK, "--url", site.url, *flags, code=code)
        self.assert_one_clear_error(run, *parts)
        self.assertEqual(site.seen, [], "a request was sent although the server was not accepted")

    def test_a_server_with_a_trusted_certificate_is_weighed(self):
        with Site(self.certificates.good) as site:
            for host in ("127.0.0.1", "localhost"):
                run = self.weigh(*QUICK, "--url", f"https://{host}:{site.port}/mcp",
                                 "--ca-file", self.certificates.authority)
                served = harness.methods_of(run.repeat)["tools/call"]["served"]["count"]
                self.assertGreater(served, 0)
                self.assertNotIn("certificate_unchecked", harness.doubts_of(run.record))

    def test_a_plan_names_its_authority_beside_itself(self):
        shutil.copy(self.certificates.authority, self.folder / "ca.pem")
        with Site(self.certificates.good) as site:
            plan = self.file("plan.toml", f'[target.http]\nurl = "{site.url}"\nca_file = "{{plan_dir}}/ca.pem"\n')
            self.weigh(plan, *QUICK)

    def test_an_expired_certificate_is_told_with_its_day(self):
        with Site(self.certificates.expired) as site:
            self.refuse(site, f"the certificate of {site.authority} expired on 2024-03-01", "--insecure",
                        flags=["--ca-file", self.certificates.authority])

    def test_a_certificate_for_another_host_is_told_with_its_names(self):
        with Site(self.certificates.elsewhere) as site:
            self.refuse(site, "is for other.test, 192.0.2.7", "in the URL",
                        flags=["--ca-file", self.certificates.authority])

    def test_an_authority_that_is_not_trusted_is_told(self):
        with Site(self.certificates.good) as site:
            self.refuse(site, "authority that is not trusted", "--ca-file")

    def test_a_self_signed_certificate_can_be_trusted_by_name(self):
        with Site(self.certificates.self_signed) as site:
            self.refuse(site, "is self-signed", "--ca-file", "--insecure")
            self.weigh(*QUICK, "--url", site.url, "--ca-file", self.certificates.self_signed)

    def test_what_is_not_checked_is_doubted(self):
        with Site(self.certificates.expired) as site:
            run = self.weigh(*QUICK, "--url", site.url, "--insecure")
            self.assertIn("certificate_unchecked", harness.doubts_of(run.record))

    def test_a_file_without_certificates_is_refused(self):
        with Site(self.certificates.good) as site:
            no_pem = self.file("ca.pem", "no certificate\n")
            self.refuse(site, "no certificate can be read", "ca.pem", flags=["--ca-file", no_pem],
                        code=WRONG_WORDS)

    def test_a_plain_server_at_an_https_url_is_told(self):
        with Site() as site:
            site.url = site.url.replace("http:", "https:")
            self.refuse(site, f"{site.authority} does not speak TLS", "http://")

    def test_a_tls_server_at_a_plain_url_is_told(self):
        with Site(self.certificates.good) as site:
            site.url = site.url.replace("https:", "http:")
            self.refuse(site, "https://")

    def test_a_tunnel_leads_through_a_proxy_that_was_asked_for(self):
        with Site(self.certificates.good) as site, Proxy() as proxy:
            self.weigh(*QUICK, "--url", site.url, "--ca-file", self.certificates.authority,
                       "--proxy", proxy.url)
            self.assertEqual(set(proxy.seen), {f"CONNECT {site.authority} HTTP/1.1"})
            self.assertTrue(site.seen)

    def test_a_tunnel_that_is_refused_is_told(self):
        with Site(self.certificates.good) as site, Proxy(refuses=True) as proxy:
            self.refuse(site, f"the proxy refused a tunnel to {site.authority}", "403",
                        flags=["--proxy", proxy.url])


class WayTest(harness.Case):
    def test_a_redirect_is_told_and_not_followed(self):
        with Site() as target:
            for status in (301, 302, 307, 308):
                with Site(redirect=(status, target.url + "?key=hush")) as site:
                    run = self.weigh(*QUICK, "--url", site.url, code=TARGET)
                    self.assert_one_clear_error(run, f"redirects to {target.url}", f"HTTP {status}",
                                                "give that URL")
                    self.assertNotIn("hush", run.err)
            self.assertEqual(target.seen, [])

    def test_a_relative_redirect_is_told_as_a_whole_url(self):
        with Site(redirect=(308, "/v2/mcp")) as site:
            run = self.weigh(*QUICK, "--url", site.url, code=TARGET)
            self.assert_one_clear_error(run, f"redirects to http://{site.authority}/v2/mcp")

    def test_the_environments_proxies_are_ignored(self):
        nobody = f"http://127.0.0.1:{harness.free_port()}"
        names = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY")
        with Site() as site:
            self.weigh(*QUICK, "--url", site.url, env=dict.fromkeys(names, nobody))

    def test_a_proxy_that_was_asked_for_is_told_the_whole_url(self):
        with Site() as site, Proxy() as proxy:
            self.weigh(*QUICK, "--url", site.url, "--proxy", proxy.url)
            self.assertEqual(set(proxy.seen), {f"POST {site.url} HTTP/1.1"})

    def test_a_proxy_that_is_not_there_is_told(self):
        proxy = f"http://127.0.0.1:{harness.free_port()}"
        with Site() as site:
            run = self.weigh(*QUICK, "--url", site.url, "--proxy", proxy, code=TARGET)
            self.assert_one_clear_error(run, f"cannot connect to the proxy {proxy.removeprefix('http://')}")
            self.assertEqual(site.seen, [])

    def test_the_host_is_the_urls_and_no_origin_is_sent(self):
        with Site() as site:
            self.weigh(*QUICK, "--url", site.url)
            for _, headers in site.seen:
                self.assertEqual(headers.get_all("Host"), [site.authority])
                self.assertIsNone(headers.get("Origin"))

    def test_a_host_of_ones_own_replaces_it(self):
        with Site() as site:
            self.weigh(*QUICK, "--url", site.url, "--header", "host: gate.test")
            for _, headers in site.seen:
                self.assertEqual(headers.get_all("Host"), ["gate.test"])

    def test_a_bearer_token_comes_from_the_environment(self):
        with Site() as site:
            run = self.weigh("--quick", "-v", "--url", site.url, "--bearer-env", "WB_TEST_TOKEN",
                             env={"WB_TEST_TOKEN": "hush-bearer"})
            self.assertEqual({headers["Authorization"] for _, headers in site.seen}, {"Bearer hush-bearer"})
            self.assert_hushed(run)

    def test_a_credential_in_the_query_stays_inside(self):
        with Site() as site:
            run = self.weigh("--quick", "-v", "--url", site.url + "?mode=x&secret=hush-fixed",
                             "--credential", "?who=hush/{credential}")
            self.assertEqual({path for path, _ in site.seen},
                             {f"/mcp?mode=x&secret=hush-fixed&who=hush%2F{n}" for n in (0, 1)})
            self.assert_hushed(run)

    def test_a_credential_in_the_query_stays_inside_an_error(self):
        url = f"http://127.0.0.1:{harness.free_port()}/mcp?key=hush-fixed"
        run = self.weigh(*QUICK, "--url", url, "--credential", "?who=hush-{credential}", code=TARGET)
        self.assert_one_clear_error(run)
        self.assert_hushed(run)

    def assert_hushed(self, run):
        """Every secret here contains "hush"."""
        written = [run.out, run.err]
        written += [path.read_text(encoding="utf-8") for path in run.folder.rglob("*") if path.is_file()]
        for text in written:
            self.assertNotIn("hush", text)


class ConfigTest(harness.Case):
    VSCODE = """{
      // As the editor allows.
      "inputs": [ { "type": "promptString", "id": "token", "description": "A token", "password": true }, ],
      "servers": {
        "leaky": { "command": %s, "args": [%s], "env": { "LEAKY_TOKEN": "${input:token}" } },
        "remote": { "type": "http", "url": "https://mcp.test/mcp" },
      },
    }"""

    def config(self):
        program, *arguments = map(json.dumps, SOLID)
        return self.file(".vscode/mcp.json", self.VSCODE % (program, ", ".join(arguments)))

    def test_a_server_of_an_editors_file_is_weighed_without_a_word_of_its_secrets(self):
        run = self.weigh("--quick", "-v", "--config", self.config(), "--server", "leaky",
                         "--input", "token=hush-hush")
        self.assertEqual(run.record["name"], "leaky")
        for text in (run.out, run.err, run.record_path.read_text(), run.report_path.read_text()):
            self.assertNotIn("hush", text)

    def test_a_missing_input_is_named_with_what_to_give(self):
        run = self.weigh(*QUICK, "--config", self.config(), "--server", "leaky", code=WRONG_WORDS)
        self.assert_one_clear_error(run, "${input:token} (A token)", "--input token=VALUE")

    def test_an_unknown_server_is_told_with_the_nearest_and_all(self):
        run = self.weigh(*QUICK, "--config", self.config(), "--server", "laeky", code=WRONG_WORDS)
        self.assert_one_clear_error(run, 'no server "laeky"', 'Did you mean "leaky"?', "leaky, remote")

    def test_broken_json_is_told_with_line_and_column(self):
        broken = self.file("mcp.json", '{\n  "mcpServers": {\n    "a" { "command": "x" }\n  }\n}\n')
        run = self.weigh(*QUICK, "--config", broken, code=WRONG_WORDS)
        self.assert_one_clear_error(run, "mcp.json:3:9", "not valid JSON")

    def test_the_plan_can_be_looked_at_first(self):
        run = self.program("plan", "--config", self.config(), "--server", "leaky",
                           "--input", "token=hush-hush")
        self.assertEqual(run.code, 0, run)
        self.assertIn('name = "leaky"', run.out)
        self.assertIn("LEAKY_TOKEN", run.out)
        self.assertNotIn("hush", run.out)


if __name__ == "__main__":
    harness.main()
