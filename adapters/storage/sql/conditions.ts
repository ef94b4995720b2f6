// A condition as SQL over `experiments e`. Every fragment is true or false, never null, so that `not` is the exact complement.
import type { Comparison, Condition } from '#ports/query';
import { claimBoolean, claimInstant, claimNumber, claimText, claimValueText } from './claims.js';
import type { Dialect, Fragment } from '#ports/sql-dialect';
import { always, both, complement, either, fragment, never, unionAll, wrap } from './fragment.js';
import { seriesIdsOf } from './metrics/series-ids.js';
import { textKinds } from './text-pieces.js';
import { valueKeyOf, valueKinds } from './value-kinds.js';

/** Where the values of a condition's experiments are found. */
export interface Place {
  readonly dialect: Dialect;
  /** `each`: the values of every experiment that is met, by its key. `home`: all values of a name in this project, which are one range of an index. */
  readonly among:
    | 'each'
    | {
        readonly home: string;
        /** Whether the experiments met are tested against what was found, which is read once; else the engine decides from which side it joins the two. */
        readonly tested: boolean;
      };
  /** What counts as now for runs that are alive, in ms. */
  readonly now: number;
}

export const compileCondition = (place: Place, condition: Condition): Fragment => {
  switch (condition.type) {
    case 'all':
      return both(...condition.of.map((part) => compileCondition(place, part)));
    case 'any':
      return either(...condition.of.map((part) => compileCondition(place, part)));
    case 'not':
      return complement(compileCondition(place, condition.of));
    case 'among':
      return condition.ids.length === 0
        ? never
        : fragment(place.dialect.anyOf('e.id', 'id'), condition.ids);
    case 'comparison':
      return compileComparison(place, condition);
  }
};

const compileComparison = (place: Place, claim: Comparison): Fragment => {
  const { kind, name } = claim.subject;
  switch (kind) {
    case 'metadata':
      return compileMetadata(place, claim);
    case 'metric':
      return compileValue(place, valueKinds.metric, seriesIdsOf(name), claim);
    case 'other':
      return compileOther(place, claim);
    case 'parameter':
    case 'tag':
    case 'environment':
      return compileValue(place, valueKinds[kind], [valueKeyOf(name)], claim);
  }
};

const marks = (list: readonly unknown[]) => list.map(() => '?').join(', ');

const nothing = fragment('select v.experiment_id from experiment_values v where 1 = 0');
// The whole text of a row that is found in an index. As a value of its own: one engine would merge a joined copy of the row into the range and open them all.
const wholeText =
  '(select t.text from experiment_values t where t.experiment_id = v.experiment_id and t.kind = v.kind and t.name_key = v.name_key)';

/** Experiments with a value of these names in one of the ranges. A whole text is looked up by its row's key, so that the range itself is read from the index alone. */
const findValues = (
  { among }: Place,
  kind: number,
  keys: readonly string[],
  ranges: readonly Fragment[],
): Fragment => {
  if (ranges.length === 0) return never;
  const named = fragment(`v.kind = ${kind} and v.name_key in (${marks(keys)})`, ...keys);
  const where =
    (place: Fragment) =>
    (range: Fragment): Fragment =>
      wrap('select v.experiment_id from experiment_values v where ', both(place, named, range), '');
  // As a value of its own, which no engine turns into a join with the whole range; once for all ranges, since the row is found by its key.
  if (among === 'each')
    return wrap(
      '(',
      where(fragment('v.experiment_id = e.id'))(either(...ranges)),
      ' limit 1) is not null',
    );
  const selects = ranges.map(where(fragment('v.project_id = ?', among.home)));
  // One select alone would be merged into the outer one, or be run again for each experiment, by engines that then look up every value by key: six times slower.
  const found = wrap(
    'e.id in (select x.experiment_id from (',
    unionAll([...selects, nothing]),
    ') x)',
  );
  return among.tested ? wrap('coalesce(', found, ', 1 = 0)') : found;
};

const spellings = (sign: readonly string[]) =>
  sign.flatMap((one) =>
    ['inf', 'Inf', 'INF', 'infinity', 'Infinity', 'INFINITY'].map((word) => one + word),
  );
const highest = spellings(['', '+']);
const lowest = spellings(['-']);

const [noNumber, aNumber] = [fragment('v.number is null'), fragment('v.number is not null')];

/** What is said of texts, as ranges of the indexes that hold them: one engine has those of numbers in an index of their own. */
const textRanges = ({ dialect, among }: Place, texts: Fragment): readonly Fragment[] =>
  texts === always || among === 'each' || !dialect.partialIndexes
    ? [texts]
    : [both(noNumber, texts), both(aNumber, texts)];

const compileValue = (
  place: Place,
  kind: number,
  keys: readonly string[],
  claim: Comparison,
): Fragment => {
  const numbers = claimNumber(claim, 'v.number');
  if (numbers === undefined) {
    const texts = claimValueText(place.dialect, claim, 'v.prefix', wholeText);
    return findValues(place, kind, keys, texts === undefined ? [] : textRanges(place, texts));
  }
  const infinite = [...(numbers.highest ? highest : []), ...(numbers.lowest ? lowest : [])];
  const ranges = [
    ...(numbers.finite === never ? [] : [numbers.finite]),
    ...(infinite.length === 0
      ? []
      : [fragment(`v.number is null and v.prefix in (${marks(infinite)})`, ...infinite)]),
  ];
  return findValues(place, kind, keys, ranges);
};

const present = (column: string, asked: Fragment | undefined): Fragment =>
  asked === undefined ? never : both(fragment(`${column} is not null`), asked);

const compileOther = (place: Place, claim: Comparison): Fragment => {
  if (claim.subject.name === 'Name') return claimText(place.dialect, claim, 'e.name') ?? never;
  if (claim.subject.name === 'throttled')
    return (
      claimText(place.dialect, claim, "case when e.throttle then 'true' else 'false' end") ?? never
    );
  return compileValue(place, valueKinds.other, [valueKeyOf(claim.subject.name)], claim);
};

const texts: Readonly<Record<string, string>> = {
  experimentKey: 'e.key',
  optimizationId: 'e.optimization_id',
  file_path: 'e.file_path',
  file_name: 'e.file_name',
};
const instants: Readonly<Record<string, string>> = {
  start_server_timestamp: 'e.start_time',
  end_server_timestamp: 'e.end_time',
  last_message_time: 'e.last_seen_at',
};
/** Whether an experiment has something that is kept in a table of its own, looked up by the experiment's key. */
const owned: Readonly<Record<string, Fragment>> = {
  hasHtml: fragment(
    `exists (select 1 from texts h where h.experiment_id = e.id and h.kind = ${textKinds.html} and h.bytes > 0)`,
  ),
  hasNotes: fragment(
    `exists (select 1 from texts h where h.experiment_id = e.id and h.kind = ${textKinds.notes} and h.bytes > 0)`,
  ),
  hasImages: fragment(
    "exists (select 1 from assets i where i.experiment_id = e.id and i.type = 'image')",
  ),
};

/** A bound number as a decimal: a time that is no whole number would not fit a column of whole ones. */
const decimal = '(? + 0e0)';

const compileMetadata = (place: Place, claim: Comparison): Fragment => {
  const { name } = claim.subject;
  const [text, instant] = [texts[name], instants[name]];
  if (text !== undefined) return present(text, claimText(place.dialect, claim, text));
  if (instant !== undefined) return claimInstant(claim, instant, decimal);
  if (name === 'runId')
    return present('e.id', claimText(place.dialect, claim, place.dialect.idAsText('e.id')));
  if (name === 'user_name')
    return wrap(
      'e.user_id in (select u.id from users u where ',
      claimText(place.dialect, claim, 'u.name') ?? never,
      ')',
    );
  if (name === 'duration') return compileDuration(claim);
  if (name === 'hasCrashed') return claimBoolean(claim, fragment('e.has_crashed'));
  if (name === 'runActive')
    return claimBoolean(
      claim,
      fragment('(e.alive and e.last_seen_at + e.beat_ms >= ?)', place.now),
    );
  const has = owned[name];
  if (has !== undefined) return claimBoolean(claim, has);
  return compileValue(place, valueKinds.noted, [valueKeyOf(name)], claim);
};

const compileDuration = (claim: Comparison): Fragment => {
  if (claim.operator === 'present' || claim.operator === 'filled') return always;
  return (
    claimNumber(
      claim,
      '(case when e.end_time > e.start_time then e.end_time - e.start_time else 0 end / 1000e0)',
      decimal,
    )?.finite ?? never
  );
};
