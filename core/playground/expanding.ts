// Asks a model for further items of a dataset. Pure.
import type { ChatMessage } from '#ports/chat-model';
import { parseJson } from '../json-text.js';

export interface Wish {
  readonly count: number;
  readonly preserve: readonly string[];
  readonly instructions: string | undefined;
  /** In the place of what the model is asked otherwise. */
  readonly custom: string | undefined;
}

/** The messages that ask for items like those of these texts of JSON. */
export const askForItems = (
  samples: readonly string[],
  { count, preserve, instructions, custom }: Wish,
): readonly ChatMessage[] => {
  const rules = [
    `Write ${count} new items in the form of these, each different from all of them and from each other.`,
    'Keep the names of all members and the kinds of their values.',
    ...(preserve.length === 0
      ? []
      : [`Keep the pattern of the values of these members: ${preserve.join(', ')}.`]),
    ...(instructions === undefined ? [] : [instructions]),
  ];
  return [
    {
      role: 'system',
      content:
        'You write items of test data. Answer with one JSON object {"items": [...]} and nothing else.',
    },
    {
      role: 'user',
      content: `${custom ?? rules.join('\n')}\n\nNumber of items: ${count}\nItems of the dataset:\n[${samples.join(',\n')}]`,
    },
  ];
};

type Data = Readonly<Record<string, unknown>>;
const isData = (value: unknown): value is Data =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length > 0;

/** What stands between the first opening bracket of a kind and the last closing one. */
const between = (text: string, open: string, close: string): string =>
  text.slice(text.indexOf(open), text.lastIndexOf(close) + 1);

const listIn = (value: unknown): readonly unknown[] | undefined => {
  if (Array.isArray(value)) return value;
  if (!isData(value)) return undefined;
  const list = Object.values(value).find(Array.isArray);
  return list ?? [value];
};

/** The items of an answer, at most so many; `undefined` where it is no JSON, also with words around it. */
export const readItems = (answer: string, count: number): readonly Data[] | undefined => {
  const found =
    listIn(parseJson(answer)) ??
    listIn(parseJson(between(answer, '{', '}'))) ??
    listIn(parseJson(between(answer, '[', ']')));
  return found?.filter(isData).slice(0, count);
};
