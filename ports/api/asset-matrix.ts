// The assets of many runs side by side: rows by name or by folder, columns by run, and one step for all.
import { experiment } from '../model/experiments.js';
import { asset } from '../model/assets.js';
import { bytes, detailed, eachAccessible, one, operations, within } from './operation.js';
import {
  flag,
  integer,
  list,
  millis,
  nullable,
  object,
  optional,
  shape,
  text,
  texts,
  word,
} from './schema.js';

/** Most runs and names of one call, names and assets of one reply, steps and keys of metadata that are told; and how many assets of all runs together are looked at for their names. */
export const assetMatrixBounds = {
  runs: 50,
  names: 20,
  listed: 1000,
  assets: 1000,
  steps: 5000,
  keys: 100,
  lookedAt: 100_000,
} as const;

/** Sizes of thumbnails, in pixels. */
export const thumbnailSizes: readonly number[] = [64, 128, 256, 512];

const runs = list(text({ min: 1, max: 100 }), { maxItems: assetMatrixBounds.runs });
const type = text({ min: 1, max: 190 });

const row = shape(
  'AssetRow',
  'A file name, or a folder, under which runs have assets of one type: how many, in how many runs, and from which step to which; null where none of them has a step.',
  {
    type: text(),
    name: text(),
    runs: integer(),
    assets: integer(),
    firstStep: nullable(integer()),
    lastStep: nullable(integer()),
  },
);

const cell = shape(
  'AssetOfRun',
  'An asset in its place: `link` is where its bytes are, here or elsewhere. `value` is what stands in its metadata under the key that was asked for, as text; null where nothing does, or a list or an object.',
  {
    run: text(),
    asset: text(),
    name: text(),
    step: nullable(integer()),
    value: nullable(text()),
    size: integer(),
    contentType: text(),
    width: nullable(integer()),
    height: nullable(integer()),
    remote: flag(),
    link: text(),
    createdAt: millis(),
  },
);

const common = {
  method: 'POST',
  access: { needs: 'read', about: eachAccessible(experiment, 'body.runs'), changes: false },
  fails: ['invalid'],
} as const;

export const assetMatrixOperations = operations({
  listAssetRows: {
    ...common,
    path: '/v1/private/ui/assets/rows',
    summary:
      'What runs have assets under, by file name or by folder, in the order of types and names. Where runs together have very many, `lookedAt` tells how many of each were looked at, the oldest first',
    body: object({
      runs,
      type: optional(type),
      by: optional(word('name', 'folder')),
      search: optional(text({ min: 1, max: 200 })),
      after: optional(object({ type: text({ max: 190 }), name: text({ max: 10_000 }) })),
      limit: optional(integer({ minimum: 1, maximum: assetMatrixBounds.listed })),
    }),
    replies: { 200: object({ rows: list(row), more: flag(), lookedAt: nullable(integer()) }) },
  },
  queryAssetMatrix: {
    ...common,
    path: '/v1/private/ui/assets/matrix',
    summary:
      'Assets of runs by file names or by folder. With `at`, of every run and name the one with the greatest step up to it, or the one without a step; else a page of all of them in the order of their steps. `steps` are those at which there is any, told with the first page; `stepsCut` says that there are more. `metadataKeys` are keys of the metadata of these assets that hold a text, a number or a flag, one within another joined by a dot; metadata of more than 16 KiB is not looked into',
    body: object({
      runs,
      type,
      names: optional(list(text({ max: 10_000 }), { maxItems: assetMatrixBounds.names })),
      folder: optional(text({ min: 1, max: 10_000 })),
      at: optional(integer()),
      metadata: optional(text({ min: 1, max: 200 })),
      limit: optional(integer({ minimum: 1, maximum: assetMatrixBounds.assets })),
      cursor: optional(text({ max: 200 })),
    }),
    replies: {
      200: object({
        runs: texts(),
        steps: list(integer()),
        stepsCut: flag(),
        assets: list(cell),
        metadataKeys: texts(),
        more: flag(),
        cursor: nullable(text()),
      }),
    },
  },
  listAssetParts: {
    method: 'GET',
    path: '/v1/private/ui/runs/{run}/asset-parts',
    access: {
      needs: 'read',
      about: [one(experiment, 'params.run'), within(experiment, asset, 'query.asset')],
    },
    summary:
      'The parts of an asset, such as the points and boxes of a picture in space, in the order of storing; at most 1,000',
    params: object({ run: text() }),
    query: object({ asset: text() }),
    replies: {
      200: object({ parts: list(object({ asset: text(), type: text(), size: integer() })) }),
    },
    fails: ['invalid', 'absent'],
  },
  getThumbnail: {
    method: 'GET',
    path: '/v1/private/ui/runs/{run}/thumbnail',
    access: {
      needs: 'read',
      about: [one(experiment, 'params.run'), within(experiment, asset, 'query.asset')],
    },
    summary:
      'A picture of a run made smaller, as WebP: within a square of so many pixels, 256 unless told. PNG, JPEG, GIF and WebP are read; 501 where the server has no decoder for its platform',
    params: object({ run: text() }),
    query: object({ asset: text(), size: optional(integer()) }),
    replies: {
      200: detailed(bytes('image/webp')),
      304: detailed(null),
      501: object({ message: text() }),
    },
    fails: ['invalid', 'absent', 'unprocessable'],
  },
});
