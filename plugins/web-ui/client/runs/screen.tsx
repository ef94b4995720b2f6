// The runs of a project: query, table or groups, charts or plots. All that is chosen stands in the address.
import { useEffect, useState } from 'preact/hooks';
import { columnValues, withValue, writeColumn, type RunColumn } from '../../pure/columns.js';
import { bothOf, claimOf } from '../../pure/grouping.js';
import { lazy } from '../lazy.js';
import { lastValuesChanged, listenTo, runsChanged } from '../live.js';
import { useLoaded } from '../loading.js';
import { server } from '../server.js';
import { isShared, query, setQuery } from '../state.js';
import { ProjectPages } from '../additions/project-pages.js';
import { RunsBar, Told } from './bar.js';
import { columnActs, shownOf, useChosen, type RunsPlace } from './chosen.js';
import { Drawn } from './drawn.js';
import type { GroupsProps } from './groups.js';
import { keptDirection } from './kept.js';
import { useKeys } from './keys.js';
import type { NothingProps } from './nothing.js';
import type { PeekProps } from './peek.js';
import type { PickedProps } from './picked.js';
import { usePicks } from './picks.js';
import { useRunRows } from './rows.js';
import { CellMenu, RunTable } from './table.js';
import type { TreeProps } from './tree.js';
import { Fault } from '../shell/wait.js';

const Groups = lazy<GroupsProps>(async () => (await import('./groups.js')).Groups);
const Tree = lazy<TreeProps>(async () => (await import('./tree.js')).Tree);
const Nothing = lazy<NothingProps>(async () => (await import('./nothing.js')).Nothing);
const Peek = lazy<PeekProps>(async () => (await import('./peek.js')).Peek);
const Picked = lazy<PickedProps>(async () => (await import('./picked.js')).Picked);

/** What one is likely to open is fetched once the page has come to rest. */
const restMs = 1500;
const useAhead = () =>
  useEffect(() => {
    const later = setTimeout(() => {
      for (const one of [Groups, Peek, Picked, CellMenu]) one.ahead();
    }, restMs);
    return () => clearTimeout(later);
  }, []);

const nextValue = (column: RunColumn): RunColumn => {
  const at = columnValues.indexOf(column.value ?? 'last');
  const value = columnValues[(at + 1) % columnValues.length] ?? 'last';
  return withValue(column, value, keptDirection(column.name));
};
const sortBy = (column: RunColumn) => {
  const text = writeColumn(column);
  const now = query.value.get('sort');
  const [first, second] = column.direction === 'minimize' ? [text, `-${text}`] : [`-${text}`, text];
  setQuery({ sort: now === first ? second : now === second ? undefined : first }, true);
};
const filterBy = (column: RunColumn, value: unknown, without: boolean) => {
  const claim = claimOf(column, value);
  if (claim === undefined) return;
  const asked = without ? `~(${claim})` : claim;
  setQuery({ q: bothOf(query.value.get('q') ?? '', asked) }, true);
};

const Runs = ({ workspace, project, projectId }: RunsPlace) => {
  const base = ['w', workspace, 'p', project];
  const chosen = useChosen(projectId);
  const { columns, groups, sort, archived, rules } = chosen;
  const acts = columnActs(projectId, chosen);
  const { rows, fault, more } = useRunRows(
    !chosen.ready ? undefined : { project: projectId, rules, archived, columns, sort },
    runsChanged.value +
      (columns.some(({ kind }) => kind === 'metric') ? lastValuesChanged.value : 0),
  );
  useEffect(() => listenTo(projectId), [projectId]);
  useAhead();
  const picks = usePicks(rows, { rules, archived });
  const [cursor, setCursor] = useState<string>();
  const shown = shownOf(chosen, rows);
  const peek = query.value.get('peek') ?? undefined;
  const setPeek = (key: string | undefined) => {
    setQuery({ peek: key });
    if (key !== undefined) setCursor(key);
  };
  const step = (by: number) => {
    const place = rows?.keys.indexOf(peek ?? cursor ?? '') ?? -1;
    const next = rows?.keys[Math.max(0, place + by)];
    if (next === undefined) return;
    setCursor(next);
    if (peek !== undefined) setQuery({ peek: next });
  };
  useKeys({ base, cursor, peek, picks, differing: chosen.differing, step, setPeek });
  const keys = [...picks.keys];
  const states = rows?.values[columns.findIndex(({ name }) => name === 'state')];
  const wrong = chosen.fault ?? (fault === '' ? undefined : fault);
  return (
    <main class="split">
      <h1 class="unseen">Runs of {project}</h1>
      {isShared ? null : <ProjectPages workspace={workspace} project={project} at="runs" />}
      <RunsBar
        chosen={chosen}
        acts={acts}
        rows={rows}
        shown={shown}
        place={{ workspace, project, projectId }}
      />
      <Told chosen={chosen} wrong={wrong} rows={rows} picked={picks.count} />
      <div class="halves">
        <section class="left" aria-label="Table of runs">
          {chosen.tree !== undefined && groups.length === 0 ? (
            <Tree of={chosen} project={projectId} base={base} parent={chosen.tree} shown={shown} />
          ) : groups.length > 0 ? (
            <Groups of={chosen} project={projectId} base={base} />
          ) : (
            <RunTable
              workspace={workspace}
              project={project}
              columns={columns}
              shown={shown}
              widths={chosen.widths}
              acts={acts}
              rows={rows}
              sort={sort}
              picked={picks.keys}
              all={picks.all}
              cursor={cursor}
              onAll={picks.toggleAll}
              onSort={sortBy}
              onGroup={(column) =>
                setQuery({ group: writeColumn({ kind: column.kind, name: column.name }) }, true)
              }
              onPick={picks.pick}
              onPeek={setPeek}
              onValue={(column, next = nextValue(column)) =>
                acts.change(chosen.chosen.map((one) => (one === column ? next : one)))
              }
              onFilter={filterBy}
              onMore={more}
            />
          )}
          {rows?.total === 0 ? <Nothing project={project} workspace={workspace} /> : null}
          {picks.count > 0 ? (
            <Picked
              project={projectId}
              keys={keys}
              running={keys.filter((key) => states?.[rows?.keys.indexOf(key) ?? -1] === 'running')}
              those={picks.those}
              count={picks.count}
              place={{ workspace, project }}
              archived={archived}
              onDone={picks.clear}
            />
          ) : null}
        </section>
        <section class="right" aria-label="Charts">
          {peek === undefined ? null : (
            <Peek
              run={peek}
              rows={rows}
              columns={columns}
              base={base}
              onStep={step}
              onClose={() => setPeek(undefined)}
            />
          )}
          <Drawn
            project={projectId}
            chosen={chosen}
            rows={rows}
            shown={shown}
            picked={keys}
            base={base}
          />
        </section>
      </div>
    </main>
  );
};

export const RunsScreen = ({ workspace, project }: { workspace: string; project: string }) => {
  const asked = { query: { workspaceName: workspace, projectName: project } };
  const { value, fault } = useLoaded(
    (signal) => server.getProject(asked, signal),
    [workspace, project],
    () => server.getProject.now(asked),
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
    <Runs
      key={value.projectId}
      workspace={workspace}
      project={project}
      projectId={value.projectId}
    />
  );
};
