import { area } from '#ports/api/area';
import { assetMatrixBounds, assetMatrixOperations } from '#ports/api/asset-matrix';
import { privateFamily } from '#ports/api/families/private';
import { BlobStore } from '#ports/blob-store';
import { Failure, isFailure } from '#ports/failure';
import { Images } from '#ports/images';
import type { Asset } from '#ports/model/assets';
import type { Experiment } from '#ports/model/experiments';
import type { AssetSelection, MatrixPlace } from '#ports/storage/asset-matrix';
import { Secrets } from '#ports/secrets';
import { storageOf } from '#ports/storage/storage';
import { contentTypeOf, downloadLink } from '../assets/offers.js';
import { assetSettings } from '../assets/settings.js';
import { valuesIn } from './metadata.js';
import { compareRows, joinRows } from './rows.js';
import { createThumbnails, requireThumbnail } from './thumbnails.js';

const idForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A place, and the digest of what was asked for, which alone takes it back. */
const writeCursor = ({ step, rowId }: MatrixPlace, digest: string): string =>
  `${step ?? ''}.${rowId}.${digest}`;
const readCursor = (cursor: string, digest: string): MatrixPlace => {
  const [step = '', rowId = '', of] = cursor.split('.');
  const isPlace = /^-?\d{0,16}$/.test(step) && Number.isSafeInteger(Number(step));
  if (of !== digest || !isPlace || !idForm.test(rowId))
    throw new Failure(
      'invalid',
      'the cursor belongs to other runs, another type or other names; begin again without one',
    );
  return { step: step === '' ? undefined : Number(step), rowId };
};

const requireOne = (
  names: readonly string[] | undefined,
  folder: string | undefined,
): AssetSelection['of'] => {
  if (folder !== undefined && names === undefined) return { folder };
  if (names !== undefined && folder === undefined) return { fileNames: [...new Set(names)] };
  throw new Failure('invalid', 'either names or folder is required');
};

export const assetMatrixArea = area({
  name: 'asset-matrix',
  summary: 'Assets of many runs side by side, at any step.',
  family: privateFamily,
  table: assetMatrixOperations,
  needs: {
    storage: storageOf('assetMatrix', 'assets'),
    settings: assetSettings.port,
    store: BlobStore,
    images: Images,
    secrets: Secrets,
  },
  handlers: ({ storage: { stores }, settings, store, images, secrets }) => {
    const toCell = (asset: Asset, run: string, value: string | undefined) => ({
      run,
      asset: asset.id,
      name: asset.fileName,
      step: asset.step ?? null,
      value: value ?? null,
      size: asset.fileSize,
      contentType: contentTypeOf(asset),
      width: asset.width ?? null,
      height: asset.height ?? null,
      remote: asset.remoteLink !== undefined,
      link: asset.remoteLink ?? downloadLink(settings.baseUrl, run, asset),
      createdAt: asset.createdAt,
    });
    const thumbnails = createThumbnails(images, store.blob);
    return {
      async getThumbnail({ query: { size = 256 }, asset, heldVersions }) {
        requireThumbnail(asset, size);
        // The bytes under a row never change.
        const version = `${asset.rowId}-${size}`;
        if (heldVersions.includes(version))
          return { status: 304, version, body: undefined } as const;
        try {
          return { status: 200, version, body: await thumbnails(asset, size) } as const;
        } catch (thrown) {
          if (!isFailure(thrown) || thrown.kind !== 'unsupported') throw thrown;
          return { status: 501, body: { message: thrown.message } } as const;
        }
      },
      async listAssetParts({ experiment, asset }) {
        const parts = await stores.assets.listPartsOf(experiment.id, asset.id);
        return {
          parts: parts.map(({ id, type, fileSize }) => ({ asset: id, type, size: fileSize })),
        };
      },
      async listAssetRows({ body, experiments }) {
        const { type, by = 'name', search, after, limit = assetMatrixBounds.listed } = body;
        const perExperiment = Math.floor(assetMatrixBounds.lookedAt / (experiments.length || 1));
        const found = await stores.assetMatrix.listNames({
          experimentIds: experiments.map(({ id }) => id),
          ...(type === undefined ? {} : { type }),
          perExperiment,
        });
        const looked = new Map<string, number>();
        for (const { experimentId, count } of found)
          looked.set(experimentId, (looked.get(experimentId) ?? 0) + count);
        const wanted = search?.toLowerCase() ?? '';
        const rows = joinRows(found, by).filter(
          (row) =>
            row.name.toLowerCase().includes(wanted) &&
            (after === undefined || compareRows(row, after) > 0),
        );
        return {
          rows: rows.slice(0, limit),
          more: rows.length > limit,
          lookedAt: [...looked.values()].some((count) => count >= perExperiment)
            ? perExperiment
            : null,
        };
      },
      async queryAssetMatrix({ body, experiments }) {
        const { type, names, folder, at, metadata, cursor } = body;
        const { limit = assetMatrixBounds.assets } = body;
        if (at !== undefined && cursor !== undefined)
          throw new Failure('invalid', 'at goes without cursor');
        const runs = new Map(experiments.map(({ id, key }: Experiment) => [id, key]));
        const selection = { experimentIds: [...runs.keys()], type, of: requireOne(names, folder) };
        const digest = secrets
          .hash(JSON.stringify([[...new Set(body.runs)].sort(), type, selection.of]))
          .slice(0, 32);
        const after = cursor === undefined ? undefined : readCursor(cursor, digest);
        const { assetMatrix } = stores;
        const steps =
          after === undefined
            ? await assetMatrix.listSteps(selection, assetMatrixBounds.steps + 1)
            : [];
        const found = await (at === undefined
          ? assetMatrix.listFrom(selection, after, limit + 1)
          : assetMatrix.listAt(selection, at, limit + 1));
        const page = found.slice(0, limit);
        const values = page.map(({ metadata }) => valuesIn(metadata));
        const keys = new Set(values.flatMap((of) => [...of.keys()]));
        const last = found[limit - 1];
        const more = found.length > limit;
        return {
          runs: [...runs.values()],
          steps: steps.slice(0, assetMatrixBounds.steps),
          stepsCut: steps.length > assetMatrixBounds.steps,
          assets: page.map((asset, place) =>
            toCell(
              asset,
              runs.get(asset.experimentId) ?? '',
              metadata === undefined ? undefined : values[place]?.get(metadata),
            ),
          ),
          metadataKeys: [...keys].sort().slice(0, assetMatrixBounds.keys),
          more,
          cursor: more && at === undefined && last !== undefined ? writeCursor(last, digest) : null,
        };
      },
    };
  },
});
