// The pictures of many runs, page by page, and what runs have pictures under.
import type { assetMatrixOperations } from '#ports/api/asset-matrix';
import type { Static } from '#ports/api/schema';
import { row } from '../request.js';
import { readable } from '../state.js';

type Matrix = typeof assetMatrixOperations;
const matrixServer = {
  rows: row<Matrix['listAssetRows']>('POST', '/v1/private/ui/assets/rows'),
  query: row<Matrix['queryAssetMatrix']>('POST', '/v1/private/ui/assets/matrix'),
} as const;

export type Picture = Static<Matrix['queryAssetMatrix']['replies'][200]>['assets'][number];

/** Pictures of one name, or all that lie in one folder. */
export interface Pictured {
  readonly by: 'name' | 'folder';
  readonly name: string;
  readonly count: number;
}

const type = 'image';
const [runsAtOnce, atOnce] = [50, 1000];
/** Pictures that a grid is made of at most. */
export const mostPictures = 40_000;

const chunks = (runs: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(runs.length / runsAtOnce) }, (_, at) =>
    runs.slice(at * runsAtOnce, (at + 1) * runsAtOnce),
  );

/** What these runs have pictures under: names, and folders of several names; and whether there are more. */
export const listPictured = async (
  runs: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly all: readonly Pictured[]; readonly more: boolean }> => {
  const asked = (['name', 'folder'] as const).flatMap((by) =>
    chunks(runs).map(async (some) => ({
      by,
      ...(await matrixServer.rows({ body: { runs: some, type, by, limit: atOnce } }, signal)),
    })),
  );
  const found = new Map<string, Pictured>();
  const replies = await Promise.all(asked);
  for (const { by, rows } of replies)
    for (const { name, assets } of rows) {
      const key = `${by} ${name}`;
      found.set(key, { by, name, count: (found.get(key)?.count ?? 0) + assets });
    }
  return {
    all: [...found.values()],
    more: replies.some(({ more, lookedAt }) => more || lookedAt !== null),
  };
};

export interface Pictures {
  readonly all: readonly Picture[];
  /** Keys of their metadata. */
  readonly keys: readonly string[];
  /** Whether all that there are have come. */
  readonly whole: boolean;
  readonly cut: boolean;
}

/** Fetches the pictures of runs in the order of steps, with what their metadata holds under a key, and hands out those that are there with each page. */
export const loadPictures = async (
  runs: readonly string[],
  of: Pick<Pictured, 'by' | 'name'> & { readonly metadata: string | undefined },
  onMore: (pictures: Pictures) => void,
  signal: AbortSignal,
): Promise<void> => {
  let all: readonly Picture[] = [];
  const keys = new Set<string>();
  let cut = false;
  const take = async (some: string[]): Promise<void> => {
    let cursor: string | undefined;
    do {
      const page = await matrixServer.query(
        {
          body: {
            runs: some,
            type,
            ...(of.by === 'name' ? { names: [of.name] } : { folder: of.name }),
            limit: atOnce,
            ...(of.metadata === undefined ? {} : { metadata: of.metadata }),
            ...(cursor === undefined ? {} : { cursor }),
          },
        },
        signal,
      );
      all = [...all, ...page.assets];
      for (const key of page.metadataKeys) keys.add(key);
      cursor = page.cursor ?? undefined;
      onMore({ all, keys: [...keys].sort(), whole: false, cut: false });
    } while (cursor !== undefined && all.length < mostPictures);
    if (cursor !== undefined) cut = true;
  };
  await Promise.all(chunks(runs).map(take));
  onMore({ all, keys: [...keys].sort(), whole: true, cut });
};

/** The address of a picture made small. */
export const thumbnailOf = ({ run, asset }: Pick<Picture, 'run' | 'asset'>, size: number): string =>
  readable(
    `/v1/private/ui/runs/${encodeURIComponent(run)}/thumbnail?asset=${encodeURIComponent(asset)}&size=${size}`,
  );
