"""The engine against its peers and its floors: time, CPU and peak memory of a task, growth, commits, start.

usage: [PRIO="chrt -r 1"] [QUICK=1] [ROUNDS=5] [ONLY=d1,d3] [TEAMTUI=PROGRAM] python3 benches/engine.py PEERS

PEERS is the folder of the peers: `dag_gen.py`, `dag_langgraph.py` and `rs/target/release/floor` are in it, `npm` and `py`
(node modules, a Python environment) beside it; `make`, `ninja` and GNU `time` are on PATH. A peer that is missing is left
out. Only teamtui is built here; TEAMTUI measures another build of it, without the rows that need the library.

Everybody runs the same graphs, with the same number in flight, alternating within each round; medians count. Limits are
ratios of what was measured in the same run, since machines are shared. Before it the floor's wall time is compared with
its CPU time: over 1.3 somebody else is at work, and ratios are not to be trusted; as root a real-time class (PRIO) helps.
Peak memory is that of the largest process of the tree (GNU time, %M).
"""
import glob, json, os, shutil, sqlite3, statistics, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
QUICK = bool(os.environ.get("QUICK"))
ROUNDS = int(os.environ.get("ROUNDS", 2 if QUICK else 5))
ONLY = os.environ.get("ONLY", "").lower().split(",") if os.environ.get("ONLY") else None
PRIO = os.environ.get("PRIO", "").split()
N = 300 if QUICK else 1000
BIG = 1000 if QUICK else 5000
CHAIRS = 16  # members that share the tasks of a large team
NOISY = 1.3


# What is measured: one run of one program.

class Run:
    """Wall and CPU seconds, peak MB, and what it printed."""

    def __init__(self, wall, cpu, rss, out):
        self.wall, self.cpu, self.rss, self.out = wall, cpu, rss, out


def run(command, cwd, env=None, timeout=300):
    """One run under GNU time; None if it failed or took too long."""
    began = time.perf_counter()
    try:
        done = subprocess.run(PRIO + ["time", "-f", "@@%M %U %S"] + command, cwd=cwd, env=env or os.environ,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)
    except (subprocess.TimeoutExpired, FileNotFoundError):
        return None
    wall = time.perf_counter() - began
    if done.returncode or "@@" not in done.stderr:
        print(f"  failed ({done.returncode}): {' '.join(command)[:100]}\n  {(done.stdout + done.stderr)[-300:]!r}",
              file=sys.stderr)
        return None
    rss, user, system = done.stderr.rsplit("@@", 1)[-1].split()
    return Run(wall, float(user) + float(system), int(rss) / 1024, done.stdout)


def inner(text, key):
    """The number after `key=` in what a floor or a peer printed."""
    found = [word.split("=")[1] for word in text.split() if word.startswith(key + "=")]
    return float(found[0]) if found else None


class Contest:
    """Contestants run by turns; the median of each number of each."""

    def __init__(self, rounds=ROUNDS):
        self.rounds, self.entries, self.found = rounds, [], {}

    def add(self, name, command, cwd, env=None, once=False):
        """`command` is a list, or gives one anew for each run."""
        first = command() if callable(command) else command
        if first and (shutil.which(first[0]) or os.path.exists(first[0])):
            self.entries.append((name, command, cwd, env, once))

    def go(self):
        lost = set()
        for round in range(self.rounds):
            for name, command, cwd, env, once in self.entries:
                if name in lost or (once and round):
                    continue
                one = run(command() if callable(command) else command, cwd, env)
                if one is None:
                    lost.add(name)
                else:
                    self.found.setdefault(name, []).append(one)
        return self

    def of(self, name, what=lambda one: one.wall):
        values = [what(one) for one in self.found.get(name, [])]
        return statistics.median(values) if values and None not in values else None

    def floor(self, name):
        """A floor says itself how long it took, without its start."""
        return self.of(name, lambda one: inner(one.out, "wall"))

    def rss(self, name):
        return self.of(name, lambda one: one.rss)


# What is run: teamtui, the floors and the peers over one graph.

class Bench:
    def __init__(self, peers, work):
        self.peers, self.work, self.runs = os.path.abspath(peers), work, 0
        sys.path.insert(0, self.peers)
        self.gen = __import__("dag_gen")
        self.teamtui, self.helper = build()
        self.floor = os.path.join(self.peers, "rs/target/release/floor")
        beside = os.path.dirname(self.peers)
        self.npm, self.python = f"{beside}/npm/node_modules", f"{beside}/py/bin/python"
        quiet = {"TURBO_TELEMETRY_DISABLED": "1", "NX_DAEMON": "false", "DO_NOT_TRACK": "1", "NX_TUI": "false"}
        self.env = dict(os.environ, **quiet)
        # A do-nothing npm leaves turbo's own cost.
        self.shim = dict(self.env, PATH=f"{self.peers}/shim:" + os.environ["PATH"])
        self.langgraph = self.langgraph_script()

    def langgraph_script(self):
        """The peer's script, with the number in flight as an argument."""
        script = open(os.path.join(self.peers, "dag_langgraph.py")).read()
        path = os.path.join(self.work, "peer.py")
        open(path, "w").write(script.replace('"max_concurrency": 2', '"max_concurrency": int(sys.argv[3])'))
        return path

    def graph(self, shape, n):
        folder = os.path.join(self.work, f"{shape}-{n}")
        if not os.path.exists(folder):
            self.gen.write(shape, n, folder)
            if os.path.isdir(self.npm):
                os.symlink(self.npm, f"{folder}/node_modules")
        return folder

    def team(self, shape, n, work, parallel, chairs=None):
        """A team file over the same graph: a member a task, or tasks shared by some members."""
        chairs = chairs or (None if n <= 1000 else CHAIRS)
        path = os.path.join(self.graph(shape, n), f"{work}-{parallel}-{chairs or 'each'}.toml")
        edges = self.gen.edges(shape, n)
        own = 'argv = ["true"]' if work == "true" else """script = ['complete "x"']"""
        with open(path, "w") as file:
            file.write(f'name = "bench"\nworkspace = "{self.work}"\n[limits]\nparallel = {parallel}\n')
            if chairs:
                file.write(f"[agents.worker]\n{own}\n")
                file.writelines(f'[members.m{i}]\nagent = "worker"\n' for i in range(chairs))
            for i in range(n):
                on = ", ".join(f'"t{x}"' for x in edges[i])
                on = f"depends_on = [{on}]\n" if on else ""
                head = f'[tasks.t{i}]\nassignee = "m{i % chairs}"\nprompt = "go"\n' if chairs else f"[members.t{i}]\n{own}\n"
                file.write(head + on)
        return path

    def ours(self, contest, name, shape, n, work, parallel, chairs=None):
        self.script(contest, name, [self.team(shape, n, work, parallel, chairs)])

    def script(self, contest, name, words):
        """A run of teamtui, each in a state of its own: ext4 is slow for seconds after many files were removed."""
        def command():
            self.runs += 1
            self.state = os.path.join(self.work, f"state-{self.runs}")
            return [self.teamtui, "--script", *words, "--state", self.state]
        contest.add(name, command, self.work)

    def floors(self, contest, shape, n, parallel, modes):
        for mode in modes:
            contest.add(f"floor {mode}", [self.floor, "dag.txt", str(parallel), mode], self.graph(shape, n))

    def processes(self, contest, shape, n, parallel, names):
        folder = self.graph(shape, n)
        turbo = ["run", "all", f"--concurrency={parallel}", "--ui=stream"]
        known = {
            "make": (["make", "-s", f"-j{parallel}"], None, False),
            "ninja": (["ninja", f"-j{parallel}", "--quiet"], None, False),
            "just": ([f"{os.path.dirname(self.python)}/just", "all"], None, False),
            "turbo": ([f"{self.npm}/.bin/turbo"] + turbo, self.shim, False),
            "nx": ([f"{folder}/node_modules/.bin/nx", "run", "pkg:all", f"--parallel={parallel}",
                    "--outputStyle=stream"], self.env, True),
            "turbo as shipped": ([f"{self.npm}/.bin/turbo"] + turbo, self.env, True),
        }
        for name in names:
            command, env, once = known[name]
            contest.add(name, command, folder, env, once)

    def graphs(self, contest, shape, n, parallel):
        contest.add("langgraph", [self.python, self.langgraph, ".", "sqlite", str(parallel)], self.graph(shape, n))

    def commits(self):
        out = subprocess.run([self.helper, "commits", self.state, self.work], capture_output=True, text=True)
        return inner(out.stdout, "commits"), inner(out.stdout, "events")


def build():
    """Builds teamtui and the helper; gives both programs."""
    if os.environ.get("TEAMTUI"):
        return os.path.abspath(os.environ["TEAMTUI"]), os.environ.get("HELPER")
    found = {}
    for what in (["build"], ["bench", "--no-run", "--bench", "engine"]):
        flags = ["--release"] if what == ["build"] else []
        out = subprocess.run(["cargo", *what, *flags, "--message-format=json"], cwd=ROOT, capture_output=True, text=True)
        if out.returncode:
            sys.exit(out.stderr)
        for line in out.stdout.splitlines():
            told = json.loads(line)
            if told.get("executable"):
                found[told["target"]["name"], told["target"]["kind"][0]] = told["executable"]
    return found["teamtui", "bin"], found["engine", "bench"]


# What is said.

TABLE = []


def row(name, ours, unit, limit, said, peers=()):
    """A line of the table; `limit` is what ours may be, peers are (name, measured, most of it that ours may be)."""
    met = "-" if ours is None or limit is None else ("met" if ours <= limit else "NOT MET")
    number = lambda x: "-" if x is None else f"{x:.3g}" if x < 100 else f"{x:.0f}"
    ratio = f"{ours / limit:.2f}" if ours is not None and limit else "-"
    TABLE.append((name, f"{number(ours)} {unit}", f"{number(limit)} = {said}", ratio, met))
    print(f"{name:<34}{number(ours):>8} {unit:<9} limit {number(limit):>7} ({said}): {ratio} {met}")
    for peer, value, most in peers:
        if value is None or ours is None:
            continue
        allowed = "" if most is None else f", at most {most}: " + ("met" if ours <= most * value else "NOT MET")
        print(f"{'':<34}{number(value):>8} {unit:<9} {peer}: ours is {ours / value:.2f} x{allowed}")
    sys.stdout.flush()


def micros(seconds, n):
    return None if seconds is None else seconds * 1e6 / n


def times(factor, value):
    return None if value is None else factor * value


# The rows.

def d1(bench):
    """A chain of `true`: every task waits for its commit."""
    c = Contest()
    bench.floors(c, "chain", N, 2, ["none", "redb1", "redb2"])
    bench.ours(c, "ours", "chain", N, "true", 2)
    bench.processes(c, "chain", N, 2, ["make", "ninja", "just", "turbo"] + ([] if QUICK else ["nx"]))
    c.go()
    cpu = c.of("floor none", lambda one: one.cpu)
    noise = c.of("floor none") / cpu
    print(f"quietness: the floor's wall time is {noise:.2f} x its CPU time" + (" - NOISY" if noise > NOISY else ""))
    us = lambda name: micros(c.of(name), N)
    limit = times(1.15, micros(c.floor("floor redb1"), N))
    peers = [("make", us("make"), 1.6), ("ninja", us("ninja"), None), ("just", us("just"), None),
             ("turbo, its own cost", us("turbo"), 1.0), ("nx", us("nx"), 0.2),
             ("floor none (F)", micros(c.floor("floor none"), N), None),
             ("floor redb1 (F + C)", micros(c.floor("floor redb1"), N), 1.15),
             ("floor redb2 (F + 2C)", micros(c.floor("floor redb2"), N), 1.15)]
    row("D1 chain of true, 2 in flight", us("ours"), "us/task", limit, "1.15 x (F + C)", peers)
    cpu = lambda name: times(1e6 / N, c.of(name, lambda one: one.cpu))
    print(f"{'':<34}CPU us/task: ours {cpu('ours'):.0f}, floor redb1 {cpu('floor redb1'):.0f}, make {cpu('make') or 0:.0f}")
    if not QUICK:
        small = Contest(1)
        bench.processes(small, "chain", 100, 2, ["turbo as shipped"])
        small.go()
        row("D1 against turbo as shipped", us("ours"), "us/task", times(0.02, micros(small.of("turbo as shipped"), 100)),
            "1/50 of turbo as shipped")


def d2(bench):
    """A wide graph of `true`, 16 in flight."""
    c = Contest()
    bench.floors(c, "wide", N, 16, ["none", "redb2"])
    bench.ours(c, "ours", "wide", N, "true", 16)
    bench.processes(c, "wide", N, 16, ["make", "ninja"])
    c.go()
    us = lambda name: micros(c.of(name), N)
    limit = times(1.5, micros(c.floor("floor none"), N))
    peers = [("make -j16", us("make"), 1.45), ("ninja -j16", us("ninja"), 1.3),
             ("floor redb2", micros(c.floor("floor redb2"), N), None)]
    row("D2 wide of true, 16 in flight", us("ours"), "us/task", limit, "1.5 x F", peers)


def d3(bench):
    """Scripted members: no process, two commits a task."""
    for shape, parallel, faster in (("chain", 2, 3.5), ("wide", 2, 1.5), ("wide", 64, None)):
        c = Contest()
        bench.floors(c, shape, N, parallel, ["noop", "fake1", "fake2"])
        bench.ours(c, "ours", shape, N, "scripted", parallel)
        bench.graphs(c, shape, N, parallel)
        c.go()
        ours = micros(c.of("ours"), N)
        floor = micros(c.floor("floor fake2"), N)
        # The chain: two commits a task. At 2 in flight a wide graph has no limit but its peer.
        limit, said = {"chain": (times(1.3, floor), "1.3 x 2C"), "wide": (times(2.5, floor), "2.5 x the floor")}[shape]
        if (shape, parallel) == ("wide", 2):
            limit, said = None, "its peer alone"
        peer = micros(c.of("langgraph", lambda one: inner(one.out, "run")), N)
        row(f"D3 scripted {shape}, {parallel} in flight", ours, "us/task", limit, said,
            [("langgraph, durable", peer, None if faster is None else 1 / faster), ("floor fake2", floor, None)])
        if parallel == 64 and bench.helper:
            commits, events = bench.commits()
            row("D6 commits of it", commits, "commits", 0.1 * events, f"0.1 x {events:.0f} events")


def d4(bench):
    """Growth of the time of a task, and D5: the memory of a large run."""
    for shape, parallel in (("chain", 2), ("wide", 16)):
        few, many = Contest(max(2, ROUNDS - 2)), Contest(max(1, ROUNDS - 3))
        for c, n in ((few, N), (many, BIG)):
            bench.ours(c, "ours", shape, n, "true", parallel, CHAIRS)
            bench.processes(c, shape, n, parallel, ["make", "ninja"] + ([] if QUICK else ["just", "turbo"]))
            c.go()
        grown = lambda name: (many.of(name) / BIG) / (few.of(name) / N) if many.of(name) and few.of(name) else None
        peers = [(name, grown(name), most) for name, most in
                 (("make", None), ("ninja", None), ("just", None), ("turbo", None))]
        row(f"D4 growth of a task, {shape}", grown("ours"), f"x", 1.10, f"{N} to {BIG} tasks", peers)
        peers = [(name, many.rss(name), most) for name, most in
                 (("make", None), ("ninja", None), ("just", 0.15), ("turbo", 0.15))]
        row(f"D5 peak memory, {shape} of {BIG}", many.rss("ours"), "MB", 24, "24 MB", peers)


def growth(bench):
    """Scripted tasks on 16 members: what a further task takes does not grow."""
    sizes = (100, 300, 1000) if QUICK else (100, 1000, 10000)
    for shape in ("chain", "wide"):
        c = Contest(max(2, ROUNDS - 2))
        for n in sizes:
            bench.ours(c, str(n), shape, n, "scripted", CHAIRS, CHAIRS)
        c.go()
        a, b, z = sizes
        for what, value in (("time", c.of), ("memory", c.rss)):
            low, high = (value(str(b)) - value(str(a))) / (b - a), (value(str(z)) - value(str(b))) / (z - b)
            unit, scale = ("us/task", 1e6) if what == "time" else ("kB/task", 1024)
            row(f"growth of {what}, {shape}", high * scale, unit, 1.3 * max(low, 0) * scale, f"1.3 x from {a} to {b}")


def d7(bench):
    """Events through the whole program, 128 commands waiting."""
    if not bench.helper:
        return
    seconds = 0.5 if QUICK else 2
    command = PRIO + [bench.helper, "events", bench.work, "128", str(seconds), str(ROUNDS)]
    out = subprocess.run(command, capture_output=True, text=True)
    ours, as_row, each = (inner(out.stdout, key) for key in ("ours", "row", "each"))
    if ours is None:
        return print(out.stderr[-500:])
    size = int(inner(out.stdout, "bytes"))
    lite = {batch: sqlite(bench.work, size, batch, seconds) for batch in (1, 128)}
    # Time of an event, so that less is better here too.
    us = lambda rate: 1e6 / rate
    row("D7 an event, 128 waiting", us(ours), "us/event", us(0.7 * each), "0.7 x redb's rate, a row an event",
        [("redb, one row a commit", us(as_row), None), ("redb, a row an event", us(each), 1 / 0.7),
         ("SQLite, batch 1", us(lite[1]), 0.05), ("SQLite, batch 128", us(lite[128]), None)])


def sqlite(work, size, batch, seconds):
    """Events a second of SQLite, each batch durable."""
    path = os.path.join(work, "events.sqlite")
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("pragma journal_mode=wal")
    db.execute("pragma synchronous=full")
    db.execute("create table events (id integer primary key, body blob)")
    body, events, began = b"x" * size, 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        db.execute("begin")
        db.executemany("insert into events (body) values (?)", [(body,)] * batch)
        db.execute("commit")
        events += batch
    rate = events / (time.perf_counter() - began)
    db.close()
    for left in glob.glob(path + "*"):
        os.remove(left)
    return rate


def s1(bench):
    """The start of the program."""
    c = Contest(10 if QUICK else 30)
    binary = glob.glob(f"{bench.npm}/mprocs/mprocs-*-linux-x86_64-musl/mprocs") or [""]
    turbo = glob.glob(f"{bench.npm}/@turbo/*/bin/turbo") or [""]
    for name, program in (("true", "true"), ("ours", bench.teamtui), ("mprocs", binary[0]), ("turbo", turbo[0]),
                          ("mprocs by npm", f"{bench.npm}/.bin/mprocs"), ("turbo by npm", f"{bench.npm}/.bin/turbo")):
        c.add(name, [program, "--version"] if program else [], bench.work)
    c.go()
    ms = lambda name: times(1e3, c.of(name))
    # Each was started by GNU time, whose own start is in all numbers: `true` tells it.
    row("S1 --version", ms("ours"), "ms", times(1.8, ms("mprocs")), "1.8 x mprocs",
        [("true", ms("true"), None), ("turbo, the binary", ms("turbo"), None),
         ("mprocs by npm", ms("mprocs by npm"), None), ("turbo by npm", ms("turbo by npm"), None)])


def recovery(bench):
    """An owner killed in its run: how long until something runs again, and in how much memory."""
    if not bench.helper:
        return
    def killed(name, tasks, messages, events):
        state = os.path.join(bench.work, name)
        subprocess.run([bench.helper, "grow", state, str(tasks), str(messages), str(events)], capture_output=True)
        return state
    def rounds(what, state, n):
        outs = [subprocess.run(PRIO + [bench.helper, what, state], capture_output=True, text=True).stdout for _ in range(n)]
        return [(inner(out, "ms"), inner(out, "mb")) for out in outs if inner(out, "ms") is not None]
    state = killed("killed", 200 if QUICK else 1000, 2000 if QUICK else 10000, 0)
    found = sorted(ms for ms, _ in rounds("reopen", state, 10 if QUICK else 40))
    row("recovery, 1,000 tasks, 10,000 messages", found[int(len(found) * 0.95) - 1] if found else None, "ms", 1000,
        "1 s, the 95th percentile")
    state = killed("million", 16, 0, 100_000 if QUICK else 1_000_000)
    floor, ours = rounds("floor", state, ROUNDS), rounds("reopen", state, ROUNDS)
    middle = lambda found, at: statistics.median(one[at] for one in found) if found else None
    row("T1 a million events after kill -9", middle(ours, 0), "ms", times(2, middle(floor, 0)), "2 x redb and its rows",
        [("redb reopened, every row read", middle(floor, 0), 2)])
    row("T1 its memory", middle(ours, 1), "MB", 32, "32 MB")


def hour(bench):
    """An hour of virtual team time."""
    path = os.path.join(bench.work, "hour.toml")
    with open(path, "w") as file:
        file.write(f'name = "hour"\nworkspace = "{bench.work}"\n[limits]\ntime = "2h"\n')
        for i in range(12):
            on = f'depends_on = ["t{i - 1}"]\n' if i else ""
            file.write(f"""[members.t{i}]\nscript = ["sleep 150s", "say half", "sleep 150s", 'complete "x"']\n{on}""")
    c = Contest()
    bench.script(c, "ours", [path, "--virtual-time"])
    c.go()
    row("an hour of virtual time", times(1e3, c.of("ours")), "ms", 100, "100 ms")


ROWS = {"d1": d1, "d2": d2, "d3": d3, "d4": d4, "growth": growth, "d7": d7, "s1": s1, "hour": hour, "recovery": recovery}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    # On the disk of the project: a store in memory has no commits to wait for.
    target = os.path.join(ROOT, "target")
    os.makedirs(target, exist_ok=True)
    work = tempfile.mkdtemp(prefix="engine-", dir=target)
    os.mkdir(os.path.join(work, ".git"))  # a project of its own
    try:
        bench = Bench(sys.argv[1], work)
        for name, measure in ROWS.items():
            if ONLY is None or name in ONLY:
                measure(bench)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print("\n| row | ours | limit | of the limit | |\n|---|---|---|---|---|")
    for line in TABLE:
        print("| " + " | ".join(line) + " |")
    missed = [line[0] for line in TABLE if line[-1] == "NOT MET"]
    print(f"\n{len(TABLE) - len(missed)} of {len(TABLE)} rows are met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
