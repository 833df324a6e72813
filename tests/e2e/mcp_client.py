#!/usr/bin/env python3
"""The MCP server asked by a client that is not ours (the protocol's Python SDK, PyPI `mcp` 2.3.0).

    FLOORPLAN_BIN=.../floorplan tests/e2e/mcp_client.py

Indexes a copy of examples/shop and asks each tool, once well and once badly. What the answers hold is compared with the
command line's. Exits 1 on the first expectation that fails.
"""
import asyncio
import os
import re
import shutil
import subprocess
import tempfile

from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

HERE = os.path.dirname(os.path.abspath(__file__))
SHOP = os.path.join(HERE, "..", "..", "examples", "shop")


def expect(holds, what, seen=None):
    print("  %s %s" % ("ok  " if holds else "FAIL", what), flush=True)
    if not holds:
        print("       seen:", seen, flush=True)
        os._exit(1)


async def ask(binary, repo, environment):
    server = StdioServerParameters(command=binary, args=["mcp"], cwd=repo, env=environment)
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        greeting = await session.initialize()
        expect(greeting.server_info.name == "floorplan", "the server says who it is", greeting)
        tools = (await session.list_tools()).tools
        names = sorted(tool.name for tool in tools)
        expect(names == ["blast_radius", "find", "neighborhoods", "plan", "relations", "review"], "six tools", names)

        async def call(tool, **arguments):
            result = await session.call_tool(tool, arguments)
            return bool(result.is_error), "\n".join(block.text for block in result.content)

        said = lambda *words: subprocess.run([binary, "-C", repo, *words], env=environment, capture_output=True, text=True).stdout
        lines = lambda text: set(re.findall(r"[\w/]+\.(?:py|java):\d+", text))
        failed, text = await call("blast_radius", targets=["finalize"])
        expect(not failed and "api/routes.py" in text and lines(text) == lines(said("blast-radius", "finalize")), "blast_radius is the command's", text)
        failed, text = await call("find", text="finalize")
        expect(not failed and "billing/invoice.py:15-18  finalize" in text, "find", text)
        failed, text = await call("relations", target="finalize", direction="used_by", kinds=["calls"])
        expect(not failed and "api/routes.py:8" in text, "relations", text)
        failed, text = await call("relations", target="api/routes.py", to="net")
        expect(not failed and "finalize" in text, "relations between two", text)
        failed, text = await call("plan", targets=["finalize"], budget=4000)
        expect(not failed and "billing/invoice.py:15-18  finalize  full" in text, "plan", text)
        failed, text = await call("neighborhoods")
        expect(not failed and text, "neighborhoods", text)
        with open(os.path.join(repo, "billing/invoice.py"), "a") as file:
            file.write("\n\ndef fresh(x):\n    return x\n")
        failed, text = await call("review")
        expect(not failed and "fresh" in text, "review of the work tree", text)

        for tool, arguments, hint in [
            ("blast_radius", {"targets": ["nothing_of_that_name"]}, "nothing_of_that_name"),
            ("blast_radius", {"targets": []}, "targets"),
            ("blast_radius", {}, "targets"),
            ("blast_radius", {"targets": "finalize"}, ""),
            ("relations", {"target": "finalize", "kinds": ["loves"]}, "loves"),
            ("review", {"base": "--output=/tmp/x"}, "--output"),
            ("find", {"text": "x\u0000\u202e" * 4000}, ""),
            ("plan", {"targets": ["finalize"], "budget": -1}, ""),
            ("neighborhoods", {"file": "../../etc/passwd"}, ""),
            ("blast_radius", {"targets": ["finalize"], "folder": "/nonexistent"}, "/nonexistent"),
            ("blast_radius", {"targets": ["finalize"], "cursor": 10**6}, ""),
        ]:
            failed, text = await call(tool, **arguments)
            expect(text.strip() and len(text) < 4000 and hint in text, "%s %.60r is answered in words" % (tool, arguments), text)
        failed, text = await call("blast_radius", targets=["finalize"])
        expect(not failed and "api/routes.py" in text, "and the server is well after it", text)


def main():
    binary = os.path.abspath(os.environ["FLOORPLAN_BIN"])
    folder = os.path.realpath(tempfile.mkdtemp(prefix="floorplan-mcp-"))
    try:
        repo = os.path.join(folder, "repo")
        shutil.copytree(SHOP, repo)
        environment = {"PATH": os.environ["PATH"], "HOME": folder, "XDG_CACHE_HOME": os.path.join(folder, "cache")}
        for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=e2e", "-c", "user.email=e2e@localhost", "commit", "-qm", "shop"]):
            subprocess.run(["git", "-C", repo, *words], check=True)
        subprocess.run([binary, "index", "--quiet", repo], env=environment, check=True)
        asyncio.run(ask(binary, repo, environment))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("mcp: all expectations hold")


if __name__ == "__main__":
    main()
