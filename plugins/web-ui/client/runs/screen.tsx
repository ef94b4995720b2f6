// The runs of a project: query, table, charts. All that is chosen stands in the address.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { pathOf, readList, writeList } from '../../pure/address.js';
import {
  columnValues,
  differs,
  readColumn,
  writeColumn,
  type RunColumn,
} from '../../pure/columns.js';
import { csvLine, formatCount, formatNumber } from '../../pure/format.js';
import { quoted, readQuery } from '../../pure/query.js';
import { Panels } from '../charts/panels.js';
import { listening, listenTo, runsChanged } from '../live.js';
import { useLoaded } from '../loading.js';
import { save } from '../save.js';
import { saysFault, server } from '../server.js';
import { go, isTyping, query, setQuery, tell } from '../state.js';
import { ColumnPicker } from './column-picker.js';
import { QueryBar } from './query-bar.js';
import { useRunRows, type Sort } from './rows.js';
import { labelOf, RunTable } from './table.js';

type Columns = Awaited<ReturnType<typeof server.listRunColumns>>['columns'];

const facts: readonly RunColumn[] = ['name', 'state', 'start', 'duration', 'tags'].map((name) => ({
  kind: 'metadata',
  name,
}));
const isSystem = (name: string) => name.startsWith('sys.');

/** Where nothing was chosen: what every project is looked at for, and enough parameters to find those that differ. */
const usualColumns = (known: Columns): readonly RunColumn[] => [
  ...known
    .filter(({ kind, name }) => kind === 'metric' && !isSystem(name))
    .slice(0, 4)
    .map(({ name }): RunColumn => ({ kind: 'metric', name, value: 'last' })),
  ...known
    .filter(({ kind }) => kind === 'parameter')
    .slice(0, 12)
    .map(({ name }): RunColumn => ({ kind: 'parameter', name })),
];

const readSort = (text: string | null): Sort | undefined => {
  const descending = text?.startsWith('-') === true;
  const column = readColumn(descending ? (text?.slice(1) ?? '') : (text ?? ''));
  return column === undefined ? undefined : { column, descending };
};

/** Archives or restores runs one after another, and offers the way back. */
const putAway = async (keys: readonly string[], away: boolean): Promise<void> => {
  const act = away ? server.archive : server.restore;
  for (const experimentKey of keys) await act({ query: { experimentKey } });
  runsChanged.value++;
  const count = `${keys.length} ${keys.length === 1 ? 'run' : 'runs'}`;
  tell(`${count} ${away ? 'archived' : 'restored'}`, () => attempt(putAway(keys, !away)));
};
const tagAll = async (keys: readonly string[], tag: string): Promise<void> => {
  for (const experimentKey of keys)
    await server.addTags({ body: { experimentKey, addedTags: [tag] } });
  runsChanged.value++;
  tell(`${tag} added to ${keys.length} runs`, () =>
    attempt(
      Promise.all(
        keys.map((experimentKey) => server.deleteTags({ body: { experimentKey, tags: [tag] } })),
      ).then(() => {
        runsChanged.value++;
      }),
    ),
  );
};
const attempt = (work: Promise<unknown>): void => {
  work.catch((thrown: unknown) => tell(saysFault(thrown)));
};

const Picked = ({
  keys,
  base,
  archived,
  onDone,
}: {
  keys: readonly string[];
  base: readonly string[];
  archived: boolean;
  onDone: () => void;
}) => {
  const [tag, setTag] = useState('');
  const finish = (work: Promise<void>) => attempt(work.then(onDone));
  return (
    <div class="picked-bar" role="toolbar" aria-label="Selected runs">
      <b>{keys.length} selected</b>
      {keys.length > 1 && keys.length <= 50 ? (
        <a class="button" href={`${pathOf(...base, 'compare')}?runs=${writeList(keys)}`}>
          Compare <kbd>c</kbd>
        </a>
      ) : null}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (tag.trim() !== '') finish(tagAll(keys, tag.trim()));
        }}
      >
        <input
          aria-label="Tag to add"
          placeholder="add a tag"
          maxLength={100}
          value={tag}
          onInput={({ currentTarget }) => setTag(currentTarget.value)}
        />
      </form>
      <button type="button" onClick={() => finish(putAway(keys, !archived))}>
        {archived ? 'Restore' : 'Archive'}
      </button>
      <button type="button" class="quiet" onClick={onDone}>
        Clear
      </button>
    </div>
  );
};

/** What is chosen in the address, with what stands in for what is not. */
const useChosen = (projectId: string) => {
  const { value: known, fault } = useLoaded(
    (signal) => server.listRunColumns({ query: { project: projectId } }, signal),
    [projectId, Math.floor(runsChanged.value / 5)],
  );
  const of = query.value;
  const named = of.get('cols');
  const logged = useMemo(
    () =>
      named === null
        ? usualColumns(known?.columns ?? [])
        : readList(named).flatMap((text) => readColumn(text) ?? []),
    [named, JSON.stringify(known?.columns.slice(0, 200).map(({ kind, name }) => [kind, name]))],
  );
  const columns = useMemo(() => [...facts, ...logged], [logged]);
  const read = readQuery(of.get('q') ?? '');
  return {
    known,
    fault: fault ?? ('fault' in read ? read.fault.says : undefined),
    columns,
    differing: (of.get('differing') ?? (named === null ? '1' : '0')) === '1',
    rules: 'fault' in read ? undefined : read.rules,
    archived: of.get('archived') === '1',
    sort: readSort(of.get('sort')),
  };
};

const nextValue = (column: RunColumn): RunColumn => {
  const at = columnValues.indexOf(column.value ?? 'last');
  return { ...column, value: columnValues[(at + 1) % columnValues.length] ?? 'last' };
};

const Runs = ({
  workspace,
  project,
  projectId,
}: {
  workspace: string;
  project: string;
  projectId: string;
}) => {
  const chosen = useChosen(projectId);
  const { known, columns, differing, sort, archived } = chosen;
  const [picking, setPicking] = useState(false);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [anchor, setAnchor] = useState<string>();
  const { rows, fault, more } = useRunRows(
    known === undefined
      ? undefined
      : { project: projectId, rules: chosen.rules, archived, columns, sort },
    runsChanged.value,
  );
  useEffect(() => listenTo(projectId), [projectId]);

  const shown = useMemo(
    () =>
      columns.filter((column, at) => {
        if (at === 0) return false; // the name, which has a place of its own
        const values = rows?.values[at] ?? [];
        if (column.kind === 'metadata')
          return (
            column.name !== 'tags' || values.some((one) => Array.isArray(one) && one.length > 0)
          );
        return column.kind !== 'parameter' || !differing || values.length < 2 || differs(values);
      }),
    [columns, rows, differing],
  );
  const change = (now: readonly RunColumn[]) =>
    setQuery({ cols: writeList(now.map(writeColumn)), differing: differing ? '1' : undefined });
  const logged = columns.slice(facts.length);
  const sortBy = (column: RunColumn) => {
    const text = writeColumn(column);
    const now = query.value.get('sort');
    setQuery({ sort: now === `-${text}` ? text : now === text ? undefined : `-${text}` }, true);
  };
  const pick = (key: string, upTo: boolean) => {
    const keys = rows?.keys ?? [];
    const [a, b] = [keys.indexOf(anchor ?? key), keys.indexOf(key)];
    const some = upTo && a >= 0 ? keys.slice(Math.min(a, b), Math.max(a, b) + 1) : [key];
    const now = new Set(picked);
    for (const one of some)
      if (picked.has(key)) now.delete(one);
      else now.add(one);
    setPicked(now);
    setAnchor(key);
  };
  const filterBy = ({ kind, name }: RunColumn, value: unknown) => {
    const word = { metric: 'Metric', parameter: 'Param', other: 'Other' }[kind as string]; // others have no word in a query
    if (word === undefined || value === null || value === undefined) return;
    const claim = `${word}(${quoted(name)}) == ${typeof value === 'number' ? value : quoted(String(value))}`;
    const now = query.value.get('q') ?? '';
    setQuery({ q: now === '' ? claim : `${now} & ${claim}` }, true);
  };
  const exportCsv = () => {
    const all = [columns[0]!, ...shown]; // the name is always there
    const at = all.map((column) => columns.indexOf(column));
    const lines = [
      csvLine(['key', ...all.map(labelOf)]),
      ...(rows?.keys ?? []).map((key, place) =>
        csvLine([key, ...at.map((one) => rows?.values[one]?.[place])]),
      ),
    ];
    save(`${project}.csv`, new Blob([`${lines.join('\n')}\n`], { type: 'text/csv' }));
  };
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isTyping(event.target) || event.metaKey || event.ctrlKey || event.altKey) return;
      const compare = `${pathOf('w', workspace, 'p', project, 'compare')}?runs=${writeList([...picked])}`;
      const acts: Readonly<Record<string, () => void>> = {
        '/': () => document.getElementById('query')?.focus(),
        d: () => setQuery({ differing: differing ? '0' : '1' }),
        l: () => setQuery({ logy: query.value.get('logy') === '1' ? undefined : '1' }),
        c: () => picked.size > 1 && picked.size <= 50 && go(compare),
      };
      const act = acts[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [differing, picked, workspace, project]);

  const drawn = picked.size > 0 ? [...picked].slice(0, 100) : (rows?.keys.slice(0, 10) ?? []);
  const names = new Map(rows?.keys.map((key, at) => [key, String(rows.values[0]?.[at] ?? key)]));
  const metrics = (known?.columns ?? []).filter(({ kind }) => kind === 'metric');
  const wrong = chosen.fault ?? (fault === '' ? undefined : fault);
  return (
    <main class="split">
      <h1 class="unseen">Runs of {project}</h1>
      <div class="bar">
        <QueryBar
          text={query.value.get('q') ?? ''}
          names={(known?.columns ?? []).map(({ kind, name, min, max, runs }) => ({
            kind,
            name,
            says: `${min === null || max === null ? '' : `${formatNumber(min)} .. ${formatNumber(max)}  `}${runs} runs`,
          }))}
          onQuery={(q) => setQuery({ q }, true)}
        />
        <button
          type="button"
          aria-pressed={differing}
          title="Only parameters that differ (d)"
          onClick={() => setQuery({ differing: differing ? '0' : '1' })}
        >
          differing
        </button>
        <button
          type="button"
          aria-pressed={archived}
          onClick={() => setQuery({ archived: archived ? undefined : '1' })}
        >
          archived
        </button>
        <button type="button" aria-expanded={picking} onClick={() => setPicking(!picking)}>
          columns
        </button>
        <button type="button" title="Save the rows and columns that are shown" onClick={exportCsv}>
          CSV
        </button>
      </div>
      {picking ? (
        <ColumnPicker
          known={known?.columns ?? []}
          chosen={logged}
          onChange={change}
          onClose={() => setPicking(false)}
        />
      ) : null}
      <p class="told" role="status">
        {wrong !== undefined ? (
          <span class="fault">{wrong}</span>
        ) : rows === undefined ? (
          'loading …'
        ) : (
          `${formatCount(rows.keys.length)} of ${formatCount(rows.total)} runs · ${Math.round(rows.tookMs)} ms · ${listening.value ? 'live' : 'not live'} · charts: ${picked.size > 0 ? `${drawn.length} selected` : `first ${drawn.length}`}`
        )}
      </p>
      <div class="halves">
        <section class="left" aria-label="Table of runs">
          <RunTable
            workspace={workspace}
            project={project}
            columns={columns}
            shown={shown}
            rows={rows}
            sort={sort}
            picked={picked}
            onSort={sortBy}
            onPick={pick}
            onValue={(column) =>
              change(logged.map((one) => (one === column ? nextValue(one) : one)))
            }
            onFilter={filterBy}
            onMore={more}
          />
          {rows?.total === 0 ? (
            <p class="empty">
              {query.value.get('q') ? 'No run matches this query.' : 'No run here yet.'}
            </p>
          ) : null}
          {picked.size > 0 ? (
            <Picked
              keys={[...picked]}
              base={['w', workspace, 'p', project]}
              archived={archived}
              onDone={() => setPicked(new Set())}
            />
          ) : null}
        </section>
        <section class="right" aria-label="Charts">
          <Panels
            metrics={metrics.map(({ name }) => name)}
            runs={drawn}
            nameOf={(key) => names.get(key) ?? key}
          />
        </section>
      </div>
    </main>
  );
};

export const RunsScreen = ({ workspace, project }: { workspace: string; project: string }) => {
  const { value, fault } = useLoaded(
    (signal) =>
      server.getProject({ query: { workspaceName: workspace, projectName: project } }, signal),
    [workspace, project],
  );
  if (fault !== undefined)
    return (
      <main class="page">
        <h1>There is nothing here</h1>
        <p class="fault">{fault}</p>
      </main>
    );
  return value === undefined ? (
    <main class="page faint">loading …</main>
  ) : (
    <Runs
      key={value.projectId}
      workspace={workspace}
      project={project}
      projectId={value.projectId}
    />
  );
};
