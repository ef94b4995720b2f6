// Assets that are kept elsewhere: only their links are stored.
import { Failure } from '#ports/failure';
import type { Asset } from '#ports/model/assets';
import type { Experiment } from '#ports/model/experiments';
import { noBytes, refusedBy } from './storing.js';
import { noteActivity, type ReceivingNeeds } from './receiving.js';
import { readFacts, readLink, readAssetMetadata, withName, type UploadFields } from './requests.js';

export interface RemoteItem extends Omit<UploadFields, 'metadata'> {
  readonly link: string;
  /** JSON text, or the value it stands for. */
  readonly metadata?: unknown;
}

const lastSegment = (link: string): string => link.split(/[?#]/, 1)[0]?.split('/').at(-1) ?? '';

const toAsset = (
  needs: ReceivingNeeds,
  experiment: Experiment,
  { link: sent, metadata, ...fields }: RemoteItem,
): Asset => {
  const link = readLink(sent);
  const facts = withName(
    readFacts(fields, experiment, {
      id: needs.ids.key(),
      rowId: needs.ids.next(),
      now: needs.clock.now(),
    }),
    lastSegment(link),
  );
  const text =
    metadata === undefined || typeof metadata === 'string' ? metadata : JSON.stringify(metadata);
  return { ...facts, ...noBytes, metadata: readAssetMetadata(text, true), remoteLink: link };
};

/** Stores remote assets, all or none; those that are there already stay as they are, so that a batch may be sent again. Rejects with `conflict` for an id that stands for something else or a finished artifact version, with `absent` when experiment or version is gone. */
export const keepRemote = async (
  needs: ReceivingNeeds,
  experiment: Experiment,
  items: readonly RemoteItem[],
): Promise<void> => {
  const assets = items.map((item) => toAsset(needs, experiment, item));
  const outcome = await needs.assets.insertRemote(experiment.id, assets);
  if (outcome === 'gone')
    throw new Failure('absent', `experiment ${experiment.key} was deleted just now`, {
      reason: 'runAbsent',
    });
  if (outcome === 'present')
    throw new Failure(
      'conflict',
      'an assetId of the batch stands for a file of another artifact version already',
    );
  if (outcome !== 'kept')
    throw refusedBy[outcome](
      assets.find(({ artifactVersionId }) => artifactVersionId !== undefined) ?? {
        artifactVersionId: undefined,
      },
    );
  await noteActivity(needs, experiment);
};
