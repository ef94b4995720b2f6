// One item with all that experiments made of it.
import { pathOf } from '../../pure/address.js';
import {
  expectedOf,
  scoreIn,
  wordsOf,
  type ItemRow,
  type ItemRun,
} from '../../pure/experiments.js';
import { formatNumber } from '../../pure/format.js';
import { formatCost, formatDuration } from '../../pure/trace-values.js';
import type { Experiment } from '../evaluating-server.js';
import { query, setQuery } from '../state.js';
import { TextDiff } from '../told/text-diff.js';
import { Json } from '../trace/json.js';
import { Value } from '../trace/value.js';
import { letterOf } from './table.js';

const Scores = ({ of, base }: { of: ItemRun; base: readonly ItemRun[] | undefined }) => (
  <ul class="plain-list">
    {of.scores.map(({ name, value, reason }, at) => {
      const was = scoreIn(base, name);
      const moved = was === undefined ? 0 : value - was;
      return (
        <li key={at}>
          <b>{name}</b> {formatNumber(value)}
          {moved === 0
            ? null
            : ` (${moved > 0 ? '+' : '−'}${formatNumber(Number(Math.abs(moved).toPrecision(3)))})`}
          {reason === undefined ? null : (
            <span class="faint notes" dir="auto">
              {' '}
              {reason}
            </span>
          )}
        </li>
      );
    })}
  </ul>
);

const OneRun = ({
  of,
  base,
  workspace,
  title,
  against,
}: {
  of: ItemRun;
  base: readonly ItemRun[] | undefined;
  workspace: string;
  title: string;
  /** What its output is held against; nothing where it is shown as it is. */
  against: string | undefined;
}) => {
  const facts = [
    of.durationMs === undefined ? '' : formatDuration(of.durationMs),
    of.cost === undefined ? '' : formatCost(of.cost),
  ].filter((one) => one !== '');
  return (
    <>
      {against === undefined ? (
        <Value title={title} value={of.output ?? null} />
      ) : (
        <section class="value" aria-label={title}>
          <h2>{title}</h2>
          <TextDiff label={`Difference of ${title}`} from={against} to={wordsOf(of.output)} />
        </section>
      )}
      <Scores of={of} base={base} />
      <p class="faint">
        {of.project === undefined ? null : (
          <a class="said" href={pathOf('w', workspace, 'p', of.project, 'trace', of.trace)}>
            Trace →
          </a>
        )}{' '}
        {facts.join(' · ')}
      </p>
    </>
  );
};

export const ItemPeek = ({
  workspace,
  of,
  row,
  onStep,
  onClose,
}: {
  workspace: string;
  of: readonly Experiment[];
  row: ItemRow;
  onStep: (by: number) => void;
  onClose: () => void;
}) => {
  const expected = expectedOf(row.data);
  const [base] = row.runs;
  const differs = query.value.get('diff') === 'on';
  const against = (at: number): string | undefined => {
    if (!differs) return undefined;
    if (expected !== undefined) return wordsOf(expected);
    return at === 0 ? undefined : wordsOf(base?.[0]?.output);
  };
  return (
    <aside class="peek whole" aria-label="The item at a glance">
      <header>
        <h2>Item</h2>
        <button
          type="button"
          aria-pressed={differs}
          title={
            expected === undefined
              ? 'How outputs differ from that of the first experiment'
              : 'How outputs differ from what is expected'
          }
          onClick={() => setQuery({ diff: differs ? undefined : 'on' })}
        >
          Differences
        </button>
        <button type="button" aria-label="Item above" onClick={() => onStep(-1)}>
          ↑
        </button>
        <button type="button" aria-label="Item below" onClick={() => onStep(1)}>
          ↓
        </button>
        <button type="button" aria-label="Close" onClick={onClose}>
          ×
        </button>
      </header>
      <Json value={row.data} open={2} />
      {of.map(({ id, name }, at) => {
        const runs = row.runs[at] ?? [];
        const title = of.length === 1 ? name : `${letterOf(at)} ${name}`;
        if (runs.length === 0)
          return (
            <section key={id} aria-label={title}>
              <h2>{title}</h2>
              <p class="faint">This experiment did not run the item.</p>
            </section>
          );
        return runs.map((run, nth) => (
          <OneRun
            key={run.id}
            of={run}
            base={at === 0 ? undefined : base}
            workspace={workspace}
            title={runs.length === 1 ? title : `${title}, run ${nth + 1}`}
            against={against(at)}
          />
        ));
      })}
    </aside>
  );
};
