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

/** Python writes the place last; JavaScript writes it first. */
const pythonFrame = /File "([^"\n]{1,500})", line \d+, in ([^\n]{1,200})/g;
const scriptFrame = /\n\s*at (?:async )?([^\s(]{1,200}) \(([^()\n]{1,500}?):\d+:\d+\)/;

const placeIn = (traceback: string): string | undefined => {
  const [, file, of] = [...traceback.slice(-20_000).matchAll(pythonFrame)].at(-1) ?? [];
  if (file !== undefined && of !== undefined) return `${of.trim()} in ${fileOf(file)}`;
  const [, called, script] = scriptFrame.exec(traceback.slice(0, 20_000)) ?? [];
  return called === undefined || script === undefined
    ? undefined
    : `${called} in ${fileOf(script)}`;
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
