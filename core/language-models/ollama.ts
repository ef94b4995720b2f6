// How an Ollama instance is asked, and what it replies. Pure.
import { Failure } from '#ports/failure';
import { parseJson } from '../json-text.js';

/** Where an instance is, without the end under which it speaks as OpenAI does. Rejects with `unprocessable` for what is no address of http, or holds a password. */
export const addressOf = (text: string): string => {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new Failure('unprocessable', 'base_url must begin with http:// or https://');
  if (url.username !== '' || url.password !== '')
    throw new Failure('unprocessable', 'base_url must not hold a user name or a password');
  const steps = url.pathname.split('/').filter((step) => step !== '');
  if (steps.at(-1) === 'v1') steps.pop();
  return [url.origin, ...steps].join('/');
};

/** Refuses with `unprocessable` a key that no header can carry. */
export const checkKey = (key: string | undefined): void => {
  if (key !== undefined && !/^[\u0020-\u007e]*$/.test(key))
    throw new Failure('unprocessable', 'api_key cannot be sent as a header');
};

type Members = Readonly<Record<string, unknown>>;
const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null ? (value as Members) : {}; // any object can be read by name

const longest = 1000;
const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, longest) : undefined;
const mostModels = 10_000;

/** `undefined` for what is no list of models. */
export const readModels = (text: string) => {
  const { models } = membersOf(parseJson(text));
  if (!Array.isArray(models)) return undefined;
  return models.slice(0, mostModels).flatMap((one: unknown) => {
    const { name, size, digest, modified_at: modified } = membersOf(one);
    const called = textIn(name);
    if (called === undefined) return [];
    const isTime = typeof modified === 'string' && !Number.isNaN(Date.parse(modified));
    return [
      {
        name: called,
        size: typeof size === 'number' && Number.isSafeInteger(size) ? size : undefined,
        digest: textIn(digest),
        modified_at: isTime ? textIn(modified) : undefined,
      },
    ];
  });
};

/** `undefined` where none is told. */
export const readVersion = (text: string): string | undefined =>
  textIn(membersOf(parseJson(text))['version']);
