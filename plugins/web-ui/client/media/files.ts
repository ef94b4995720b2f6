// The files of runs as they are looked at. Where they are found out and fetched is this file's alone.
import { readShapes, type Shape } from '../../pure/annotations.js';
import { isEmbeddingPart } from '../../pure/embeddings.js';
import { kindOf, type MediaKind } from '../../pure/media.js';
import { runServer } from '../server.js';
import { readable } from '../state.js';

export interface Media {
  readonly id: string;
  readonly run: string;
  readonly name: string;
  readonly kind: MediaKind;
  readonly step: number | null;
  readonly size: number;
  /** What lies where in a picture. */
  readonly shapes: readonly Shape[];
}

export const addressOf = ({ run, id }: Pick<Media, 'run' | 'id'>): string =>
  readable(
    `/api/asset/download?experimentKey=${encodeURIComponent(run)}&assetId=${encodeURIComponent(id)}`,
  );

/** The files of a run that can be looked at. What embeddings are made of is shown by them, and not once more. */
export const loadMedia = async (run: string, signal?: AbortSignal): Promise<readonly Media[]> => {
  const { assets } = await runServer.listAssets({ query: { experimentKey: run } }, signal);
  const embeds = assets.some((one) => kindOf(one) === 'embeddings');
  return assets.flatMap((one) => {
    const kind = one.remote || (embeds && isEmbeddingPart(one.fileName)) ? undefined : kindOf(one);
    return kind === undefined
      ? []
      : [
          {
            id: one.assetId,
            run,
            name: one.fileName,
            kind,
            step: one.step,
            size: one.fileSize,
            shapes: kind === 'image' ? readShapes(one.metadata) : [],
          },
        ];
  });
};

const mostRead = 8_000_000;

/** The text of a file; one that is too large to be looked at rejects. */
export const loadText = async (of: Media, signal?: AbortSignal): Promise<string> => {
  if (of.size > mostRead)
    throw new Error(`${of.name} is too large to be looked at here; download it`);
  const reply = await fetch(addressOf(of), signal === undefined ? {} : { signal });
  if (!reply.ok)
    throw new Error(`${of.name} could not be read: the server answered ${reply.status}`);
  return await reply.text();
};
