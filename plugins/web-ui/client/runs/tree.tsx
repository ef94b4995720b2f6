// Runs below the run that they name as their parent, to any depth. Children stay below a run that a query finds, whatever they are.
import { useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { labelOf, sameColumn, writeColumn, type RunColumn } from '../../pure/columns.js';
import { formatCount } from '../../pure/format.js';
import { bothRules, childrenOf, hasParent, runsOfKeys } from '../../pure/run-tree.js';
import { nameColumn } from '../../pure/run-page.js';
import type { RuleGroup } from '../../pure/query.js';
import { runsChanged } from '../live.js';
import { useLoaded } from '../loading.js';
import { runsServer } from '../server.js';
import { Cut } from '../shell/cut.js';
import type { Chosen } from './chosen.js';
import { showCell } from './table-row.js';
import { AskAgain } from '../shell/wait.js';

const [atOnce, mostLevels, parentsAtOnce] = [100, 20, 80];

interface Shared {
  readonly of: Chosen;
  readonly project: string;
  readonly base: readonly string[];
  readonly parent: RunColumn;
  readonly columns: readonly RunColumn[];
}
interface Level extends Shared {
  readonly rules: RuleGroup | undefined;
  readonly depth: number;
  /** Where parents are told of, since they are not here; `lost` where they are nowhere. */
  readonly alone?: boolean;
  readonly lost?: boolean;
}
export interface TreeProps extends Omit<Shared, 'columns'> {
  readonly shown: readonly RunColumn[];
}

/** How many children each of these runs has; a few requests, however many they are. */
const countChildren = async (
  { project, parent, of }: Shared,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> => {
  const counts = new Map<string, number>();
  for (let at = 0; at < keys.length; at += parentsAtOnce) {
    const { groups } = await runsServer.group(
      {
        body: {
          project,
          query: childrenOf(parent, keys.slice(at, at + parentsAtOnce)),
          archived: of.archived,
          by: [parent],
          limit: 1000,
        },
      },
      signal,
    );
    for (const { keys: values, runs } of groups) counts.set(String(values[0]), runs);
  }
  return counts;
};

const mostParents = 1000;
const mostColumns = 12;

/** Parents that runs name and that are not among those of the table: deleted, archived, or of another project. */
const findLost = async (
  { project, parent, of }: Omit<Shared, 'columns'>,
  signal: AbortSignal,
): Promise<{ readonly keys: readonly string[]; readonly more: boolean }> => {
  const body = { project, archived: of.archived };
  const { groups, more } = await runsServer.group(
    { body: { ...body, query: hasParent(parent, true), by: [parent], limit: mostParents } },
    signal,
  );
  const named = groups.map(({ keys }) => String(keys[0]));
  const there = new Set<string>();
  for (let at = 0; at < named.length; at += parentsAtOnce) {
    const query = runsOfKeys(named.slice(at, at + parentsAtOnce));
    const found = await runsServer.query(
      { body: { ...body, query, limit: parentsAtOnce } },
      signal,
    );
    for (const key of found.keys) there.add(key);
  }
  return { keys: named.filter((key) => !there.has(key)), more };
};

/** Runs whose parent is not here, so that they are roots. */
const Lost = (shared: Shared) => {
  const { of, parent, project, columns } = shared;
  const { value, fault } = useLoaded(
    (signal) => findLost({ of, parent, project, base: shared.base }, signal),
    [project, of.archived, writeColumn(parent), runsChanged.value],
  );
  const keys = value?.keys ?? [];
  const chunks = Array.from({ length: Math.ceil(keys.length / parentsAtOnce) }, (_, at) =>
    keys.slice(at * parentsAtOnce, (at + 1) * parentsAtOnce),
  );
  return (
    <>
      {chunks.map((some) => (
        <Rows key={some[0]} {...shared} lost rules={childrenOf(parent, some)} depth={0} />
      ))}
      {fault === undefined ? null : <Says columns={columns.length} says={fault} fault />}
      {value?.more === true ? (
        <Says
          columns={columns.length}
          says={`Of more than ${formatCount(mostParents)} parents, only those were looked for; a query finds the others.`}
          fault={false}
        />
      ) : null}
    </>
  );
};

const Says = ({ columns, says, fault }: { columns: number; says: string; fault: boolean }) => (
  <tr>
    <td colSpan={columns + 2} class={fault ? 'fault' : 'faint'}>
      {says} {fault ? <AskAgain /> : null}
    </td>
  </tr>
);

const Rows = (level: Level) => {
  const { of, project, base, parent, columns, rules, depth, alone = false, lost = false } = level;
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [count, setCount] = useState(atOnce);
  const { value, fault } = useLoaded(
    async (signal) => {
      const found = await runsServer.query(
        {
          body: {
            project,
            query: rules,
            archived: of.archived,
            columns: [nameColumn, parent, ...columns],
            limit: Math.min(1000, count),
            ...(of.sort === undefined
              ? {}
              : { sort: [{ ...of.sort.column, descending: of.sort.descending }] }),
          },
        },
        signal,
      );
      return { ...found, children: await countChildren(level, found.keys, signal) };
    },
    [JSON.stringify([rules, of.archived, columns, of.sort, parent]), count, runsChanged.value],
  );
  if (value === undefined)
    return (
      <Says columns={columns.length} says={fault ?? 'loading …'} fault={fault !== undefined} />
    );
  const now = Date.now();
  const toggle = (key: string) => {
    const next = new Set(open);
    if (!next.delete(key)) next.add(key);
    setOpen(next);
  };
  return (
    <>
      {value.keys.map((key, at) => {
        const children = value.children.get(key) ?? 0;
        const name = String(value.columns[0]?.values[at] ?? key);
        return (
          <>
            <tr key={key} class="member">
              <th scope="row" style={{ 'padding-left': `${depth * 18}px` }}>
                {children === 0 ? null : (
                  <button
                    type="button"
                    class="fold"
                    aria-expanded={open.has(key)}
                    aria-label={`Runs below ${name}`}
                    onClick={() => toggle(key)}
                  >
                    {open.has(key) ? '▾' : '▸'}
                  </button>
                )}
                <a href={pathOf(...base, 'run', key)} dir="auto">
                  {name}
                </a>
                {lost ? (
                  <span class="faint" title={String(value.columns[1]?.values[at])}>
                    {' '}
                    its parent is not here
                  </span>
                ) : null}
                {alone ? (
                  <a
                    class="faint"
                    href={pathOf(...base, 'run', String(value.columns[1]?.values[at]))}
                  >
                    {' '}
                    to its parent
                  </a>
                ) : null}
              </th>
              <td class="number">{children === 0 ? '' : formatCount(children)}</td>
              {columns.map((column, place) => (
                <td key={writeColumn(column)} class="number">
                  {showCell(column, value.columns[place + 2]?.values[at], now)}
                </td>
              ))}
            </tr>
            {!open.has(key) ? null : depth >= mostLevels ? (
              <Says
                columns={columns.length}
                says={`No further than ${mostLevels} levels are shown here; open the run.`}
                fault={false}
              />
            ) : (
              <Rows
                key={`below ${key}`}
                {...level}
                alone={false}
                lost={false}
                depth={depth + 1}
                rules={childrenOf(parent, [key])}
              />
            )}
          </>
        );
      })}
      {value.total <= value.keys.length ? null : value.keys.length < 1000 ? (
        <tr>
          <td colSpan={columns.length + 2}>
            <button type="button" onClick={() => setCount(count + atOnce)}>
              {formatCount(value.total - value.keys.length)} more
            </button>
          </td>
        </tr>
      ) : (
        <Says
          columns={columns.length}
          says={`1000 of ${formatCount(value.total)} runs; a query finds the others.`}
          fault={false}
        />
      )}
    </>
  );
};

export const Tree = ({ of, project, base, parent, shown }: TreeProps) => {
  const others = shown.filter((one) => !sameColumn(parent)(one));
  const columns = others.slice(0, mostColumns);
  const shared = { of, project, base, parent, columns };
  return (
    <div class="groups" tabIndex={0} role="region" aria-label="Runs as a tree">
      <table class="plain">
        <thead>
          <tr>
            <th>run</th>
            <th class="number">below</th>
            {columns.map((column) => (
              <th key={writeColumn(column)} class="number">
                {labelOf(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Rows {...shared} rules={bothRules(of.rules, hasParent(parent, false))} depth={0} />
          {of.rules === undefined ? (
            <Lost {...shared} />
          ) : (
            <>
              <tr>
                <th scope="row" colSpan={columns.length + 2}>
                  Found below other runs
                </th>
              </tr>
              <Rows
                {...shared}
                alone
                rules={bothRules(of.rules, hasParent(parent, true))}
                depth={0}
              />
            </>
          )}
        </tbody>
      </table>
      <Cut shown={mostColumns} of={others.length} what="columns" how="choose others by “columns”" />
    </div>
  );
};
