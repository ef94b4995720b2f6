// Bodies of web forms. Small by nature; a name sent twice is refused, since two readers would take different ones.
import type { IncomingMessage } from 'node:http';
import { Failure } from '#ports/failure';
import type { FormBody } from '#ports/api/operation';
import type { Held } from './budget.js';
import { jsonReader } from './json.js';
import { readAll } from './reading.js';

const mostBytes = 64 * 1024;
const bounds = { packedBytes: mostBytes, inflatedBytes: mostBytes, depth: 4 };

const fields = (text: string): Readonly<Record<string, string>> => {
  const found = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (found.has(name)) throw new Failure('invalid', `${name.slice(0, 60)} is sent twice`);
    if (value.includes('\0'))
      throw new Failure('invalid', `${name.slice(0, 60)} must not hold the character U+0000`);
    found.set(name, value);
  }
  return Object.fromEntries(found);
};

/** Reads a form as an object of texts, or JSON where the row takes that too. Rejects with `unsupported` for another kind of body. */
export const formReader = ({ json }: FormBody) => {
  const readJson = jsonReader({ literals: [], keepsNul: false });
  return async (request: IncomingMessage, held: Held): Promise<unknown> => {
    const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
    if (type === 'application/json' && json) return (await readJson(request, bounds, held)).value;
    if (type !== 'application/x-www-form-urlencoded')
      throw new Failure(
        'unsupported',
        `the body must be application/x-www-form-urlencoded${json ? ' or application/json' : ''}`,
      );
    return fields((await readAll(request, mostBytes, held)).toString('utf8'));
  };
};
