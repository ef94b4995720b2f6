import { privateFamily } from '#ports/api/families/private';
import { area } from '#ports/api/area';
import { seriesBounds, seriesOperations } from '#ports/api/series';
import { Failure } from '#ports/failure';
import type { Experiment } from '#ports/model/experiments';
import { Parquet } from '#ports/parquet';
import { storageOf } from '#ports/storage/storage';
import { draw, markOf, prepare, type SeriesRequest } from './drawing.js';
import { tableFile } from '../table-file.js';
import { pointColumns, pointsOf } from './exporting.js';
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
  needs: { storage: storageOf('curves', 'metrics', 'values'), parquet: Parquet },
  handlers: ({ storage: { stores }, parquet }) => {
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
      async exportSeries({ query, experiment }) {
        const metrics = [...new Set(query.metrics)];
        if (metrics.length === 0 || metrics.length > seriesBounds.metrics)
          throw new Failure(
            'invalid',
            `metrics must name between 1 and ${seriesBounds.metrics} metrics`,
          );
        const file = { name: `metrics of ${experiment.key}`, format: query.format };
        return tableFile(parquet, file, pointColumns, () =>
          pointsOf(stores, experiment.id, metrics),
        );
      },
      querySeries: (call) => answer(call, (drawn) => ({ text: writeJson(drawn) })),
      querySeriesBinary: (call) =>
        answer(call, (drawn) => ({
          type: 'application/octet-stream',
          ...writeBinary(drawn, call.body.columns),
        })),
    };
  },
});
