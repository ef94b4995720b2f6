// What stands above the table: query, views, groups, columns; and the line that says how much is shown.
import { useState } from 'preact/hooks';
import { sameColumn, writeColumn, type RunColumn } from '../../pure/columns.js';
import { writeList } from '../../pure/address.js';
import { isParentColumn } from '../../pure/run-tree.js';
import { mostGroupings, newestChoices } from '../../pure/run-page.js';
import { formatCount } from '../../pure/format.js';
import { lazy } from '../lazy.js';
import { listening } from '../live.js';
import { isShared, query, setQuery } from '../state.js';
import type { Chosen, ColumnActs, RunsPlace } from './chosen.js';
import { Forms } from '../shell/forms.js';
import type { PickerProps } from './column-picker.js';
import { ExportMenu } from './export-menu.js';
import { QueryBar } from './query-bar.js';
import type { RunRows } from './rows.js';
import { Views } from './views.js';
import { AskAgain } from '../shell/wait.js';

const ColumnPicker = lazy<PickerProps>(
  async () => (await import('./column-picker.js')).ColumnPicker,
);

const mostOffered = 300;

/** Before the column of an entry that shows runs as a tree. */
const asTree = 'tree ';

/** By which values runs are in groups: one choice for each level, and one for the next. */
const GroupChoice = ({ of: { known, groups, tree } }: { of: Chosen }) => {
  const asColumn = ({ kind, name }: RunColumn): RunColumn => ({ kind, name });
  const values = (known?.columns ?? []).filter(({ kind }) => kind !== 'metric');
  const usable = values.slice(0, mostOffered).map(asColumn);
  const named = (known?.columns ?? []).filter(isParentColumn).map(asColumn);
  const parents = tree === undefined || named.some(sameColumn(tree)) ? named : [...named, tree];
  const choose = (level: number, text: string) => {
    const before = groups.slice(0, level).map(writeColumn);
    if (text.startsWith(asTree)) {
      setQuery({ tree: text.slice(asTree.length), group: undefined }, true);
      return;
    }
    const after = text === '' ? [] : [text, ...groups.slice(level + 1).map(writeColumn)];
    setQuery({ group: writeList([...new Set([...before, ...after])]), tree: undefined }, true);
  };
  return (
    <>
      {[...groups, undefined].slice(0, mostGroupings).map((group, level) => {
        const others = groups.filter((one) => one !== group);
        const columns = [
          ...usable.filter((one) => !others.some(sameColumn(one))),
          ...(group === undefined || usable.some(sameColumn(group)) ? [] : [group]),
        ];
        return (
          <select
            key={level}
            aria-label={level === 0 ? 'Group by' : `Then group by, level ${level + 1}`}
            value={
              group !== undefined
                ? writeColumn(group)
                : level === 0 && tree !== undefined
                  ? asTree + writeColumn(tree)
                  : ''
            }
            onChange={({ currentTarget }) => choose(level, currentTarget.value)}
          >
            <option value="">{level === 0 ? 'no groups' : 'then by …'}</option>
            {(level === 0 ? parents : []).map((one) => (
              <option key={`tree ${writeColumn(one)}`} value={asTree + writeColumn(one)}>
                as a tree by {one.name}
              </option>
            ))}
            {columns.map((one) => (
              <option key={writeColumn(one)} value={writeColumn(one)}>
                {level === 0 ? 'by' : 'then by'} {one.name}
              </option>
            ))}
            {values.length > mostOffered || known?.more === true ? (
              <option disabled>others: by their column</option>
            ) : null}
          </select>
        );
      })}
    </>
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
  const { known, differing, archived } = chosen;
  return (
    <>
      <div class="bar">
        <QueryBar
          project={place.projectId}
          text={query.value.get('q') ?? ''}
          known={known}
          onQuery={(q) => setQuery({ q }, true)}
        />
        {isShared ? null : <Views project={place.projectId} />}
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
        <select
          aria-label="Which runs"
          title="Only the newest of the runs that the query finds"
          value={query.value.get('newest') ?? ''}
          onChange={({ currentTarget }) => setQuery({ newest: currentTarget.value }, true)}
        >
          <option value="">all runs</option>
          {newestChoices.map((one) => (
            <option key={one} value={one}>
              newest {one}
            </option>
          ))}
        </select>
        <button type="button" aria-expanded={picking} onClick={() => setPicking(!picking)}>
          columns
        </button>
        <Forms rows={{ total: rows?.total ?? 0, usual: 100, most: 1000 }} charts />
        <ExportMenu
          name={place.project}
          project={place.projectId}
          chosen={chosen}
          rows={rows}
          shown={shown}
        />
      </div>
      {picking ? (
        <ColumnPicker
          project={place.projectId}
          known={known}
          chosen={chosen.chosen}
          onChange={acts.change}
          onUsual={acts.usual}
          onClose={() => setPicking(false)}
        />
      ) : null}
    </>
  );
};

/** How much is shown of how much, how fast it came, and whether it is told of changes. */
export const Told = ({
  chosen,
  wrong,
  rows,
  picked,
}: {
  chosen: Chosen;
  wrong: string | undefined;
  rows: RunRows | undefined;
  picked: number;
}) => {
  const charts =
    picked > 0
      ? `${Math.min(picked, 100)} selected`
      : `first ${Math.min(10, rows?.keys.length ?? 0)}`;
  const count = (of: readonly RunColumn[]) => of.filter(({ kind }) => kind === 'parameter').length;
  const [looked, all] = [count(chosen.chosen), count(chosen.known?.columns ?? [])];
  const left =
    query.value.has('cols') || !chosen.differing || looked >= all
      ? ''
      : ` · differing among ${looked} of ${chosen.known?.more === true ? 'more than ' : ''}${formatCount(all)} parameters`;
  return (
    <p class="told" role="status">
      {wrong !== undefined ? (
        <span class="fault">
          {wrong} <AskAgain />
        </span>
      ) : rows === undefined ? (
        'loading …'
      ) : (
        `${formatCount(rows.keys.length)} of ${formatCount(rows.total)} runs · ${Math.round(rows.tookMs)} ms · ${listening.value ? 'live' : 'not live'} · charts: ${query.value.has('group') ? `groups of the first ${Math.min(100, rows.keys.length)}` : charts}${left}`
      )}
    </p>
  );
};
