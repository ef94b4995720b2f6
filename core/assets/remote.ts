// Assets that are kept elsewhere: only their links are stored.
import { Failure } from '#ports/failure';
import type { Asset } from '#ports/model/assets';
import type { Experiment } from '#ports/model/experiments';
import { codes } from '../codes.js';
import { noBytes } from './keeping.js';
import { noteActivity, type ReceivingNeeds } from './receiving.js';
import { readFacts, readLink, readMetadata, withName, type UploadFields } from './requests.js';

export interface RemoteItem extends Omit<UploadFields, 'metadata'> {
  readonly link: string;
  /** JSON text, or the value it stands for. */
  readonly metadata?: unknown;
}

const lastSegment = (link: string): string => link.replace(/[?#].*$/, '').split('/').at(-1) ?? '';

const toAsset = (needs: ReceivingNeeds, experiment: Experiment, { link: sent, metadata, ...fields }: RemoteItem): Asset => {
  const link = readLink(sent);
  const facts = withName(readFacts(fields, experiment, { id: needs.ids.key(), rowId: needs.ids.next(), now: needs.clock.now() }), lastSegment(link));
  const text = metadata === undefined || typeof metadata === 'string' ? metadata : JSON.stringify(metadata);
  return { ...facts, ...noBytes, metadata: readMetadata(text, true), remoteLink: link };
};

/** Stores remote assets; those whose id is stored already stay as they are, so that a batch may be sent again. */
export const keepRemote = async (needs: ReceivingNeeds, experiment: Experiment, items: readonly RemoteItem[]): Promise<void> => {
  const assets = items.map((item) => toAsset(needs, experiment, item));
  if (!(await needs.assets.insertRemote(experiment.id, assets))) throw new Failure('absent', `experiment ${experiment.key} was deleted just now`, { code: codes.runAbsent });
  await noteActivity(needs, experiment);
};
