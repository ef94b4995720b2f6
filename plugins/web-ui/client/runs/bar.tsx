// What stands above the table: query, views, groups, columns; and the line that says how much is shown.
import { useState } from 'preact/hooks';
import { writeColumn, type RunColumn } from '../../pure/columns.js';
import { csvLine, formatCount, formatNumber } from '../../pure/format.js';
import { listening } from '../live.js';
import { save } from '../save.js';
import { query, setQuery } from '../state.js';
import { nameColumn, type Chosen, type ColumnActs, type RunsPlace } from './chosen.js';
import { ColumnPicker } from './column-picker.js';
import { QueryBar } from './query-bar.js';
import type { RunRows } from './rows.js';
import { labelOf } from './table-row.js';
import { Views } from './views.js';

const saveCsv = (
  name: string,
  rows: RunRows | undefined,
  columns: readonly RunColumn[],
  shown: readonly RunColumn[],
) => {
  const all = [nameColumn, ...shown];
  const at = [0, ...shown.map((column) => columns.indexOf(column))];
  const lines = [
    csvLine(['key', ...all.map(labelOf)]),
    ...(rows?.keys ?? []).map((key, place) =>
      csvLine([key, ...at.map((one) => rows?.values[one]?.[place])]),
    ),
  ];
  save(`${name}.csv`, new Blob([`${lines.join('\n')}\n`], { type: 'text/csv' }));
};

/** By which value runs are in groups. */
const GroupChoice = ({ of: { known, group } }: { of: Chosen }) => {
  const asColumn = ({ kind, name }: RunColumn): RunColumn => ({ kind, name });
  const usable = (known?.columns ?? []).filter(({ kind }) => kind !== 'metric').slice(0, 300);
  const columns: readonly RunColumn[] = [
    ...usable.map(asColumn),
    ...(group === undefined ||
    usable.some((one) => writeColumn(asColumn(one)) === writeColumn(group))
      ? []
      : [group]),
  ];
  return (
    <select
      aria-label="Group by"
      value={group === undefined ? '' : writeColumn(group)}
      onChange={({ currentTarget }) => setQuery({ group: currentTarget.value }, true)}
    >
      <option value="">no groups</option>
      {columns.map((one) => (
        <option key={writeColumn(one)} value={writeColumn(one)}>
          by {one.name}
        </option>
      ))}
    </select>
  );
};

export const RunsBar = ({
  chosen,
  acts,
  rows,
  shown,
  place,
}: {
  chosen: Chosen;
  acts: ColumnActs;
  rows: RunRows | undefined;
  shown: readonly RunColumn[];
  place: RunsPlace;
}) => {
  const [picking, setPicking] = useState(false);
  const { known, differing, archived, columns } = chosen;
  return (
    <>
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
        <Views project={place.projectId} />
        <GroupChoice of={chosen} />
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
        <button
          type="button"
          title="Save the rows and columns that are shown"
          onClick={() => saveCsv(place.project, rows, columns, shown)}
        >
          CSV
        </button>
      </div>
      {picking ? (
        <ColumnPicker
          known={known}
          chosen={chosen.chosen}
          onChange={acts.change}
          onClose={() => setPicking(false)}
        />
      ) : null}
    </>
  );
};

/** How much is shown of how much, how fast it came, and whether it is told of changes. */
export const Told = ({
  wrong,
  rows,
  picked,
}: {
  wrong: string | undefined;
  rows: RunRows | undefined;
  picked: number;
}) => {
  const charts =
    picked > 0
      ? `${Math.min(picked, 100)} selected`
      : `first ${Math.min(10, rows?.keys.length ?? 0)}`;
  return (
    <p class="told" role="status">
      {wrong !== undefined ? (
        <span class="fault">{wrong}</span>
      ) : rows === undefined ? (
        'loading …'
      ) : (
        `${formatCount(rows.keys.length)} of ${formatCount(rows.total)} runs · ${Math.round(rows.tookMs)} ms · ${listening.value ? 'live' : 'not live'} · charts: ${query.value.has('group') ? `groups of the first ${Math.min(100, rows.keys.length)}` : charts}`
      )}
    </p>
  );
};
