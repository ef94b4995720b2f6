// Charts of one's own: expressions over metrics, several of them in one chart, of some of the runs. They stand in the address.
import { useState } from 'preact/hooks';
import { readList, writeList } from '../../pure/address.js';
import type { Curve, Curves, GroupCurve } from '../../pure/curves.js';
import {
  metricsOf,
  pointsOf,
  readFormula,
  type Formula,
  type Points,
} from '../../pure/expressions.js';
import { query, setQuery } from '../state.js';
import { loadCurves } from './curves.js';
import { Panel, type PanelProps } from './panel.js';

export interface FormulasProps extends Omit<PanelProps, 'metric' | 'load' | 'acts'> {
  readonly metrics: readonly string[];
}

const mostCharts = 20;

const namesOf = ({ lines }: Formula): readonly string[] => [
  ...new Set(lines.flatMap(({ expression }) => metricsOf(expression))),
];

/** What is drawn of a curve, as the points of an expression are worked out of it. */
const shownOf = ({ x, columns }: Curve | GroupCurve, smooth: boolean): Points => ({
  x,
  y:
    (smooth ? columns['smooth'] : undefined) ??
    columns['last'] ??
    columns['mean'] ??
    new Float32Array(),
});

const curvesOf = (
  formula: Formula,
  all: readonly Curves[],
  runs: readonly string[],
  smooth: boolean,
): readonly Curve[] =>
  runs.flatMap((run) => {
    const own = all.flatMap(({ curves }) => curves.filter((one) => one.run === run));
    const points = new Map(own.map((one) => [one.metric, shownOf(one, smooth)]));
    return formula.lines.flatMap(({ text, expression }, line): readonly Curve[] => {
      const { x, y } = pointsOf(expression, points);
      if (x.length === 0) return [];
      const used = own.filter(({ metric }) => metricsOf(expression).includes(metric));
      const most = (of: (curve: Curve) => number) => Math.max(0, ...used.map(of));
      return [
        {
          run,
          metric: text,
          ...(formula.lines.length > 1 ? { line: { at: line, text } } : {}),
          points: most(({ points: n }) => n),
          total: most(({ total }) => total),
          unplaced: most(({ unplaced }) => unplaced),
          skipped: most(({ skipped }) => skipped),
          x,
          columns: { last: y, smooth: y, min: y, max: y },
        },
      ];
    });
  });

const groupsOf = (formula: Formula, all: readonly Curves[]): readonly GroupCurve[] => {
  const every = all.flatMap(({ groups }) => groups);
  return [...new Set(every.map(({ name }) => name))].flatMap((name) => {
    const own = every.filter((one) => one.name === name);
    const points = new Map(own.map((one) => [one.metric, shownOf(one, false)]));
    return formula.lines.flatMap(({ text, expression }): readonly GroupCurve[] => {
      const { x, y } = pointsOf(expression, points);
      const runs = own[0]?.runs ?? [];
      const label = formula.lines.length > 1 ? `${name ?? 'no value'} · ${text}` : name;
      return x.length === 0
        ? []
        : [{ name: label, metric: text, runs, x, columns: { mean: y, min: y, max: y } }];
    });
  });
};

const One = ({
  text,
  metrics,
  onRemove,
  ...shared
}: FormulasProps & { readonly text: string; readonly onRemove: () => void }) => {
  const { nameOf } = shared;
  const read = readFormula(text, metrics);
  const remove = (
    <button type="button" aria-label={`Remove the chart ${text}`} onClick={onRemove}>
      ×
    </button>
  );
  if ('fault' in read)
    return (
      <section class="panel">
        <header>
          <h2 title={text}>{text}</h2>
          <span class="acts">{remove}</span>
        </header>
        <p class="fault">{metrics.length === 0 ? '' : read.fault}</p>
      </section>
    );
  const runs =
    read.runs === ''
      ? shared.runs
      : shared.runs.filter((run) => nameOf(run).toLowerCase().includes(read.runs.toLowerCase()));
  const groups = shared.groups
    ?.map((one) => ({ ...one, runs: one.runs.filter((run) => runs.includes(run)) }))
    .filter((one) => one.runs.length > 0);
  return (
    <Panel
      {...shared}
      metric={text}
      runs={runs}
      groups={groups}
      acts={remove}
      load={async (axis) => {
        const all = await Promise.all(
          namesOf(read).map((metric) => loadCurves(runs, metric, axis, { groups })),
        );
        const smooth = axis.smoothing > 0 && axis.smoothBy === 'exponential';
        return {
          buckets: Math.min(...all.map(({ buckets }) => buckets), Infinity),
          curves: groups === undefined ? curvesOf(read, all, runs, smooth) : [],
          groups: groupsOf(read, all),
        };
      }}
    />
  );
};

/** The charts that the address names, and a field for another. */
export const Formulas = ({ metrics, ...shared }: FormulasProps) => {
  const [text, setText] = useState('');
  const charts = readList(query.value.get('panels'));
  const set = (now: readonly string[]) => setQuery({ panels: writeList(now) }, true);
  const read = text.trim() === '' ? undefined : readFormula(text, metrics);
  const fault =
    charts.length >= mostCharts
      ? `at most ${mostCharts} charts of your own stand here`
      : read !== undefined && 'fault' in read
        ? read.fault
        : undefined;
  return (
    <section aria-label="Charts of your own">
      <form
        class="controls"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() === '' || fault !== undefined) return;
          set([...charts.filter((one) => one !== text.trim()), text.trim()]);
          setText('');
        }}
      >
        <input
          class="formula"
          aria-label="Expression over metrics"
          aria-invalid={fault !== undefined}
          list="formula-names"
          spellcheck={false}
          autocomplete="off"
          placeholder="val/loss - train/loss, or a, b @ part of the names of runs"
          title='+ - * / ^ log log10 exp abs sqrt min max; names as they are or in "quotes"; a comma between lines; after @ a part of the names of runs'
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <datalist id="formula-names">
          {metrics.slice(0, 200).map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <button type="submit" disabled={text.trim() === '' || fault !== undefined}>
          Add chart
        </button>
        {fault === undefined ? null : (
          <span class="fault" role="status">
            {fault}
          </span>
        )}
      </form>
      <div class="grid">
        {charts.slice(0, mostCharts).map((one) => (
          <One
            key={one}
            {...shared}
            text={one}
            metrics={metrics}
            onRemove={() => set(charts.filter((other) => other !== one))}
          />
        ))}
      </div>
    </section>
  );
};
