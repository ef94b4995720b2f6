import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { runOutputOperations } from '#ports/api/run-output';
import { Failure } from '#ports/failure';
import { storageOf } from '#ports/storage/storage';
import { createLineIndexes } from './line-index.js';
import { readSome, type Wanted } from './reading.js';

const mostLines = 5000;
const usualLines = 1000;

interface Asked {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly tail?: number | undefined;
  readonly search?: string | undefined;
  readonly ignoreCase?: boolean | undefined;
  readonly stderr?: boolean | undefined;
  readonly limit?: number | undefined;
}

const requireWithin = (name: string, value: number | undefined, most: number): void => {
  if (value !== undefined && (value < 1 || value > most))
    throw new Failure('invalid', `${name} must be from 1 to ${most}`);
};

const toWanted = (
  { from, to, tail, search, ignoreCase = false, stderr = false, limit = usualLines }: Asked,
  total: number,
): Wanted => {
  requireWithin('from', from, Number.MAX_SAFE_INTEGER);
  requireWithin('to', to, Number.MAX_SAFE_INTEGER);
  requireWithin('tail', tail, mostLines);
  requireWithin('limit', limit, mostLines);
  const sought = search !== undefined || stderr;
  if (tail !== undefined && (from !== undefined || to !== undefined || sought))
    throw new Failure('invalid', 'tail goes without from, to, search and stderr');
  if (from !== undefined && to !== undefined && to < from)
    throw new Failure('invalid', `to must be at least from, and ${to} is below ${from}`);
  return tail === undefined
    ? {
        from: from ?? 1,
        to: Math.min(to ?? total, total),
        limit,
        ...(search === undefined ? {} : { search: { text: search, ignoreCase } }),
        ...(stderr ? { stderr } : {}),
      }
    : { from: Math.max(1, total - tail + 1), to: total, limit: tail };
};

async function* pieces(
  all: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  yield* all;
}

export const runOutputArea = area({
  name: 'run-output',
  summary: 'The output of runs by lines, and their HTML in a frame.',
  family: privateFamily,
  table: runOutputOperations,
  needs: { storage: storageOf('texts') },
  handlers: ({ storage: { stores } }) => {
    const indexOf = createLineIndexes(stores.texts);
    return {
      async showHtml({ experiment }) {
        const html = await stores.texts.read(experiment.id, 'html');
        if (html === undefined) throw new Failure('absent', `run ${experiment.key} has no HTML`);
        return {
          type: 'text/html; charset=utf-8',
          framed: true as const,
          open: () => pieces(html),
        };
      },
      async readOutputLines({ query, experiment }) {
        toWanted(query, 0); // refuses before anything is read
        const index = await indexOf(experiment.id);
        const wanted = toWanted(query, index.total);
        const { lines, next } =
          wanted.to < wanted.from
            ? { lines: [], next: undefined }
            : await readSome(stores.texts, experiment.id, index, wanted);
        return { lines, total: index.total, next: next ?? null };
      },
    };
  },
});
