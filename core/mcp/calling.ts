// From the arguments of a tool to the input of its operation, and back. Pure.
import { bareShape, type JsonText, type Operation } from '#ports/api/operation';
import { Failure } from '#ports/failure';
import { stringifyKept } from '#ports/kept-json';
import type { OperationInput } from '#ports/operations';
import type { Tool } from './tool.js';

type Members = Record<string, unknown>;

const put = (into: Members, [name = '', ...rest]: readonly string[], value: unknown): void => {
  if (rest.length === 0) {
    into[name] = value;
    return;
  }
  const inner = { ...(into[name] as Members | undefined) }; // fixed values and paths make objects alone
  put(inner, rest, value);
  into[name] = inner;
};

/** A query holds texts: lists and objects go there as JSON. */
const asQuery = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value;

/** Refuses arguments that the tool does not take, and the lack of those that it needs. */
const checkNames = ({ name, takes }: Tool, given: Readonly<Members>): void => {
  const stray = Object.keys(given).find((one) => !Object.hasOwn(takes, one));
  if (stray !== undefined)
    throw new Failure('invalid', `${name} takes no argument ${stray.slice(0, 60)}`);
  const missing = Object.entries(takes).find(
    ([one, { required }]) => required === true && (given[one] ?? undefined) === undefined,
  );
  if (missing !== undefined)
    throw new Failure('invalid', `${name} needs the argument ${missing[0]}`);
};

/** The input of a tool's operation. Rejects with `invalid` for arguments that are not the tool's. `workspace` is meant where the call names none. */
export const inputOf = (
  tool: Tool,
  given: Readonly<Members>,
  workspace: string | undefined,
): OperationInput => {
  checkNames(tool, given);
  const parts = { params: {}, query: {}, body: {}, header: {} } satisfies Members;
  const places: (readonly [string, unknown])[] = [
    ...Object.entries(tool.fixed ?? {}),
    ...Object.entries(tool.takes).map(
      ([name, { at }]) =>
        [at, given[name] ?? (name === 'workspace' ? workspace : undefined)] as const,
    ),
  ];
  for (const [at, value] of places) {
    if (value === undefined || value === null) continue;
    put(parts, at.split('.'), at.startsWith('query.') ? asQuery(value) : value);
  }
  const { header: headers, ...input } = parts;
  return { ...input, headers };
};

/** Joins the pieces of a text. Rejects with `tooLarge` beyond the bound. */
const join = async (pieces: JsonText['text'], mostBytes: number): Promise<string> => {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of pieces) {
    text += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
    checkSize(text, mostBytes);
  }
  return text;
};

const checkSize = (text: string, mostBytes: number): string => {
  if (text.length > mostBytes)
    throw new Failure(
      'tooLarge',
      `the result is larger than ${Math.floor(mostBytes / 1024)} KiB; ask for a smaller page, for fewer columns or for values that are cut`,
    );
  return text;
};

/** What an operation replied, as text: JSON, and `done` where there is nothing to tell. Rejects with `tooLarge` beyond the bound. */
export const textOf = async (
  { replies }: Operation,
  result: unknown,
  mostBytes: number,
): Promise<string> => {
  const [only, ...others] = Object.values(replies);
  const isPlain = others.length === 0 && only !== undefined && bareShape(only) === only;
  const body = isPlain ? result : (result as { readonly body?: unknown }).body; // as the row's type has it
  if (body === undefined || body === null) return 'done';
  const { text } = body as Partial<JsonText>; // any body can be asked for it
  if (typeof text === 'object') return join(text, mostBytes);
  return checkSize(stringifyKept(body), mostBytes);
};
