#!/usr/bin/env python3
"""A long session in the real client: 200 mixed events, two subagents, a compaction.

    FLOORPLAN_BIN=.../floorplan CLAUDE_BIN=.../claude tests/e2e/long.py [EVENTS]

Plays reads, ranges, searches, shell reads, edits and commands that are none of these over a generated repository. No conversation may
get the same annotation twice between compactions, every line of the journal must be readable, and the tokens told are printed. Exits 1 on the
first expectation that fails.
"""
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

from messages_api import MessagesApi, text, tool
from run import HERE, SHOP, expect, texts

MARK = re.compile(r"\[script (\w+)\]")
SAID = re.compile(r"(?:Pre|Post)ToolUse:\w+ hook additional context: ([^\n]+)")
FILES = 120


class Scripts(MessagesApi):
    """Plays one of several scripts: the one that the last prompt of a conversation names, from that prompt on."""

    def __init__(self, scripts):
        super().__init__([])
        self.scripts = scripts

    def answer(self, body):
        if not body.get("tools"):
            return [text("ok")]
        self.requests.append(body)
        name, played = None, 0
        for message in body["messages"]:
            found = MARK.findall("\n".join(texts([message]))) if message["role"] == "user" else []
            if found:
                name, played = found[-1], 0
            played += message["role"] == "assistant"
        script = self.scripts.get(name, [])
        return script[played] if played < len(script) else [text("Done.")]


class Long:
    def __init__(self, folder, binary, client, events):
        self.binary, self.client, self.events = binary, client, events
        self.home, self.repo = os.path.join(folder, "home"), os.path.join(folder, "repo")
        self.random, self.called = random.Random(1), 0
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": self.home, "LANG": "C.UTF-8", "TERM": "dumb", "IS_SANDBOX": "1",
            "ANTHROPIC_API_KEY": "sk-ant-api03-made-up", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_BUG_COMMAND": "1", "DISABLE_INSTALLATION_CHECKS": "1",
        }

    def command(self, *words):
        return subprocess.run(words, cwd=self.repo, env=self.environment, capture_output=True, text=True, check=True).stdout

    def step(self):
        """One tool call."""
        self.called += 1
        name = "call-%d" % self.called
        path = os.path.join(self.repo, self.random.choice(self.files))
        function = self.random.choice(self.functions)
        bash = lambda command: tool(name, "Bash", command=command, description=name)
        return [self.random.choice([
            lambda: tool(name, "Read", file_path=path),
            lambda: tool(name, "Read", file_path=path),
            lambda: tool(name, "Read", file_path=path, offset=3, limit=8),
            lambda: bash("grep -rn %s ." % function),
            lambda: bash("cat %s" % os.path.relpath(path, self.repo)),
            lambda: bash("sed -n 1,9p %s | head -3; grep -n '%s' %s" % (path, function, path)),
            lambda: bash("ls && git status --short"),
            lambda: tool(name, "Edit", file_path=os.path.join(self.repo, "billing/tax.py"), old_string="\n", new_string="\n\n", replace_all=False),
        ])()]

    def steps(self, share):
        return [self.step() for _ in range(self.events * share // 100)]

    def agent(self, number):
        self.called += 1
        return [tool("agent-%d" % number, "Agent", description="look around", prompt="[script sub%d]" % number, subagent_type="general-purpose")]

    def play(self, prompt, scripts, *flags):
        with Scripts(scripts) as api:
            done = subprocess.run([self.client, "-p", prompt, "--output-format", "json", "--permission-mode", "acceptEdits",
                                   "--allowedTools", "Bash", "Read", "Agent", *flags], cwd=self.repo,
                                  env=dict(self.environment, ANTHROPIC_BASE_URL=api.url), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900)
        expect(done.returncode == 0, "the client ends well (%s)" % prompt, done.stdout[-1500:] + done.stderr[-1500:])
        return api.requests

    def all(self):
        os.makedirs(os.path.join(self.home, ".claude"))
        shutil.copytree(SHOP, self.repo)
        subprocess.run([sys.executable, os.path.join(HERE, "..", "bench", "generate.py"), self.repo, str(FILES)], check=True)
        for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=e2e", "-c", "user.email=e2e@localhost", "commit", "-qm", "all"]):
            self.command("git", *words)
        self.command(self.binary, "index", "--quiet", self.repo)
        self.command(self.binary, "install", "--binary", self.binary)
        rows = [json.loads(line) for line in self.command(self.binary, "dump").splitlines()]
        definitions = [row for row in rows if row["t"] == "definition"]
        # Few enough that many are seen again.
        self.files = sorted({row["file"] for row in definitions})[:40]
        self.functions = sorted({row["qualname"] for row in definitions if row["kind"] == "function" and row["file"] in self.files})[:40]

        first = {"main": self.steps(25) + [self.agent(1)] + self.steps(15), "sub1": self.steps(15)}
        second = {"later": self.steps(15) + [self.agent(2)] + self.steps(15), "sub2": self.steps(15)}
        before = self.play("[script main] look around", first)
        self.play("/compact", {}, "--continue")
        after = self.play("[script later] go on", second, "--continue")
        expect(self.called >= self.events, "%d tool calls were played" % self.called)
        for part, requests in (("before the compaction", before), ("after it", after)):
            for name, said in self.conversations(requests).items():
                again = sorted({line for line in said if said.count(line) > 1})
                expect(said and not again, "%s, %s: %d annotations, none of them twice" % (part, name, len(said)), again or "nothing was said")
        journals = glob.glob(os.path.join(self.home, ".cache", "floorplan", "*", "*.journal"))
        expect(len(journals) == 1, "one journal of the session", journals)
        lines = open(journals[0]).read().splitlines()
        kinds = {line.split("\t")[0] for line in lines}
        known = {"read", "searched", "edited", "check", "shown", "note", "cut", "briefed"}
        expect(kinds <= known, "%d lines that can be read" % len(lines), sorted(kinds - known))
        told = json.loads(self.command(self.binary, "status", "--json"))["told"]
        print("told: %(annotations)d annotations of about %(tokens)d tokens in %(sessions)d session; of %(naming)d that named files %(followed)d were followed" % told)

    def conversations(self, requests):
        """What was said in each: of a conversation that grew, its last request."""
        said = {}
        for request in requests:
            words = "\n".join(texts(request["messages"]))
            name = MARK.findall(words)[-1] if MARK.findall(words) else "other"
            said[name] = max(said.get(name, []), SAID.findall(words), key=len)
        said.pop("other", None)
        return said


def main():
    folder = os.path.realpath(tempfile.mkdtemp(prefix="floorplan-long-"))
    try:
        events = int(sys.argv[1]) if len(sys.argv) > 1 else 200
        Long(folder, os.path.abspath(os.environ["FLOORPLAN_BIN"]), os.path.abspath(os.environ["CLAUDE_BIN"]), events).all()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("long: all expectations hold")


if __name__ == "__main__":
    main()
