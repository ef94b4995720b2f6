// What an error is, and where it arose, as its `error_info` tells. Pure.
import { parseJson } from '../json-text.js';

export interface ErrorSign {
  readonly type: string;
  /** The function and its file, or what was traced where the traceback tells neither. */
  readonly place: string;
  readonly message: string;
}

const longest = 300;
const memberOf = (info: unknown, name: string): string => {
  const value =
    typeof info === 'object' && info !== null
      ? (info as Readonly<Record<string, unknown>>)[name] // any object can be read by name
      : undefined;
  return typeof value === 'string' ? value : '';
};

const fileOf = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;

/** Lines without outer blanks. Python writes the place last; JavaScript writes it first. */
const pythonFrame = /^File "([^"]{1,500})", line \d{1,9}, in (.{1,200})$/;
const scriptFrame = /^at (?:async )?([^\s(]{1,200}) \(([^()]{1,500}):\d{1,9}:\d{1,9}\)$/;
/** Characters of a traceback that are looked at, from each end. */
const mostRead = 20_000;

const placeIn = (traceback: string): string | undefined => {
  const lines = (part: string) => part.split('\n', 2000).map((line) => line.trim());
  const python = lines(traceback.slice(-mostRead)).findLast((line) => pythonFrame.test(line));
  const [, file, of] = pythonFrame.exec(python ?? '') ?? [];
  if (file !== undefined && of !== undefined) return `${of} in ${fileOf(file)}`;
  const script = lines(traceback.slice(0, mostRead)).find((line) => scriptFrame.test(line));
  const [, called, at] = scriptFrame.exec(script ?? '') ?? [];
  return called === undefined || at === undefined ? undefined : `${called} in ${fileOf(at)}`;
};

/** Reads `error_info`; what was traced stands for a place that it does not tell. */
export const readError = (json: string, traced: string): ErrorSign => {
  const info = parseJson(json);
  const type = memberOf(info, 'exception_type').trim();
  return {
    type: (type === '' ? 'Error' : type).slice(0, 100),
    place: (placeIn(memberOf(info, 'traceback')) ?? traced).slice(0, 200),
    message: memberOf(info, 'message').slice(0, longest),
  };
};
