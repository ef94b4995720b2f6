// What others are told of changes in the registry, in the transaction that makes them.
import type { Clock } from '#ports/clock';
import type { DomainEvents } from '#ports/events';
import type { Ids } from '#ports/ids';
import type { ModelVersion, RegistryModel } from '#ports/model/registry';
import type { Settings } from '#ports/settings';
import type { NewEvent as StoredEvent } from '#ports/storage/events';
import type { Stores } from '#ports/storage/storage';
import { versionLinks } from './wire.js';

export interface EventNeeds {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: Pick<Settings, 'baseUrl'>;
}

/** Names of events, each with the triggers of webhooks that it stands for. */
const triggersOf = {
  'registry.version-created': ['MODEL_VERSION_CREATED'],
  'registry.version-deleted': ['MODEL_VERSION_DELETED'],
  'registry.stage-changed': ['MODEL_VERSION_TAG_CHANGED', 'MODEL_VERSION_STAGE_CHANGED'],
  'registry.status-changed': ['MODEL_VERSION_STATUS_CHANGED'],
  'registry.status-requested': ['MODEL_VERSION_STATUS_REQUEST_CHANGE'],
  'registry.status-approved': ['MODEL_VERSION_STATUS_REQUEST_APPROVED'],
  'registry.status-rejected': ['MODEL_VERSION_STATUS_REQUEST_REJECTED'],
  'registry.model-updated': ['MODEL_UPDATED'],
  'registry.model-deleted': ['MODEL_DELETED'],
} as const;

type EventTrigger = keyof typeof triggersOf;

export interface NewEvent<N extends EventTrigger> {
  readonly model: RegistryModel;
  /** As it is afterwards; none where the event is about the model alone. */
  readonly version?: ModelVersion;
  readonly userName: string;
  readonly comment?: string | undefined;
  /** Members that only this kind of event has. */
  readonly more: Omit<DomainEvents[N], keyof DomainEvents['registry.version-deleted']>;
}

const aboutVersion = (version: ModelVersion, model: RegistryModel, baseUrl: string) => ({
  registryModelItemId: version.id,
  version: version.version,
  stages: version.tags,
  tags: version.tags,
  status: version.status,
  experimentKey: version.experimentKey,
  assets: version.files,
  experimentUrl: `${baseUrl}/api/experiment/redirect?experimentKey=${encodeURIComponent(version.experimentKey)}`,
  ...versionLinks(baseUrl, model, version.version),
});

/** What is kept of something that happened; all of one model are told in their order. */
export const toEvent = <N extends EventTrigger>(
  { clock, ids, settings }: EventNeeds,
  name: N,
  { model, version, userName, comment, more }: NewEvent<N>,
): StoredEvent => ({
  id: ids.next(),
  subject: `registry-model:${model.id}`,
  name,
  at: clock.now(),
  detail: {
    triggers: triggersOf[name],
    workspaceId: model.workspaceId,
    workspaceName: model.workspaceName,
    registryModelId: model.id,
    registryModelName: model.name,
    userName,
    comment: comment ?? null,
    ...(version === undefined ? {} : aboutVersion(version, model, settings.baseUrl)),
    ...more,
  },
});

/** Tells of something that happened. */
export const appendEvent = <N extends EventTrigger>(
  { events }: Pick<Stores, 'events'>,
  needs: EventNeeds,
  name: N,
  event: NewEvent<N>,
): Promise<void> => events.append(toEvent(needs, name, event));
