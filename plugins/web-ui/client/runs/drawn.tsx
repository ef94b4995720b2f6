// What is drawn of the runs: curves, or one of the plots.
import { pathOf } from '../../pure/address.js';
import type { RunColumn } from '../../pure/columns.js';
import { bothOf, claimOf, groupsOf } from '../../pure/grouping.js';
import { quoted } from '../../pure/query.js';
import { PluginPanels } from '../additions/panels.js';
import { Panels } from '../charts/panels.js';
import { lazy } from '../lazy.js';
import type { PlotName, PlotProps } from '../plots/props.js';
import { isDark, query, setQuery } from '../state.js';
import { sameColumn, type Chosen } from './chosen.js';
import type { RunRows } from './rows.js';

const Plot = lazy<PlotProps & { readonly name: PlotName }>(
  async () => (await import('../plots/plots.js')).Plot,
);
const kinds = ['lines', 'parallel', 'scatter', 'bars'] as const;
const mostDrawn = 100;
const drawnAtFirst = 10;

/** Runs of which a column lies between two values. */
const brush = (column: RunColumn, from: unknown, to: unknown) => {
  const word = { metric: 'Metric', parameter: 'Param', other: 'Other' }[column.kind as string];
  const of = `${word}(${quoted(column.name)})`;
  const claim =
    from === to
      ? claimOf(column, from)
      : word === undefined
        ? undefined
        : `${of} >= ${Number(Number(from).toPrecision(4))} & ${of} <= ${Number(Number(to).toPrecision(4))}`;
  if (claim !== undefined) setQuery({ q: bothOf(query.value.get('q') ?? '', claim) }, true);
};

export const Drawn = ({
  chosen,
  rows,
  picked,
  base,
}: {
  chosen: Chosen;
  rows: RunRows | undefined;
  picked: readonly string[];
  base: readonly string[];
}) => {
  const { known, columns, group } = chosen;
  const kind = kinds.find((one) => one === query.value.get('plot')) ?? 'lines';
  const names = new Map(rows?.keys.map((key, at) => [key, String(rows.values[0]?.[at] ?? key)]));
  const nameOf = (key: string) => names.get(key) ?? key;
  const runs =
    picked.length > 0
      ? picked.slice(0, mostDrawn)
      : (rows?.keys.slice(0, group === undefined ? drawnAtFirst : mostDrawn) ?? []);
  const by = group === undefined ? undefined : rows?.values[columns.findIndex(sameColumn(group))];
  const groups =
    by === undefined || rows === undefined
      ? undefined
      : groupsOf(runs, (run) => by[rows.keys.indexOf(run)]);
  return (
    <>
      <nav class="kinds" aria-label="What is drawn">
        {kinds.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === kind}
            onClick={() => setQuery({ plot: one === 'lines' ? undefined : one })}
          >
            {one}
          </button>
        ))}
      </nav>
      {kind === 'lines' ? (
        <>
          <Panels
            metrics={(known?.columns ?? [])
              .filter((one) => one.kind === 'metric')
              .map(({ name }) => name)}
            runs={runs}
            groups={groups}
            nameOf={nameOf}
          />
          <PluginPanels
            context={{
              workspace: base[1] ?? '',
              project: base[3],
              runs: runs.map((key) => ({ key, name: nameOf(key) })),
            }}
          />
        </>
      ) : (
        <Plot
          name={kind}
          rows={rows}
          columns={columns}
          group={group}
          dark={isDark.value}
          nameOf={nameOf}
          addressOf={(key) => pathOf(...base, 'run', key)}
          onBrush={brush}
        />
      )}
    </>
  );
};
