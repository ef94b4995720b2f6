// From what clients send with a file to the facts of an asset. Pure.
import { Failure } from '#ports/failure';
import { quoteOddNumbers } from '#ports/json-text';
import type { AssetFacts } from '#ports/model/assets';
import type { Experiment } from '#ports/model/experiments';
import { parseJson } from '../json-text.js';

/** What uploads say, in the union of all spellings. */
export interface UploadFields {
  readonly assetId?: string | undefined;
  readonly imageId?: string | undefined;
  readonly fileName?: string | undefined;
  readonly figName?: string | undefined;
  readonly extension?: string | undefined;
  readonly type?: string | undefined;
  readonly step?: number | undefined;
  readonly epoch?: number | undefined;
  readonly overwrite?: boolean | undefined;
  readonly context?: string | undefined;
  readonly groupingName?: string | undefined;
  readonly artifactVersionId?: string | undefined;
  readonly isRemote?: boolean | undefined;
  readonly metadata?: string | undefined;
}

const extensionLimit = 100;
const idLimit = 200;
const typeLimit = 190;
const nameLimit = 10_000;
export const metadataLimit = 1024 * 1024;
export const linkLimit = 16 * 1024;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What the text sample's clients call every one of them: the name is the server's to make. */
const nameless = 'auto-generated-in-the-backend';

const filled = (text: string | undefined): string | undefined => (text === '' ? undefined : text);
const checkLength = (what: string, text: string | undefined, most: number): void => {
  if (text !== undefined && text.length > most)
    throw new Failure('invalid', `${what} must be at most ${most} characters`);
};
const refuseNul = (what: string, text: string | undefined): void => {
  if (text?.includes('\0') === true)
    throw new Failure('invalid', `${what} must not hold the character U+0000`);
};

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);

/** The metadata as JSON text; nothing for none, for an empty object, and for a text that is no JSON when `lenient`, which else is refused with `invalid`. */
export const readAssetMetadata = (
  sent: string | undefined,
  lenient: boolean,
): string | undefined => {
  if (sent === undefined || sent.trim() === '') return undefined;
  const mended = parseJson(sent) === undefined ? quoteOddNumbers(sent) : sent;
  const value = parseJson(mended);
  const fits = lenient ? typeof value === 'object' && !Array.isArray(value) : value !== undefined;
  if (!fits && !lenient) throw new Failure('invalid', 'metadata must be JSON');
  refuseNul('metadata', sent.includes(String.raw`\u0000`) ? '\0' : sent);
  return !fits || isEmpty(value) ? undefined : mended.trim();
};

export interface Naming {
  /** Id of the asset where the client did not choose one. */
  readonly id: string;
  readonly rowId: string;
  readonly now: number;
  /** Type of visualizations and other calls that say it by their path. */
  readonly type?: string;
}

const nameOf = (fields: UploadFields, type: string, rowId: string): string => {
  const name = filled(fields.fileName) ?? filled(fields.figName);
  if (name !== undefined && name !== nameless) return name;
  return type === 'text-sample' ? `text-sample-${rowId}.txt` : '';
};

/**
 * The facts of an asset; its name is empty where only the file part can tell it. Rejects with `invalid` for a text that is too long, holds
 * NUL, or an artifact version id of another form.
 */
export const readFacts = (
  fields: UploadFields,
  experiment: Experiment,
  { id, rowId, now, type: ofCall }: Naming,
): AssetFacts => {
  const type = ofCall ?? filled(fields.type) ?? 'asset';
  const given = filled(fields.assetId) ?? filled(fields.imageId);
  const version = filled(fields.artifactVersionId);
  checkLength('extension', fields.extension, extensionLimit);
  checkLength('assetId', given, idLimit);
  checkLength('type', type, typeLimit);
  checkLength('fileName', fields.fileName, nameLimit);
  if (version !== undefined && !uuid.test(version))
    throw new Failure('absent', `artifact version ${version.slice(0, 80)} not found`, {
      reason: 'artifactVersionAbsent',
    });
  return {
    id: given ?? id,
    rowId,
    experimentId: experiment.id,
    workspaceId: experiment.workspaceId,
    fileName: nameOf(fields, type, rowId),
    type,
    runContext: filled(fields.context),
    step: fields.step,
    epoch: fields.epoch,
    metadata: readAssetMetadata(fields.metadata, true),
    remoteLink: undefined,
    groupingName: filled(fields.groupingName),
    artifactVersionId: version,
    extension: filled(fields.extension),
    tags: [],
    partOf: undefined,
    createdAt: now,
  };
};

export const isIdGiven = (fields: UploadFields): boolean =>
  filled(fields.assetId) !== undefined || filled(fields.imageId) !== undefined;

/** The name that the file part carries, as it was sent; a made one where neither says any. */
export const withName = (facts: AssetFacts, partName: string | undefined): AssetFacts => {
  if (facts.fileName !== '') return facts;
  refuseNul('the file name', partName);
  checkLength('the file name', partName, nameLimit);
  return { ...facts, fileName: filled(partName) ?? `asset-${facts.rowId}` };
};

/** Where a remote asset is kept. Rejects with `invalid` for an empty or overlong one. */
export const readLink = (sent: string): string => {
  const link = sent.trim();
  if (link === '') throw new Failure('invalid', 'link must not be empty');
  checkLength('link', link, linkLimit);
  refuseNul('link', link);
  return link;
};
