#!/usr/bin/env python3
"""Thirty common operations ask GitLab the same whether the reference server carries them out or
@zereight/mcp-gitlab, the server that most people use for them: method, path, query and body."""

import json
import urllib.parse

import harness
from reference_server_support import ReferenceCase, Stdio, initialize, request

PACKAGES = harness.ROOT / "plans" / "servers" / "mcp-gitlab" / "node_modules"
PEER = PACKAGES / ".bin" / "mcp-gitlab"

P = "group/project"

#: The peer's tool and arguments; our action and params.
OPERATIONS = [
    ("list_issues", {"project_id": P, "state": "opened", "labels": ["bug", "ui"], "per_page": 50},
     "issues.list", {"id": P, "state": "opened", "labels": ["bug", "ui"], "per_page": 50}),
    ("get_issue", {"project_id": P, "issue_iid": "7"}, "issue.get", {"id": P, "issue_iid": 7}),
    ("create_issue", {"project_id": P, "title": "T & T", "description": "D"},
     "issue.create", {"id": P, "title": "T & T", "description": "D"}),
    ("update_issue", {"project_id": P, "issue_iid": "7", "state_event": "close"},
     "issue.update", {"id": P, "issue_iid": 7, "state_event": "close"}),
    ("delete_issue", {"project_id": P, "issue_iid": "7"}, "issue.delete", {"id": P, "issue_iid": 7}),
    ("create_issue_note", {"project_id": P, "issue_iid": "7", "body": "Hello"},
     "issue_note.create", {"project_id": P, "issue_iid": 7, "body": "Hello"}),
    ("list_merge_requests", {"project_id": P, "state": "merged", "order_by": "updated_at"},
     "merge_requests.list", {"id": P, "state": "merged", "order_by": "updated_at"}),
    ("get_merge_request", {"project_id": P, "merge_request_iid": "3"},
     "merge_request.get", {"id": P, "merge_request_iid": 3}),
    ("create_merge_request", {"project_id": P, "title": "M", "source_branch": "a", "target_branch": "main"},
     "merge_request.create", {"id": P, "title": "M", "source_branch": "a", "target_branch": "main"}),
    ("update_merge_request", {"project_id": P, "merge_request_iid": "3", "title": "N"},
     "merge_request.update", {"id": P, "merge_request_iid": 3, "title": "N"}),
    ("merge_merge_request", {"project_id": P, "merge_request_iid": "3", "squash": True},
     "merge_request.merge", {"id": P, "merge_request_iid": 3, "squash": True}),
    ("approve_merge_request", {"project_id": P, "merge_request_iid": "3"},
     "merge_request.approve", {"id": P, "merge_request_iid": 3}),
    ("list_pipelines", {"project_id": P, "status": "failed", "ref": "main"},
     "pipelines.list", {"id": P, "status": "failed", "ref": "main"}),
    ("get_pipeline", {"project_id": P, "pipeline_id": "11"}, "pipeline.get", {"id": P, "pipeline_id": 11}),
    ("create_pipeline", {"project_id": P, "ref": "main"}, "pipeline.create", {"id": P, "ref": "main"}),
    ("retry_pipeline", {"project_id": P, "pipeline_id": "11"}, "pipeline.retry", {"id": P, "pipeline_id": 11}),
    ("cancel_pipeline", {"project_id": P, "pipeline_id": "11"}, "pipeline.cancel", {"id": P, "pipeline_id": 11}),
    ("list_pipeline_jobs", {"project_id": P, "pipeline_id": "11", "scope": "failed"},
     "pipeline_jobs.list", {"id": P, "pipeline_id": 11, "scope": "failed"}),
    ("get_pipeline_job", {"project_id": P, "job_id": "5"}, "job.get", {"id": P, "job_id": 5}),
    ("list_labels", {"project_id": P, "search": "bug"}, "labels.list", {"id": P, "search": "bug"}),
    ("create_label", {"project_id": P, "name": "bug", "color": "#ff0000"},
     "label.create", {"id": P, "name": "bug", "color": "#ff0000"}),
    ("get_project", {"project_id": P}, "project.get", {"id": P}),
    ("list_projects", {"search": "scale", "owned": True}, "projects.list", {"search": "scale", "owned": True}),
    ("list_branches", {"project_id": P, "search": "fix"}, "branches.list", {"id": P, "search": "fix"}),
    ("create_branch", {"project_id": P, "branch": "fix/1", "ref": "main"},
     "branch.create", {"id": P, "branch": "fix/1", "ref": "main"}),
    ("delete_branch", {"project_id": P, "branch_name": "fix/1"}, "branch.delete", {"id": P, "branch": "fix/1"}),
    ("list_commits", {"project_id": P, "ref_name": "main", "path": "src"},
     "commits.list", {"id": P, "ref_name": "main", "path": "src"}),
    ("get_commit", {"project_id": P, "sha": "abc123"}, "commit.get", {"id": P, "sha": "abc123"}),
    ("list_milestones", {"project_id": P, "state": "active"}, "milestones.list", {"id": P, "state": "active"}),
    ("list_releases", {"project_id": P}, "releases.list", {"id": P}),
    ("list_tags", {"project_id": P, "search": "v1"}, "tags.list", {"id": P, "search": "v1"}),
    ("get_release", {"project_id": P, "tag_name": "v1.0"}, "release.get", {"id": P, "tag_name": "v1.0"}),
]


#: What the peer sends beside that, and why the reference server does not.
EXPLAINED = {
    "create_issue": {"body": {"issue_type": "issue"}},  # GitLab's own default
    "get_merge_request": {"query": [("include_diverged_commits_count", "true")]},  # more than was asked for
    "merge_merge_request": {"body": {"auto_merge": False, "merge_when_pipeline_succeeds": False,
                                     "should_remove_source_branch": False}},  # GitLab's own defaults
    "approve_merge_request": {"body": {}},  # nothing, spelt as an object
    "create_label": {"body": {"project_id": P}},  # said in the path already
}


class Asked:
    """A request in the form in which two are compared: equal queries and bodies may be spelt in several ways."""

    def __init__(self, recorded):
        method, target, _, body = recorded
        path, _, query = target.partition("?")
        self.method = method
        self.path = urllib.parse.quote(urllib.parse.unquote(path.replace("%2F", "\0")), safe="/\0").replace("\0", "%2F")
        self.query = sorted(urllib.parse.parse_qsl(query, keep_blank_values=True))
        self.body = json.loads(body) if body else None

    def __repr__(self):
        return f"{self.method} {self.path} {self.query} {self.body}"


class GitlabRequestsTest(ReferenceCase):
    """Both over stdio, against one stand-in that answers everything with a record."""

    class Anything(dict):
        def get(self, _path, _default=None):
            return 200, {"id": 1, "iid": 1, "project_id": 1, "title": "T", "name": "N", "default_branch": "main"}

    def peer(self, gitlab):
        if not PEER.exists():
            self.skipTest("the peer is not installed: tools/setup/npm_ci.sh plans/servers/mcp-gitlab")
        server = Stdio(self, program=["node", str(PEER)], env={
            "GITLAB_API_URL": f"{gitlab.url}/api/v4", "GITLAB_PERSONAL_ACCESS_TOKEN": "glpat-test",
            "GITLAB_DISABLE_VERSION_CHECK": "true", "GITLAB_TOOLSETS": "all"})
        server.ask(initialize("2025-06-18"))
        server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return server

    def asked(self, gitlab, server, tool, arguments):
        gitlab.requests.clear()
        answer = server.ask(request(1, "tools/call", {"name": tool, "arguments": arguments}))
        self.assertEqual(len(gitlab.requests), 1, (tool, arguments, answer))
        return Asked(gitlab.requests[0])

    def test_common_operations_ask_the_same_of_gitlab(self):
        self.assertGreaterEqual(len(OPERATIONS), 30)
        gitlab = self.gitlab()
        gitlab.answers = self.Anything()
        peer = self.peer(gitlab)
        ours = Stdio(self, f"--upstream={gitlab.url}", env={"GITLAB_TOKEN": "glpat-test"})
        for tool, arguments, action, params in OPERATIONS:
            with self.subTest(tool):
                theirs = self.asked(gitlab, peer, tool, arguments)
                own = self.asked(gitlab, ours, "gitlab_execute_action", {"action": action, "params": params})
                more = EXPLAINED.get(tool, {})
                self.assertEqual((own.method, own.path), (theirs.method, theirs.path))
                self.assertEqual(sorted(own.query + more.get("query", [])), theirs.query)
                body = {**(own.body or {}), **more["body"]} if "body" in more else own.body
                self.assertEqual(body, theirs.body)


if __name__ == "__main__":
    harness.main()
