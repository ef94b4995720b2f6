// One trace: its spans as tree and waterfall, and the one that is chosen in full. The address names it.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { formatCount } from '../../pure/format.js';
import {
  narrowedTo,
  scaleOf,
  spanMatcher,
  treeOf,
  unfolded,
  type TraceSpan,
  type TreeRow,
} from '../../pure/trace-tree.js';
import { formatCost, formatDuration } from '../../pure/trace-values.js';
import { ProjectPages } from '../additions/project-pages.js';
import { attempt } from '../attempt.js';
import { useStored } from '../loading.js';
import { useReturns } from '../subject.js';
import { usePageKeys, type KeyActs } from '../page-keys.js';
import { mayWrite, Refused } from '../request.js';
import { server } from '../server.js';
import { Coming, Stale } from '../shell/versions.js';
import { deletions } from '../shell/delete-soon.js';
import { Deletes } from '../shell/deletes.js';
import { query, setQuery, tell } from '../state.js';
import { tracesServer, type ShownTrace } from '../traces-server.js';
import { guideOf } from '../../pure/trace-guide.js';
import { EntryView } from './entry.js';
import { TraceGuide, useWalk, walkOn } from './guide.js';
import type { OfView } from './other-views.js';
import { lazy } from '../lazy.js';
import { Forms } from '../shell/forms.js';
import { mostSpans } from '../../pure/span-lines.js';
import { useSpans, type LoadedSpans } from './spans.js';
import { askLarge } from './large.js';
import { SpanTree } from './tree.js';
import { AskAgain } from '../shell/wait.js';

const TraceLog = lazy<OfView>(async () => (await import('./other-views.js')).TraceLog);
const TraceChat = lazy<OfView>(async () => (await import('./other-views.js')).TraceChat);

const runningMs = 3000;

/** The trace as the row above its spans. */
const traceAsSpan = (trace: ShownTrace): TraceSpan => ({
  id: trace.id,
  parent: undefined,
  name: trace.name ?? 'trace',
  type: 'trace',
  model: undefined,
  start: Date.parse(trace.start_time ?? '') || 0,
  end: trace.end_time === undefined ? undefined : Date.parse(trace.end_time),
  cost: 0,
  tokens: 0,
  error: trace.error_info?.exception_type,
});

/** The row of a trace above those at its top. */
const rowOfTrace = (trace: ShownTrace, tree: readonly TreeRow[]): TreeRow => {
  const row = { children: 0, cost: 0, tokens: 0, errorsBelow: 0 };
  for (const { depth, cost, tokens, errorsBelow, span } of tree) {
    if (depth > 1) continue;
    row.children++;
    row.cost += cost;
    row.tokens += tokens;
    row.errorsBelow += errorsBelow + (span.error === undefined ? 0 : 1);
  }
  return { ...row, span: traceAsSpan(trace), depth: 0, lost: false, ownMs: 0 };
};

const views = ['tree', 'chat', 'log'] as const;
type View = (typeof views)[number];
const viewOf = (): View => views.find((one) => one === query.value.get('view')) ?? 'tree';

/** The rows of a trace: all, those that match what is searched, or those that failed; folded ones without what is below them. */
const useRows = (trace: ShownTrace, { spans }: LoadedSpans) => {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const search = query.value.get('q') ?? '';
  const onlyErrors = query.value.get('errors') === '1';
  const tree = useMemo(() => treeOf(spans, 1), [spans]);
  const all = useMemo(() => [rowOfTrace(trace, tree), ...tree], [trace, tree]);
  const wanted = useMemo(() => {
    const matches = spanMatcher(search);
    return search.trim() === '' && !onlyErrors
      ? undefined
      : (span: TraceSpan) =>
          span.type !== 'trace' && matches(span) && (!onlyErrors || span.error !== undefined);
  }, [search, onlyErrors]);
  const narrowed = useMemo(
    () => (wanted === undefined ? all : narrowedTo(all, wanted)),
    [all, wanted],
  );
  const rows = useMemo(
    () => (narrowed === all ? unfolded(all, folded) : narrowed),
    [narrowed, folded],
  );
  const scale = useMemo(() => scaleOf([traceAsSpan(trace), ...spans], Date.now()), [trace, spans]);
  const fold = (id: string, on?: boolean) => {
    const now = new Set(folded);
    if (on ?? !now.has(id)) now.add(id);
    else now.delete(id);
    setFolded(now);
  };
  const asTree = viewOf() === 'tree';
  const sorted = useMemo(
    () =>
      asTree
        ? []
        : all
            .filter(({ span }) => span.type !== 'trace' && wanted?.(span) !== false)
            .sort((one, other) => one.span.start - other.span.start),
    [all, wanted, asTree],
  );
  return { all, rows, sorted, scale, folded, fold, setFolded };
};
type Rows = ReturnType<typeof useRows>;

const choose = (trace: string, id: string) => setQuery({ span: id === trace ? undefined : id });

const stopsOf = (all: Rows['all'], scale: Rows['scale']) =>
  guideOf(
    all.filter(({ span }) => span.type !== 'trace'),
    scale,
  );

const nextStop = (all: Rows['all'], scale: Rows['scale']) => {
  const stops = stopsOf(all, scale);
  const at = stops.findIndex(({ title }) => title === query.value.get('guide'));
  if (stops.length === 0) tell('Nothing of this trace stands out');
  else walkOn({ stops, at });
};

const keysOf = (
  trace: string,
  chosen: string,
  { rows, all, scale, fold, folded }: Rows,
): KeyActs => {
  const place = Math.max(
    0,
    rows.findIndex(({ span }) => span.id === chosen),
  );
  const to = (at: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, at))];
    if (row !== undefined) choose(trace, row.span.id);
  };
  const here = rows[place];
  const up = () => {
    const above = rows.slice(0, place).findLastIndex(({ depth }) => depth < (here?.depth ?? 0));
    if (above >= 0) to(above);
  };
  const nextError = () => {
    const at = all.findIndex(({ span }) => span.id === chosen);
    const failed = (row: TreeRow) => row.span.type !== 'trace' && row.span.error !== undefined;
    const next = all.slice(at + 1).find(failed) ?? all.find(failed);
    if (next === undefined) return tell('No span of this trace has an error');
    choose(trace, next.span.id);
  };
  const open = here !== undefined && here.children > 0 && !folded.has(here.span.id);
  return {
    ArrowDown: () => to(place + 1),
    ArrowUp: () => to(place - 1),
    j: () => to(place + 1),
    k: () => to(place - 1),
    Home: () => to(0),
    End: () => to(rows.length - 1),
    ArrowRight: () => (open || here === undefined ? to(place + 1) : fold(here.span.id, false)),
    ArrowLeft: () => (open ? fold(here.span.id, true) : up()),
    e: nextError,
    g: () => nextStop(all, scale),
    '/': () => document.getElementById('span-search')?.focus(),
  };
};

/** Whether the trace itself is there, is on its way behind its spans, was not logged yet, or was deleted while it was looked at. */
type Presence = 'here' | 'on its way' | 'not logged' | 'gone';

/** What is scrolled, folded or played by keys keeps them. */
const keepsKeys = '.right, .top, nav, audio, video';

const Head = ({
  trace,
  base,
  presence,
}: {
  trace: ShownTrace;
  base: readonly string[];
  presence: Presence;
}) => {
  const facts =
    presence === 'here' || presence === 'gone'
      ? [
          trace.duration === undefined ? 'running' : formatDuration(trace.duration),
          `${formatCount(trace.span_count ?? 0)} spans`,
          trace.usage?.['total_tokens'] === undefined
            ? ''
            : `${formatCount(trace.usage['total_tokens'])} tokens`,
          trace.total_estimated_cost === undefined ? '' : formatCost(trace.total_estimated_cost),
          trace.start_time === undefined ? '' : new Date(trace.start_time).toLocaleString(),
        ].filter((one) => one !== '')
      : [];
  return (
    <header class="bar trace-head">
      <h1 dir="auto">{trace.name ?? trace.id}</h1>
      <span class="faint">{facts.join(' · ')}</span>
      {trace.thread_id === undefined ? null : (
        <a class="button" href={pathOf(...base, 'thread', trace.thread_id)}>
          Its thread
        </a>
      )}
      <Forms />
      <button
        type="button"
        onClick={() =>
          attempt(navigator.clipboard.writeText(location.href).then(() => tell('Link copied')))
        }
      >
        Copy link
      </button>
      {mayWrite.value && presence === 'here' ? (
        <Deletes
          what="trace"
          name={trace.name ?? trace.id}
          id={trace.id}
          warns="It goes for good, with all its spans, scores, comments and files."
          onDo={() =>
            tracesServer.remove({ body: { ids: [trace.id], project_id: trace.project_id } })
          }
          leaves={pathOf(...base, 'traces')}
        />
      ) : null}
    </header>
  );
};

const TreeBar = ({ loaded, of }: { loaded: LoadedSpans; of: Rows }) => {
  const { all, rows, setFolded } = of;
  const search = query.value.get('q') ?? '';
  const onlyErrors = query.value.get('errors') === '1';
  const view = viewOf();
  const withInside = all.filter(({ children, depth }) => children > 0 && depth > 0);
  return (
    <div class="bar">
      <input
        type="search"
        id="span-search"
        aria-label="Search in spans"
        placeholder="Name, type, model, error"
        value={search}
        onInput={({ currentTarget }) => setQuery({ q: currentTarget.value })}
      />
      <button
        type="button"
        aria-pressed={onlyErrors}
        onClick={() => setQuery({ errors: onlyErrors ? undefined : '1' })}
      >
        Only errors
      </button>
      <button
        type="button"
        aria-pressed={query.value.has('guide')}
        onClick={() => setQuery({ guide: query.value.has('guide') ? undefined : 'on' })}
      >
        Guide
      </button>
      <span class="controls" role="group" aria-label="How the trace is shown">
        {views.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === view}
            onClick={() => setQuery({ view: one === 'tree' ? undefined : one })}
          >
            {one}
          </button>
        ))}
      </span>
      {view === 'tree' ? (
        <>
          <button
            type="button"
            onClick={() => setFolded(new Set(withInside.map(({ span }) => span.id)))}
          >
            Fold all
          </button>
          <button type="button" onClick={() => setFolded(new Set())}>
            Unfold all
          </button>
        </>
      ) : null}
      <span class={loaded.fault === undefined ? 'faint' : 'fault'} role="status">
        {loaded.fault === undefined ? (
          `${formatCount(view === 'tree' ? rows.length - 1 : of.sorted.length)} of ${formatCount(all.length - 1)} spans shown${
            loaded.busy ? ', more are coming' : ''
          }${loaded.cut ? `; only the newest ${formatCount(mostSpans)} were asked for` : ''}`
        ) : (
          <>
            {loaded.fault} <AskAgain />
          </>
        )}
      </span>
    </div>
  );
};

const Trace = ({
  trace,
  presence,
  loaded,
  base,
  tick,
  again,
}: {
  trace: ShownTrace;
  presence: Presence;
  loaded: LoadedSpans;
  base: readonly string[];
  tick: number;
  again: () => void;
}) => {
  const of = useRows(trace, loaded);
  const named = query.value.get('span') ?? trace.id;
  const known = named === trace.id || of.all.some(({ span }) => span.id === named);
  const view = viewOf();
  const walk = useWalk(() => stopsOf(of.all, of.scale), [of.all, of.scale]);
  const listed = view === 'tree' ? of.rows : of.sorted;
  usePageKeys(keysOf(trace.id, named, { ...of, rows: listed }), keepsKeys);
  const other = {
    rows: of.sorted,
    began: Date.parse(trace.start_time ?? '') || 0,
    chosen: named,
    onChoose: (span: string) => choose(trace.id, span),
  };
  return (
    <>
      <TreeBar loaded={loaded} of={of} />
      {query.value.has('guide') && !loaded.busy ? <TraceGuide of={walk} /> : null}
      <div class="halves">
        <section class="left" aria-label="Spans of the trace">
          {view === 'log' ? (
            <TraceLog {...other} />
          ) : view === 'chat' ? (
            <TraceChat {...other} />
          ) : (
            <SpanTree
              rows={of.rows}
              folded={of.folded}
              scale={of.scale}
              chosen={named}
              onChoose={(id) => choose(trace.id, id)}
              onFold={(id) => of.fold(id)}
            />
          )}
          {view !== 'chat' && of.rows.length <= 1 && of.all.length > 1 ? (
            <p class="empty">No span matches this.</p>
          ) : null}
        </section>
        <section class="right" aria-label="What is chosen" key={named}>
          {presence === 'on its way' && named === trace.id ? (
            <p class="faint empty">loading …</p>
          ) : presence === 'not logged' && named === trace.id ? (
            <p class="empty">
              The trace itself has not arrived yet: what it was given and gave comes with it. The
              spans that are here are shown, and the rest as it comes.
            </p>
          ) : known || loaded.busy ? (
            <EntryView
              kind={named === trace.id ? 'trace' : 'span'}
              id={named}
              base={base}
              tick={tick}
              onChange={again}
            />
          ) : (
            <p class="fault">There is no span {named} in this trace.</p>
          )}
        </section>
      </div>
    </>
  );
};

/** A trace, or, where it has not come itself, the project in which spans of it may have come. */
type Found =
  { readonly trace: ShownTrace } | { readonly missing: string; readonly projectId: string };

type Named = { readonly projectId: string } | undefined;

/** The trace; where it is not there, what the server says of that. */
const loadTrace = async (
  { workspace, project, id }: { workspace: string; project: string; id: string },
  named: Named,
  signal: AbortSignal,
): Promise<Found> => {
  try {
    const ask = { params: { id }, query: { strip_attachments: true } };
    return { trace: await askLarge(tracesServer.show, ask, signal) };
  } catch (thrown) {
    if (!(thrown instanceof Refused) || thrown.status !== 404) throw thrown;
    const asked = { workspaceName: workspace, projectName: project };
    const { projectId } = named ?? (await server.getProject({ query: asked }, signal));
    return { missing: thrown.message, projectId };
  }
};

/** What is known of a trace by spans of it that came before. */
const arrivingTrace = (
  id: string,
  project_id: string,
  spans: readonly TraceSpan[],
): ShownTrace | undefined => {
  const [first] = spans;
  if (first === undefined) return undefined;
  const start_time = new Date(first.start).toISOString();
  return { id, project_id, start_time } as ShownTrace; // the rest of a trace may be absent
};

/** The spans that were there last. */
const useKept = (now: LoadedSpans): LoadedSpans => {
  const kept = useRef(now);
  if (now.spans.length > 0 || kept.current.spans.length === 0) kept.current = now;
  return { ...kept.current, busy: false, asking: false, fault: undefined };
};

export const TraceScreen = ({
  workspace,
  project,
  id,
}: {
  workspace: string;
  project: string;
  id: string;
}) => {
  const base = ['w', workspace, 'p', project];
  const [tick, setTick] = useState(0);
  // The page brings the project that its address names, so that the spans are asked for together with the trace.
  const [named] = useState(() =>
    server.getProject.now({ query: { workspaceName: workspace, projectName: project } }),
  );
  const loaded = useStored(
    (signal) => loadTrace({ workspace, project, id }, named, signal),
    [workspace, project, id, tick, deletions.value],
  );
  const found = loaded.value;
  const projectId =
    found === undefined
      ? named?.projectId
      : 'trace' in found
        ? found.trace.project_id
        : found.projectId;
  const spans = useSpans(projectId, id, tick);
  // Of a trace that was deleted those that were there before stay.
  const kept = useKept(spans);
  const last = useRef<ShownTrace | undefined>(undefined);
  if (found !== undefined && 'trace' in found) last.current = found.trace;
  const presence: Presence =
    found === undefined
      ? 'on its way'
      : 'trace' in found
        ? 'here'
        : last.current === undefined
          ? 'not logged'
          : 'gone';
  const trace = useMemo(
    () => last.current ?? arrivingTrace(id, projectId ?? '', spans.spans),
    [found, id, projectId, spans.spans],
  );
  useReturns(presence === 'here' && !loaded.busy, loaded.again);
  const running = trace !== undefined && trace.end_time === undefined && presence !== 'gone';
  // Not before the last answer is there: what takes longer than that would never be.
  const asksAgain = running && found !== undefined && !loaded.busy && !spans.asking;
  useEffect(() => {
    if (!asksAgain) return undefined;
    const timer = setInterval(() => document.hidden || setTick((now) => now + 1), runningMs);
    return () => clearInterval(timer);
  }, [asksAgain]);
  if (trace === undefined)
    return found !== undefined && 'missing' in found && !spans.busy ? (
      <Coming of={{ ...loaded, fault: spans.fault ?? found.missing }} />
    ) : (
      <Coming of={loaded} />
    );
  return (
    <main class="split">
      <ProjectPages workspace={workspace} project={project} at="traces" />
      <Head trace={trace} base={base} presence={presence} />
      <Stale
        of={{ fault: loaded.fault, gone: presence === 'gone' }}
        what="trace"
        list={pathOf(...base, 'traces')}
      />
      <Trace
        trace={trace}
        presence={presence}
        loaded={presence === 'gone' ? kept : spans}
        base={base}
        tick={tick}
        again={loaded.again}
      />
    </main>
  );
};
