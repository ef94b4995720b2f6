// What a logged parameter or other means. Lenient item by item in batches, where a refusal would lose a client's whole batch. Pure.
import { Failure } from '#ports/failure';
import type { ExperimentChange } from '#ports/storage/experiments';
import type { LoggedValue, StoredValue } from '#ports/storage/values';
import { asText, asWhole, fullName, toTime } from '../logged-input.js';

/** Longest name and longest value, in characters; a client's own cut is a hundred and a thousand. */
const mostName = 20_000;
const mostText = 1024 * 1024;

export const checkLength = (name: string, value: string): void => {
  if (name.length > mostName)
    throw new Failure('invalid', `a name must be at most ${mostName} characters`);
  if (value.length > mostText)
    throw new Failure(
      'invalid',
      `the value of ${name.slice(0, 100)} must be at most ${mostText} characters`,
    );
};

const toContext = (given: unknown): string | undefined => asText(given ?? undefined) || undefined;

export interface LoggedParameter {
  readonly parameterName?: unknown;
  readonly parameterValue?: unknown;
  readonly context?: unknown;
  readonly step?: unknown;
  readonly timestamp?: unknown;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'boolean' || value === null ? String(value) : asText(value);

/** The parameter, or `undefined` where it has no name or no value, or is too long. */
export const toParameter = (logged: LoggedParameter, now: number): LoggedValue | undefined => {
  const [bare, text] = [asText(logged.parameterName ?? undefined), textOf(logged.parameterValue)];
  if (bare === undefined || bare === '' || text === undefined || text.length > mostText)
    return undefined;
  const context = toContext(logged.context);
  const name = fullName(bare, context);
  return name.length > mostName
    ? undefined
    : { name, context, text, step: asWhole(logged.step), timestamp: toTime(logged.timestamp, now) };
};

export const toOther = (
  key: string,
  text: string,
  timestamp: number | undefined,
  now: number,
): LoggedValue => ({
  name: key,
  context: undefined,
  text,
  step: undefined,
  timestamp: toTime(timestamp, now),
});

/** The other that holds the experiment's name. */
export const nameKey = 'Name';
const optimizerKey = 'optimizer_id';

/** What logging an other changes of the experiment itself. */
export const changeOf = (key: string, text: string): ExperimentChange | undefined =>
  key === nameKey ? { name: text } : key === optimizerKey ? { optimizationId: text } : undefined;

/** A value in the wire's form of a summary: texts as they were logged. */
export const toSummary = ({ name, context, min, max, last }: StoredValue) => ({
  name,
  valueMax: max.text,
  valueMin: min.text,
  valueCurrent: last.text,
  timestampMax: max.timestamp,
  timestampMin: min.timestamp,
  timestampCurrent: last.timestamp,
  runContextMax: context ?? null,
  runContextMin: context ?? null,
  runContextCurrent: context ?? null,
  stepMax: max.step ?? null,
  stepMin: min.step ?? null,
  stepCurrent: last.step ?? null,
  editable: false,
});
