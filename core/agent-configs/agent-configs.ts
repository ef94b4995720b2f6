import { agentConfigOperations } from '#ports/api/agent-configs';
import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { defineKind } from '#ports/api/kind-definition';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import {
  blueprint,
  type Blueprint,
  type BlueprintType,
  type ConfigValue,
  type ConfigValueType,
} from '#ports/model/agent-configs';
import type { Caller } from '#ports/model/identity';
import type { Project, ProjectScope, ProjectTarget } from '#ports/model/projects';
import type { NewBlueprint } from '#ports/storage/agent-configs';
import { storageOf } from '#ports/storage/storage';
import { PlaceFinder } from '#ports/storage/workspaces';
import { madeBy, touchedBy } from '../private-wire/authorship.js';
import { readAnyId, readId } from '../private-wire/ids.js';
import { readPage } from '../private-wire/pages.js';
import { recordRules } from '../private-wire/records.js';
import { requireTarget } from '../private-wire/targets.js';
import { isUuid } from '../uuid.js';
import { linkPrompts } from './offers.js';
import { applyMask, numberIn, repeatedKey, showBlueprint } from './rules.js';

/** The environment that clients read when they are told none: the first version is for it. */
const usualEnvironment = 'prod';
/** Bytes of the values of one blueprint. */
const mostBytes = 1024 * 1024;
const longestName = 255;

const blueprintKind = defineKind(blueprint, {
  needs: { storage: storageOf('agentConfigs', 'projects', 'workspaces'), places: PlaceFinder },
  rules: ({ storage: { stores }, places }) =>
    recordRules({ stores, places }, 'blueprint', stores.agentConfigs.find),
});

const absentConfig = () => new Failure('absent', 'the project has no configuration');
const absentBlueprint = (name: string) =>
  new Failure('absent', `blueprint ${name.slice(0, 100)} not found`);

interface Sent {
  readonly id?: string | undefined;
  readonly type: BlueprintType;
  readonly description?: string | undefined;
  readonly values: readonly {
    readonly key: string;
    readonly value?: string | undefined;
    readonly type: ConfigValueType;
    readonly description?: string | undefined;
  }[];
}

const encoder = new TextEncoder();
const bytesOf = (text: string | undefined): number =>
  text === undefined ? 0 : encoder.encode(text).length;

const readValues = (sent: Sent['values']): readonly ConfigValue[] => {
  const repeated = repeatedKey(sent.map(({ key }) => key));
  if (repeated !== undefined)
    throw new Failure('unprocessable', `values must have the key ${repeated.slice(0, 100)} once`);
  if (sent.reduce((sum, one) => sum + bytesOf(one.value) + bytesOf(one.description), 0) > mostBytes)
    throw new Failure('unprocessable', `values must have at most ${mostBytes} bytes together`);
  return sent.map(({ key, value, type, description }) => ({ key, value, type, description }));
};

const requireNamed = ({ named }: ProjectTarget): void => {
  if (!named)
    throw new Failure('unprocessable', 'either project_id or project_name must be provided');
};
const projectOf = ({ project }: ProjectScope): Project => {
  if (project === undefined) throw new Failure('absent', 'project not found');
  return project;
};

export const agentConfigsArea = area({
  name: 'agent-configs',
  summary: 'Configurations of agents: numbered versions, masks over them, and environments.',
  family: privateFamily,
  table: agentConfigOperations,
  kinds: [blueprintKind],
  needs: {
    storage: storageOf('agentConfigs', 'libraryPrompts', 'projects', 'workspaces'),
    clock: Clock,
    ids: Ids,
  },
  handlers: ({ storage, clock, ids }) => {
    const { stores } = storage;
    const { agentConfigs: configs } = stores;

    const madeAt = (id: string) => `/v1/private/agent-configs/blueprints/${id}`;
    const next = (
      { workspaceId, id: projectId }: Pick<Project, 'workspaceId' | 'id'>,
      caller: Caller,
    ) => ({
      workspaceId,
      projectId,
      id: ids.next(),
      description: undefined,
      ...madeBy(clock, caller),
    });
    const newBlueprint = async (
      project: Project,
      sent: Pick<NewBlueprint, 'type' | 'description'> & { readonly id?: string },
      values: readonly ConfigValue[],
      caller: Caller,
    ): Promise<NewBlueprint> => ({
      ...next(project, caller),
      ...sent,
      values: await linkPrompts(stores, project.workspaceId, values, caller),
    });
    const readSent = ({ id, type, description }: Sent) => ({
      type,
      description,
      ...(id === undefined ? {} : { id: readId(id, 'blueprint') }),
    });

    const maskOf = async (projectId: string, id: string): Promise<Blueprint> => {
      const found = isUuid(id)
        ? await configs.findIn(projectId, { id: id.toLowerCase() })
        : undefined;
      if (found?.type !== 'mask') throw new Failure('absent', `mask ${id.slice(0, 100)} not found`);
      return found;
    };
    const deltasOf = async ({ projectId, id }: Blueprint): Promise<readonly ConfigValue[]> =>
      (await configs.listDeltas(projectId, [id])).get(id) ?? [];

    /** A version with all its values, under a mask where one is named. */
    const showWhole = async (found: Blueprint | undefined, maskId: string | undefined) => {
      if (found?.number === undefined) throw new Failure('absent', 'blueprint not found');
      const mask =
        maskId === undefined
          ? undefined
          : await maskOf(found.projectId, readAnyId(maskId, 'mask_id'));
      const values = await configs.listValues(found.projectId, found.number);
      return showBlueprint(
        found,
        mask === undefined ? values : applyMask(values, await deltasOf(mask)),
      );
    };
    const point = async (
      project: Project,
      environments: readonly { readonly name: string; readonly blueprintId: string }[],
      caller: Caller,
    ): Promise<boolean> => {
      const { lastUpdatedAt: at, lastUpdatedBy: userName } = touchedBy(clock, caller);
      return configs.setEnvironments(project.id, environments, { at, userName });
    };

    return {
      async createAgentConfig({ body, projectTarget, caller }) {
        requireNamed(projectTarget);
        if (body.blueprint.type === 'mask')
          throw new Failure('invalid', 'a configuration begins with a blueprint, not with a mask');
        const configId = body.id === undefined ? ids.next() : readId(body.id, 'config');
        const sent = readSent(body.blueprint);
        const values = readValues(body.blueprint.values);
        const project = await requireTarget(storage, { clock, ids }, projectTarget, caller);
        const made = await newBlueprint(project, sent, values, caller);
        await configs.create(configId, made, usualEnvironment);
        return { body: undefined, madeAt: madeAt(made.id) };
      },
      async extendAgentConfig({ body, projectTarget, caller }) {
        requireNamed(projectTarget);
        const sent = readSent(body.blueprint);
        const values = readValues(body.blueprint.values);
        if (body.id !== undefined) readId(body.id, 'config');
        const { project } = projectTarget;
        if (project === undefined) throw absentConfig();
        const made = await newBlueprint(project, sent, values, caller);
        if ((await configs.add(made)) === undefined) throw absentConfig();
        return { body: undefined, madeAt: madeAt(made.id) };
      },
      async applyConfigMask({ params, projectScope, caller }) {
        const project = projectOf(projectScope);
        const mask = await maskOf(project.id, params.mask_id);
        const { description } = mask;
        const made = await newBlueprint(
          project,
          { type: 'blueprint', description },
          await deltasOf(mask),
          caller,
        );
        if ((await configs.add(made)) === undefined) throw absentConfig();
        return { body: undefined, madeAt: madeAt(made.id) };
      },
      async setConfigEnvironments({ body, projectScope, caller }) {
        const environments = body.envs.map(({ env_name, blueprint_id }) => ({
          name: env_name,
          blueprintId: readAnyId(blueprint_id, 'blueprint_id'),
        }));
        const repeated = repeatedKey(environments.map(({ name }) => name));
        if (repeated !== undefined)
          throw new Failure('invalid', `envs must name ${repeated.slice(0, 100)} once`);
        if (!(await point(projectOf(projectScope), environments, caller)))
          throw new Failure('absent', 'the configuration of the project has no such blueprints');
        return undefined;
      },
      showEnvironmentBlueprint: async ({ params, query, projectScope }) =>
        showWhole(
          await configs.findIn(projectOf(projectScope).id, { environment: params.env_name }),
          query.mask_id,
        ),
      async setConfigEnvironment({ body, params: { env_name: name }, projectScope, caller }) {
        const project = projectOf(projectScope);
        if (name.trim() === '' || name.length > longestName)
          throw new Failure('invalid', `env_name must have 1 to ${longestName} characters`);
        const number = numberIn(body.blueprint_name.trim());
        const found =
          number === undefined ? undefined : await configs.findIn(project.id, { number });
        if (
          found === undefined ||
          !(await point(project, [{ name, blueprintId: found.id }], caller))
        )
          throw absentBlueprint(body.blueprint_name);
        return undefined;
      },
      async deleteConfigEnvironment({ params, projectScope, caller }) {
        const { lastUpdatedAt } = touchedBy(clock, caller);
        await configs.endEnvironment(projectOf(projectScope).id, params.env_name, lastUpdatedAt);
        return undefined;
      },
      async showNamedBlueprint({ params, query, projectScope }) {
        const number = numberIn(params.name);
        if (number === undefined) throw absentBlueprint(params.name);
        return showWhole(
          await configs.findIn(projectOf(projectScope).id, { number }),
          query.mask_id,
        );
      },
      async listBlueprints({ query, projectScope }) {
        const { id } = projectOf(projectScope);
        const page = readPage(query);
        const { total, content } = await configs.page(id, page);
        if (total === 0) throw absentConfig();
        const deltas = await configs.listDeltas(
          id,
          content.map((one) => one.id),
        );
        return {
          ...page,
          total,
          content: content.map((one) => showBlueprint(one, deltas.get(one.id) ?? [])),
        };
      },
      showLatestBlueprint: async ({ query, projectScope }) =>
        showWhole(await configs.findIn(projectOf(projectScope).id, 'newest'), query.mask_id),
      async removeConfigKeys({ body, projectTarget, caller }) {
        requireNamed(projectTarget);
        const { project } = projectTarget;
        const made =
          project === undefined
            ? undefined
            : await configs.removeKeys([...new Set(body.keys)], next(project, caller));
        if (made === undefined) return { status: 204, body: undefined } as const;
        return { status: 201, body: undefined, madeAt: madeAt(made.id) } as const;
      },
      showBlueprint: ({ query, blueprint: found }) => showWhole(found, query.mask_id),
      showBlueprintDeltas: async ({ blueprint: found }) =>
        showBlueprint(found, await deltasOf(found)),
    };
  },
});
