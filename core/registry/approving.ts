// Statuses of versions: who may set them at once, and what becomes of requests to change them. Over stores handed in.
import { Failure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import type {
  HistoryAction,
  ModelStatus,
  ModelVersion,
  RegisteredVersion,
  RequestState,
  StatusRequest,
  StatusValue,
} from '#ports/model/registry';
import type { Settings } from '#ports/settings';
import type { Stores } from '#ports/storage/storage';
import type { Toggles } from '#ports/toggles';
import { roleOf } from '../permissions.js';
import type { RegistrySettings } from './settings.js';
import { lockVersion } from './locking.js';
import { defaultStatuses, displacedTo, oldestOpen, requireStatus } from './rules.js';
import { appendEvent, type EventNeeds } from './events.js';

export interface ApprovingNeeds extends EventNeeds {
  readonly settings: Settings & RegistrySettings;
  readonly toggles: Toggles;
}

export const statusesOf = async ({
  approvals,
}: Pick<Stores, 'approvals'>): Promise<readonly ModelStatus[]> => {
  const set = await approvals.listStatuses();
  return set.length === 0 ? defaultStatuses : set;
};

interface Note {
  readonly action: HistoryAction;
  readonly comment: string | undefined;
  readonly previous: StatusValue;
  readonly next: StatusValue;
  readonly userName: string;
}

const note = (
  stores: Pick<Stores, 'modelVersions'>,
  { ids, clock }: EventNeeds,
  version: ModelVersion,
  entry: Note,
): Promise<void> =>
  stores.modelVersions.appendHistory({
    id: ids.next(),
    modelId: version.modelId,
    versionId: version.id,
    at: clock.now(),
    ...entry,
  });

interface Turn {
  readonly version: RegisteredVersion;
  readonly to: string;
  readonly userName: string;
  readonly comment: string | undefined;
}

/** Gives one version another status, with its place in the history and its event. */
const turn = async (
  stores: Pick<Stores, 'events' | 'modelVersions'>,
  needs: ApprovingNeeds,
  { version, to, userName, comment }: Turn,
): Promise<void> => {
  const { model, status: from } = version;
  await stores.modelVersions.updateVersion(version.id, {
    status: to,
    updatedAt: needs.clock.now(),
  });
  const [previous, next] = [
    { registryModelStatus: from, changedBy: userName },
    { registryModelStatus: to, changedBy: userName },
  ];
  await note(stores, needs, version, {
    action: 'MODEL_VERSION_STATUS_CHANGED',
    comment,
    previous,
    next,
    userName,
  });
  await appendEvent(stores, needs, 'registry.status-changed', {
    model,
    version: { ...version, status: to },
    userName,
    comment,
    more: { previousStatus: from, previousValue: previous, newValue: next },
  });
};

interface Settling {
  readonly request: StatusRequest;
  readonly version: RegisteredVersion;
  readonly by: string;
  readonly comment: string | undefined;
  readonly approvedBy?: readonly string[];
}

/** Closes a request whose change was made, and tells of it. */
const recordApproved = async (
  stores: Pick<Stores, 'approvals' | 'events' | 'modelVersions'>,
  needs: ApprovingNeeds,
  { request, version, by, comment, approvedBy }: Settling,
): Promise<void> => {
  await stores.approvals.decide(request.id, {
    state: 'APPROVED',
    decidedBy: by,
    decidedAt: needs.clock.now(),
    decision: comment,
    approvedBy: approvedBy ?? [...new Set([...request.approvedBy, by])],
  });
  const [previous, next] = [
    { registryModelStatus: request.from, changedBy: request.userName },
    { registryModelStatus: request.status, changedBy: by },
  ];
  await note(stores, needs, version, {
    action: 'MODEL_VERSION_STATUS_REQUEST_APPROVED',
    comment: comment ?? '',
    previous,
    next,
    userName: request.userName,
  });
  await appendEvent(stores, needs, 'registry.status-approved', {
    model: version.model,
    version: { ...version, status: request.status },
    userName: by,
    comment,
    more: {
      requestId: request.id,
      previousStatus: request.from,
      previousValue: previous,
      newValue: next,
    },
  });
};

/** Changes a status; another version that has an exclusive one loses it, and what was asked for in vain is closed. */
const change = async (
  stores: Pick<Stores, 'approvals' | 'events' | 'modelVersions'>,
  needs: ApprovingNeeds,
  asked: Turn,
  approved?: Settling,
): Promise<void> => {
  const { version, to } = asked;
  const statuses = await statusesOf(stores);
  const displaced = requireStatus(statuses, to).exclusive
    ? (await stores.modelVersions.listVersions(version.modelId)).filter(
        (one) => one.id !== version.id && one.status === to,
      )
    : [];
  for (const one of displaced)
    await turn(stores, needs, {
      ...asked,
      version: { ...one, model: version.model },
      to: displacedTo(statuses, to),
      comment: undefined,
    });
  await turn(stores, needs, asked);
  if (approved !== undefined) await recordApproved(stores, needs, approved);
  for (const request of await stores.approvals.listPending([
    version.id,
    ...displaced.map(({ id }) => id),
  ])) {
    if (request.versionId === version.id && request.status === to)
      await recordApproved(stores, needs, {
        request,
        version,
        by: asked.userName,
        comment: undefined,
      });
    else
      await stores.approvals.decide(request.id, {
        state: 'SUPERSEDED',
        decidedAt: needs.clock.now(),
      });
  }
};

export interface Wish {
  readonly version: RegisteredVersion;
  readonly status: string;
  readonly caller: Caller;
  readonly comment: string | undefined;
}

/** Files a request in place of the one that the caller has open for this version. Rejects with `invalid` for a status that is not allowed or there already. */
export const fileRequest = async (
  stores: Pick<Stores, 'approvals' | 'events' | 'modelVersions' | 'registry'>,
  needs: ApprovingNeeds,
  { version: { id, modelId }, status, caller, comment }: Wish,
): Promise<{ readonly requestId: string; readonly state: RequestState }> => {
  const version = await lockVersion(stores, { id, modelId });
  requireStatus(await statusesOf(stores), status);
  if (version.status === status)
    throw new Failure(
      'invalid',
      `version ${version.version} has the status ${status.slice(0, 100)} already`,
    );
  const now = needs.clock.now();
  for (const open of await stores.approvals.listPending([id]))
    if (open.userId === caller.userId)
      await stores.approvals.decide(open.id, { state: 'SUPERSEDED', decidedAt: now });
  const requestId = needs.ids.next();
  await stores.approvals.insertRequest({
    id: requestId,
    workspaceId: version.model.workspaceId,
    modelId,
    versionId: id,
    status,
    from: version.status,
    comment,
    userId: caller.userId,
    createdAt: now,
  });
  const [previous, next] = [
    { registryModelStatus: version.status },
    { registryModelStatus: status },
  ];
  await note(stores, needs, version, {
    action: 'MODEL_VERSION_STATUS_REQUEST_CHANGE',
    comment: comment ?? '',
    previous,
    next,
    userName: caller.userName,
  });
  await appendEvent(stores, needs, 'registry.status-requested', {
    model: version.model,
    version,
    userName: caller.userName,
    comment,
    more: { requestId, previousStatus: version.status, previousValue: previous, newValue: next },
  });
  return { requestId, state: 'PENDING' };
};

/**
 * Sets a status at once where the caller may, and files a request where a member may not, or where a review is wanted. A status that is there
 * already stays, and nothing is told. Rejects with `invalid` for a status that is not allowed.
 */
export const requestStatus = async (
  stores: Pick<Stores, 'approvals' | 'events' | 'modelVersions' | 'registry'>,
  needs: ApprovingNeeds,
  wish: Wish,
  reviewed = false,
): Promise<{ readonly requestId?: string; readonly state?: RequestState }> => {
  const version = await lockVersion(stores, wish.version);
  const { requiresApproval } = requireStatus(await statusesOf(stores), wish.status);
  if (version.status === wish.status) return {};
  const member = roleOf(wish.caller, version.model.workspaceId) !== 'admin';
  if (needs.toggles.isOn('model-approval') && (reviewed || (member && requiresApproval)))
    return fileRequest(stores, needs, wish);
  await change(stores, needs, {
    version,
    to: wish.status,
    userName: wish.caller.userName,
    comment: wish.comment,
  });
  return {};
};

const closed = (request: StatusRequest, why: string) =>
  new Failure('conflict', `request ${request.id} ${why}`);

/** The request and its version as they are, locked. Rejects with `conflict` when it is closed or has run out. */
const lockRequest = async (
  stores: Pick<Stores, 'approvals' | 'modelVersions' | 'registry'>,
  { clock, settings }: ApprovingNeeds,
  { id, modelId, versionId }: StatusRequest,
) => {
  const version = await lockVersion(stores, { id: versionId, modelId });
  const request = await stores.approvals.findRequest(id);
  if (request === undefined) throw new Failure('absent', `request ${id} not found`);
  if (request.state !== 'PENDING')
    throw closed(request, `is ${request.state.toLowerCase()} already`);
  if (request.createdAt < oldestOpen(settings, clock.now())) throw closed(request, 'has expired');
  return { request, version };
};

export interface RequestDecision {
  readonly request: StatusRequest;
  readonly caller: Caller;
  readonly comment: string | undefined;
}

/**
 * Approves a request; when enough have, the change is made. Rejects with `forbidden` for the requester's own approval, with `conflict` when the
 * request is closed, the caller has approved it before, or the version's status is no longer the one that was seen.
 */
export const approve = async (
  stores: Pick<Stores, 'approvals' | 'events' | 'modelVersions' | 'registry'>,
  needs: ApprovingNeeds,
  { request: asked, caller, comment }: RequestDecision,
): Promise<RequestState> => {
  const { request, version } = await lockRequest(stores, needs, asked);
  if (request.userId === caller.userId && !needs.settings.ORRERY_REGISTRY_SELF_APPROVAL)
    throw new Failure('forbidden', 'nobody approves a request of their own');
  if (request.approvedBy.includes(caller.userName))
    throw closed(request, `was approved by ${caller.userName} before`);
  if (version.status !== request.from)
    throw closed(
      request,
      `was filed when the status was ${request.from.slice(0, 100)}, which it is no longer`,
    );
  if (!(await statusesOf(stores)).some(({ name }) => name === request.status))
    throw closed(
      request,
      `asks for the status ${request.status.slice(0, 100)}, which is no longer allowed`,
    );
  const approvedBy = [...request.approvedBy, caller.userName];
  if (approvedBy.length < needs.settings.ORRERY_REGISTRY_APPROVALS) {
    await stores.approvals.decide(request.id, { state: 'PENDING', approvedBy });
    return 'PENDING';
  }
  await change(
    stores,
    needs,
    { version, to: request.status, userName: request.userName, comment: request.comment ?? '' },
    { request, version, by: caller.userName, comment, approvedBy },
  );
  return 'APPROVED';
};

/** Refuses a request. Rejects with `invalid` without a comment, with `conflict` when it is closed. */
export const reject = async (
  stores: Pick<Stores, 'approvals' | 'events' | 'modelVersions' | 'registry'>,
  needs: ApprovingNeeds,
  { request: asked, caller, comment }: RequestDecision,
): Promise<RequestState> => {
  if (comment === undefined || comment.trim() === '')
    throw new Failure('invalid', 'comment is required to refuse a request');
  const { request, version } = await lockRequest(stores, needs, asked);
  await stores.approvals.decide(request.id, {
    state: 'REJECTED',
    decidedBy: caller.userName,
    decidedAt: needs.clock.now(),
    decision: comment,
  });
  const [previous, next] = [
    { registryModelStatus: request.from },
    { registryModelStatus: request.status, changedBy: caller.userName },
  ];
  await note(stores, needs, version, {
    action: 'MODEL_VERSION_STATUS_REQUEST_REJECTED',
    comment,
    previous,
    next,
    userName: request.userName,
  });
  await appendEvent(stores, needs, 'registry.status-rejected', {
    model: version.model,
    version,
    userName: caller.userName,
    comment,
    more: {
      requestId: request.id,
      previousStatus: request.from,
      previousValue: previous,
      newValue: next,
    },
  });
  return 'REJECTED';
};

/** Withdraws a request. Rejects with `forbidden` for anybody but the requester and administrators, with `conflict` when it is closed. */
export const cancel = async (
  stores: Pick<Stores, 'approvals' | 'modelVersions' | 'registry'>,
  needs: ApprovingNeeds,
  { request: asked, caller, comment }: RequestDecision,
): Promise<RequestState> => {
  const { request } = await lockRequest(stores, needs, asked);
  if (request.userId !== caller.userId && roleOf(caller, request.workspaceId) !== 'admin')
    throw new Failure(
      'forbidden',
      'only who filed a request, or an administrator of the workspace, may withdraw it',
    );
  await stores.approvals.decide(request.id, {
    state: 'CANCELLED',
    decidedBy: caller.userName,
    decidedAt: needs.clock.now(),
    decision: comment,
  });
  return 'CANCELLED';
};
