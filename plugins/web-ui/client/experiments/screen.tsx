// One experiment, or several side by side, item by item: the first is what the others are held against. All that is chosen stands in the address.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { pathOf, readList, writeList } from '../../pure/address.js';
import {
  comparedIds,
  distributionOf,
  liesIn,
  readStretch,
  regressionsFirst,
  scoreNames,
  selections,
  type ItemRow,
  type Judged,
  type Stretch,
} from '../../pure/experiments.js';
import { formatCount, formatNumber } from '../../pure/format.js';
import { experimentsServer, type Experiment } from '../evaluating-server.js';
import { useStored } from '../loading.js';
import { useSubject } from '../subject.js';
import { usePageKeys } from '../page-keys.js';
import { mayWrite, Refused } from '../request.js';
import { SearchForm } from '../shell/listing.js';
import { Coming, Stale } from '../shell/versions.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';
import { query, setQuery } from '../state.js';
import { Labels } from '../told/labels.js';
import { ItemPeek } from './item.js';
import { mostItems, useItems, type Items } from './items.js';
import { Distribution, MadeWith, Statistics, Summary } from './summary.js';
import { ItemTable, letterOf } from './table.js';
import { AskAgain, Fault } from '../shell/wait.js';

/** The items in the order and selection that the address asks for. */
const useShown = (rows: readonly ItemRow[], by: Judged, compares: boolean) => {
  const named = query.value.get('show') ?? 'all';
  const show = Object.hasOwn(selections, named) ? named : 'all';
  const stretch = readStretch(query.value.get('in'), rows[0]?.runs.length ?? 0);
  const plain = !compares || query.value.get('order') === 'newest';
  const shown = useMemo(() => {
    const most = distributionOf(rows, by.score)?.most ?? 0;
    const chosen = rows.filter(
      (row) =>
        selections[show]?.holds(row, by) === true &&
        (stretch === undefined || liesIn(row, by.score, stretch, most)),
    );
    return plain ? chosen : regressionsFirst(chosen, by);
  }, [rows, show, plain, by.score, by.lessIsBetter, query.value.get('in')]);
  return { shown, show, plain, stretch };
};

const Choices = ({
  names,
  by,
  show,
  plain,
  stretch,
  compares,
}: {
  names: readonly string[];
  by: Judged;
  show: string;
  plain: boolean;
  stretch: Stretch | undefined;
  compares: boolean;
}) => (
  <p class="controls" role="group" aria-label="How items are compared">
    {names.length === 0 ? null : (
      <select
        aria-label="Score"
        value={by.score}
        onChange={({ currentTarget: { value } }) => setQuery({ score: value, in: undefined }, true)}
      >
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    )}
    {stretch === undefined ? null : (
      <button type="button" onClick={() => setQuery({ in: undefined }, true)}>
        {letterOf(stretch.at)} {formatNumber(stretch.from)} to {formatNumber(stretch.to)} ×
      </button>
    )}
    {compares && names.length > 0 ? (
      <button
        type="button"
        aria-pressed={by.lessIsBetter}
        onClick={() => setQuery({ less: by.lessIsBetter ? undefined : 'better' })}
      >
        Less is better
      </button>
    ) : null}
    {compares ? (
      <>
        <select
          aria-label="Which items"
          value={show}
          onChange={({ currentTarget: { value } }) =>
            setQuery({ show: value === 'all' ? undefined : value }, true)
          }
        >
          {Object.entries(selections).map(([name, { says }]) => (
            <option key={name} value={name}>
              {says}
            </option>
          ))}
        </select>
        <select
          aria-label="Order of items"
          value={plain ? 'newest' : ''}
          onChange={({ currentTarget: { value } }) => setQuery({ order: value }, true)}
        >
          <option value="">regressions first</option>
          <option value="newest">newest items first</option>
        </select>
      </>
    ) : null}
  </p>
);

const Told = ({
  items,
  shown,
  fault,
}: {
  items: Items | undefined;
  shown: number;
  fault: string | undefined;
}) => (
  <p class={fault === undefined ? 'told' : 'told fault'} role="status">
    {fault === undefined ? (
      items === undefined ? (
        'loading …'
      ) : (
        ''
      )
    ) : (
      <>
        {fault} <AskAgain />{' '}
      </>
    )}
    {items === undefined
      ? ''
      : `${formatCount(shown)} of ${formatCount(items.total)} items${items.busy ? ', and more are on their way' : ''}`}
    {items !== undefined && items.total > mostItems
      ? ` · only the first ${formatCount(mostItems)} are compared; search for the others`
      : ''}
  </p>
);

const everyMs = 3000;

/** Rules score the last answers of an experiment a while after it is completed. */
const scoredMs = 60_000;
const changes = ({ status, finished_at: at }: Experiment): boolean =>
  status === 'running' || (at !== undefined && Date.parse(at) > Date.now() - scoredMs);

/** Goes up every few seconds while one of the experiments runs, or may still be scored, and the page is seen. */
const useRunning = (of: readonly Experiment[], gone: boolean, onChange: () => void): number => {
  const [tick, setTick] = useState(0);
  const runs = !gone && of.some(changes);
  useEffect(() => {
    if (!runs) return undefined;
    const again = setInterval(() => {
      if (document.hidden) return;
      setTick((now) => now + 1);
      onChange();
    }, everyMs);
    // What came last is looked at once more.
    return () => {
      clearInterval(again);
      setTick((now) => now + 1);
    };
  }, [runs]);
  return tick;
};

const Compared = ({
  workspace,
  of,
  gone,
  onChange,
}: {
  workspace: string;
  of: readonly [Experiment, ...Experiment[]];
  gone: boolean;
  onChange: () => void;
}) => {
  const [first] = of;
  const search = (query.value.get('q') ?? '').trim();
  const ids = of.map(({ id }) => id);
  const tick = useRunning(of, gone, onChange);
  const { items, fault } = useItems(first.dataset_id, ids, search, tick);
  const rows = items?.rows ?? [];
  const names = useMemo(() => scoreNames(rows), [rows]);
  const asked = query.value.get('score') ?? '';
  const by: Judged = {
    score: names.includes(asked) ? asked : (names[0] ?? ''),
    lessIsBetter: query.value.get('less') === 'better',
  };
  const compares = of.length > 1;
  const { shown, show, plain, stretch } = useShown(rows, by, compares);
  const peek = query.value.get('peek') ?? undefined;
  const place = shown.findIndex(({ id }) => id === peek);
  const open = (id: string | undefined) => setQuery({ peek: id });
  const step = (to: number) => {
    const next = shown[Math.max(0, to)];
    if (next !== undefined) open(next.id);
  };
  usePageKeys({
    '/': () => document.querySelector<HTMLInputElement>('input[type=search]')?.focus(),
    j: () => step(place + 1),
    k: () => step(place - 1),
    Escape: peek === undefined ? undefined : () => open(undefined),
  });
  const row = shown[place];
  return (
    <>
      <Summary workspace={workspace} of={of} rows={rows} by={by} names={names} />
      <Distribution of={of} rows={rows} score={by.score} />
      <Statistics of={of} />
      <MadeWith workspace={workspace} of={of} />
      {mayWrite.value && !compares ? (
        <>
          <h2>Tags</h2>
          <Labels
            what="tag"
            labels={first.tags ?? []}
            stored={async () => (await experimentsServer.show({ params: { id: first.id } })).tags}
            onChange={(tags) =>
              experimentsServer
                .update({ params: { id: first.id }, body: { tags: [...tags] } })
                .then(onChange)
            }
          />
        </>
      ) : null}
      <h2>Items</h2>
      {first.dataset_id === undefined ? (
        <p class="empty">The dataset is no longer there, and its items went with it.</p>
      ) : (
        <>
          <SearchForm label="Search in items" hint="Search in items and outputs" />
          <Choices
            names={names}
            by={by}
            show={show}
            plain={plain}
            stretch={stretch}
            compares={compares}
          />
          <Told items={items} shown={shown.length} fault={fault} />
          <div class={row === undefined ? 'halves one within' : 'halves within'}>
            <section class="left" aria-label="Items of the dataset">
              <ItemTable of={of} rows={shown} by={by} cursor={place} onOpen={open} />
            </section>
            {row === undefined ? null : (
              <section class="right" aria-label="At a glance">
                <ItemPeek
                  key={row.id}
                  workspace={workspace}
                  of={of}
                  row={row}
                  onStep={(by) => step(place + by)}
                  onClose={() => open(undefined)}
                />
              </section>
            )}
          </div>
        </>
      )}
    </>
  );
};

/** Adds another experiment over the same dataset. */
const Add = ({ of, workspace }: { of: readonly Experiment[]; workspace: string }) => {
  const dataset = of[0]?.dataset_id;
  const { value, fault } = useStored(
    async (signal) =>
      dataset === undefined
        ? undefined
        : experimentsServer.list({ query: { datasetId: dataset, size: 100 } }, signal),
    [workspace, dataset],
  );
  if (fault !== undefined) return <Fault of={fault} />;
  const ids = of.map(({ id }) => id);
  const others = (value?.content ?? []).filter(({ id }) => !ids.includes(id));
  if (others.length === 0) return null;
  return (
    <select
      aria-label="Compare with"
      value=""
      onChange={({ currentTarget: { value: id } }) =>
        setQuery({ with: writeList([...ids.slice(1), id]) }, true)
      }
    >
      <option value="">Compare with …</option>
      {others.map(({ id, name, created_at: at }) => (
        <option key={id} value={id}>
          {name} · {new Date(at).toLocaleString()}
        </option>
      ))}
    </select>
  );
};

/** The experiments of an address, the first of which must be there; of the others those that are. */
const loadExperiments = async (
  [first, ...others]: readonly string[],
  signal: AbortSignal,
): Promise<readonly Experiment[]> => {
  const show = (id: string) => experimentsServer.show({ params: { id } }, signal);
  const [base, ...rest] = await Promise.all([
    show(first ?? ''),
    ...others.map((id) =>
      show(id).catch((thrown: unknown) => {
        if (thrown instanceof Refused && thrown.status === 404) return undefined;
        throw thrown;
      }),
    ),
  ]);
  return [base, ...rest.filter((one) => one !== undefined)];
};

export const ExperimentScreen = ({ workspace, id }: { workspace: string; id: string }) => {
  const ids = comparedIds(id, readList(query.value.get('with')));
  const loaded = useSubject(
    async (signal) => ({ asked: ids.length, found: await loadExperiments(ids, signal) }),
    [workspace, ids.join()],
  );
  const { again } = loaded;
  const value = loaded.value?.found;
  const gone = (loaded.value?.asked ?? 0) - (value?.length ?? 0);
  const [first, ...others] = value ?? [];
  if (first === undefined) return <Coming of={loaded} />;
  const foreign = others.filter((one) => one.dataset_id !== first.dataset_id);
  const same = others.filter((one) => one.dataset_id === first.dataset_id);
  return (
    <main class="page wide">
      <h1 dir="auto">
        {others.length === 0 ? first.name : `${first.name} and ${others.length} more`}
      </h1>
      <WorkspaceTabs workspace={workspace} at="experiments" />
      <Stale of={loaded} what="experiment" list={pathOf('w', workspace, 'experiments')} />
      {gone === 0 ? null : (
        <p class="fault" role="alert">
          {gone} of the experiments {gone === 1 ? 'is' : 'are'} no longer there.
        </p>
      )}
      {foreign.length === 0 ? null : (
        <p class="fault" role="alert">
          {foreign.map(({ name }) => name).join(', ')} ran over another dataset and cannot be
          compared with {first.name}.
        </p>
      )}
      <p class="controls">
        {first.dataset_id === undefined ? null : (
          <span>
            over{' '}
            <a href={pathOf('w', workspace, 'datasets', first.dataset_id)} class="said">
              {first.dataset_name ?? first.dataset_id}
            </a>
          </span>
        )}
        <Add of={[first, ...same]} workspace={workspace} />
      </p>
      <Compared workspace={workspace} of={[first, ...same]} gone={loaded.gone} onChange={again} />
    </main>
  );
};
