// What reviewers of an annotation queue are asked for, what keys mean there, and how far they have come. Pure.

/** A definition of scores, as the server shows it. */
export interface Definition {
  readonly name: string;
  readonly description?: string | undefined;
  readonly type: string;
  readonly details?: unknown;
}
export interface Choice {
  readonly label: string;
  readonly value: number;
}
/** One score that is asked for: one of some choices, or a number within bounds. */
export interface ScoreField {
  readonly name: string;
  readonly description: string;
  readonly choices: readonly Choice[] | undefined;
  readonly min: number | undefined;
  readonly max: number | undefined;
}
export interface GivenScore {
  readonly value: number;
  readonly category: string | undefined;
  readonly reason: string | undefined;
}
/** Scores by their names. */
export type Scores = Readonly<Record<string, GivenScore>>;

type Named = Readonly<Record<string, unknown>>;
const isNamed = (value: unknown): value is Named =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const numberIn = (of: Named, name: string): number | undefined =>
  typeof of[name] === 'number' ? of[name] : undefined;

const choicesOf = (type: string, details: Named): readonly Choice[] | undefined => {
  if (type === 'boolean')
    return [
      { label: String(details['trueLabel'] ?? 'yes'), value: 1 },
      { label: String(details['falseLabel'] ?? 'no'), value: 0 },
    ];
  if (type !== 'categorical' || !isNamed(details['categories'])) return undefined;
  return Object.entries(details['categories'])
    .flatMap(([label, value]) => (typeof value === 'number' ? [{ label, value }] : []))
    .sort((a, b) => a.value - b.value);
};

/** The scores that a queue asks for, in its order; of a name without a definition any number. */
export const fieldsOf = (
  names: readonly string[],
  definitions: readonly Definition[],
): readonly ScoreField[] =>
  names.map((name) => {
    const found = definitions.find((one) => one.name === name);
    const details = isNamed(found?.details) ? found.details : {};
    return {
      name,
      description: found?.description ?? '',
      choices: found === undefined ? undefined : choicesOf(found.type, details),
      min: numberIn(details, 'min'),
      max: numberIn(details, 'max'),
    };
  });

const isWhole = (value: number | undefined): value is number => Number.isInteger(value);
/** Whether each number that may be given is one digit. */
const isOfDigits = (min: number | undefined, max: number | undefined): boolean =>
  isWhole(min) && isWhole(max) && min >= 0 && max <= 9 && max > 1;
/** Without the noise of binary fractions. */
const tidy = (value: number): number => Number(value.toPrecision(12));

/**
 * What a digit means for a field: the choice at that place, the number itself where all that may be given have one digit, and else so many tenths of
 * what lies between the bounds, with 0 for the whole. `undefined` where it means nothing.
 */
export const scoreOfDigit = (
  { choices, min, max }: ScoreField,
  digit: number,
): Omit<GivenScore, 'reason'> | undefined => {
  if (choices !== undefined) {
    const found = choices[digit - 1];
    return found && { value: found.value, category: found.label };
  }
  if (min === undefined || max === undefined) return { value: digit, category: undefined };
  if (isOfDigits(min, max))
    return digit >= min && digit <= max ? { value: digit, category: undefined } : undefined;
  const tenths = digit === 0 ? 10 : digit;
  return { value: tidy(min + ((max - min) * tenths) / 10), category: undefined };
};

/** What to press for a field, in words. */
export const keysOfField = ({ choices, min, max }: ScoreField): string => {
  if (choices !== undefined) return `keys 1 to ${Math.min(9, choices.length)}`;
  if (min === undefined || max === undefined) return 'keys 0 to 9';
  return isOfDigits(min, max)
    ? `keys ${min} to ${max}`
    : `${min} to ${max}; keys 1 to 9 are tenths of that, 0 is ${max}`;
};

/** By how much a slider moves. */
export const stepOfField = ({ min, max }: ScoreField): number =>
  min !== undefined && max !== undefined && isWhole(min) && isWhole(max) && max - min > 1
    ? 1
    : 0.01;

/** What is wrong with a score, in a sentence. */
export const faultOfScore = (
  { name, choices, min, max }: ScoreField,
  { value }: GivenScore,
): string | undefined => {
  if (!Number.isFinite(value)) return `${name} is a number`;
  if (choices !== undefined) return undefined;
  return (min !== undefined && value < min) || (max !== undefined && value > max)
    ? `${name} is a number from ${min} to ${max}`
    : undefined;
};

interface Scored {
  readonly name: string;
  readonly value_by_author: Readonly<
    Record<
      string,
      {
        readonly value: number;
        readonly reason?: string | undefined;
        readonly category_name?: string | undefined;
      }
    >
  >;
}

/** What somebody gave an item under the names of a queue. */
export const scoresBy = (
  user: string,
  names: readonly string[],
  scores: readonly Scored[],
): Scores =>
  Object.fromEntries(
    scores.flatMap(({ name, value_by_author }) => {
      const own = Object.hasOwn(value_by_author, user) ? value_by_author[user] : undefined;
      return own !== undefined && names.includes(name)
        ? [[name, { value: own.value, category: own.category_name, reason: own.reason }] as const]
        : [];
    }),
  );

/** How many others scored an item under the names of a queue. */
export const otherAuthors = (
  user: string,
  names: readonly string[],
  scores: readonly Scored[],
): number =>
  new Set(
    scores
      .filter(({ name }) => names.includes(name))
      .flatMap(({ value_by_author }) => Object.keys(value_by_author))
      .filter((author) => author !== user),
  ).size;

/** The place of the first item from `from` on, around the end, that is still to be looked at. */
export const nextOpen = (isOpen: readonly boolean[], from: number): number | undefined => {
  for (let by = 0; by < isOpen.length; by++) {
    const at = (from + by) % isOpen.length;
    if (isOpen[at] === true) return at;
  }
  return undefined;
};

/** Lines such as `good = 1` as categories. Throws, in a sentence, for what is none. */
export const readCategories = (text: string): Readonly<Record<string, number>> => {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0) throw new Error('write at least one category, such as good = 1');
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.lastIndexOf('=');
      const [label, value] = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      if (at <= 0 || label === '' || value === '' || !Number.isFinite(Number(value)))
        throw new Error(`“${line}” is no category with a number, such as good = 1`);
      return [label, Number(value)] as const;
    }),
  );
};

/** What a definition allows, in words. */
export const showDefinition = (of: Definition): string => {
  const [field] = fieldsOf([of.name], [of]);
  if (field === undefined) return '';
  if (field.choices !== undefined)
    return field.choices.map(({ label, value }) => `${label} ${value}`).join(', ');
  return field.min === undefined || field.max === undefined
    ? 'any number'
    : `${field.min} to ${field.max}`;
};
