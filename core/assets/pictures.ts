// 3D pictures: a row that holds the facts, and parts that hold the bytes.
import type { Upload } from '#ports/bytes';
import { Failure } from '#ports/failure';
import type { Asset, AssetFacts } from '#ports/model/assets';
import type { Experiment } from '#ports/model/experiments';
import { dropBytes, keepBytes, keepRow, noBytes } from './storing.js';
import { noteActivity, takeUpload, type ReceivingNeeds } from './receiving.js';
import { isIdGiven, readFacts, withName, type UploadFields } from './requests.js';

/** Begins a picture and answers its id. */
export const beginPicture = async (
  needs: ReceivingNeeds,
  experiment: Experiment,
  fields: UploadFields,
): Promise<string> => {
  const facts = withName(
    readFacts(fields, experiment, {
      id: needs.ids.key(),
      rowId: needs.ids.next(),
      now: needs.clock.now(),
    }),
    undefined,
  );
  await takeUpload(needs, experiment, facts);
  const id = await keepRow(needs, facts, noBytes, { replacing: false, idGiven: isIdGiven(fields) });
  await noteActivity(needs, experiment);
  return id;
};

export interface PicturePart {
  readonly experiment: Experiment;
  readonly picture: Asset;
  /** Name of the part that holds the bytes. */
  readonly content: 'assetItemContent' | 'thumbnail';
  readonly upload: Upload;
  readonly signal: AbortSignal;
}

const paramsLimit = 64 * 1024;

const readParams = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read === 'object' && read !== null) return read as Readonly<Record<string, unknown>>; // any object can be read by name
  } catch (cause) {
    throw new Failure('invalid', 'requestParams must be JSON', { cause });
  }
  throw new Failure('invalid', 'requestParams must be an object');
};
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** The facts of a part: its id follows from the picture's, so that one sent again takes the place of the former. */
const partFacts = (
  needs: ReceivingNeeds,
  { experiment, picture, content }: PicturePart,
  params: Readonly<Record<string, unknown>>,
): AssetFacts => {
  const kind = content === 'thumbnail' ? 'thumbnail' : (textOf(params['assetItemType']) ?? 'item');
  const name =
    content === 'thumbnail'
      ? `thumbnail${textOf(params['thumbnailExtension']) ?? '.png'}`
      : (textOf(params['userFileName']) ?? `${kind}.jsonl`);
  const facts = readFacts(
    {
      assetId: `${picture.id.slice(0, 120)}-${kind.slice(0, 60)}`,
      fileName: name,
      type: `3d-${kind.slice(0, 100)}`,
    },
    experiment,
    { id: '', rowId: needs.ids.next(), now: needs.clock.now() },
  );
  return { ...facts, step: picture.step, runContext: picture.runContext, partOf: picture.id };
};

/** Receives the bytes of a part and answers its id. */
export const receivePicturePart = async (
  needs: ReceivingNeeds,
  request: PicturePart,
): Promise<string> => {
  let params: Readonly<Record<string, unknown>> = {};
  let facts: AssetFacts | undefined;
  let bytes: Awaited<ReturnType<typeof keepBytes>> | undefined;
  try {
    for await (const part of request.upload) {
      if (part.name === 'requestParams') {
        params = readParams(await part.text(paramsLimit));
        continue;
      }
      if (part.name !== request.content || bytes !== undefined) {
        for await (const _ of part.content);
        continue;
      }
      facts = partFacts(needs, request, params);
      bytes = await keepBytes(needs, facts, part.content, request.signal);
    }
    if (request.signal.aborted) throw new Failure('invalid', 'the request ended before its body');
  } catch (thrown) {
    if (bytes?.blobKey !== undefined) await dropBytes(needs, bytes.blobKey);
    throw thrown;
  }
  if (facts === undefined || bytes === undefined)
    throw new Failure('invalid', `${request.content} is required`);
  return keepRow(needs, facts, bytes, { replacing: true, idGiven: true });
};
