// The program of the process in which a metric runs. It shuts itself in before it reads what the metric is, and ends with what the metric says.
// Nothing in it is hidden from the metric: what the kernel refuses does not depend on what Python shows.

/** What the interpreter is started with: it reads the harness from its standard input, and leaves the rest there. */
export const bootstrap =
  "import sys;r=sys.stdin.buffer;exec(compile(r.read(int(r.readline())),'<harness>','exec'),{'__name__':'harness','stream':r})";

/**
 * Reads a line of JSON with limits (`seconds`, `memory`, `output`), shuts itself in, and then reads a call (`source`, `arguments`, `first`) to the end.
 * Writes one JSON object to its standard output: `shut` where it could not shut itself in, else `scores` and `failed`, or `fault`.
 */
export const harness = String.raw`
import array, collections.abc, ctypes, errno, gc, json, os, platform, resource, signal, struct, sys, types
if sys.version_info < (3, 8):
    raise SystemExit('Python 3.8 or newer is needed')

limits = json.loads(stream.readline())
write, leave = os.write, os._exit

def answer(text):
    told = text.encode('utf-8', 'replace') if isinstance(text, str) else text
    while told:
        told = told[write(1, told):]
    leave(0)

def cannot(why):
    answer(json.dumps({'shut': why}))

def lower(kind, most):
    _, hard = resource.getrlimit(kind)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (most, most))

def lower_first():
    signal.alarm(limits['seconds'] + 2)
    lower(resource.RLIMIT_CPU, limits['seconds'] + 1)
    lower(resource.RLIMIT_AS, limits['memory'])
    lower(resource.RLIMIT_FSIZE, 0)
    lower(resource.RLIMIT_CORE, 0)
    os.nice(5)

# What a metric may import is there before files are shut: what ships with Python and neither reaches out nor starts anything.
modules = '''
__future__ _strptime abc annotationlib array ast base64 binascii bisect builtins calendar cmath codecs collections collections.abc colorsys
contextlib contextvars copy csv dataclasses datetime decimal difflib enum errno fnmatch fractions functools graphlib hashlib heapq hmac html
html.entities html.parser inspect io ipaddress itertools json keyword linecache locale logging math numbers operator pathlib pickle pprint queue random re
reprlib secrets shlex statistics string stringprep struct textwrap time timeit token tokenize traceback types typing unicodedata urllib
urllib.parse uuid warnings weakref xml xml.etree xml.etree.ElementTree zlib encodings.ascii encodings.base64_codec encodings.cp1252
encodings.hex_codec encodings.idna encodings.latin_1 encodings.punycode encodings.unicode_escape encodings.utf_16 encodings.utf_16_le
encodings.utf_32 encodings.utf_8_sig
'''.split()

def load_modules():
    for name in modules:
        try:
            __import__(name)
        except ImportError:
            pass # not part of this Python

class NothingElse:
    def find_spec(self, name, path=None, target=None):
        raise ModuleNotFoundError('a metric cannot import %s' % name, name=name)

def shut_imports():
    # A second request for a module that was loaded is answered from here, and nothing is looked for on the disk.
    from importlib.machinery import BuiltinImporter, FrozenImporter
    sys.path[:] = []
    sys.path_hooks[:] = []
    sys.path_importer_cache.clear()
    sys.meta_path[:] = [BuiltinImporter, FrozenImporter, NothingElse()]
    sys.argv[:] = ['']
    for name in ('subprocess', 'socket', 'ctypes', '_ctypes', 'resource', 'platform'):
        sys.modules.pop(name, None)

# Numbers of calls of the kernel that a metric may make: memory, clocks, chance, and its end. None opens, starts or reaches anything.
calls = {
    'x86_64': {
        'arch': 0xC000003E, 'seccomp': 317, 'write': 1,
        'granted': [9, 10, 11, 12, 15, 23, 24, 25, 28, 35, 60, 96, 201, 202, 219, 228, 229, 230, 231, 270, 318],
    },
    'aarch64': {
        'arch': 0xC00000B7, 'seccomp': 277, 'write': 64,
        'granted': [72, 93, 94, 98, 101, 113, 114, 115, 124, 128, 139, 169, 214, 215, 216, 222, 226, 233, 278],
    },
}.get(platform.machine())

if not sys.platform.startswith('linux') or calls is None or struct.calcsize('P') != 8 or sys.byteorder != 'little':
    cannot('Linux on x86-64 or ARM64 is needed')
libc = ctypes.CDLL(None, use_errno=True)

def must(result, what):
    if result != 0:
        cannot('%s failed: %s' % (what, os.strerror(ctypes.get_errno())))

def leave_root():
    if os.geteuid() != 0:
        return
    try:
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
    except OSError:
        pass # a root that has nobody else to become has no such powers either

def step_aside():
    """Namespaces of its own, without any network, and the empty folder as the root, where the kernel lets an ordinary user have that."""
    # Users, mounts, network, messages, names and groups of processes.
    if libc.unshare(0x10000000 | 0x00020000 | 0x40000000 | 0x08000000 | 0x04000000 | 0x02000000) != 0:
        return False
    # Some systems give namespaces to everybody, and nobody the powers that come with them.
    apart = libc.chroot(b'.') == 0
    if apart:
        os.chdir('/')
    must(libc.capset(struct.pack('=Ii', 0x20080522, 0), bytes(24)), 'giving up capabilities')
    return apart

class Program(ctypes.Structure):
    _fields_ = [('length', ctypes.c_ushort), ('steps', ctypes.c_char_p)]

def refuse_calls():
    kill, refuse, grant = 0x80000000, 0x00050000 | errno.EPERM, 0x7FFF0000
    load, equal, least, give = 0x20, 0x15, 0x35, 0x06
    steps = [
        (load, 0, 0, 4), (equal, 1, 0, calls['arch']), (give, 0, 0, kill),
        # The other numbers of x86, by which the same calls are reached.
        (load, 0, 0, 0), (least, 0, 1, 0x40000000), (give, 0, 0, kill),
        # Only to the standard output.
        (equal, 0, 4, calls['write']), (load, 0, 0, 16), (equal, 0, 1, 1), (give, 0, 0, grant), (give, 0, 0, refuse),
    ]
    for number in calls['granted']:
        steps += [(equal, 0, 1, number), (give, 0, 0, grant)]
    steps.append((give, 0, 0, refuse))
    packed = b''.join(struct.pack('=HBBI', *step) for step in steps)
    program = Program(len(steps), packed)
    must(libc.prctl(38, 1, 0, 0, 0), 'giving up new privileges')
    # In every thread, or in none.
    must(libc.syscall(calls['seccomp'], 1, 1, ctypes.byref(program)), 'refusing calls of the kernel')

def is_refused(call, *given):
    ctypes.set_errno(0)
    return call(*given) == -1 and ctypes.get_errno() == errno.EPERM

def prove():
    """What was shut is tried, so that no metric runs where the kernel only said that it did."""
    if not all((
        is_refused(libc.open, b'/etc/passwd', 0),
        is_refused(libc.open, b'.', 0),
        is_refused(libc.socket, 2, 1, 0),
        is_refused(libc.kill, 0, 0),
        is_refused(libc.execv, b'/bin/true', None),
    )):
        cannot('the kernel does not refuse what it was told to refuse')

def shut_in():
    leave_root()
    # After that, since it ends with a change of users: this process ends with the server.
    must(libc.prctl(1, signal.SIGKILL, 0, 0, 0), 'ending with the server')
    must(libc.prctl(4, 0, 0, 0, 0), 'hiding the memory')
    apart = step_aside()
    lower(resource.RLIMIT_NPROC, 0)
    os.closerange(2, 65536)
    os.close(0)
    lower(resource.RLIMIT_NOFILE, 0)
    refuse_calls()
    prove()
    return apart

shut_families = ('open', 'os.', 'socket.', 'subprocess.', 'ctypes.', 'mmap.', 'fcntl.', 'signal.', 'shutil.', 'pty.', 'resource.', 'syslog.')

def watch(event, given):
    if event.startswith(shut_families):
        raise PermissionError(errno.EPERM, 'a metric may not do %s' % event)

class Nowhere:
    """What a metric prints is nobody's to read."""
    encoding, errors, closed = 'utf-8', 'replace', False
    def write(self, text): return len(text)
    def writelines(self, lines): pass
    def flush(self): pass
    def isatty(self): return False
    def readable(self): return False
    def writable(self): return True

import abc, dataclasses, typing

class BaseMetric(abc.ABC):
    def __init__(self, name=None, track=True, project_name=None):
        self.name = type(self).__name__ if name is None else name
        self.track = track
        self.project_name = project_name

    @abc.abstractmethod
    def score(self, *args, **kwargs):
        raise NotImplementedError()

class ConversationThreadMetric(BaseMetric):
    def score(self, conversation, **kwargs):
        raise NotImplementedError()

@dataclasses.dataclass
class ScoreResult:
    name: str
    value: float
    reason: typing.Optional[str] = None
    category_name: typing.Optional[str] = None
    metadata: typing.Optional[typing.Dict[str, typing.Any]] = None
    scoring_failed: bool = False

class ConversationDict(dict):
    pass

Conversation = typing.List[typing.Dict[str, typing.Any]]
made = (BaseMetric, ConversationThreadMetric)

def offer(name, **members):
    module = types.ModuleType(name)
    module.__path__ = []
    module.__dict__.update(members)
    sys.modules[name] = module
    above, _, last = name.rpartition('.')
    if above:
        setattr(sys.modules[above], last, module)

def offer_metrics():
    metrics = dict(BaseMetric=BaseMetric, ScoreResult=ScoreResult)
    talk = dict(Conversation=Conversation, ConversationDict=ConversationDict)
    thread = dict(ConversationThreadMetric=ConversationThreadMetric)
    offer('opik')
    offer('opik.evaluation')
    offer('opik.evaluation.metrics', **metrics)
    offer('opik.evaluation.metrics.base_metric', BaseMetric=BaseMetric)
    offer('opik.evaluation.metrics.score_result', ScoreResult=ScoreResult)
    offer('opik.evaluation.metrics.conversation_types', **talk)
    offer('opik.evaluation.metrics.conversation', **talk, **thread)
    offer('opik.evaluation.metrics.conversation.types', **talk)
    offer('opik.evaluation.metrics.conversation.conversation_thread_metric', **thread)

class Unfit(Exception):
    pass

def find_metric(members):
    for one in list(members.values()):
        if isinstance(one, type) and issubclass(one, BaseMetric) and one not in made:
            if not getattr(one, '__abstractmethods__', None):
                return one
    raise Unfit('defines no class that extends BaseMetric and has score()')

def show(result):
    """The members of one score, as numbers and texts that JSON has."""
    if not isinstance(result, ScoreResult):
        raise Unfit('gave what is no ScoreResult: %s' % type(result).__name__)
    name = str(result.name)
    if result.scoring_failed:
        return {'failed': name}
    try:
        value = float(result.value)
    except (TypeError, ValueError, OverflowError):
        raise Unfit('gave a value for %s that is no number' % name[:100])
    if value != value or value in (float('inf'), float('-inf')):
        raise Unfit('gave a value for %s that is not finite' % name[:100])
    return {'name': name, 'value': value, 'reason': None if result.reason is None else str(result.reason)[:10000]}

def run(call):
    module = types.ModuleType('metric')
    sys.modules['metric'] = module
    exec(compile(call['source'], '<metric>', 'exec', dont_inherit=True), module.__dict__)
    metric = find_metric(module.__dict__)()
    given = [call['first']] if 'first' in call else []
    result = metric.score(*given, **call['arguments'])
    return [show(one) for one in (result if isinstance(result, (list, tuple)) else [result])]

def line_of(fault):
    if isinstance(fault, SyntaxError) and fault.filename == '<metric>':
        return fault.lineno
    line, trace = None, fault.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == '<metric>':
            line = trace.tb_lineno
        trace = trace.tb_next
    return line

def say(fault):
    if isinstance(fault, Unfit):
        return str(fault)
    if isinstance(fault, MemoryError):
        return 'needs more memory than it may have'
    said = fault.msg if isinstance(fault, SyntaxError) else str(fault)
    line = line_of(fault)
    place = '' if line is None else ' in line %d' % line
    return 'failed%s: %s%s' % (place, type(fault).__name__, ': ' + said if said else '')

def main():
    lower_first()
    load_modules()
    call = stream.read()
    del globals()['stream']
    shut_imports()
    offer_metrics()
    sys.stdin = None
    sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = Nowhere()
    os.environ.clear()
    gc.collect()
    apart = shut_in()
    sys.addaudithook(watch)
    encode = json.dumps
    try:
        shown = run(json.loads(call))
        told = encode({'scores': shown, 'apart': apart})
        if len(told) > limits['output']:
            told = encode({'fault': 'answers with more than it may'})
    except BaseException as fault:
        try:
            told = encode({'fault': say(fault)[:1000]})
        except BaseException:
            told = b'{"fault":"failed without saying why"}'
    answer(told)

main()
`;
