import { privateFamily } from '#ports/api/families/private';
import { area } from '#ports/api/area';
import { seriesOperations } from '#ports/api/series';
import type { Experiment } from '#ports/model/experiments';
import { storageOf } from '#ports/storage/storage';
import { draw, markOf, prepare, type SeriesRequest } from './drawing.js';
import { writeBinary, writeJson, type Drawn } from './forms.js';

interface Asking {
  readonly body: SeriesRequest;
  readonly experiments: readonly Experiment[];
  readonly heldVersions: readonly string[];
  readonly digest: () => string;
}

export const seriesArea = area({
  name: 'series',
  summary: 'Metrics of many runs as curves on one grid, at any zoom.',
  family: privateFamily,
  table: seriesOperations,
  needs: { storage: storageOf('curves', 'values') },
  handlers: ({ storage: { stores } }) => {
    /** Draws what the client does not hold yet. */
    const answer = async <T>(
      { body, experiments, heldVersions, digest }: Asking,
      write: (drawn: Drawn) => T,
    ) => {
      const asked = await prepare(stores, body, experiments);
      const version = `${digest().slice(0, 32)}${(await markOf(stores, asked)).slice(0, 32)}`;
      if (heldVersions.includes(version)) return { status: 304, version, body: undefined } as const;
      return { status: 200, version, body: write(await draw(stores, asked)) } as const;
    };
    return {
      querySeries: (call) => answer(call, (drawn) => ({ text: writeJson(drawn) })),
      querySeriesBinary: (call) =>
        answer(call, (drawn) => ({ type: 'application/octet-stream', ...writeBinary(drawn) })),
    };
  },
});
