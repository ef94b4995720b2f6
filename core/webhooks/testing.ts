// Sends a sample, so that who sets a receiver up sees at once whether it works.
import { Failure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import type { Clock } from '#ports/clock';
import type { Channel } from '#ports/model/channels';
import type { Workspace } from '#ports/model/workspaces';
import type { LeaseStore } from '#ports/storage/leases';
import { callChannel, showRequest, type Called, type CallingNeeds } from './calling.js';
import { payloadOf } from './payload.js';
import { checkTriggers, type Place } from './rules.js';

export interface TestingNeeds extends CallingNeeds {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly leases: LeaseStore;
  readonly settings: { readonly baseUrl: string };
}

const perMinute = 5;
const minuteMs = 60_000;

/** Lets five tests a minute through for a workspace, whichever process is asked: each takes one of five places for a minute. */
const requireRoom = async ({ leases, ids }: TestingNeeds, workspaceId: string): Promise<void> => {
  const holder = ids.next();
  for (let place = 0; place < perMinute; place++)
    if (await leases.take(`webhook-test:${workspaceId}:${place}`, holder, minuteMs)) return;
  throw new Failure('throttled', `a workspace may send ${perMinute} tests a minute`, {
    retryAfter: 60,
  });
};

const sampleOf = (
  { clock, ids, settings: { baseUrl } }: TestingNeeds,
  { name }: Pick<Workspace, 'name'>,
  modelName: string | undefined,
  trigger: string,
) => {
  const model = modelName ?? 'sample-model';
  const query = new URLSearchParams({
    workspaceName: name,
    modelName: model,
    version: '1.0.0',
  }).toString();
  const key = '0'.repeat(32);
  return payloadOf(
    {
      id: ids.next(),
      at: clock.now(),
      detail: {
        workspaceName: name,
        registryModelName: model,
        registryModelId: ids.next(),
        registryModelItemId: ids.next(),
        version: '1.0.0',
        stages: ['staging', 'production'],
        addedStages: ['production'],
        removedStages: [],
        tags: ['staging', 'production'],
        status: 'Production',
        previousStatus: 'Staging',
        previousValue: { registryModelStatus: 'Staging' },
        newValue: { registryModelStatus: 'Production' },
        comment: 'a test of this webhook',
        userName: 'test',
        experimentKey: key,
        experimentUrl: `${baseUrl}/api/experiment/redirect?experimentKey=${key}`,
        modelUrl: `${baseUrl}/${encodeURIComponent(name)}/model-registry/${encodeURIComponent(model)}/1.0.0`,
        restApiUrl: `${baseUrl}/api/rest/v2/registry-model/item/details?${query}`,
        downloadUrl: `${baseUrl}/api/rest/v2/registry-model/item/download?${query}`,
        assets: 1,
      },
    },
    trigger,
    true,
  );
};

export interface TestAsked {
  readonly workspace: Pick<Workspace, 'id' | 'name'>;
  readonly modelName: string | undefined;
  readonly trigger: string | undefined;
  readonly called: Called & Pick<Channel, 'use'>;
  readonly place: () => Place;
  readonly signal: AbortSignal;
}

/** Calls the receiver once and tells what came of it. Rejects with `throttled` after five in a minute. */
export const test = async (
  needs: TestingNeeds,
  {
    workspace,
    modelName,
    trigger = 'MODEL_VERSION_STATUS_CHANGED',
    called,
    place,
    signal,
  }: TestAsked,
) => {
  checkTriggers([trigger]);
  await requireRoom(needs, workspace.id);
  const content = JSON.stringify(sampleOf(needs, workspace, modelName, trigger));
  const { status, durationMs, text, error } = await callChannel(
    needs,
    called,
    place,
    [content],
    signal,
  );
  return {
    status: status ?? null,
    durationMillis: durationMs,
    responseBody: text,
    error: error ?? null,
    request: showRequest(needs, called, place, content),
  };
};
