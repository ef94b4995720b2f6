// What is drawn of the runs: curves, or one of the plots.
import { useMemo } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { labelOf, sameColumn, type RunColumn } from '../../pure/columns.js';
import { formatCount } from '../../pure/format.js';
import { bothOf, claimOf } from '../../pure/grouping.js';
import { quoted } from '../../pure/query.js';
import { PluginPanels } from '../additions/panels.js';
import { useColours, useStrokes } from '../charts/colours.js';
import { groupKey } from '../../pure/panel-drawing.js';
import { Panels } from '../charts/panels.js';
import { lazy } from '../lazy.js';
import { runsChanged } from '../live.js';
import { useLoaded } from '../loading.js';
import type { ImageGridProps } from '../media/image-grid.js';
import { drawnAtFirst, nameColumn } from '../../pure/run-page.js';
import { strokesOf } from '../../pure/strokes.js';
import type { PlotName, PlotProps } from '../plots/props.js';
import { runsServer } from '../server.js';
import { isDark, query, setQuery } from '../state.js';
import type { Chosen } from './chosen.js';
import { ColourChoice } from './colour-choice.js';
import { groupsBy } from './grouped.js';
import { useNames } from './names.js';
import { paintOf, valuesBy } from './paint.js';
import type { RunRows } from './rows.js';
import { showCell } from './table-row.js';

const Plot = lazy<PlotProps & { readonly name: PlotName }>(
  async () => (await import('../plots/plots.js')).Plot,
);
const Images = lazy<ImageGridProps>(async () => (await import('../media/image-grid.js')).ImageGrid);
const kinds = ['lines', 'parallel', 'scatter', 'bars', 'boxes', 'images'] as const;
const mostDrawn = 100;
/** Parameters that are told of a run beside its name. */
const mostTold = 3;

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

/** Names of runs, and what else is said of them: the first parameters that the table shows. */
const useWords = (
  rows: RunRows | undefined,
  columns: readonly RunColumn[],
  shown: readonly RunColumn[],
) =>
  useMemo(() => {
    const place = new Map(rows?.keys.map((key, at) => [key, at]));
    const told = shown.filter(({ kind }) => kind === 'parameter').slice(0, mostTold);
    const valueOf = (column: RunColumn, key: string) =>
      rows?.values[columns.findIndex(sameColumn(column))]?.[place.get(key) ?? -1];
    return {
      nameOf: (key: string) => String(rows?.values[0]?.[place.get(key) ?? -1] ?? key),
      moreOf: (key: string) =>
        told
          .map((column) => [labelOf(column), showCell(column, valueOf(column, key), Date.now())])
          .filter(([, value]) => value !== '')
          .map(([name, value]) => `${name} ${value}`)
          .join(' · '),
    };
  }, [rows, columns, shown.map(({ name }) => name).join()]);

const Kinds = ({ kind }: { kind: (typeof kinds)[number] }) => (
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
);

/** The run that began last, whatever the query finds; so that its curves are there as soon as it begins. */
const useLatest = (project: string, wanted: boolean) => {
  const { value } = useLoaded(
    async (signal) => {
      if (!wanted) return undefined;
      const { keys, columns } = await runsServer.query(
        { body: { project, columns: [nameColumn], limit: 1 } },
        signal,
      );
      const [key] = keys;
      return key === undefined ? undefined : { key, name: String(columns[0]?.values[0] ?? key) };
    },
    [project, wanted, wanted ? runsChanged.value : 0],
  );
  return wanted ? value : undefined;
};

/** Which runs are drawn, in which groups or colours. */
const useWhat = (
  chosen: Chosen,
  rows: RunRows | undefined,
  picked: readonly string[],
  latest: string | undefined,
) => {
  const { columns, groups: by, colour, stroke } = chosen;
  const some =
    picked.length > 0
      ? picked.slice(0, mostDrawn)
      : (rows?.keys.slice(0, by.length === 0 ? drawnAtFirst : mostDrawn) ?? []);
  const runs =
    latest === undefined
      ? some
      : [latest, ...some.filter((one) => one !== latest)].slice(0, mostDrawn);
  const groups = rows === undefined ? undefined : groupsBy({ rows, columns, by }, runs);
  const paint = useMemo(
    () =>
      rows === undefined || colour === undefined || groups !== undefined
        ? undefined
        : paintOf(rows, columns, colour, runs),
    [rows, colour, columns, runs.join(), groups === undefined],
  );
  const strokes = useMemo(
    () =>
      rows === undefined || stroke === undefined || groups !== undefined
        ? undefined
        : strokesOf(runs, stroke === 'each' ? undefined : valuesBy(rows, columns, stroke)),
    [rows, stroke, columns, runs.join(), groups === undefined],
  );
  useColours(groups?.map(({ name }) => groupKey(name)) ?? runs, paint?.by);
  useStrokes(strokes?.by);
  return { runs, groups, paint, strokes };
};

/** The metrics that have a chart: those that are known, and of others those that are looked for. */
const useMetrics = (project: string, { known }: Chosen) => {
  const columns = useNames(project, known, query.value.get('charts') ?? '');
  return useMemo(
    () => columns.filter(({ kind }) => kind === 'metric').map(({ name }) => name),
    [columns.length, columns.at(-1)?.name, known],
  );
};

export const Drawn = ({
  project,
  chosen,
  rows,
  shown,
  picked,
  base,
}: {
  project: string;
  chosen: Chosen;
  rows: RunRows | undefined;
  shown: readonly RunColumn[];
  picked: readonly string[];
  base: readonly string[];
}) => {
  const { known, columns, groups: by, colour, stroke } = chosen;
  const kind = kinds.find((one) => one === query.value.get('plot')) ?? 'lines';
  const { nameOf: nameInTable, moreOf } = useWords(rows, columns, shown);
  const latest = useLatest(project, query.value.get('latest') === '1' && by.length === 0);
  const { runs, groups, paint, strokes } = useWhat(chosen, rows, picked, latest?.key);
  const metrics = useMetrics(project, chosen);
  const nameOf = (key: string) => (key === latest?.key ? latest.name : nameInTable(key));
  if (kind === 'images')
    return (
      <>
        <Kinds kind={kind} />
        <Images
          runs={picked.length > 0 ? runs : (rows?.keys.slice(0, mostDrawn) ?? [])}
          nameOf={nameOf}
          metrics={metrics}
        />
      </>
    );
  if (kind !== 'lines')
    return (
      <>
        <Kinds kind={kind} />
        <Plot
          name={kind}
          rows={rows}
          columns={columns}
          by={by}
          dark={isDark.value}
          nameOf={nameOf}
          addressOf={(key) => pathOf(...base, 'run', key)}
          onBrush={brush}
        />
      </>
    );
  return (
    <>
      <div class="drawn-how">
        <Kinds kind={kind} />
        {by.length > 0 ? null : (
          <ColourChoice
            columns={chosen.chosen.filter((one) => one.kind !== 'metadata')}
            column={colour}
            paint={paint}
            stroke={stroke}
            strokes={strokes}
            latest={latest}
            addressOf={(key) => pathOf(...base, 'run', key)}
          />
        )}
      </div>
      <Panels
        metrics={metrics}
        note={
          known?.more === true
            ? `There are more names than the first ${formatCount(known.columns.length)}: part of a name finds the charts of others.`
            : undefined
        }
        runs={runs}
        groups={groups}
        nameOf={nameOf}
        moreOf={moreOf}
        by={paint?.by}
      />
      <PluginPanels
        context={{
          workspace: base[1] ?? '',
          project: base[3],
          runs: runs.map((key) => ({ key, name: nameOf(key) })),
        }}
      />
    </>
  );
};
