#!/usr/bin/env python3
"""Goal    Every command does what its help says, with the exit code and the output that docs/errors.md promises.
Method  The real tool on real programs, in a folder of its own."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

REPRISE = os.environ["REPRISE"]
GUEST = str(Path(os.environ["REPRISE_GUESTS"]) / "hello_mutex")
EXAMPLES = Path(os.environ["REPRISE_EXAMPLES"])
DEADLOCK = str(EXAMPLES / "03_dining_deadlock")
CRASH = str(EXAMPLES / "04_crash")


class Commands(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.TemporaryDirectory(prefix="reprise-cli-")
        self.addCleanup(self.home.cleanup)

    def run_tool(self, *words, code=0, **options):
        environment = {**os.environ, "REPRISE_HOME": self.home.name, "NO_COLOR": "1"}
        done = subprocess.run([REPRISE, *words], env=environment, capture_output=True, text=True, timeout=120, **options)
        if code is None:
            return done
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def folder(self, name):
        return Path(self.home.name) / f"{name}.reprise"

    def record(self, name="run", program=GUEST, **options):
        return self.run_tool("record", "-o", name, "--", program, **options)

    def test_record_then_replay_says_identical(self):
        recorded = self.record()
        self.assertRegex(recorded.stderr, r"^reprise: recorded run \(3 threads, 208 steps, \d+ written, \d+ B\); "
                                          r"replay it with: reprise replay run\n$")
        replayed = self.run_tool("replay", "run", "--times", "3")
        self.assertEqual(replayed.stdout, recorded.stdout + "replayed 3 of 3 identical\n")
        self.assertEqual(self.run_tool("replay", "--quiet").stdout, "replayed 1 of 1 identical\n")

    def test_the_control_without_the_gate_is_not_judged(self):
        self.record()
        self.assertNotIn("identical", self.run_tool("replay", "--gate-off").stdout)

    def test_names(self):
        self.record()
        self.assertIn("--force", self.record(code=2).stderr)
        self.run_tool("record", "-o", "run", "--force", "--", GUEST)
        self.run_tool("record", "--", GUEST)
        self.assertTrue(self.folder("hello_mutex-1").is_dir())
        self.run_tool("record", "-o", "../escape", "--", GUEST, code=2)
        self.run_tool("info", str(self.folder("run")))
        self.run_tool("info", "nothing", code=5)
        self.assertEqual(self.folder("run").stat().st_mode & 0o777, 0o700)

    def test_exit_codes_pass_through(self):
        self.run_tool("record", "--", "/bin/sh", "-c", "exit 42", code=42)
        self.run_tool("record", "--", "/bin/sh", "-c", "kill -KILL $$", code=137)
        self.run_tool("record", "--", "./no-such-program", code=125)
        self.run_tool("record", "--timeout", "0.2", "--", "/bin/sleep", "100", code=137)
        self.run_tool("record", GUEST, code=2)

    def test_a_program_without_gates_says_so(self):
        self.assertIn("no gate was met", self.record(program="/bin/true").stderr)
        self.assertIn("no gate was met", self.run_tool("replay", "run", code=5).stderr)
        self.assertIn("no gate was met", self.run_tool("info", "run").stdout)

    def test_json_is_json_and_alone_on_stdout(self):
        facts = json.loads(self.run_tool("record", "--json", "-o", "run", "--", GUEST).stdout)
        self.assertEqual((facts["name"], facts["threads"], facts["steps"]), ("run", 3, 208))
        replay = json.loads(self.run_tool("replay", "--json").stdout)
        self.assertEqual((replay["verdict"], replay["identical"]), ("identical", 1))
        info = json.loads(self.run_tool("info", "--json").stdout)
        self.assertEqual([thread["path"] for thread in info["processes"][0]["threads"]], ["0", "0.0", "0.1"])
        events = json.loads(self.run_tool("show", "--json").stdout)
        self.assertEqual(len(events), len([e for e in events if e["kind"] != "label"]))
        self.assertTrue(json.loads(self.run_tool("verify", "--json").stdout)["good"])
        self.assertEqual(json.loads(self.run_tool("ls", "--json").stdout)[0]["name"], "run")
        self.assertIn("version", json.loads(self.run_tool("version", "--json").stdout))

    def test_trace_writes_every_event(self):
        self.record()
        self.assertIn("traced 208 events", self.run_tool("replay", "run", "--trace").stderr)
        self.assertEqual(len(json.loads(self.run_tool("show", "run", "--json").stdout)), 208)
        lines = self.run_tool("show", "run", "--interleaved").stdout.splitlines()
        self.assertEqual(len(lines), 208)
        orders = [line.split()[-1] for line in lines if " locked turn " in line]
        self.assertEqual(orders, [str(order) for order in range(1, 101)])
        self.run_tool("replay", "run")

    def test_show_filters(self):
        self.run_tool("record", "--full", "-o", "run", "--", GUEST)
        lines = self.run_tool("show", "run", "--thread", "0.1", "--kind", "lock", "--object", "turn").stdout.splitlines()
        self.assertEqual(len(lines), 50)
        self.assertTrue(all(line.startswith("0.1 ") and " locked turn order " in line for line in lines))
        self.assertEqual(len(self.run_tool("show", "run", "--limit", "7").stdout.splitlines()), 7)
        for flag in ("--thread", "--kind", "--object"):
            self.run_tool("show", "run", flag, "nothing", code=2)

    def test_a_deadlock_is_recorded_explained_and_replayed(self):
        self.run_tool("record", "-o", "run", "--chaos", "1", "--until-failure", "200", "--timeout", "2", "--", DEADLOCK, code=137)
        info = self.run_tool("info", "run").stdout
        self.assertIn("killed at the time limit of 2 s", info)
        self.assertIn("deadlock", info)
        self.assertIn("replayed 2 of 2 identical", self.run_tool("replay", "run", "--times", "2").stdout)

    def test_a_crash_is_replayed(self):
        recorded = self.run_tool("record", "-o", "run", "--chaos", "1", "--until-failure", "500", "--", CRASH, code=None)
        self.assertIn("failed: SIG", recorded.stderr)
        self.assertIn("died of SIG", self.run_tool("info", "run").stdout)
        self.run_tool("replay", "run", "--times", "2")

    def test_until_failure_keeps_only_a_failure(self):
        none = self.run_tool("record", "-o", "run", "--until-failure", "3", "--", GUEST)
        self.assertIn("3 runs, none failed", none.stderr)
        self.assertFalse(self.folder("run").exists())
        found = self.run_tool("record", "-o", "run", "--until-failure", "3", "--grep", "a", "--", GUEST)
        self.assertIn("run 1 of 3 failed: \"a\" in its output", found.stderr)
        self.assertRegex(found.stdout, "^[ab]{100}\n$")
        self.run_tool("record", "--grep", "a", "--", GUEST, code=2)

    def test_damage_is_found_and_repaired(self):
        self.run_tool("record", "--full", "-o", "run", "--", GUEST)
        log = self.folder("run") / "hello_mutex.log"
        good = log.read_bytes()
        log.write_bytes(good[:len(good) // 2])
        found = self.run_tool("verify", "run", code=5)
        self.assertIn("damaged", found.stdout)
        self.assertIn("next: reprise verify run --repair", found.stderr)
        self.run_tool("replay", "run", code=5)
        self.run_tool("verify", "run", "--repair")
        self.run_tool("verify", "run")
        self.assertTrue((self.folder("run") / "hello_mutex.log.damaged").exists())

    def test_rm_removes_recordings_and_nothing_else(self):
        self.record("one")
        self.record("two")
        stranger = self.folder("stranger")
        stranger.mkdir()
        (stranger / "letter").write_text("dear")
        self.run_tool("rm", "one", "nothing", code=5)
        self.assertTrue(self.folder("one").exists())
        self.run_tool("rm", "stranger", code=5)
        self.run_tool("rm", "--all")
        self.assertEqual(sorted(path.name for path in Path(self.home.name).iterdir()), ["stranger.reprise"])
        self.assertTrue((stranger / "letter").exists())

    def test_another_build_warns_and_the_kept_copy_replays(self):
        program = Path(self.home.name) / "program"
        program.write_bytes(Path(GUEST).read_bytes())
        program.chmod(0o700)
        self.run_tool("record", "-o", "run", "--", str(program))
        program.write_bytes(Path(EXAMPLES / "01_lost_update").read_bytes())
        changed = self.run_tool("replay", "run", code=3)
        self.assertIn("another build", changed.stderr)
        self.assertIn("expected", changed.stdout)
        self.assertIn("actual", changed.stdout)
        self.assertIn("next: reprise replay run --image", changed.stderr)
        self.run_tool("replay", "run", "--image")
        program.unlink()
        self.assertIn("is gone", self.run_tool("replay", "run").stderr)
        self.run_tool("replay", "run", "--program", GUEST)

    def test_an_interrupted_recording_is_whole(self):
        tool = subprocess.Popen([REPRISE, "record", "-o", "run", "--", DEADLOCK, "hang"], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, env={**os.environ, "REPRISE_HOME": self.home.name})
        live = self.folder("run") / "03_dining_deadlock.live"
        deadline = time.monotonic() + 30
        while not live.exists() and tool.poll() is None and time.monotonic() < deadline:
            time.sleep(0.001)
        tool.send_signal(signal.SIGTERM)
        tool.wait(30)
        self.run_tool("verify", "run")
        self.run_tool("replay", "run")

    def test_help_and_completion(self):
        self.assertIn("Usage: reprise COMMAND", self.run_tool("help").stdout)
        self.assertIn("Example:", self.run_tool("replay", "--help").stdout)
        self.assertIn("Usage", self.run_tool(code=2).stdout)
        self.run_tool("frobnicate", code=2)
        script = self.run_tool("completion", "bash").stdout
        listing = subprocess.run(["bash", "-c", f"{script}\nCOMP_WORDS=(reprise rep); COMP_CWORD=1; _reprise; echo ${{COMPREPLY[@]}}"],
                                 capture_output=True, text=True, check=True)
        self.assertEqual(listing.stdout, "replay\n")
        for words, expected in (("sequence run --form th", "thread1 thread2\n"), ("replay --seq", "--sequence\n"),
                                ("test --inp", "--inputs\n"), ("sequence --fi", "--files\n")):
            listing = subprocess.run(["bash", "-c", f"{script}\nCOMP_WORDS=(reprise {words}); COMP_CWORD={len(words.split())}; _reprise; "
                                      "echo ${COMPREPLY[@]}"], capture_output=True, text=True, check=True)
            self.assertEqual(listing.stdout, expected, words)
        self.run_tool("completion", "fish", code=2)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
