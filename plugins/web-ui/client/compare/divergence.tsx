// Where a run leaves another: which metric first, at which step, how clearly; and what was not the same before.
import { readCurves } from '../../pure/curves.js';
import { divergenceOf, firstDivergences, type Divergence } from '../../pure/divergence.js';
import { formatCount, formatNumber } from '../../pure/format.js';
import { useLoaded } from '../loading.js';
import { runsServer } from '../server.js';
import { Cut } from '../shell/cut.js';
import { Name } from '../shell/name.js';
import { Wait } from '../shell/wait.js';

const atOnce = 50;
const [most, mostShown] = [500, 200];
const places = 600;

const find = async (
  base: string,
  other: string,
  metrics: readonly string[],
  signal: AbortSignal,
): Promise<readonly Divergence[]> => {
  const found: Divergence[] = [];
  for (let at = 0; at < Math.min(most, metrics.length); at += atOnce) {
    const { curves } = readCurves(
      await runsServer.series(
        {
          body: {
            runs: [base, other],
            metrics: metrics.slice(at, at + atOnce),
            x: 'step',
            buckets: places,
          },
        },
        signal,
      ),
    );
    for (const metric of metrics.slice(at, at + atOnce)) {
      const [one, two] = [base, other].map((run) =>
        curves.find((curve) => curve.run === run && curve.metric === metric),
      );
      if (one === undefined || two === undefined) continue;
      const of = ({ x, columns }: typeof one) => ({
        metric,
        x,
        y: columns['mean'] ?? new Float32Array(),
      });
      found.push(divergenceOf(of(one), of(two)));
    }
  }
  return firstDivergences(found);
};

const sentence = (all: readonly Divergence[]): string => {
  const clear = all.filter(({ at }) => at !== undefined);
  const [first, second] = clear;
  const unequal = Math.min(...all.map(({ unequalAt }) => unequalAt ?? Infinity));
  if (all.length === 0) return 'The runs have no metric in common.';
  if (unequal === Infinity) return 'Every point that both runs have is the same.';
  const until = `Not the same from step ${formatNumber(unequal)} on`;
  if (first === undefined) return `${until}, but by no more than the metrics waver by themselves.`;
  const follows =
    second === undefined ? '' : `; ${second.metric} follows at ${formatNumber(second.at ?? 0)}`;
  return `${until}; ${first.metric} leaves first, at step ${formatNumber(first.at ?? 0)} (${first.sigmas.toFixed(0)} σ)${follows}.`;
};

export const FirstDivergence = ({
  base,
  other,
  metrics,
  causes,
}: {
  base: string;
  other: string;
  metrics: readonly string[];
  /** What differs between the two that may be why. */
  causes: readonly { readonly what: string; readonly count: number }[];
}) => {
  const { value, fault } = useLoaded(
    (signal) => find(base, other, metrics, signal),
    [base, other, metrics.join()],
  );
  if (value === undefined) return <Wait fault={fault} />;
  return (
    <section>
      <p class="verdict">{sentence(value)}</p>
      <p class="faint">
        {causes.length === 0
          ? 'Nothing else that was logged differs between them.'
          : `What differs between them: ${causes.map(({ what, count }) => `${formatCount(count)} ${what}`).join(', ')}.`}
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Metrics by where they differ">
        <table class="plain">
          <thead>
            <tr>
              <th>Metric</th>
              <th class="number">Leaves at step</th>
              <th class="number">by σ</th>
              <th class="number">Not the same from</th>
              <th class="number">Places</th>
            </tr>
          </thead>
          <tbody>
            {value.slice(0, mostShown).map(({ metric, at, sigmas, unequalAt, places: n }) => (
              <tr key={metric}>
                <td>
                  <Name of={metric} />
                </td>
                <td class="number">{at === undefined ? '–' : formatNumber(at)}</td>
                <td class="number">{at === undefined ? '' : sigmas.toFixed(1)}</td>
                <td class="number">{unequalAt === undefined ? '–' : formatNumber(unequalAt)}</td>
                <td class="number">{formatCount(n)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Cut shown={mostShown} of={value.length} what="metrics that both have" />
      {metrics.length > most ? (
        <p class="faint">
          Only the first {formatCount(most)} of {formatCount(metrics.length)} metrics were compared.
        </p>
      ) : null}
    </section>
  );
};
