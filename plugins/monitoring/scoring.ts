// How well a score tells two classes apart: curves over time, and a table of bands. Over raw events, since a score and its label are one event's.
import { Failure } from '#ports/failure';
import type { MonitoringNeeds } from './needs.js';
import type { Value } from './items.js';
import { fieldsOf } from './models.js';
import {
  columnsFor,
  pointsOf,
  predicatesOf,
  requireFewPoints,
  scan,
  type Asked,
  type Question,
} from './queries.js';
import { bucketsOf } from './series.js';

export interface AskedScore extends Asked {
  readonly scoreName: string;
  readonly labelName: string;
  readonly positiveClassValue?: string | undefined;
}
type Needs = Pick<MonitoringNeeds, 'tables' | 'ids' | 'clock'>;

/** A score with whether the event was of the positive class. */
export interface Scored {
  readonly score: number;
  readonly positive: boolean;
}

const mostScored = 2_000_000;

/** Whether a label is that of the positive class: the named one, or 1 or true. */
const isPositive = (label: Value, positive: string | undefined): boolean =>
  positive === undefined
    ? label === 1 || /^(1|true)$/i.test(String(label))
    : String(label) === positive;

/** The scores of events that have a label, for each filter and bucket. */
const gather = async (needs: Needs, question: Question, asked: AskedScore) => {
  const buckets = bucketsOf(asked, needs.clock.now());
  const predicates = predicatesOf(asked);
  requireFewPoints(buckets, predicates.length);
  const columns = columnsFor(await fieldsOf(needs.tables, question.model.id));
  const held = predicates.map(() => buckets.starts.map((): Scored[] => []));
  let n = 0;
  const [scores, labels] = [`prediction_${asked.scoreName}`, `label_${asked.labelName}`];
  const how = { buckets, version: asked.version, predicates, columns, reads: [scores, labels] };
  await scan(needs, question, how, (batch) => {
    const score = batch.column(scores);
    const label = batch.column(labels);
    return (predicate, bucket, row) => {
      const [given, truth] = [score(row), label(row)];
      if (typeof given !== 'number' || truth === undefined) return;
      if (++n > mostScored)
        throw new Failure('invalid', `more than ${mostScored} scores are not ranked at once`);
      held[predicate]?.[bucket]?.push({
        score: given,
        positive: isPositive(truth, asked.positiveClassValue),
      });
    };
  });
  return { buckets, predicates, held };
};

/** The area below the ROC curve and the largest distance of the two classes' distributions; null where one class is missing. */
export const curveOf = (
  scored: readonly Scored[],
): { readonly auc: number; readonly ks: number } | undefined => {
  const sorted = [...scored].sort((one, other) => one.score - other.score);
  const positives = sorted.filter(({ positive }) => positive).length;
  const negatives = sorted.length - positives;
  if (positives === 0 || negatives === 0) return undefined;
  let [above, below, area, ks] = [0, 0, 0, 0];
  for (let at = 0; at < sorted.length;) {
    let [tiedPositives, tiedNegatives] = [0, 0];
    for (const score = sorted[at]?.score; at < sorted.length && sorted[at]?.score === score; at++)
      if (sorted[at]?.positive === true) tiedPositives++;
      else tiedNegatives++;
    area += tiedPositives * (below + tiedNegatives / 2);
    above += tiedPositives;
    below += tiedNegatives;
    ks = Math.max(ks, Math.abs(above / positives - below / negatives));
  }
  return { auc: area / (positives * negatives), ks };
};

export const curveTypes = ['ROC_AUC', 'KS', 'GINI'] as const;

/** One of the curves by hour or day. */
export const classificationCurve = async (
  needs: Needs,
  question: Question,
  asked: AskedScore & { readonly curveType: (typeof curveTypes)[number] },
) => {
  const { buckets, predicates, held } = await gather(needs, question, asked);
  const valueOf = (scored: readonly Scored[]): number | null => {
    const curve = curveOf(scored);
    if (curve === undefined) return null;
    if (asked.curveType === 'KS') return curve.ks;
    return asked.curveType === 'GINI' ? 2 * curve.auc - 1 : curve.auc;
  };
  return {
    data: predicates.map(({ key }, at) => ({
      predicateKey: key,
      data: pointsOf(buckets, (bucket) => valueOf(held[at]?.[bucket] ?? [])),
    })),
  };
};

/** Bands of equal size from the highest score down, each with what it gains. */
export const bandsOf = (scored: readonly Scored[], count: number) => {
  const sorted = [...scored].sort((one, other) => other.score - one.score);
  const total = sorted.length;
  const all = sorted.filter(({ positive }) => positive).length;
  const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
  let [seen, hits] = [0, 0];
  return Array.from({ length: Math.min(count, total) }, (_, at) => {
    const bands = Math.min(count, total);
    const band = sorted.slice(
      Math.floor((at * total) / bands),
      Math.floor(((at + 1) * total) / bands),
    );
    const positives = band.filter(({ positive }) => positive).length;
    seen += band.length;
    hits += positives;
    const [rate, gain] = [share(positives, band.length), share(hits, all)];
    return {
      band: at + 1,
      scoreFrom: band.at(-1)?.score ?? 0,
      scoreTo: band[0]?.score ?? 0,
      count: band.length,
      positives,
      responseRate: rate,
      cumulativeCount: seen,
      cumulativePositives: hits,
      cumulativePopulationShare: share(seen, total),
      cumulativeGain: gain,
      lift: share(rate, share(all, total)),
      cumulativeLift: share(gain, share(seen, total)),
      cumulativeSeparation: Math.abs(gain - share(seen - hits, total - all)),
    };
  });
};

const usualBands = 10;
/** One table for each filter, over the whole span. */
export const gainsTable = async (
  needs: Needs,
  question: Question,
  asked: AskedScore & { readonly bandCount?: number | undefined },
) => {
  const { predicates, held } = await gather(needs, question, asked);
  return {
    tables: predicates.map(({ key }, at) => {
      const scored = (held[at] ?? []).flat();
      const totalPositives = scored.filter(({ positive }) => positive).length;
      return {
        predicateKey: key,
        rows: bandsOf(scored, asked.bandCount ?? usualBands),
        total: scored.length,
        totalPositives,
        overallRate: scored.length === 0 ? 0 : totalPositives / scored.length,
      };
    }),
  };
};
