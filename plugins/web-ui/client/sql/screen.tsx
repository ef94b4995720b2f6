// Statements over what a workspace or project logged. The address holds the statement that was run, so that a link shows what it found.
import { useEffect, useRef, useState } from 'preact/hooks';
import {
  namesTime,
  sqlTables,
  tableOf,
  withTime,
  wrapped,
  type ResultTable,
} from '../../pure/sql.js';
import { shortened } from '../../pure/format.js';
import { wantedTraces } from '../../pure/trace-list.js';
import { resultsOf, sqlServer } from '../boards-server.js';
import { useLoaded } from '../loading.js';
import { usePageKeys } from '../page-keys.js';
import { mayWrite, saysFault } from '../request.js';
import { server } from '../server.js';
import { Menu } from '../shell/menu.js';
import { TimeRange } from '../shell/time-range.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';
import { query, setQuery } from '../state.js';
import { SqlEditor } from './editor.js';
import { keepDraft, keepStatement, keptDraft, recentStatements } from './recent.js';
import { ResultView } from './result.js';
import { ToBoard } from './to-board.js';
import { Fault } from '../shell/wait.js';

const example = `SELECT date_trunc('day', start_time) AS day, count(*) AS traces, avg(duration) AS mean_ms
FROM traces
GROUP BY day
ORDER BY day`;

type Ran =
  | { readonly state: 'idle' }
  | { readonly state: 'busy' }
  | { readonly state: 'stopped' }
  | { readonly state: 'failed'; readonly fault: string }
  | { readonly state: 'done'; readonly table: ResultTable; readonly tookMs: number };

interface Wanted {
  readonly statement: string;
  readonly projectId: string | undefined;
  readonly from: number;
  readonly to: number;
}

/** Runs what is wanted, anew whenever it or `tick` changes, until it is stopped. */
const useRun = (wanted: Wanted | undefined, tick: number) => {
  const [ran, setRan] = useState<Ran>({ state: 'idle' });
  const leaving = useRef<AbortController | undefined>(undefined);
  useEffect(() => {
    if (wanted === undefined) {
      setRan({ state: 'idle' });
      return undefined;
    }
    const own = new AbortController();
    leaving.current = own;
    const began = performance.now();
    setRan({ state: 'busy' });
    const { statement, projectId, from, to } = wanted;
    const body = {
      query: wrapped(withTime(statement, from, to)),
      ...(projectId === undefined ? {} : { project_id: projectId }),
    };
    resultsOf(sqlServer.run({ body }, own.signal)).then(
      (results) => {
        if (!own.signal.aborted)
          setRan({ state: 'done', table: tableOf(results), tookMs: performance.now() - began });
      },
      (thrown: unknown) => {
        if (!own.signal.aborted) setRan({ state: 'failed', fault: saysFault(thrown) });
      },
    );
    return () => own.abort();
  }, [JSON.stringify(wanted), tick]);
  return {
    ran,
    stop() {
      leaving.current?.abort();
      setRan({ state: 'stopped' });
    },
  };
};

const Tables = ({ onName }: { onName: (name: string) => void }) => (
  <details>
    <summary>Tables and columns</summary>
    <dl class="sql-tables">
      {Object.entries(sqlTables).map(([table, columns]) => (
        <div key={table}>
          <dt>
            <button type="button" class="link" onClick={() => onName(table)}>
              {table}
            </button>
          </dt>
          <dd class="faint">{columns.join(', ')}</dd>
        </div>
      ))}
    </dl>
  </details>
);

const Recent = ({ workspace, onText }: { workspace: string; onText: (text: string) => void }) => {
  const [at, setAt] = useState<Element>();
  const all = at === undefined ? [] : recentStatements(workspace);
  return (
    <>
      <button
        type="button"
        aria-haspopup="menu"
        onClick={({ currentTarget }) => setAt(currentTarget)}
      >
        Last statements ▾
      </button>
      {at === undefined ? null : (
        <Menu
          at={at}
          label="Last statements"
          entries={
            all.length === 0
              ? [['No statement was run here yet', () => undefined]]
              : all.map((one, place) => [
                  `${place + 1}. ${shortened(one.replaceAll(/\s+/g, ' '), 70)}`,
                  () => onText(one),
                ])
          }
          onClose={() => setAt(undefined)}
        />
      )}
    </>
  );
};

const useProject = (workspace: string) => {
  const { value, fault } = useLoaded(
    (signal) => server.listProjects({ query: { workspaceName: workspace } }, signal),
    [workspace],
  );
  const named = query.value.get('project') ?? undefined;
  const found = value?.projects.find(({ projectName }) => projectName === named);
  return {
    named,
    id: found?.projectId,
    names: (value?.projects ?? []).map(({ projectName }) => projectName).sort(),
    isKnown: named === undefined || found !== undefined,
    fault:
      fault ??
      (value !== undefined && named !== undefined && found === undefined
        ? `There is no project ${named}.`
        : undefined),
  };
};

const Found = ({ of: ran }: { of: Ran }) => {
  switch (ran.state) {
    case 'idle':
      return (
        <p class="empty">
          Write a SELECT over traces, spans, scores, threads, experiments and items of datasets, and
          run it. The result has at most 10,000 rows.
        </p>
      );
    case 'busy':
      return <p class="faint">The statement runs …</p>;
    case 'stopped':
      return <p class="empty">The statement was stopped.</p>;
    case 'failed':
      return (
        <p class="fault" role="alert">
          {ran.fault}
        </p>
      );
    case 'done':
      return <ResultView of={ran.table} tookMs={ran.tookMs} />;
  }
};

export const SqlScreen = ({ workspace }: { workspace: string }) => {
  const search = query.value;
  const asked = search.get('sql') ?? '';
  const [text, setWritten] = useState(
    () => keptDraft(workspace, asked) ?? (asked === '' ? example : asked),
  );
  const setText = (now: string) => {
    setWritten(now);
    keepDraft(workspace, asked, now);
  };
  const shown = useRef(asked);
  const [tick, setTick] = useState(0);
  const project = useProject(workspace);
  useEffect(() => {
    if (asked !== '' && asked !== shown.current) setWritten(asked);
    shown.current = asked;
  }, [asked]);
  const time = wantedTraces(search, Date.now());
  const timed = namesTime(asked);
  // By the hour, so that a page that is drawn again does not run its statement again.
  const hourMs = 3_600_000;
  const to = time.to ?? Math.ceil(Date.now() / hourMs) * hourMs;
  const from =
    time.range === undefined ? (time.from ?? 0) : Math.floor((time.from ?? 0) / hourMs) * hourMs;
  const wanted =
    asked.trim() === '' || !project.isKnown
      ? undefined
      : { statement: asked, projectId: project.id, ...(timed ? { from, to } : { from: 0, to: 0 }) };
  const { ran, stop } = useRun(wanted, tick);
  const run = () => {
    if (text.trim() === '') return;
    keepStatement(workspace, text);
    if (text === asked) setTick((now) => now + 1);
    else setQuery({ sql: text, row: undefined }, true);
  };
  usePageKeys({ '/': () => document.getElementById('sql-text')?.focus() });
  return (
    <main class="page wide">
      <h1>SQL</h1>
      <WorkspaceTabs workspace={workspace} at="sql" />
      <SqlEditor text={text} onText={setText} onRun={run} />
      <div class="controls">
        {ran.state === 'busy' ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="button" class="main" title="Ctrl+Enter" onClick={run}>
            Run
          </button>
        )}
        <select
          aria-label="Over"
          value={project.named ?? ''}
          onChange={({ currentTarget: { value } }) =>
            setQuery({ project: value, row: undefined }, true)
          }
        >
          <option value="">the whole workspace</option>
          {project.named === undefined || project.names.includes(project.named) ? null : (
            <option value={project.named}>{project.named}</option>
          )}
          {project.names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <Recent workspace={workspace} onText={setText} />
        {mayWrite.value && text.trim() !== '' ? (
          <ToBoard workspace={workspace} statement={text} projectId={project.id} />
        ) : null}
        {namesTime(text) ? <TimeRange of={time} /> : null}
      </div>
      <Tables onName={(name) => setText(`${text.trimEnd()} ${name}`.trimStart())} />
      <Fault of={project.fault} />
      <Found of={ran} />
    </main>
  );
};
