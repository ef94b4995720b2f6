import { privateFamily } from '#ports/api/families/private';
import { area } from '#ports/api/area';
import { seriesOperations } from '#ports/api/series';
import type { Experiment } from '#ports/model/experiments';
import { Storage } from '#ports/storage/storage';
import { draw, markOf, prepare, type SeriesRequest } from './drawing.js';
import { writeBinary, writeJson, type Drawn } from './forms.js';

interface Asking {
  readonly body: SeriesRequest;
  readonly experiments: readonly Experiment[];
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly digest: () => string;
}

/** Whether a client has what it asks for already. */
const holds = (header: string | undefined, tag: string): boolean =>
  header?.split(',').some((one) => one.trim().replace(/^W\//, '') === tag) ?? false;

export const seriesArea = area({
  name: 'series',
  summary: 'Metrics of many runs as curves on one grid, at any zoom.',
  family: privateFamily,
  table: seriesOperations,
  needs: { storage: Storage },
  handlers: ({ storage: { stores } }) => {
    /** Draws what the client does not hold yet. */
    const answer = async <T>(
      { body, experiments, headers, digest }: Asking,
      write: (drawn: Drawn) => T,
    ) => {
      const asked = await prepare(stores, body, experiments);
      const tag = `"${digest().slice(0, 32)}${(await markOf(stores, asked)).slice(0, 32)}"`;
      const said = { ETag: tag, 'Cache-Control': 'private, no-cache' };
      if (holds(headers['if-none-match'], tag))
        return { status: 304, body: { headers: said, body: undefined } } as const;
      return {
        status: 200,
        body: { headers: said, body: write(await draw(stores, asked)) },
      } as const;
    };
    return {
      querySeries: (call) => answer(call, (drawn) => ({ text: writeJson(drawn) })),
      querySeriesBinary: (call) =>
        answer(call, (drawn) => ({ type: 'application/octet-stream', ...writeBinary(drawn) })),
    };
  },
});
