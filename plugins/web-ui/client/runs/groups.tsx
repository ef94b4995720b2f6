// Runs in groups of equal values, and groups within groups: how many, the mean and deviation of each number, and the runs where the last is opened.
import { useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { labelOf, writeColumn, type RunColumn } from '../../pure/columns.js';
import { formatCount } from '../../pure/format.js';
import { bothOf, claimOf, groupName } from '../../pure/grouping.js';
import { readQuery } from '../../pure/query.js';
import { meanText, readSpread, spreads, spreadText } from '../../pure/spread.js';
import { nameColumn } from '../../pure/run-page.js';
import { Swatch } from '../charts/swatch.js';
import { groupKey } from '../../pure/panel-drawing.js';
import { runsChanged } from '../live.js';
import { useLoaded } from '../loading.js';
import { runsServer } from '../server.js';
import { Cut } from '../shell/cut.js';
import { query, setQuery } from '../state.js';
import type { Chosen } from './chosen.js';
import { CopyGroups, figuresAt } from './copy-groups.js';
import { showCell } from './table-row.js';
import { AskAgain } from '../shell/wait.js';

const mostColumns = 20;
const mostRuns = 50;
const groupsAtOnce = 200;
const mostGroups = 1000;

type Found = Awaited<ReturnType<typeof runsServer.group>>;

/** What is the same for every level. */
interface Shared {
  readonly of: Chosen;
  readonly project: string;
  readonly base: readonly string[];
  readonly columns: readonly RunColumn[];
}
interface Level extends Shared {
  /** The query of whoever looks and what the groups above say; nothing where no query can say it. */
  readonly text: string | undefined;
  /** Names of the groups above. */
  readonly above: readonly string[];
}

const rulesOf = (text: string | undefined) => {
  const read = text === undefined ? undefined : readQuery(text);
  if (read === undefined || 'fault' in read)
    throw new Error('a query cannot ask for this group; group by something else');
  return read.rules;
};

const Figure = ({ of, at }: { of: Found['columns'][number]; at: number }) => {
  const figures = figuresAt(of, at);
  const spread = readSpread(query.value.get('spread'));
  const title = spreads
    .filter((one) => one !== spread)
    .map((one) => `${one} ${spreadText(figures, one)}`)
    .join(' · ');
  if (figures.mean === null) return <td class="number faint">–</td>;
  return (
    <td class="number" title={`n ${figures.n} · ${title}`}>
      {meanText(figures)}
      <span class="faint"> {spreadText(figures, spread)}</span>
    </td>
  );
};

/** What is told beside the mean. */
const SpreadChoice = () => (
  <label class="slide">
    beside the mean
    <select
      aria-label="Beside the mean"
      value={readSpread(query.value.get('spread'))}
      onChange={({ currentTarget }) =>
        setQuery({ spread: currentTarget.value === 'deviation' ? undefined : currentTarget.value })
      }
    >
      {spreads.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  </label>
);

const Whole = ({ columns, says, fault }: { columns: number; says: string; fault: boolean }) => (
  <tr>
    <td colSpan={columns + 2} class={fault ? 'fault' : 'faint'}>
      {says} {fault ? <AskAgain /> : null}
    </td>
  </tr>
);

const indent = (depth: number) => ({ 'padding-left': `${depth * 18}px` });

/** The runs of one group, the first of them. */
const Members = ({ of, project, base, columns, text, above }: Level) => {
  const { value: found, fault } = useLoaded(
    async (signal) =>
      await runsServer.query(
        {
          body: {
            project,
            query: of.within(rulesOf(text)),
            archived: of.archived,
            columns: [nameColumn, ...columns],
            limit: mostRuns,
          },
        },
        signal,
      ),
    [text, of.since, of.archived, columns.map(writeColumn).join(), runsChanged.value],
  );
  const now = Date.now();
  if (found === undefined)
    return (
      <Whole columns={columns.length} says={fault ?? 'loading …'} fault={fault !== undefined} />
    );
  return (
    <>
      {found.keys.map((key, at) => (
        <tr key={key} class="member">
          <th scope="row" style={indent(above.length)}>
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

/** The groups of one level, and, of those that are opened, the groups or runs within. */
const GroupsOfLevel = (level: Level) => {
  const { of, project, columns, text, above } = level;
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [count, setCount] = useState(groupsAtOnce);
  const group = of.groups[above.length];
  const last = above.length + 1 === of.groups.length;
  const { value, fault } = useLoaded(
    async (signal) =>
      await runsServer.group(
        {
          body: {
            project,
            query: of.within(rulesOf(text)),
            archived: of.archived,
            by: group === undefined ? [] : [group],
            columns: [...columns],
            limit: mostGroups,
          },
        },
        signal,
      ),
    [JSON.stringify([group, text, of.since, of.archived, columns]), runsChanged.value],
  );
  if (value === undefined || group === undefined)
    return (
      <Whole columns={columns.length} says={fault ?? 'loading …'} fault={fault !== undefined} />
    );
  const toggle = (name: string) => {
    const now = new Set(open);
    if (!now.delete(name)) now.add(name);
    setOpen(now);
  };
  const Within = last ? Members : GroupsOfLevel;
  return (
    <>
      {value.groups.slice(0, count).map(({ keys, runs }, at) => {
        const name = groupName(keys[0]);
        const names = [...above, name];
        const claim = claimOf(group, keys[0]);
        return (
          <>
            <tr key={name}>
              <th scope="row" style={indent(above.length)}>
                <button
                  type="button"
                  class="fold"
                  aria-expanded={open.has(name)}
                  title={name}
                  onClick={() => toggle(name)}
                >
                  {open.has(name) ? '▾' : '▸'}
                  {last ? <Swatch of={groupKey(names.join(' · '))} /> : null} {name}
                </button>
              </th>
              <td class="number">{formatCount(runs)}</td>
              {value.columns.map((column, place) => (
                <Figure key={place} of={column} at={at} />
              ))}
            </tr>
            {open.has(name) ? (
              <Within
                key={`within ${name}`}
                {...level}
                above={names}
                text={claim === undefined || text === undefined ? undefined : bothOf(text, claim)}
              />
            ) : null}
          </>
        );
      })}
      {value.groups.length > count ? (
        <tr>
          <td colSpan={columns.length + 2}>
            <button type="button" onClick={() => setCount(count + groupsAtOnce)}>
              {value.groups.length - count} more groups
            </button>
          </td>
        </tr>
      ) : null}
      {value.more ? (
        <Whole
          columns={columns.length}
          says={`There are more groups than these ${value.groups.length}.`}
          fault={false}
        />
      ) : null}
    </>
  );
};

/** The numbers that groups have means of. */
const numbersOf = ({ chosen, groups, known }: Chosen): readonly RunColumn[] =>
  chosen.filter(
    ({ kind, name }) =>
      (kind === 'metric' || kind === 'parameter') &&
      !groups.some((one) => one.kind === kind && one.name === name) &&
      known?.columns.some((one) => one.kind === kind && one.name === name && one.type === 'number'),
  );

export type GroupsProps = Omit<Shared, 'columns'>;
export const Groups = ({ of, project, base }: GroupsProps) => {
  const numbers = numbersOf(of);
  const columns = numbers.slice(0, mostColumns);
  return (
    <div class="groups" tabIndex={0} role="region" aria-label="Groups of runs">
      <div class="controls">
        <SpreadChoice />
        <CopyGroups of={of} project={project} columns={columns} />
      </div>
      <table class="plain">
        <thead>
          <tr>
            <th>{of.groups.map(({ name }) => name).join(' / ')}</th>
            <th class="number">runs</th>
            {columns.map((column) => (
              <th key={writeColumn(column)} class="number">
                {labelOf(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {of.known === undefined ? null : (
            <GroupsOfLevel
              key={of.groups.map(writeColumn).join()}
              of={of}
              project={project}
              base={base}
              columns={columns}
              text={query.value.get('q') ?? ''}
              above={[]}
            />
          )}
        </tbody>
      </table>
      <Cut shown={mostColumns} of={numbers.length} what="columns of numbers" />
    </div>
  );
};
