import { automationRule } from '#ports/model/automations';
import { kindIn, type AreaFixtures, type RowFixture } from '#test/api/fixtures';
import { freshName, unknownId } from '#test/api/fresh';
import { projects } from '../workspaces/things.js';
import { aMetric, automations } from './things.js';

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

export const fixtures: AreaFixtures = {
  areas: ['automations'],
  kinds: [
    kindIn(automationRule, automations, {
      name: ({ automationRuleId }) => automationRuleId,
      unknown: () => unknownId,
    }),
  ],
  rows: {
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
