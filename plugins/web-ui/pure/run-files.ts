// The list of a run's files, as its page looks at them. Pure.
import type { assetRecord } from '#ports/api/assets';
import type { Static } from '#ports/api/schema';
import { readShapes, type Shape } from './annotations.js';
import { isEmbeddingPart } from './embeddings.js';
import { kindOf, type MediaKind } from './media.js';

/** What the server says of a file, as far as the page reads it. */
type StoredFile = Pick<
  Static<typeof assetRecord>,
  'assetId' | 'fileName' | 'fileSize' | 'step' | 'type' | 'image' | 'remote' | 'metadata'
>;

export interface RunFile {
  readonly id: string;
  readonly run: string;
  readonly name: string;
  /** What the run called it. */
  readonly type: string;
  /** As what it is looked at; nothing for one that is only fetched. */
  readonly kind: MediaKind | undefined;
  readonly step: number | null;
  readonly size: number;
  /** Kept elsewhere, so that the server has no content of it. */
  readonly remote: boolean;
  /** What lies where in a picture. */
  readonly shapes: readonly Shape[];
}

/** The files of a run. What embeddings are made of is shown by them, and is no picture of its own. */
const runFiles = (run: string, stored: readonly StoredFile[]): readonly RunFile[] => {
  const embeds = stored.some((one) => kindOf(one) === 'embeddings');
  return stored.map((one) => {
    const kind = one.remote || (embeds && isEmbeddingPart(one.fileName)) ? undefined : kindOf(one);
    return {
      ...{ id: one.assetId, run, name: one.fileName, type: one.type, kind },
      ...{ step: one.step, size: one.fileSize, remote: one.remote },
      shapes: kind === 'image' ? readShapes(one.metadata) : [],
    };
  });
};

/** What the page hands to the thread that reads a long list. */
export interface AskedFiles {
  readonly run: string;
  readonly bytes: ArrayBuffer;
}

/** What the thread hands back: a part of the list, again and again, and at last why there is no more. */
export type FilesPart =
  { readonly files: readonly RunFile[] } | { readonly end: true } | { readonly fault: string };

const partSize = 1000;

/** Reads the reply of the server and gives it part by part, each small enough that the page is not held up by taking it. */
export function* filesInParts({ run, bytes }: AskedFiles): Generator<FilesPart> {
  const { assets } = JSON.parse(new TextDecoder().decode(bytes)) as {
    readonly assets: readonly StoredFile[];
  }; // as the row says
  const files = runFiles(run, assets);
  for (let from = 0; from < files.length; from += partSize)
    yield { files: files.slice(from, from + partSize) };
  yield { end: true };
}
