#!/usr/bin/env python3
"""The product in the real client: does the model get to see the annotations, and does nothing else change?

    FLOORPLAN_BIN=.../floorplan CLAUDE_BIN=.../claude tests/e2e/run.py [--keep]

Installs the hook with `floorplan install` into a HOME of its own, copies examples/shop into a repository of its own, and
plays the same script to the client without the hook, with it, with another process holding the index lock, and with a
graph that is behind so that a background index runs meanwhile. The API is scripted and on loopback, the key is made up. What
the hook ought to have said is asked of the same binary by hand, so no wording is repeated here. Exits 1 on the first
expectation that fails.
"""
import fcntl
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from messages_api import MessagesApi, text, tool

HERE = os.path.dirname(os.path.abspath(__file__))
SHOP = os.path.join(HERE, "..", "..", "examples", "shop")
PYTHON, JAVA, GO = "billing/invoice.py", "src/main/java/shop/stock/Shelf.java", "courier/route.go"
TYPESCRIPT = "web/cart.ts"
READS = (("python", PYTHON), ("java", JAVA), ("go", GO), ("typescript", TYPESCRIPT))
# Sorted, since the client's own grep finds files in no fixed order.
SEARCH = "grep -rn finalize --include=*.py . | sort"
# Generous: it only has to tell a session that runs from one in which something waits for the index.
SECONDS_PER_TURN = 20


def main():
    binary = os.path.abspath(os.environ["FLOORPLAN_BIN"])
    client = os.path.abspath(os.environ["CLAUDE_BIN"])
    folder = os.path.realpath(tempfile.mkdtemp(prefix="floorplan-e2e-"))
    try:
        Run(folder, binary, client).all()
    finally:
        if "--keep" in sys.argv:
            print("kept:", folder)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    print("e2e: all expectations hold")


def expect(holds, what, seen=None):
    print("  %s %s" % ("ok  " if holds else "FAIL", what), flush=True)
    if not holds:
        if seen is not None:
            print("       seen:", seen if isinstance(seen, str) else json.dumps(seen, indent=1)[:4000])
        sys.exit(1)


class Session:
    """What one run of the client sent to the model."""

    def __init__(self, requests, times):
        self.requests, self.times = requests, times

    def results(self):
        """Tool call -> (refused, text), over the whole conversation."""
        found = {}
        for message in self.requests[-1]["messages"]:
            for block in message["content"] if isinstance(message["content"], list) else []:
                if block.get("type") == "tool_result":
                    found[block["tool_use_id"]] = (bool(block.get("is_error")), json.dumps(block["content"]))
        return found

    def shown_after(self, call):
        """All text but the tool results that the first request after a call adds behind that call."""
        for request in self.requests:
            for number, message in enumerate(request["messages"]):
                content = message["content"] if isinstance(message["content"], list) else []
                if any(block.get("id") == "toolu_" + call for block in content):
                    return "\n".join(texts(request["messages"][number + 1:]))
        return ""

    def shown_first(self):
        return "\n".join(texts(self.requests[0]["messages"]))

    def slowest_turn(self):
        return max(later - earlier for earlier, later in zip(self.times, self.times[1:]))


def texts(messages):
    for message in messages:
        if isinstance(message["content"], str):
            yield message["content"]
            continue
        for block in message["content"]:
            if block.get("type") == "text":
                yield block["text"]


class Run:
    def __init__(self, folder, binary, client):
        self.binary, self.client, self.asked = binary, client, 0
        self.home, self.repo = os.path.join(folder, "home"), os.path.join(folder, "repo")
        self.outside = os.path.join(folder, "outside.txt")
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": self.home, "LANG": "C.UTF-8", "TERM": "dumb", "IS_SANDBOX": "1",
            "ANTHROPIC_API_KEY": "sk-ant-api03-made-up", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1",
            "DISABLE_BUG_COMMAND": "1", "DISABLE_INSTALLATION_CHECKS": "1",
        }

    # ------------------------------------------------------------------ helpers
    def command(self, *words, stdin=""):
        done = subprocess.run(words, cwd=self.repo, env=self.environment, input=stdin, capture_output=True, text=True,
                              timeout=120)
        if done.returncode != 0:
            sys.exit("%s failed (%d):\n%s%s" % (" ".join(words), done.returncode, done.stdout, done.stderr))
        return done.stdout

    def git(self, *words):
        return self.command("git", "-c", "user.name=e2e", "-c", "user.email=e2e@localhost", *words)

    def hook(self, event, **fields):
        """What the binary says to an event by hand."""
        self.asked += 1     # a session of its own for each: what one was told, another was not
        fields.update(hook_event_name=event, session_id="by-hand-%d" % self.asked, cwd=self.repo)
        said = self.command(self.binary, stdin=json.dumps(fields) + "\n")
        return json.loads(said)["hookSpecificOutput"]["additionalContext"] if said else ""

    def turns(self):
        read = lambda name, path: tool(name, "Read", file_path=path)
        bash = lambda name, command: tool(name, "Bash", command=command, description=name)
        return [
            [text("Reading."), read("python", os.path.join(self.repo, PYTHON))],
            [read("java", os.path.join(self.repo, JAVA))],
            [read("go", os.path.join(self.repo, GO))],
            [read("typescript", os.path.join(self.repo, TYPESCRIPT))],
            [bash("search", SEARCH)],
            # What the user's permission rules say must stay what they say.
            [read("denied", os.path.join(self.repo, ".env")), read("outside", self.outside)],
            [bash("writes", "touch made-by-bash"), bash("cat-outside", "cat " + self.outside)],
            [tool("edit", "Edit", file_path=os.path.join(self.repo, "billing/tax.py"), old_string="0.2,",
                  new_string="0.3,")],
            [text("Done.")],
        ]

    def session(self, turns=None, *flags, prompt="do what the script says"):
        turns = turns or self.turns()
        with MessagesApi(turns) as api:
            environment = dict(self.environment, ANTHROPIC_BASE_URL=api.url)
            done = subprocess.run([self.client, "-p", prompt, "--output-format", "stream-json",
                                   "--verbose", "--include-hook-events", *flags], cwd=self.repo, env=environment,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90)
        expect(done.returncode == 0, "the client ends well", done.stdout[-2000:] + done.stderr[-2000:])
        for line in done.stdout.splitlines():
            event = json.loads(line)
            if event.get("subtype") == "hook_response":
                expect(event.get("outcome") == "success" and not event.get("stderr"), "%s: hook runs without a sound on "
                       "stderr" % event.get("hook_name"), event)
        expect(len(api.requests) == len(turns), "every turn was played once", len(api.requests))
        return Session(api.requests, api.times)

    def snapshot(self):
        found = glob.glob(os.path.join(self.home, ".cache", "floorplan", "*", "snapshot.bin"))
        return found[0] if found else None

    # ------------------------------------------------------------------ the run
    def all(self):
        self.set_up()
        print("without the hook")
        plain = self.session()
        self.expect_script_worked(plain)
        print("install")
        self.command(self.binary, "index", self.repo)
        print("  " + self.command(self.binary, "install", "--binary", self.binary).replace("\n", "\n  ").rstrip())
        print("with the hook")
        self.expect_annotated(self.session(), plain)
        print("a prompt that is about the repository")
        self.expect_seeded()
        print("an edit that breaks its callers")
        self.expect_impact()
        print("the questions as tools")
        self.expect_tools()
        print("while another process holds the index lock")
        with open(os.path.join(os.path.dirname(self.snapshot()), "lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.expect_annotated(self.session(), plain)
        print("with a graph that is behind, so that a background index runs meanwhile")
        before = os.stat(self.snapshot()).st_ino
        self.grow()
        # Not word for word: the new graph may be there before the session ends.
        session = self.session()
        for call, path in READS:
            expect("hook additional context: %s:" % path in session.shown_after(call), "%s is annotated" % path,
                   session.shown_after(call))
        self.expect_undisturbed(session, plain)
        expect(self.wait_for(lambda: os.stat(self.snapshot()).st_ino != before), "the background index publishes a new graph")
        print("after uninstall")
        self.command(self.binary, "uninstall", "--binary", self.binary)
        after = self.session()
        expect(after.results() == plain.results(), "tool results are those without the hook", after.results())
        expect("hook additional context" not in json.dumps(after.requests[-1]), "nothing of the hook is left")

    def set_up(self):
        os.makedirs(os.path.join(self.home, ".claude"))
        shutil.copytree(SHOP, self.repo)
        with open(os.path.join(self.repo, ".env"), "w") as file:
            file.write("KEY=do-not-show\n")
        with open(self.outside, "w") as file:
            file.write("outside the project\n")
        with open(os.path.join(self.home, ".claude", "settings.json"), "w") as file:
            json.dump({"permissions": {"deny": ["Read(./.env)"]}}, file)
        self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-qm", "shop")

    def grow(self):
        """A commit of so much code that indexing it takes longer than starting the client."""
        os.mkdir(os.path.join(self.repo, "catalog"))
        for number in range(1500):
            with open(os.path.join(self.repo, "catalog", "part_%d.py" % number), "w") as file:
                file.write("from catalog import part_%d\n\n\n" % (number * 7 % 1500))
                for name in range(60):
                    file.write("def price_%d_%d(amount):\n    return part_%d.price_%d_%d(amount) + amount\n\n\n"
                               % (number, name, number * 7 % 1500, number * 7 % 1500, (name + 1) % 60))
        self.git("add", "catalog")
        self.git("commit", "-qm", "a catalog")

    def wait_for(self, condition, seconds=120):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition():
                return True
            time.sleep(0.2)
        return False

    # ------------------------------------------------------------------ expectations
    def expect_script_worked(self, session):
        refused = {call: refused for call, (refused, _) in session.results().items()}
        expect(refused == {"toolu_python": False, "toolu_java": False, "toolu_go": False,
                           "toolu_typescript": False, "toolu_search": False,
                           "toolu_denied": True, "toolu_outside": True, "toolu_writes": True, "toolu_cat-outside": True,
                           "toolu_edit": True},
               "the client allows and refuses what it should", session.results())

    def expect_annotated(self, session, plain):
        for call, path in READS:
            said = self.hook("PreToolUse", tool_name="Read", tool_input={"file_path": os.path.join(self.repo, path)})
            expect(said.startswith(path + ":"), "the annotation begins with %s" % path, said)
            self.expect_shown(said, session.shown_after(call), "the request after the Read of %s" % path)
        said = self.hook("PreToolUse", tool_name="Bash", tool_input={"command": SEARCH})
        expect(PYTHON in said, "the search is answered with the place of the definition", said)
        self.expect_shown(said, session.shown_after("search"), "the request after the grep")
        said = self.hook("SessionStart", source="startup")
        expect("floorplan" in said, "there is a briefing", said)
        self.expect_shown(said, session.shown_first(), "the first request")
        self.expect_undisturbed(session, plain)

    def expect_seeded(self):
        prompt = "the total of an invoice must be rounded when it is finalized for a country with tax, see @%s" % PYTHON
        said = self.hook("UserPromptSubmit", prompt=prompt)
        expect(said.startswith(PYTHON + ":") and "Files that the words" in said, "a mention and the files are told", said)
        session = self.session([[text("Done.")]], prompt=prompt)
        self.expect_shown(said, session.shown_first(), "the request with the prompt")
        chat = self.session([[text("Done.")]], prompt="thanks, go on")
        expect("Files that the words" not in chat.shown_first(), "chat gets nothing", chat.shown_first())

    def expect_impact(self):
        path = os.path.join(self.repo, PYTHON)
        with open(path) as file:
            before = file.read()
        session = self.session([
            [tool("read", "Read", file_path=path)],
            [tool("edit", "Edit", file_path=path, old_string="def finalize(invoice, country):", new_string="def finalize(invoice, country, at):")],
            [text("Done.")],
        ], "--permission-mode", "acceptEdits")
        shown = session.shown_after("edit")
        expect("%s was edited. finalize() needs at, not given at " % PYTHON in shown and "api/routes.py:8" in shown, "the request after the edit names the callers", shown)
        print("         " + shown[-400:])
        with open(path, "w") as file:
            file.write(before)
        # The edit has started an update; an index waits for nobody.
        again = lambda: subprocess.run([self.binary, "index", "--quiet", self.repo], env=self.environment, stderr=subprocess.DEVNULL).returncode == 0
        expect(self.wait_for(again), "the graph is brought up to date")

    def expect_tools(self):
        with open(os.path.join(self.home, "mcp.json"), "w") as file:
            json.dump({"mcpServers": {"floorplan": {"command": self.binary, "args": ["mcp"]}}}, file)
        self.environment["ENABLE_TOOL_SEARCH"] = "false"    # so that the tools are in the first request
        session = self.session([[tool("radius", "mcp__floorplan__blast_radius", targets=["finalize"])], [text("Done.")]],
                               "--mcp-config", os.path.join(self.home, "mcp.json"), "--allowedTools", "mcp__floorplan__blast_radius")
        del self.environment["ENABLE_TOOL_SEARCH"]
        offered = [offered["name"] for offered in session.requests[0]["tools"] if offered["name"].startswith("mcp__floorplan__")]
        expect(len(offered) == 6, "the model is offered six tools", offered)
        refused, answer = session.results()["toolu_radius"]
        expect(not refused and "api/routes.py:8" in answer, "and gets an answer", answer)

    def expect_undisturbed(self, session, plain):
        expect(session.results() == plain.results(), "tool results and refusals are those without the hook",
               {"with": session.results(), "without": plain.results()})
        expect("do-not-show" not in json.dumps(session.requests), "the denied file is shown nowhere")
        expect(session.slowest_turn() < SECONDS_PER_TURN, "no turn waited (slowest %.1f s)" % session.slowest_turn())

    def expect_shown(self, said, shown, where):
        expect(said in shown, "%s shows it to the model" % where, {"said": said, "shown": shown[-3000:]})
        print("         " + said.replace("\n", "\n         "))


if __name__ == "__main__":
    main()
