// From a monitored version to the registered one, and from there to the run and data that it came of; and back. What the product knows of it is asked
// as the caller, so that nobody sees more here than there.
import type { Handlers } from '#ports/api/operation';
import { isFailure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import type { Static } from '#ports/api/schema';
import type { lineageEdge, lineageNode } from '#ports/api/lineage';
import type { lineageRows } from './client-rows.js';
import { modelsOf, type MonitoredModel } from './models.js';
import { dayMs, hourMs, type MonitoringNeeds } from './needs.js';
import { eventsField, readProfiles } from './profiles.js';
import { replyOf } from './replies.js';

/** Versions that events named, with how many there were and the end of the hour of the last one. */
const versionsSeen = async ({ tables, clock }: MonitoringNeeds, model: MonitoredModel) => {
  const seen = new Map<string, { version: string; events: number; lastEventAt: number | null }>();
  const span = { from: 0, to: clock.now() + 2 * dayMs };
  for await (const { version, hour, sketch } of readProfiles(tables, model.id, eventsField, span)) {
    const before = seen.get(version) ?? { version, events: 0, lastEventAt: null };
    seen.set(version, {
      version,
      events: before.events + sketch.events,
      lastEventAt: Math.max(before.lastEventAt ?? 0, (hour + 1) * hourMs),
    });
  }
  return [...seen.values()].sort((one, other) => (one.version < other.version ? -1 : 1));
};

interface Registered {
  readonly registryModelItemId: string;
  readonly version: string;
  readonly status: string;
  readonly experimentKey: string;
}
interface Came {
  readonly nodes: readonly Static<typeof lineageNode>[];
  readonly edges: readonly Static<typeof lineageEdge>[];
}

/** What an operation answers; `otherwise` where the caller does not reach what it is about, or it is not there. */
const asked = async <T>(
  needs: MonitoringNeeds,
  id: string,
  query: Readonly<Record<string, unknown>>,
  caller: Caller,
  otherwise: T,
): Promise<T> => {
  try {
    return (await replyOf(needs, id, query, caller)) as T; // that row's reply
  } catch (thrown) {
    if (isFailure(thrown) && ['absent', 'forbidden', 'invalid'].includes(thrown.kind))
      return otherwise;
    throw thrown;
  }
};

/** The name of the registered model that a monitored one stands for. */
export const registeredNameOf = ({ registryModelName, name }: MonitoredModel): string =>
  registryModelName ?? name;

const lineageOf = async (needs: MonitoringNeeds, model: MonitoredModel, caller: Caller) => {
  const workspaceName = await needs.announcements.workspaceName(model.workspaceId);
  const registryModelName = registeredNameOf(model);
  const none: { readonly items: readonly Registered[] } = { items: [] };
  const query = { workspaceName, modelName: registryModelName };
  const { items } = await asked(needs, 'findModelVersions', query, caller, none);
  const versions = [];
  for (const seen of await versionsSeen(needs, model)) {
    const found = items.find(({ version }) => version === seen.version);
    if (found === undefined) {
      versions.push({ ...seen, registered: null });
      continue;
    }
    const { registryModelItemId, status, experimentKey } = found;
    const nothing: Came = { nodes: [], edges: [] };
    const upwards = { modelVersion: registryModelItemId, direction: 'up' };
    const { nodes, edges } = await asked(needs, 'readLineage', upwards, caller, nothing);
    versions.push({
      ...seen,
      registered: { registryModelItemId, status, experimentKey, nodes, edges },
    });
  }
  return { registryModelName, versions };
};

/** The form in which names of registered models are the same. */
const plainName = (name: string): string =>
  name
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '')
    .join('-');

export const lineageHandlers = (needs: MonitoringNeeds): Handlers<typeof lineageRows> => ({
  readMonitoredLineage: ({ monitoredModel, caller }) => lineageOf(needs, monitoredModel, caller),
  async findMonitoredVersions({ workspace, query: { registryModelName, version } }) {
    const models = [];
    for (const model of await modelsOf(needs.tables, workspace.id)) {
      if (plainName(registeredNameOf(model)) !== plainName(registryModelName)) continue;
      const versions = (await versionsSeen(needs, model)).filter(
        (one) => version === undefined || one.version === version,
      );
      if (versions.length > 0) models.push({ modelId: model.id, modelName: model.name, versions });
    }
    return { models };
  },
});
