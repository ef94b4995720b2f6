// What each kind of widget shows.
import { textOf, membersOf, widgetTypes } from '../../pure/boards.js';
import { chartOfTable, cellText, tableOf, type ResultTable } from '../../pure/sql.js';
import { formatCount, formatNumber } from '../../pure/format.js';
import { chartedTime } from '../../pure/trace-list.js';
import { boardsServer, resultsOf } from '../boards-server.js';
import { Bars } from '../charts/bars.js';
import { Lines, type DrawnLine } from '../charts/lines.js';
import { loadCurves } from '../charts/curves.js';
import { joinColumns } from '../../pure/curves.js';
import { useStored } from '../loading.js';
import { runsServer } from '../server.js';
import { setQuery } from '../state.js';
import { Markdown } from '../told/markdown.js';
import { tracesServer } from '../traces-server.js';
import { figureWords, formatFigure, metricWords } from './metric-words.js';
import { NoProject, Shown, type OfWidget } from './shown.js';

const iso = (at: number): string => new Date(at).toISOString();
const listOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? [...(value as unknown[])] : []; // a list, as was just checked

/** A stretch of a chart becomes the time of the board; all of it the usual time again. */
const zoom = (range: readonly [number, number] | undefined) =>
  setQuery(
    range === undefined
      ? { from: undefined, to: undefined }
      : { from: iso(Math.floor(range[0])), to: iso(Math.ceil(range[1])), range: undefined },
    true,
  );

type Metrics = Parameters<typeof tracesServer.metrics>[0]['body'];

const metricsBody = (config: OfWidget['widget']['config'], time: OfWidget['time']): Metrics => {
  const { interval, from, to } = chartedTime(time, Date.now());
  const { field, metadataKey, subMetric } = membersOf(config['breakdown']);
  const broken = textOf(field) !== '' && field !== 'none';
  const filters = (name: string, as: string) =>
    listOf(config[name]).length === 0 ? {} : { [as]: listOf(config[name]) };
  return {
    metric_type: (textOf(config['metricType']) || 'TRACE_COUNT') as Metrics['metric_type'], // the server refuses what is none
    interval,
    interval_start: iso(from),
    interval_end: iso(to),
    ...filters('traceFilters', 'trace_filters'),
    ...filters('spanFilters', 'span_filters'),
    ...filters('threadFilters', 'thread_filters'),
    ...(broken
      ? {
          breakdown: {
            field: textOf(field) as 'name', // likewise
            ...(textOf(metadataKey) === '' ? {} : { metadata_key: textOf(metadataKey) }),
            ...(textOf(subMetric) === '' ? {} : { sub_metric: textOf(subMetric) }),
          },
        }
      : {}),
  };
};

/** Which of the lines that came are wanted; all of them where none is named. */
const wantedNames = (config: OfWidget['widget']['config']): readonly unknown[] => [
  ...listOf(config['feedbackScores']),
  ...listOf(config['durationMetrics']),
  ...listOf(config['usageMetrics']),
];

const Metric = ({ widget, projectId, time, tick }: OfWidget & { projectId: string }) => {
  const { config } = widget;
  const loaded = useStored(
    (signal) =>
      tracesServer.metrics({ params: { id: projectId }, body: metricsBody(config, time) }, signal),
    [projectId, JSON.stringify([config, time]), tick],
  );
  return (
    <Shown
      of={loaded}
      again={loaded.again}
      isEmpty={({ results }) =>
        !results.some(({ data }) => data.some(({ value }) => value !== null))
      }
      empty="Nothing of this in the time of the board."
    >
      {({ results, metric_type: metric }) => {
        const wanted = wantedNames(config);
        const shown = results.filter(
          ({ name }) =>
            wanted.length === 0 ||
            wanted.some((one) => name === one || name.endsWith(`.${String(one)}`)),
        );
        const x = [
          ...new Set(shown.flatMap(({ data }) => data.map((one) => Date.parse(one.time)))),
        ].sort((a, b) => a - b);
        const lines = shown.map(({ name, data }): DrawnLine => {
          const values = new Map(data.map((one) => [Date.parse(one.time), one.value]));
          return { name, y: x.map((at) => values.get(at) ?? null) };
        });
        const title = widget.title || (metricWords[metric] ?? metric);
        return config['chartType'] === 'bar' ? (
          <Bars
            title={title}
            axis="time"
            x={x}
            labels={x.map((at) => new Date(at).toLocaleString())}
            lines={lines}
            times
          />
        ) : (
          <Lines title={title} axis="time" x={x} lines={lines} times onZoom={zoom} />
        );
      }}
    </Shown>
  );
};

const Figure = ({
  widget: { config },
  projectId,
  time,
  tick,
}: OfWidget & { projectId: string }) => {
  const name = textOf(config['metric']) || 'trace_count';
  const ofSpans = config['source'] === 'spans';
  const filters = listOf(config[ofSpans ? 'spanFilters' : 'traceFilters']);
  const query = {
    project_id: projectId,
    ...(filters.length === 0 ? {} : { filters: JSON.stringify(filters) }),
    ...(time.from === undefined ? {} : { from_time: iso(time.from) }),
    ...(time.to === undefined ? {} : { to_time: iso(time.to) }),
  };
  const loaded = useStored(
    (signal) =>
      ofSpans
        ? boardsServer.spanStatistics({ query }, signal)
        : tracesServer.statistics({ query }, signal),
    [JSON.stringify([name, ofSpans, query]), tick],
  );
  return (
    <Shown of={loaded} again={loaded.again} isEmpty={() => false} empty="">
      {({ stats }) => {
        const [first = '', percentile = ''] = name.split('.');
        const isPercentile = first === 'duration';
        const found: unknown = stats.find(
          (one) => one.name === (isPercentile ? first : name),
        )?.value;
        const value = isPercentile ? membersOf(found)[percentile] : found;
        return (
          <p class="widget-figure">
            <b>{typeof value === 'number' ? formatFigure(name, value) : '–'}</b>
            <span class="faint">
              {figureWords[name] ?? name}
              {ofSpans ? ', of spans' : ''}
            </span>
          </p>
        );
      }}
    </Shown>
  );
};

const mostRows = 200;
/** A result as a table, of which a widget shows the first rows. */
const PlainTable = ({ of: { columns, rows }, label }: { of: ResultTable; label: string }) => {
  const isNumeric = (at: number) => rows.some((row) => typeof row[at] === 'number');
  return (
    <div class="scroll widget-table" tabIndex={0} role="region" aria-label={label}>
      <table class="plain many">
        <thead>
          <tr>
            {columns.map((name, at) => (
              <th key={name} scope="col" dir="auto" class={isNumeric(at) ? 'number' : ''}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, mostRows).map((row, at) => (
            <tr key={at}>
              {row.map((value, place) => (
                <td
                  key={place}
                  dir="auto"
                  class={typeof value === 'number' ? 'number' : ''}
                  title={cellText(value)}
                >
                  {typeof value === 'number' ? formatNumber(value) : cellText(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > mostRows ? (
        <p class="faint">
          the first {mostRows} of {formatCount(rows.length)} rows
        </p>
      ) : null}
    </div>
  );
};

const Query = ({ boardId, widget, time, tick }: OfWidget) => {
  const loaded = useStored(
    (signal) =>
      resultsOf(
        boardsServer.queryWidget(
          {
            params: { dashboardId: boardId, widgetId: widget.id },
            body: {
              ...(time.from === undefined ? {} : { interval_start: iso(time.from) }),
              ...(time.to === undefined ? {} : { interval_end: iso(time.to) }),
            },
          },
          signal,
        ),
      ).then(tableOf),
    [boardId, widget.id, JSON.stringify([widget.config['query'], time]), tick],
  );
  const title = widget.title || 'Query';
  return (
    <Shown
      of={loaded}
      again={loaded.again}
      isEmpty={({ rows }) => rows.length === 0}
      empty="The query finds no rows."
    >
      {(table) => {
        const kind = textOf(widget.config['chartType']);
        const chart = kind === 'line' || kind === 'bar' ? chartOfTable(table) : undefined;
        if (chart === undefined) return <PlainTable of={table} label={`Rows of ${title}`} />;
        const { x, labels, times, lines } = chart;
        const axis = table.columns[0] ?? '';
        return kind === 'bar' ? (
          <Bars title={title} axis={axis} x={x} labels={labels} lines={lines} times={times} />
        ) : (
          <Lines
            title={title}
            axis={axis}
            x={x}
            lines={lines}
            times={times}
            onZoom={times ? zoom : undefined}
          />
        );
      }}
    </Shown>
  );
};

const mostRuns = 50;
const usualRuns = 10;
const axes = ['step', 'relative', 'wall', 'epoch'] as const;

/** The curves of a metric of the newest runs of a project. */
const loadRuns = async (
  projectId: string,
  config: OfWidget['widget']['config'],
  signal: AbortSignal,
) => {
  const count = Math.min(mostRuns, Math.max(1, Math.floor(Number(config['count'])) || usualRuns));
  const { keys, columns } = await runsServer.query(
    {
      body: {
        project: projectId,
        columns: [{ kind: 'metadata', name: 'name' }],
        sort: [{ kind: 'metadata', name: 'start', descending: true }],
        limit: count,
      },
    },
    signal,
  );
  const names = columns[0]?.values ?? [];
  const metric = textOf(config['metric']);
  if (keys.length === 0 || metric === '') return { x: [], lines: [] };
  const { curves } = await loadCurves(keys, metric, {
    x: axes.find((one) => one === config['x']) ?? 'step',
    logX: false,
    ...{ smoothing: 0, smoothBy: 'exponential', range: undefined },
  });
  const drawn = curves.filter((one) => one.x.length > 0);
  const { x, lines } = joinColumns(
    drawn.map((curve) => ({ x: curve.x, y: curve.columns['last'] ?? new Float32Array() })),
  );
  const used = new Set<string>();
  return {
    x,
    lines: drawn.map(({ run }, at): DrawnLine => {
      const name = String(names[keys.indexOf(run)] ?? run);
      const own = used.has(name) ? `${name} ${run.slice(0, 6)}` : name;
      used.add(name);
      return { name: own, y: lines[at] ?? [] };
    }),
  };
};

const Runs = ({ widget, projectId, tick }: OfWidget & { projectId: string }) => {
  const { config } = widget;
  const loaded = useStored(
    (signal) => loadRuns(projectId, config, signal),
    [projectId, JSON.stringify(config), tick],
  );
  const metric = textOf(config['metric']);
  return (
    <Shown
      of={loaded}
      again={loaded.again}
      isEmpty={({ lines }) => lines.length === 0}
      empty={`No run of the project has points of ${metric}.`}
    >
      {({ x, lines }) => (
        <Lines
          title={widget.title || metric}
          axis={textOf(config['x']) || 'step'}
          x={x}
          lines={lines}
          times={config['x'] === 'wall'}
        />
      )}
    </Shown>
  );
};

/** What a widget shows, by its type. */
export const WidgetBody = (of: OfWidget) => {
  const { widget, projectId } = of;
  const withProject = (Body: typeof Metric) =>
    projectId === undefined ? <NoProject /> : <Body {...of} projectId={projectId} />;
  switch (widget.type) {
    case widgetTypes.metrics:
      return withProject(Metric);
    case widgetTypes.figure:
      return withProject(Figure);
    case widgetTypes.runs:
      return withProject(Runs);
    case widgetTypes.query:
      return <Query {...of} />;
    case widgetTypes.text:
      return textOf(widget.config['content']) === '' ? (
        <p class="faint widget-says">No text yet.</p>
      ) : (
        <div
          class="widget-text"
          tabIndex={0}
          role="region"
          aria-label={`Text of ${widget.title || 'the widget'}`}
        >
          <Markdown text={textOf(widget.config['content'])} />
        </div>
      );
    default:
      return (
        <p class="faint widget-says">
          This page does not show widgets of the type {widget.type}; it stays as it is.
        </p>
      );
  }
};
