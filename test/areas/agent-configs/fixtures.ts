import { blueprint } from '#ports/model/agent-configs';
import { kindIn, type AreaFixtures, type World } from '#test/api/fixtures';
import { freshName, unknownId } from '#test/api/fresh';
import { aBlueprintOf, agentConfigs } from './things.js';

const inProject = 'is looked for in the project alone';
const ours = (world: World) => world.of(agentConfigs);
const unmasked = {
  with: () => ({ 'query.mask_id': undefined }),
  notOurs: { 'query.mask_id': inProject },
};
const sent = { 'body.id': undefined, 'body.blueprint': aBlueprintOf('blueprint') };

export const fixtures: AreaFixtures = {
  areas: ['agent-configs'],
  kinds: [
    kindIn(blueprint, agentConfigs, {
      name: ({ blueprintId }) => blueprintId,
      unknown: () => unknownId,
    }),
  ],
  rows: {
    createAgentConfig: {
      with: () => ({ ...sent, 'body.blueprint': aBlueprintOf('blueprint') }),
      own: () => ({ 'body.project_id': undefined, 'body.project_name': freshName('project') }),
    },
    extendAgentConfig: {
      with: () => ({ ...sent, 'body.blueprint': aBlueprintOf('blueprint') }),
    },
    applyConfigMask: {
      with: (world) => ({ 'params.mask_id': ours(world).maskId }),
      notOurs: { 'params.mask_id': inProject },
    },
    setConfigEnvironments: {
      with: (world) => ({
        'body.envs': [{ env_name: 'staging', blueprint_id: ours(world).blueprintId }],
      }),
      notOurs: { 'body.envs.*.blueprint_id': inProject },
    },
    showEnvironmentBlueprint: {
      ...unmasked,
      with: () => ({ ...unmasked.with(), 'params.env_name': 'prod' }),
    },
    setConfigEnvironment: {
      with: () => ({ 'params.env_name': 'staging', 'body.blueprint_name': 'v1' }),
    },
    deleteConfigEnvironment: { with: () => ({ 'params.env_name': 'staging' }) },
    showNamedBlueprint: {
      ...unmasked,
      with: () => ({ ...unmasked.with(), 'params.name': 'v1' }),
      ownNames: ['params.name'],
    },
    showLatestBlueprint: unmasked,
    removeConfigKeys: { with: () => ({ 'body.keys': ['unknown'] }) },
    showBlueprint: unmasked,
  },
};
