// What is chosen of the runs of a project, as it stands in the address, with what stands in for what is not.
import { useMemo, useRef } from 'preact/hooks';
import { readList, writeList } from '../../pure/address.js';
import { sameColumn, writeColumn, type RunColumn } from '../../pure/columns.js';
import { readQuery, type RuleGroup } from '../../pure/query.js';
import {
  askedColumns,
  facts,
  readColumns,
  readDiffering,
  readGroups,
  readNewest,
  readSort,
  shownColumns,
  sinceOf,
  usualColumns,
} from '../../pure/run-page.js';
import { lastValuesChanged, runsChanged } from '../live.js';
import { useLoaded } from '../loading.js';
import { runsServer } from '../server.js';
import { query, setQuery } from '../state.js';
import { dropColumns, keepColumns } from './kept.js';
import type { RunRows } from './rows.js';

export type KnownColumns = Awaited<ReturnType<typeof runsServer.columns>>;

export interface RunsPlace {
  readonly workspace: string;
  readonly project: string;
  readonly projectId: string;
}

/** Widths in pixels by the text of their column. */
const readWidths = (text: string | null): ReadonlyMap<string, number> =>
  new Map(
    readList(text).flatMap((one) => {
      const [column, width] = [one.slice(0, one.lastIndexOf('~')), Number(one.split('~').at(-1))];
      return width >= 40 && width <= 1000 ? [[column, width] as const] : [];
    }),
  );

/** When the last of the newest runs began, `null` where there are no more than those; nothing until it is known. */
const useSince = (
  project: string,
  {
    newest,
    rules,
    archived,
  }: {
    readonly newest: number | undefined;
    readonly rules: RuleGroup | undefined;
    readonly archived: boolean;
  },
) =>
  useLoaded(
    async (signal) => {
      if (newest === undefined) return null;
      const columns = [{ kind: 'metadata' as const, name: 'start' }];
      const found = await runsServer.query(
        { body: { project, query: rules, archived, columns, limit: newest } },
        signal,
      );
      const last = found.columns[0]?.values.at(-1);
      return found.total <= newest || typeof last !== 'number' ? null : last;
    },
    [
      project,
      JSON.stringify([newest, rules, archived]),
      newest === undefined ? 0 : runsChanged.value,
    ],
    newest === undefined ? () => null : undefined,
  );

export const useChosen = (projectId: string) => {
  // Names come with points, the first of them while one looks: until there are metrics each change is asked about.
  const hasMetrics = useRef(false);
  const pace = hasMetrics.current ? 1 : 5;
  const { value: known, fault } = useLoaded(
    (signal) => runsServer.columns({ query: { project: projectId } }, signal),
    [
      projectId,
      Math.floor((runsChanged.value * pace) / 5),
      Math.floor((lastValuesChanged.value * pace) / 5),
    ],
    () => runsServer.columns.now({ query: { project: projectId } }),
  );
  hasMetrics.current = known?.columns.some(({ kind }) => kind === 'metric') ?? false;
  const of = query.value;
  const named = of.get('cols');
  const chosen = useMemo(
    () =>
      named !== null
        ? readColumns(named)
        : known === undefined
          ? facts
          : usualColumns(known.columns),
    [named, JSON.stringify(known?.columns.slice(0, 200).map(({ kind, name }) => [kind, name]))],
  );
  const groupText = of.get('group');
  const groups = useMemo(() => readGroups(groupText), [groupText]);
  const colourText = of.get('colour');
  const painted = useMemo(() => readColumns(colourText), [colourText]);
  const strokeText = of.get('stroke');
  const stroked = useMemo(() => readColumns(strokeText), [strokeText]);
  const columns = useMemo(
    () => askedColumns(chosen, [...groups, ...painted, ...stroked]),
    [chosen, groups, painted, stroked],
  );
  const read = readQuery(of.get('q') ?? '');
  const archived = of.get('archived') === '1';
  const asked = 'fault' in read ? undefined : read.rules;
  const newest = readNewest(of.get('newest'));
  const since = useSince(projectId, { newest, rules: asked, archived });
  const widths = of.get('widths');
  const pin = of.get('pin');
  return {
    known,
    fault: fault ?? since.fault ?? ('fault' in read ? read.fault.says : undefined),
    chosen,
    columns,
    groups,
    /** The column that names the parent of a run, where runs are shown as a tree. */
    tree: readColumns(of.get('tree'))[0],
    /** What lines are coloured by. */
    colour: painted[0],
    /** By what they are stroked and marked: each run for itself, a column, or nothing. */
    stroke: strokeText === 'each' ? ('each' as const) : stroked[0],
    pinned: useMemo(() => readColumns(pin), [pin]),
    widths: useMemo(() => readWidths(widths), [widths]),
    differing: readDiffering(of),
    rules: sinceOf(asked, since.value ?? undefined),
    /** Of the runs that satisfy other rules, those that are looked at. */
    within: (rules: RuleGroup | undefined) => sinceOf(rules, since.value ?? undefined),
    since: since.value,
    /** Whether it is known which runs are looked at. */
    ready: known !== undefined && (newest === undefined || since.value !== undefined),
    archived,
    sort: readSort(of.get('sort')),
  };
};
export type Chosen = ReturnType<typeof useChosen>;

/** The columns that the table shows of these rows. */
export const shownOf = (chosen: Chosen, rows: RunRows | undefined): readonly RunColumn[] =>
  shownColumns(chosen, rows?.values ?? []);

/** What is done to the columns: each change is one of the address. */
export const columnActs = (project: string, { chosen, pinned, widths, differing }: Chosen) => {
  const set = (changes: Readonly<Record<string, string>>) => {
    setQuery(changes);
    keepColumns(project);
  };
  const change = (now: readonly RunColumn[]) =>
    set({ cols: writeList(now.map(writeColumn)), differing: differing ? '1' : '0' });
  const pin = (now: readonly RunColumn[]) =>
    set({ pin: writeList(now.map((one) => writeColumn({ kind: one.kind, name: one.name }))) });
  return {
    change,
    usual: () => dropColumns(project),
    hide: (column: RunColumn) => change(chosen.filter((one) => !sameColumn(column)(one))),
    isPinned: (column: RunColumn) => pinned.some(sameColumn(column)),
    pin: (column: RunColumn) =>
      pin(
        pinned.some(sameColumn(column))
          ? pinned.filter((one) => !sameColumn(column)(one))
          : [...pinned, column],
      ),
    /** Puts a column where another stands. */
    place: (column: RunColumn, before: RunColumn) => {
      const others = chosen.filter((one) => !sameColumn(column)(one));
      const was = chosen.findIndex(sameColumn(column));
      const at = others.findIndex(sameColumn(before));
      const to = was < chosen.findIndex(sameColumn(before)) ? at + 1 : at;
      change([...others.slice(0, to), chosen[was] ?? column, ...others.slice(to)]);
    },
    resize: (column: RunColumn, width: number) => {
      const now = new Map(widths).set(writeColumn({ kind: column.kind, name: column.name }), width);
      set({ widths: writeList([...now].map(([text, px]) => `${text}~${Math.round(px)}`)) });
    },
  };
};
export type ColumnActs = ReturnType<typeof columnActs>;
