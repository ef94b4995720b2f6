import { trackingFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { approvalOperations } from '#ports/api/registry';
import { Clock } from '#ports/clock';
import { Ids } from '#ports/ids';
import { storageOf, type Stores } from '#ports/storage/storage';
import { Toggles } from '#ports/toggles';
import { registrySettings } from './settings.js';
import {
  approve,
  cancel,
  fileRequest,
  reject,
  statusesOf,
  requestStatus,
  type ApprovingNeeds,
  type RequestDecision,
} from './approving.js';
import { absentModel, checkStatuses, normalName, type Metadatum } from './rules.js';
import { showRequest } from './wire.js';
import { statusRequestKind } from './kinds.js';

const needs = {
  storage: storageOf('approvals', 'events', 'modelVersions', 'registry'),
  clock: Clock,
  ids: Ids,
  settings: registrySettings.port,
  toggles: Toggles,
};

/** What is kept of a status configuration, as JSON text. */
interface Configuration {
  readonly status: string;
  readonly isReviewRequired: boolean;
  readonly statusConfiguration: readonly Metadatum[];
}

const requested = ({
  requestId,
  state,
}: {
  readonly requestId?: string;
  readonly state?: RequestDecision['request']['state'];
}) =>
  requestId === undefined
    ? {}
    : { msg: 'status change requested', requestId, ...(state === undefined ? {} : { state }) };

const pageSize = 100;

export const approvalsArea = area({
  name: 'approvals',
  summary: 'The status of model versions, and requests to change it.',
  family: trackingFamily,
  table: approvalOperations,
  kinds: [statusRequestKind],
  toggles: {
    'model-approval': { default: true, says: 'Approval of status changes in the registry' },
  },
  needs,
  handlers: ({ storage, clock, ids, settings, toggles }) => {
    const { registry, modelVersions, approvals } = storage.stores;
    const approving: ApprovingNeeds = { clock, ids, settings, toggles };
    const decide = async (
      verdict: RequestDecision,
      judge: (
        stores: Pick<Stores, 'approvals' | 'events' | 'modelVersions' | 'registry'>,
        needs: ApprovingNeeds,
        verdict: RequestDecision,
      ) => Promise<RequestDecision['request']['state']>,
    ) => ({
      requestId: verdict.request.id,
      state: await storage.transaction((stores) => judge(stores, approving, verdict)),
    });

    return {
      listAllowedStatuses: async () => ({
        allowedStatus: (await statusesOf(storage.stores)).map(({ name }) => name),
      }),
      listStatuses: async () => ({ statuses: await statusesOf(storage.stores) }),
      async setStatuses({ body }) {
        checkStatuses(body.statuses);
        await approvals.replaceStatuses(body.statuses);
        return { statuses: await statusesOf(storage.stores) };
      },
      async setModelStatus({ body, modelVersion, caller }) {
        return requested(
          await storage.transaction((stores) =>
            requestStatus(stores, approving, {
              version: modelVersion,
              status: body.status,
              caller,
              comment: body.comment,
            }),
          ),
        );
      },
      async requestModelStatus({ body, modelVersion, caller }) {
        return requested(
          await storage.transaction((stores) =>
            fileRequest(stores, approving, {
              version: modelVersion,
              status: body.status,
              caller,
              comment: body.comment,
            }),
          ),
        );
      },
      async updateStatusConfiguration({ body, modelVersion, caller }) {
        const configuration: Configuration = {
          status: body.status,
          isReviewRequired: body.isReviewRequired ?? false,
          statusConfiguration: body.statusConfiguration ?? [],
        };
        return requested(
          await storage.transaction(async (stores) => {
            const wished = await requestStatus(
              stores,
              approving,
              { version: modelVersion, status: body.status, caller, comment: body.comment },
              configuration.isReviewRequired,
            );
            await stores.modelVersions.updateVersion(modelVersion.id, {
              updatedAt: clock.now(),
              statusConfiguration: JSON.stringify(configuration),
            });
            return wished;
          }),
        );
      },
      async getStatusConfiguration({ modelVersion }) {
        const { statusConfiguration } = await modelVersions.readSettings(modelVersion.id);
        const kept =
          statusConfiguration === undefined
            ? { status: null, isReviewRequired: false, statusConfiguration: [] }
            : (JSON.parse(statusConfiguration) as Configuration); // written above
        return { modelItemId: modelVersion.id, ...kept };
      },
      async listStatusRequests({ query, workspace }) {
        const { page = 1, size = pageSize, modelName, state } = query;
        const model =
          modelName === undefined
            ? undefined
            : await registry.findModelByName(workspace.id, normalName(modelName));
        if (modelName !== undefined && model === undefined) throw absentModel(modelName);
        const { total, requests } = await approvals.listRequests({
          workspaceId: workspace.id,
          ...(model === undefined ? {} : { modelId: model.id }),
          ...(state === undefined ? {} : { state }),
          offset: (page - 1) * size,
          limit: size,
        });
        return { page, size, total, content: requests.map(showRequest) };
      },
      approveStatusRequest: ({ body, statusRequest: request, caller }) =>
        decide({ request, caller, comment: body.comment }, approve),
      rejectStatusRequest: ({ body, statusRequest: request, caller }) =>
        decide({ request, caller, comment: body.comment }, reject),
      cancelStatusRequest: ({ body, statusRequest: request, caller }) =>
        decide({ request, caller, comment: body.comment }, cancel),
    };
  },
});
