// Metrics that attack: each of them comes with what it tried, and what came of it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { openPythonMetrics } from '#adapters/metric-runner/python/python-metrics';
import type { Opened } from '#ports/drivers';
import { isFailure } from '#ports/failure';
import type { MetricAnswer, MetricLimits, MetricRunner } from '#ports/metric-runner';
import { metricLimits } from '#test/contract/metric-runner';
import { pendingUnlessAll } from '#test/pending';
import { testPython } from '#test/servers/python';

const goes = new AbortController().signal;

/**
 * A metric that tries what is given, one after the other, and scores each by its name: 1 where it did what it meant to. `kernel` calls the kernel as
 * machine code would: `kernel('openat', …)` answers -1 where it is refused. Where it is not watched, Python itself refuses nothing any more, so
 * that only the kernel is left to do it.
 */
const attacking = (attempts: Readonly<Record<string, string>>, watched: boolean): string => `
from opik.evaluation.metrics import base_metric, score_result
import sys
harness = sys._getframe(1)
while 'libc' not in harness.f_globals:
    harness = harness.f_back
harness = harness.f_globals
libc, ctypes, machine = harness['libc'], harness['ctypes'], harness['platform'].machine()
names = ('read openat socket connect clone clone3 execve kill ptrace process_vm_readv unlinkat mkdirat sendto dup fcntl prctl mount unshare setns '
  'bpf io_uring_setup memfd_create userfaultfd rt_sigaction setitimer alarm prlimit64 setrlimit getdents64 keyctl pidfd_open perf_event_open writev pwrite64').split()
numbers = {
    'x86_64': [0, 257, 41, 42, 56, 435, 59, 62, 101, 310, 263, 258, 44, 32, 72, 157, 165, 272, 308,
      321, 425, 319, 323, 13, 38, 37, 302, 160, 217, 250, 434, 298, 20, 18],
    'aarch64': [63, 56, 198, 203, 220, 435, 221, 129, 117, 270, 35, 34, 206, 23, 25, 167, 40, 97, 268,
      280, 425, 279, 282, 134, 103, 9999, 261, 164, 61, 219, 434, 241, 66, 68],
}[machine]
calls = dict(zip(names, numbers))
def kernel(name, *given):
    return libc.syscall(calls[name], *given)
def worked(result):
    return result != -1
class Attack(base_metric.BaseMetric):
    def score(self, **given):
        results = []
        for name, act in attempts.items():
            try:
                did, reason = act(), None
            except BaseException as fault:
                did, reason = False, '%s: %s' % (type(fault).__name__, fault)
            results.append(score_result.ScoreResult(name, 1 if did else 0, reason))
        return results
attempts = {}
${watched ? '' : "harness['watch'].__code__ = (lambda event, given: None).__code__"}
${Object.entries(attempts)
  .map(
    ([name, body]) =>
      `def attempt():\n${body
        .split('\n')
        .map((line) => `    ${line}`)
        .join('\n')}\nattempts[${JSON.stringify(name)}] = attempt`,
  )
  .join('\n')}
`;

const metric = (body: string): string => `
from opik.evaluation.metrics import base_metric, score_result
import sys
class Metric(base_metric.BaseMetric):
    def score(self, **given):
${body
  .split('\n')
  .map((line) => `        ${line}`)
  .join('\n')}
        return score_result.ScoreResult('went on', 1)
`;

/** The processes that have a folder below this one. */
const processesIn = (folder: string): readonly string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
    } catch {
      return false; // it is no process, or ended
    }
  });

/** Whether it comes to hold within some seconds. */
const comesTrue = async (holds: () => boolean): Promise<boolean> => {
  for (let tries = 0; tries < 400 && !holds(); tries++) await pause(50);
  return holds();
};

describe('metrics in Python that attack', function () {
  this.timeout(120_000);
  let opened: Opened<MetricRunner>;
  let server: Server;
  let knocks = 0;
  const folder = mkdtempSync(join(tmpdir(), 'orrery-attacked-'));
  const secret = join(folder, 'secret');
  const runs = join(folder, 'runs');
  before(async function () {
    if (process.platform !== 'linux') return pendingUnlessAll(this, 'it needs Linux');
    mkdirSync(runs);
    writeFileSync(secret, 'opensesame', { mode: 0o644 });
    server = createServer((socket) => {
      knocks++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    opened = await openPythonMetrics(testPython(), runs);
  });
  after(async () => {
    await opened?.stop();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (source: string, limits: Partial<MetricLimits> = {}): Promise<MetricAnswer> =>
    opened.made.run({ source, arguments: {} }, { ...metricLimits, ...limits }, goes);
  const port = (): number => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  };
  /** Names of the attempts that did what they meant to, be it watched by Python or not. */
  const successes = async (attempts: Readonly<Record<string, string>>) => {
    const worked = new Set<string>();
    for (const watched of [true, false]) {
      const answer = await run(attacking(attempts, watched));
      if ('fault' in answer) throw new Error(answer.fault.message);
      expect(answer.scores.map(({ name }) => name)).to.deep.equal(Object.keys(attempts));
      for (const { name, value } of answer.scores) if (value !== 0) worked.add(name);
    }
    return [...worked].sort();
  };
  const faultOf = (answer: MetricAnswer): string => {
    if ('fault' in answer) return answer.fault.message;
    throw new Error(`it answered ${JSON.stringify(answer)}`);
  };

  it('do what is harmless, so that what fails below fails for its harm', async () => {
    const attempts = {
      counts: 'return 1 + 1 == 2',
      'reaches the library': "return libc.strlen(b'abc') == 3",
      'takes memory': 'return len(bytearray(10_000_000)) == 10_000_000',
      'reads the time': 'import time\nreturn time.time() > 0',
      'draws by chance':
        'import random, os\nreturn 0 <= random.random() < 1 and len(os.urandom(8)) == 8',
      waits: 'import time\ntime.sleep(0.01)\nreturn True',
      imports:
        "import json, re, math, statistics, difflib, datetime, decimal\nreturn datetime.datetime.strptime('2026', '%Y').year == 2026",
    };

    expect(await successes(attempts)).to.deep.equal(Object.keys(attempts).sort());
  });

  it('reach no network: by modules, by the library, or by the kernel', async () => {
    const at = JSON.stringify(['127.0.0.1', port()]);
    const worked = await successes({
      module: `import socket\nsocket.create_connection(tuple(${at}))\nreturn True`,
      'native module': `import _socket\n_socket.socket().connect(tuple(${at}))\nreturn True`,
      'import machinery':
        "import importlib\nimportlib.import_module('socket').create_connection(('127.0.0.1', 1))\nreturn True",
      'another finder':
        "import importlib.machinery as m\nsys.meta_path.insert(0, m.PathFinder)\nsys.path_hooks.append(m.FileFinder.path_hook((m.SourceFileLoader, ['.py'])))\nsys.path.append('/usr/lib/python3')\nimport socket\nreturn True",
      request: `import urllib.request\nurllib.request.urlopen('http://127.0.0.1:${port()}/')\nreturn True`,
      library: 'return worked(libc.socket(2, 1, 0))',
      kernel: "return worked(kernel('socket', 2, 1, 0))",
      'own channel': "return worked(kernel('sendto', 1, b'x', 1, 0, 0, 0))",
      'local sockets': "return worked(kernel('socket', 1, 1, 0))",
      netlink: "return worked(kernel('socket', 16, 3, 0))",
      rings: "return worked(kernel('io_uring_setup', 1, bytes(120)))",
    });

    expect(worked).to.deep.equal([]);
    expect(knocks).to.equal(0);
  });

  it('read no files, and none of what other processes hold', async () => {
    const path = JSON.stringify(secret);
    const worked = await successes({
      open: `return open(${path}).read() == 'opensesame'`,
      passwords: "return 'root' in open('/etc/passwd').read()",
      descriptor: `import os\nreturn worked(os.open(${path}, 0))`,
      posix: `import posix\nreturn worked(posix.open(${path}, 0))`,
      io: `import io\nreturn io.FileIO(${path}).read() == b'opensesame'`,
      code: `import io\nreturn io.open_code(${path}).read() == b'opensesame'`,
      library: "return worked(libc.open(b'/etc/passwd', 0))",
      kernel: `return worked(kernel('openat', -100, ${path}.encode(), 0))`,
      'own folder': "return worked(kernel('openat', -100, b'.', 0))",
      list: "import os\nreturn os.listdir('/') is not None",
      environment: "return worked(kernel('openat', -100, b'/proc/self/environ', 0))",
      'of the server': `return worked(kernel('openat', -100, b'/proc/${process.pid}/environ', 0))`,
      'memory of the server': `return worked(kernel('openat', -100, b'/proc/${process.pid}/mem', 0))`,
      'memory by calls': `return worked(kernel('process_vm_readv', ${process.pid}, bytes(16), 1, bytes(16), 1, 0))`,
      tracing: `return worked(kernel('ptrace', 16, ${process.pid}, 0, 0))`,
      descriptors: "return any(worked(kernel('read', n, bytes(10), 10)) for n in range(100))",
      keys: "return worked(kernel('keyctl', 0, -3, 0))",
    });

    expect(worked).to.deep.equal([]);
  });

  it('see no environment', async () => {
    const worked = await successes({
      python: "import os\nreturn len(os.environ) > 0 or os.getenv('PATH') is not None",
      library:
        "libc.getenv.restype = ctypes.c_char_p\nreturn any(libc.getenv(name) is not None for name in (b'PATH', b'HOME', b'ORRERY_SEAL_KEY'))",
    });

    expect(worked).to.deep.equal([]);
  });

  it('write nothing, and change nothing', async () => {
    const path = JSON.stringify(join(folder, 'written'));
    const worked = await successes({
      open: `open(${path}, 'w').write('x')\nreturn True`,
      here: "open('x', 'w').write('x')\nreturn True",
      kernel: `return worked(kernel('openat', -100, ${path}.encode(), 0o101, 0o644))`,
      'folder of its own': "return worked(kernel('mkdirat', -100, b'x', 0o755))",
      removal: `return worked(kernel('unlinkat', -100, ${JSON.stringify(secret)}.encode(), 0))`,
      memory: "return worked(kernel('memfd_create', b'x', 0))",
      'other descriptors':
        'import os\nfor n in (0, 2, 3, 4, 5):\n    try:\n        os.write(n, b"x")\n        return True\n    except OSError:\n        pass\nreturn False',
      vectors: "return worked(kernel('writev', 1, bytes(16), 1))",
      mount: "return worked(kernel('mount', b'none', b'/', b'tmpfs', 0, 0))",
      limits:
        "return worked(kernel('prlimit64', 0, 9, bytes(16), 0)) or worked(kernel('setrlimit', 9, bytes(16)))",
      'loosened limits':
        'import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))\nreturn True',
    });

    expect(worked).to.deep.equal([]);
    expect(readdirSync(folder).sort()).to.deep.equal(['runs', 'secret']);
    expect(readdirSync(runs)).to.deep.equal([]);
    expect(readFileSync(secret, 'utf8')).to.equal('opensesame');
  });

  it('start nothing, signal nobody, and leave no process behind', async () => {
    const worked = await successes({
      fork: 'import os\nif os.fork() == 0:\n    while True: pass\nreturn True',
      system: "import os\nreturn os.system('true') == 0",
      spawn: "import os\nreturn os.posix_spawn('/bin/true', ['true'], {}) > 0",
      subprocess: "import subprocess\nreturn subprocess.run(['/bin/true']).returncode == 0",
      'native fork': 'return worked(libc.fork())',
      kernel:
        "return worked(kernel('clone', 17, 0, 0, 0, 0)) or worked(kernel('clone3', bytes(88), 88))",
      exec: "return worked(kernel('execve', b'/bin/true', 0, 0))",
      thread: 'import _thread\n_thread.start_new_thread(lambda: None, ())\nreturn True',
      'signal to the server': `return worked(kernel('kill', ${process.pid}, 0))`,
      'signal to all': "return worked(kernel('kill', -1, 0))",
      handler: 'import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nreturn True',
      'native handler': "return worked(kernel('rt_sigaction', 14, bytes(32), 0, 8))",
      alarm: "return worked(kernel('alarm', 0)) or worked(kernel('setitimer', 0, bytes(32), 0))",
      'handle of a process': `return worked(kernel('pidfd_open', ${process.pid}, 0))`,
    });

    expect(worked).to.deep.equal([]);
    expect(processesIn(runs)).to.deep.equal([]);
  });

  it('do not leave what shuts them in', async () => {
    const worked = await successes({
      privileges: "return worked(kernel('prctl', 38, 0, 0, 0, 0))",
      filter: "return worked(kernel('prctl', 22, 0, 0, 0, 0))",
      namespaces: "return worked(kernel('unshare', 0x10000000)) or worked(kernel('setns', 1, 0))",
      programs: "return worked(kernel('bpf', 0, bytes(48), 48))",
      faults: "return worked(kernel('userfaultfd', 0))",
      events: "return worked(kernel('perf_event_open', bytes(112), 0, -1, -1, 0))",
    });

    expect(worked).to.deep.equal([]);
  });

  it('are refused by the kernel what Python would let them do', async () => {
    const attempts = { open: `return open(${JSON.stringify(secret)}).read() == 'opensesame'` };
    const reasonOf = async (watched: boolean) => {
      const answer = await run(attacking(attempts, watched));
      return 'scores' in answer ? answer.scores[0]?.reason : answer.fault.message;
    };

    expect(await reasonOf(true)).to.match(/^PermissionError: .*a metric may not do open/);
    expect(await reasonOf(false)).to.match(/^PermissionError: .*Operation not permitted/);
  });

  it('end with the numbers of calls of another architecture', async function () {
    if (process.arch !== 'x64') return pendingUnlessAll(this, 'only x86 has them');
    const answer = await run(
      attacking({ x32: 'return worked(libc.syscall(0x40000000 + 39))' }, true),
    );

    expect(faultOf(answer)).to.equal('ended its process without an answer');
  });

  it('are told of each limit that they pass, and end', async () => {
    expect(faultOf(await run(metric('x = b"x" * 10**10')))).to.match(/more memory/);
    expect(faultOf(await run(metric('def f(n):\n    return f(n + 1)\nf(0)')))).to.match(
      /RecursionError/,
    );
    const deep = metric(
      'sys.setrecursionlimit(10**9)\nx = []\nfor _ in range(10**6):\n    x = [x]\nrepr(x)\ndef f(n):\n    return f(n + 1)\nf(0)',
    );
    expect(faultOf(await run(deep, { timeMs: 5000 }))).to.not.equal('');
    expect(faultOf(await run(`${'('.repeat(100_000)}${')'.repeat(100_000)}`))).to.not.equal('');
    const flood = metric('import os\nwhile True:\n    os.write(1, b"x" * 65536)');
    expect(faultOf(await run(flood))).to.equal('wrote more than 100000 bytes');
    expect(processesIn(runs)).to.deep.equal([]);
  });

  it('are ended however they cling to their process', async () => {
    for (const clinging of [
      'while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass',
      'class Again:\n    def __del__(self):\n        while True:\n            pass\nAgain()',
      'import re\nre.match("(a+)+$", "a" * 64 + "b")',
    ])
      expect(faultOf(await run(metric(clinging), { timeMs: 2000 }))).to.equal('took more than 2 s');
    expect(processesIn(runs)).to.deep.equal([]);
  });

  it('have no more said for them than scores, whatever they write by themselves', async () => {
    const forged = (text: string) =>
      run(metric(`import os\nos.write(1, ${JSON.stringify(text)}.encode())\nos._exit(0)`));

    expect(faultOf(await forged('{"scores": '))).to.equal('answered with what is no score');
    expect(faultOf(await forged('{"scores": [{"name": 1, "value": 2}]}'))).to.match(/no score/);
    expect(faultOf(await forged('{"scores": [{"name": "a", "value": "2"}]}'))).to.match(/no score/);
    expect(faultOf(await forged('{"scores": [{"name": "a", "value": 1e999}]}'))).to.match(
      /no score/,
    );
    expect(faultOf(await forged('{"shut": "x"}'))).to.match(/could not be shut in/);
    expect(faultOf(await forged('[1]'))).to.match(/no score/);
    const many = Array.from({ length: 101 }, () => ({ name: 'a', value: 1 }));
    expect(faultOf(await forged(JSON.stringify({ scores: many })))).to.match(/more than 100/);
    const said = faultOf(await run(metric('import os\nos.write(1, b"first")')));
    expect(said).to.equal('answered with what is no score');
    const closed = faultOf(
      await run(metric('import os\nos.write = lambda *_: 0\nos._exit = print\nexit()')),
    );
    expect(closed).to.not.equal('');
  });

  it('change nothing for others by changing modules', async () => {
    const spoilt = metric(
      'import json, os\njson.dumps = lambda *_: "{}"\nsys.modules.clear()\nsys.modules["json"] = None\n__builtins__ = {}',
    );
    await run(spoilt);

    expect(await run(metric('pass'))).to.deep.equal({
      scores: [{ name: 'went on', value: 1, reason: undefined }],
      failed: [],
    });
  });

  it('end with their runner, those that wait for a turn too', async () => {
    const { made, stop } = await openPythonMetrics(testPython(), runs);
    const source = metric('import time\ntime.sleep(60)');
    const going = Array.from({ length: 8 }, () =>
      made.run({ source, arguments: {} }, metricLimits, goes),
    );
    expect(await comesTrue(() => processesIn(runs).length > 0)).to.equal(true);

    await stop();

    expect(processesIn(runs)).to.deep.equal([]);
    for (const answer of await Promise.all(going))
      expect('fault' in answer && answer.fault.retry).to.equal(true);
  });

  it('end with the server, however it ends', async () => {
    const source = metric('import time\ntime.sleep(60)');
    const adapter = import.meta.resolve('#adapters/metric-runner/python/python-metrics');
    const serving = spawn(
      process.execPath,
      [
        ...['--input-type=module', '-e'],
        `import { openPythonMetrics } from ${JSON.stringify(adapter)};
         const { made } = await openPythonMetrics(...${JSON.stringify([testPython(), runs])});
         console.log('open');
         await made.run(...${JSON.stringify([{ source, arguments: {} }, metricLimits])}, new AbortController().signal);`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    try {
      await once(serving.stdout, 'data');
      // By then it has shut itself in, where it has another root.
      const isShutIn = () =>
        processesIn(runs).some((pid) =>
          /^Seccomp:\t2/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')),
        );
      expect(await comesTrue(isShutIn)).to.equal(true);
    } finally {
      serving.kill('SIGKILL');
    }

    expect(await comesTrue(() => processesIn(runs).length === 0)).to.equal(true);
  });

  it('are told of their own mistakes with the line of them', async () => {
    const at = (source: string) => run(source).then(faultOf);

    expect(await at(metric('1 / 0'))).to.equal(
      'failed in line 6: ZeroDivisionError: division by zero',
    );
    expect(await at('\n\nclass :')).to.match(/^failed in line 3: SyntaxError/);
    expect(await at(metric('import numpy'))).to.include('a metric cannot import numpy');
    expect(await at(metric("raise ValueError('two\\nlines')"))).to.match(/: two lines$/);
    expect(await at(metric('raise SystemExit(3)'))).to.include('SystemExit: 3');
    const nasty =
      'class Nasty(Exception):\n    def __str__(self):\n        raise self\nraise Nasty()';
    expect(await at(metric(nasty))).to.equal('failed without saying why');
  });
});

describe('an interpreter of metrics', function () {
  this.timeout(60_000);
  const refusal = (python: string): Promise<unknown> =>
    openPythonMetrics(python).then(
      async ({ stop }) => stop(),
      (thrown: unknown) => (isFailure(thrown) ? `${thrown.kind}: ${thrown.message}` : thrown),
    );

  it('is refused in one sentence where it is none', async () => {
    expect(await refusal('/nowhere/python')).to.match(
      /^invalid: ORRERY_PYTHON_METRICS names \/nowhere\/python, .*[^.]$/,
    );
    expect(await refusal('/bin/true')).to.match(/^invalid: .*names \/bin\/true, .*[^.]$/);
  });

  it('is refused where its processes cannot be shut in', async function () {
    if (process.arch !== 'x64') return pendingUnlessAll(this, 'only x86 can be taken for another');
    const folder = mkdtempSync(join(tmpdir(), 'orrery-interpreter-'));
    const elsewhere = join(folder, 'python');
    const started = testPython();
    // What the kernel calls itself in there is what no table of calls is known for.
    writeFileSync(
      elsewhere,
      `#!/bin/sh\ncase "$*" in *executable*) echo "$0";; *) exec /usr/bin/setarch i686 ${started} "$@";; esac\n`,
      { mode: 0o755 },
    );
    try {
      expect(await refusal(elsewhere)).to.equal(
        `invalid: ORRERY_PYTHON_METRICS names ${elsewhere}, with which no metric can be run safely: Linux on x86-64 or ARM64 is needed`,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
