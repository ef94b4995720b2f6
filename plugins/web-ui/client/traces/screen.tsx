// The traces of a project: figures, charts and the list of them. All that is chosen stands in the address.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { takesValue, withFilter, type TraceFilter } from '../../pure/trace-filters.js';
import { scoreOf, wantedTraces, type WantedTraces } from '../../pure/trace-list.js';
import { ProjectPages } from '../additions/project-pages.js';
import { lazy } from '../lazy.js';
import { useLoaded } from '../loading.js';
import { usePageKeys } from '../page-keys.js';
import { server } from '../server.js';
import { query, setQuery, visit } from '../state.js';
import { deletions } from '../shell/delete-soon.js';
import { TraceBar, Told } from './bar.js';
import { TraceCharts } from './charts.js';
import { Figures } from './figures.js';
import { setFilters } from './filters.js';
import { PickedTraces } from './picked.js';
import { useNewCount, useTraceRows, type TraceRow, type TraceRows } from './rows.js';
import { TraceTable } from './table.js';
import { Fault } from '../shell/wait.js';

interface Place {
  readonly workspace: string;
  readonly project: string;
}
const TracePeek = lazy<{
  readonly base: readonly string[];
  readonly id: string;
  readonly onStep: (by: number) => void;
  readonly onClose: () => void;
  readonly onChange: () => void;
}>(async () => (await import('../trace/peek.js')).TracePeek);

const sortBy = (column: string) => {
  const now = query.value.get('sort');
  setQuery(
    { sort: now === `-${column}` ? column : now === column ? undefined : `-${column}` },
    true,
  );
};

/** What a trace has in a column, as filters for it. */
const filtersFor = (column: string, of: TraceRow): readonly TraceFilter[] => {
  const is = (field: string, value: string | undefined, operator = '='): readonly TraceFilter[] =>
    value === undefined ? [] : [{ field, key: '', operator, value }];
  const score = scoreOf(column);
  const scored = of.feedback_scores?.find(({ name }) => name === score);
  if (score !== undefined)
    return scored === undefined
      ? []
      : [{ field: 'feedback_scores', key: score, operator: '=', value: String(scored.value) }];
  switch (column) {
    case 'tags':
      return (of.tags ?? []).flatMap((tag) => is('tags', tag));
    case 'thread':
      return is('thread_id', of.thread_id);
    case 'error':
      return is('error_type', of.error_info?.exception_type);
    case 'duration':
      return is('duration', of.duration === undefined ? undefined : String(of.duration), '>=');
    case 'cost':
      return of.total_estimated_cost === undefined
        ? []
        : is('total_estimated_cost', String(of.total_estimated_cost), '>=');
    case 'environment':
      return is('environment', of.environment);
    case 'source':
      return is('source', of.source);
    default:
      return [];
  }
};

/** Values of a field that the rows so far have, for completion. */
const seenIn = (rows: TraceRows | undefined, field: string): readonly string[] => {
  const found = new Set<string>();
  for (let place = 0; place < Math.min(rows?.count ?? 0, 300); place++) {
    const trace = rows?.at(place);
    if (trace === undefined) continue;
    const values: Readonly<Record<string, readonly (string | undefined)[]>> = {
      name: [trace.name],
      tags: trace.tags ?? [],
      thread_id: [trace.thread_id],
      environment: [trace.environment],
      error_type: [trace.error_info?.exception_type],
    };
    for (const value of values[field] ?? []) if (value !== undefined) found.add(value);
  }
  return [...found].slice(0, 100);
};

const usePicks = (rows: TraceRows | undefined) => {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [anchor, setAnchor] = useState<string>();
  return {
    ids,
    clear: () => setIds(new Set()),
    pick(id: string, upTo: boolean) {
      const [a, b] = [rows?.placeOf(anchor ?? id) ?? -1, rows?.placeOf(id) ?? -1];
      const now = new Set(ids);
      const adds = !now.has(id);
      const [first, last] = upTo && a >= 0 && b >= 0 ? [Math.min(a, b), Math.max(a, b)] : [b, b];
      for (let place = first; place <= last; place++) {
        const one = rows?.at(place)?.id;
        if (one !== undefined && adds) now.add(one);
        else if (one !== undefined) now.delete(one);
      }
      setIds(now);
      setAnchor(id);
    },
  };
};

const stepOf = (rows: TraceRows | undefined, at: string | undefined, by: number) => {
  const place = rows?.placeOf(at ?? '') ?? -1;
  return rows?.at(Math.max(0, place + by))?.id;
};

/** Rows that follow what is stored: at the top of the list new ones show by themselves, below it they are counted. */
const useLiveRows = (projectId: string, wanted: WantedTraces) => {
  const [asked, setAsked] = useState(0);
  const tick = asked + deletions.value;
  const [atTop, setAtTop] = useState(true);
  const again = () => setAsked((now) => now + 1);
  const loaded = useTraceRows(projectId, wanted, tick);
  const follows = query.value.get('live') !== 'off' && wanted.to === undefined;
  const count = useNewCount(projectId, follows ? wanted : undefined, tick);
  const total = loaded.rows?.total ?? 0;
  const fresh = count === undefined || loaded.rows === undefined ? 0 : count - total;
  useEffect(() => {
    if (fresh !== 0 && atTop) again();
  }, [fresh, atTop]);
  return { ...loaded, tick, again, setAtTop, fresh: atTop ? 0 : fresh };
};

const Traces = ({ workspace, project, projectId }: Place & { projectId: string }) => {
  const base = ['w', workspace, 'p', project];
  const search = query.value;
  const asked = ['q', 'filters', 'cols', 'sort', 'range', 'from', 'to'].map((one) =>
    search.get(one),
  );
  // What is meant by now stays until something else is asked for.
  const wanted = useMemo(() => wantedTraces(search, Date.now()), [asked.join('\n')]);
  const { rows, fault, need, tick, again, fresh, setAtTop } = useLiveRows(projectId, wanted);
  const picks = usePicks(rows);
  const [cursor, setCursor] = useState<string>();
  const peek = search.get('peek') ?? undefined;
  const setPeek = (id: string | undefined) => {
    setQuery({ peek: id });
    if (id !== undefined) setCursor(id);
  };
  const step = (by: number) => {
    const next = stepOf(rows, peek ?? cursor, by);
    if (next === undefined) return;
    setCursor(next);
    if (peek !== undefined) setQuery({ peek: next });
  };
  usePageKeys({
    '/': () => document.getElementById('trace-search')?.focus(),
    j: () => step(1),
    k: () => step(-1),
    x: cursor === undefined ? undefined : () => picks.pick(cursor, false),
    p: cursor === undefined ? undefined : () => setPeek(peek === undefined ? cursor : undefined),
    o: cursor === undefined ? undefined : () => visit(pathOf(...base, 'trace', cursor)),
    Escape: peek === undefined ? undefined : () => setPeek(undefined),
  });
  const filterBy = (column: string, id: string) => {
    const trace = rows?.at(rows.placeOf(id));
    if (trace === undefined) return;
    const more = filtersFor(column, trace).filter((one) => !takesValue(one.operator) || one.value);
    setFilters(more.reduce(withFilter, wanted.filters));
  };
  return (
    <main class="split">
      <h1 class="unseen">Traces of {project}</h1>
      <ProjectPages workspace={workspace} project={project} at="traces" />
      <TraceBar
        projectId={projectId}
        wanted={wanted}
        total={rows?.total}
        seenOf={(field) => seenIn(rows, field)}
      />
      <Figures projectId={projectId} wanted={wanted} tick={tick} />
      {search.get('charts') === 'off' ? null : (
        <TraceCharts projectId={projectId} wanted={wanted} tick={tick} />
      )}
      <Told rows={rows} fault={fault} fresh={fresh} onFresh={again} />
      <div class={peek === undefined ? 'halves one' : 'halves'}>
        <section class="left" aria-label="List of traces">
          <TraceTable
            base={base}
            rows={rows}
            columns={wanted.columns}
            sort={wanted.sort}
            picked={picks.ids}
            cursor={cursor}
            need={need}
            onSort={sortBy}
            onPick={picks.pick}
            onPeek={setPeek}
            onFilter={filterBy}
            onTop={setAtTop}
          />
          {rows?.total === 0 ? <Nothing project={project} wanted={wanted} /> : null}
          {picks.ids.size > 0 ? (
            <PickedTraces
              projectId={projectId}
              ids={[...picks.ids]}
              onChange={again}
              onDone={picks.clear}
            />
          ) : null}
        </section>
        {peek === undefined ? null : (
          <section class="right" aria-label="At a glance">
            <TracePeek
              key={peek}
              base={base}
              id={peek}
              onStep={step}
              onClose={() => setPeek(undefined)}
              onChange={again}
            />
          </section>
        )}
      </div>
    </main>
  );
};

const Nothing = ({ project, wanted }: { project: string; wanted: WantedTraces }) =>
  wanted.filters.length > 0 || wanted.search !== '' ? (
    <p class="empty">No trace matches this.</p>
  ) : (
    <div class="empty">
      <p>
        No trace in this time.{' '}
        {wanted.range === 'all' ? null : (
          <button
            type="button"
            onClick={() => setQuery({ range: 'all', from: undefined, to: undefined })}
          >
            Look at all time
          </button>
        )}
      </p>
      <p>One that is logged shows up by itself:</p>
      <pre class="error">
        {`@opik.track(project_name="${project}")
def answer(question):
    return "…"`}
      </pre>
    </div>
  );

export const TracesScreen = ({ workspace, project }: Place) => {
  const { value, fault } = useLoaded(
    (signal) =>
      server.getProject({ query: { workspaceName: workspace, projectName: project } }, signal),
    [workspace, project],
  );
  if (fault !== undefined)
    return (
      <main class="page">
        <h1>There is nothing here</h1>
        <Fault of={fault} />
      </main>
    );
  return value === undefined ? (
    <main class="page faint">loading …</main>
  ) : (
    <Traces
      key={value.projectId}
      workspace={workspace}
      project={project}
      projectId={value.projectId}
    />
  );
};
