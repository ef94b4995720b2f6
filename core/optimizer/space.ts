// What a search may choose: each parameter as a way from a place in [0, 1) to a value, and back.
import { Failure } from '#ports/failure';

export type Value = string | number | boolean | null;

export interface Dimension {
  readonly name: string;
  /** How many values there are, where they have no order or no distance; `undefined` for a range. */
  readonly choices: readonly Value[] | undefined;
  /** The value at a place. */
  valueAt(place: number): Value;
  /** A place that gives the value; the middle for what is no value of it. */
  placeOf(value: unknown): number;
  /** Values spread over it, smallest first, up to a limit. */
  spread(most: number): readonly Value[];
}

type Settings = Readonly<Record<string, unknown>>;

const refuse = (name: string, rule: string) =>
  new Failure('invalid', `parameter ${name.slice(0, 100)} ${rule}`);
const isRecord = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);
const inside = (place: number) => clamp(place, 0, 1 - Number.EPSILON);

/** The dimensions of a search, in the order sent. Throws `invalid` with the parameter that cannot be searched and why. */
export const readSpace = (parameters: unknown): readonly Dimension[] => {
  if (!isRecord(parameters) || Object.keys(parameters).length === 0)
    throw new Failure('invalid', 'parameters must name at least one parameter');
  return Object.entries(parameters).map(([name, settings]) => {
    if (!isRecord(settings)) throw refuse(name, 'must be described by an object');
    const type = String(settings['type']).toLowerCase();
    if (type === 'categorical' || type === 'discrete') return ofChoices(name, settings['values']);
    if (type === 'integer' || type === 'float' || type === 'double')
      return ofRange(name, settings, type === 'integer');
    throw refuse(name, 'must be of type integer, float, double, discrete or categorical');
  });
};

const isValue = (value: unknown): value is Value =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

const ofChoices = (name: string, values: unknown): Dimension => {
  const choices =
    Array.isArray(values) && values.every(isValue) ? (values as readonly Value[]) : []; // each was looked at
  if (choices.length === 0) throw refuse(name, 'must have a list of values');
  return {
    name,
    choices,
    valueAt: (place) => choices[Math.floor(inside(place) * choices.length)] ?? null,
    placeOf: (value) => {
      const at = choices.indexOf(value as Value);
      return at < 0 ? 0.5 : (at + 0.5) / choices.length;
    }, // a value of another type is not among them
    spread: (most) => choices.slice(0, Math.max(most, choices.length)),
  };
};

const numberIn = (settings: Settings, member: string): number | undefined => {
  const value = settings[member];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
};

/** A scale on which a range is even. */
interface Scale {
  to(value: number): number;
  from(scaled: number): number;
}
const plain: Scale = { to: (value) => value, from: (scaled) => scaled };
const logarithm: Scale = { to: Math.log, from: Math.exp };

const ofRange = (name: string, settings: Settings, whole: boolean): Dimension => {
  const scaling = String(
    settings['scalingType'] ?? settings['scaling_type'] ?? 'uniform',
  ).toLowerCase();
  if (!['uniform', 'linear', 'normal', 'loguniform', 'lognormal'].includes(scaling))
    throw refuse(name, `has the unknown scaling ${scaling.slice(0, 40)}`);
  const bell = scaling === 'normal' || scaling === 'lognormal';
  const scale = scaling.startsWith('log') ? logarithm : plain;
  const [middle, deviation] = [numberIn(settings, 'mu') ?? 0, numberIn(settings, 'sigma') ?? 1];
  const [low, high] = bell
    ? boundsOfBell(settings, scale, middle, deviation)
    : [numberIn(settings, 'min'), numberIn(settings, 'max')];
  if (low === undefined || high === undefined || low > high)
    throw refuse(name, 'must have min and max, the smaller first');
  if (scale === logarithm && low <= 0)
    throw refuse(name, 'must lie above 0 to be scaled by its logarithm');
  if (bell && deviation <= 0) throw refuse(name, 'must have a sigma above 0');
  // Whole numbers own the half on either side of them, so that the ends come as often as the rest.
  const [first, last] =
    whole && !bell
      ? [
          scale.to(scale === logarithm ? Math.max(low - 0.5, low / 2) : low - 0.5),
          scale.to(high + 0.5),
        ]
      : [scale.to(low), scale.to(high)];
  const round = (value: number) =>
    clamp(
      whole ? Math.round(value) : value,
      whole ? Math.ceil(low) : low,
      whole ? Math.floor(high) : high,
    );
  const valueAt = (place: number) =>
    round(
      scale.from(
        bell ? middle + deviation * probit(inside(place)) : first + inside(place) * (last - first),
      ),
    );
  return {
    name,
    choices: undefined,
    valueAt,
    placeOf: (value) => {
      const number =
        typeof value === 'number' && Number.isFinite(value) ? clamp(value, low, high) : undefined;
      if (number === undefined || last === first) return 0.5;
      return inside(
        bell
          ? cumulative((scale.to(number) - middle) / deviation)
          : (scale.to(number) - first) / (last - first),
      );
    },
    spread: (most) =>
      spreadRange(most, scale.to(low), scale.to(high), (scaled) => round(scale.from(scaled))),
  };
};

const boundsOfBell = (settings: Settings, scale: Scale, middle: number, deviation: number) => {
  const fallback = (side: number) => scale.from(middle + side * 4 * deviation);
  return [
    numberIn(settings, 'min') ?? fallback(-1),
    numberIn(settings, 'max') ?? fallback(1),
  ] as const;
};

const spreadRange = (
  most: number,
  low: number,
  high: number,
  at: (scaled: number) => number,
): readonly number[] => {
  const steps = Math.max(Math.floor(most), 1);
  const all = Array.from({ length: steps }, (_, step) =>
    at(steps === 1 ? (low + high) / 2 : low + ((high - low) * step) / (steps - 1)),
  );
  return [...new Set(all)];
};

/** The normal distribution below a number (Abramowitz and Stegun 26.2.17), to seven digits. */
const cumulative = (x: number): number => {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const tail =
    (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return x >= 0 ? 1 - tail : tail;
};

/** Its inverse, by halving: forty steps are exact enough for any range. */
const probit = (place: number): number => {
  let [low, high] = [-8, 8];
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (cumulative(middle) < place) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
};
