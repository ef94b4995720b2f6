import { feedbackDefinition } from '#ports/model/feedback-definitions';
import { kindIn, type AreaFixtures } from '#test/api/fixtures';
import { freshName, unknownId } from '#test/api/fresh';
import { feedbackDefinitions } from './things.js';

const sent = () => ({
  'body.name': freshName('definition'),
  'body.type': 'boolean',
  'body.details': { trueLabel: 'yes', falseLabel: 'no' },
});

export const fixtures: AreaFixtures = {
  areas: ['feedback-definitions'],
  kinds: [
    kindIn(feedbackDefinition, feedbackDefinitions, {
      name: ({ definitionId }) => definitionId,
      unknown: () => unknownId,
    }),
  ],
  rows: {
    listFeedbackDefinitions: { ownNames: ['query.name'] },
    createFeedbackDefinition: { with: sent, ownNames: ['body.name'] },
    updateFeedbackDefinition: { with: sent, ownNames: ['body.name'] },
    deleteFeedbackDefinition: { consumes: true },
    deleteFeedbackDefinitions: {
      consumes: true,
      with: (world) => ({ 'body.ids': [world.of(feedbackDefinitions).definitionId] }),
      notOurs: { 'body.ids': 'are looked for in the workspace of the header alone' },
    },
  },
};
