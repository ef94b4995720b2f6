// Runs in groups of equal values: how many, the mean and deviation of each number, and the runs of a group where it is opened.
import { useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { writeColumn, type RunColumn } from '../../pure/columns.js';
import { formatCount, formatNumber } from '../../pure/format.js';
import { bothOf, claimOf, groupName } from '../../pure/grouping.js';
import { readQuery } from '../../pure/query.js';
import { runsChanged } from '../live.js';
import { useLoaded } from '../loading.js';
import { runsServer } from '../server.js';
import { query, setQuery } from '../state.js';
import type { Chosen } from './chosen.js';
import { labelOf, showCell } from './table-row.js';

const mostColumns = 20;
const mostRuns = 50;
const groupsAtOnce = 200;

type Found = Awaited<ReturnType<typeof runsServer.group>>;

const Figure = ({ of, at }: { of: Found['columns'][number]; at: number }) => {
  const [n, mean, deviation] = [of.n[at] ?? 0, of.mean[at] ?? null, of.deviation[at] ?? null];
  const [min, max] = [of.min[at] ?? null, of.max[at] ?? null];
  if (n === 0 || mean === null) return <td class="number faint">–</td>;
  return (
    <td
      class="number"
      title={`n ${n} · ${min === null ? '' : formatNumber(min)} to ${max === null ? '' : formatNumber(max)}`}
    >
      {formatNumber(Number(mean.toPrecision(4)))}
      {deviation === null || n < 2 ? null : (
        <span class="faint"> ± {formatNumber(Number(deviation.toPrecision(2)))}</span>
      )}
    </td>
  );
};

/** The runs of one group, the first of them. */
const Members = ({
  of,
  value,
  project,
  columns,
  base,
}: {
  of: Chosen;
  value: unknown;
  project: string;
  columns: readonly RunColumn[];
  base: readonly string[];
}) => {
  const claim = of.group === undefined ? undefined : claimOf(of.group, value);
  const text = claim === undefined ? undefined : bothOf(query.value.get('q') ?? '', claim);
  const { value: found, fault } = useLoaded(
    async (signal) => {
      const read = text === undefined ? undefined : readQuery(text);
      if (read === undefined || 'fault' in read)
        throw new Error('a query cannot ask for this group');
      return await runsServer.query(
        {
          body: {
            project,
            query: read.rules,
            archived: of.archived,
            columns: [{ kind: 'metadata', name: 'name' }, ...columns],
            limit: mostRuns,
          },
        },
        signal,
      );
    },
    [text, of.archived, columns.map(writeColumn).join(), runsChanged.value],
  );
  const now = Date.now();
  if (found === undefined)
    return (
      <tr>
        <td colSpan={columns.length + 2} class="faint">
          {fault ?? 'loading …'}
        </td>
      </tr>
    );
  return (
    <>
      {found.keys.map((key, at) => (
        <tr key={key} class="member">
          <th scope="row">
            <a href={pathOf(...base, 'run', key)}>{String(found.columns[0]?.values[at] ?? key)}</a>
          </th>
          <td />
          {columns.map((column, place) => (
            <td key={writeColumn(column)} class="number">
              {showCell(column, found.columns[place + 1]?.values[at], now)}
            </td>
          ))}
        </tr>
      ))}
      {found.total > found.keys.length ? (
        <tr>
          <td colSpan={columns.length + 2}>
            <button type="button" onClick={() => setQuery({ group: undefined, q: text }, true)}>
              show all {formatCount(found.total)} as a table
            </button>
          </td>
        </tr>
      ) : null}
    </>
  );
};

export const Groups = ({
  of,
  project,
  base,
}: {
  of: Chosen;
  project: string;
  base: readonly string[];
}) => {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [count, setCount] = useState(groupsAtOnce);
  const { group, rules, archived } = of;
  const columns = of.chosen
    .filter(({ kind, name }) => (kind === 'metric' || kind === 'parameter') && name !== group?.name)
    .filter(({ kind, name }) =>
      of.known?.columns.some(
        (one) => one.kind === kind && one.name === name && one.type === 'number',
      ),
    )
    .slice(0, mostColumns);
  const { value, fault } = useLoaded(
    async (signal) =>
      group === undefined
        ? undefined
        : await runsServer.group(
            { body: { project, query: rules, archived, by: [group], columns: [...columns] } },
            signal,
          ),
    [JSON.stringify([group, rules, archived, columns]), runsChanged.value],
  );
  const toggle = (at: number) => {
    const now = new Set(open);
    if (!now.delete(at)) now.add(at);
    setOpen(now);
  };
  if (value === undefined)
    return <p class={fault === undefined ? 'empty' : 'empty fault'}>{fault ?? 'loading …'}</p>;
  return (
    <div class="groups" tabIndex={0} role="region" aria-label="Groups of runs">
      <table class="plain">
        <thead>
          <tr>
            <th>{group?.name}</th>
            <th class="number">runs</th>
            {columns.map((column) => (
              <th key={writeColumn(column)} class="number">
                {labelOf(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {value.groups.slice(0, count).map(({ keys, runs }, at) => (
            <>
              <tr key={at}>
                <th scope="row">
                  <button
                    type="button"
                    class="fold"
                    aria-expanded={open.has(at)}
                    onClick={() => toggle(at)}
                  >
                    {open.has(at) ? '▾' : '▸'} {groupName(keys[0])}
                  </button>
                </th>
                <td class="number">{formatCount(runs)}</td>
                {value.columns.map((column, place) => (
                  <Figure key={place} of={column} at={at} />
                ))}
              </tr>
              {open.has(at) ? (
                <Members of={of} value={keys[0]} project={project} columns={columns} base={base} />
              ) : null}
            </>
          ))}
        </tbody>
      </table>
      {value.groups.length > count ? (
        <button type="button" onClick={() => setCount(count + groupsAtOnce)}>
          {value.groups.length - count} more groups
        </button>
      ) : null}
      {value.more ? (
        <p class="faint">There are more groups than these {value.groups.length}.</p>
      ) : null}
    </div>
  );
};
