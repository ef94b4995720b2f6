import { automationRule } from '#ports/model/automations';
import { kindIn, type AreaFixtures, type RowFixture, type World } from '#test/api/fixtures';
import { freshName, unknownId } from '#test/api/fresh';
import { traces } from '../traces/things.js';
import { projects } from '../workspaces/things.js';
import { aMetric, automations, scorers } from './things.js';

/** Worlds without what takes long have none. */
const scorerIn = (world: World, of: 'ofTraces' | 'ofSpans' | 'ofThreads'): string =>
  world.has(scorers) ? world.of(scorers)[of] : unknownId;

const inWorkspace = 'is looked for in the workspace of the header alone';
const writing: RowFixture = {
  with: (world) => ({
    ...Object.fromEntries(Object.entries(aMetric).map(([name, value]) => [`body.${name}`, value])),
    'body.name': freshName('rule'),
    'body.sampling_rate': 0.5,
    'body.filters': [],
    'body.project_id': world.of(projects).projectId,
    'body.project_ids': [world.of(projects).projectId],
  }),
  ownNames: ['body.name', 'body.code.model.name', 'body.code.schema.*.name'],
  notOurs: { 'body.project_id': inWorkspace, 'body.project_ids': inWorkspace },
};

const scoring = (
  kind: 'trace' | 'span' | 'thread',
  ids: (world: World) => readonly [entityId: string, ruleId: string],
): RowFixture => ({
  with: (world) => {
    const [entityId, ruleId] = ids(world);
    return {
      'body.project_id': world.of(traces).projectId,
      'body.entity_ids': [entityId],
      'body.rule_ids': [ruleId],
      'body.entity_type': kind,
    };
  },
  notOurs: {
    'body.entity_ids': 'are looked for in the project alone',
    'body.rule_ids': 'are looked for in the project alone',
  },
});

export const fixtures: AreaFixtures = {
  areas: ['automations'],
  kinds: [
    kindIn(automationRule, automations, {
      name: ({ automationRuleId }) => automationRuleId,
      unknown: () => unknownId,
    }),
  ],
  things: [scorers],
  rows: {
    evaluateTraces: scoring('trace', (world) => [
      world.of(traces).traceId,
      scorerIn(world, 'ofTraces'),
    ]),
    evaluateSpans: scoring('span', (world) => [
      world.of(traces).spanId,
      scorerIn(world, 'ofSpans'),
    ]),
    evaluateThreads: scoring('thread', (world) => [
      world.of(traces).threadModelId,
      scorerIn(world, 'ofThreads'),
    ]),
    previewAutomationRule: {
      with: (world) => ({
        'body.project_id': world.of(traces).projectId,
        'body.entity_id': world.of(traces).traceId,
        'body.type': aMetric.type,
        'body.code': aMetric.code,
      }),
      notOurs: { 'body.entity_id': 'is looked for in the project alone' },
    },
    listAutomationRules: {
      ownNames: ['query.name'],
      notOurs: { 'query.project_id': inWorkspace, 'query.id': 'is a part of an id' },
    },
    createAutomationRule: writing,
    updateAutomationRule: writing,
    deleteAutomationRules: {
      consumes: true,
      with: (world) => ({ 'body.ids': [world.of(automations).automationRuleId] }),
      notOurs: { 'body.ids': inWorkspace, 'query.project_id': 'narrows what is found' },
    },
    showAutomationRule: { notOurs: { 'query.project_id': 'narrows what is found' } },
    listAutomationRuleLogs: {
      with: (world) => ({ 'params.id': world.of(automations).automationRuleId }),
      notOurs: { 'params.id': 'is looked for in what the request reaches alone' },
    },
  },
};
