import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { feedbackDefinitionOperations } from '#ports/api/feedback-definitions';
import { defineKind } from '#ports/api/kind-definition';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import {
  feedbackDefinition,
  type DefinitionType,
  type FeedbackDefinition,
} from '#ports/model/feedback-definitions';
import { storageOf } from '#ports/storage/storage';
import { PlaceFinder } from '#ports/storage/workspaces';
import { madeBy, showAuthorship, touchedBy } from '../private-wire/authorship.js';
import { given } from '../private-wire/given.js';
import { readId, readIds } from '../private-wire/ids.js';
import { readPage } from '../private-wire/pages.js';
import { oneByOne, recordRules } from '../private-wire/records.js';

const feedbackDefinitionKind = defineKind(feedbackDefinition, {
  needs: {
    storage: storageOf('feedbackDefinitions', 'projects', 'workspaces'),
    places: PlaceFinder,
  },
  rules: ({ storage: { stores }, places }) =>
    recordRules({ stores, places }, 'feedback definition', stores.feedbackDefinitions.find),
});

type Details = Readonly<Record<string, unknown>>;

const areNumbers = (found: unknown): boolean =>
  typeof found === 'object' &&
  found !== null &&
  Object.keys(found).length > 0 &&
  Object.values(found).every((value) => typeof value === 'number');

const fits: Readonly<Record<DefinitionType, (details: Details) => boolean>> = {
  numerical: ({ min, max }) => typeof min === 'number' && typeof max === 'number' && min < max,
  categorical: ({ categories }) => areNumbers(categories),
  boolean: ({ trueLabel, falseLabel }) =>
    typeof trueLabel === 'string' && typeof falseLabel === 'string',
};
const wanted: Readonly<Record<DefinitionType, string>> = {
  numerical: 'details must have a min below a max',
  categorical: 'details must have categories, each with a number',
  boolean: 'details must have a trueLabel and a falseLabel',
};

/** The details that a type needs, as JSON text. Rejects with `unprocessable` for what does not fit. */
const readDetails = (type: DefinitionType, details: Details | undefined): string | undefined => {
  if (details === undefined) return undefined;
  if (!fits[type](details)) throw new Failure('unprocessable', wanted[type]);
  return JSON.stringify(details);
};

const show = (one: FeedbackDefinition) => ({
  id: one.id,
  name: one.name,
  description: one.description,
  type: one.type,
  details: one.details === undefined ? undefined : (JSON.parse(one.details) as unknown),
  ...showAuthorship(one),
});

export const feedbackDefinitionsArea = area({
  name: 'feedback-definitions',
  summary: 'What scores of a name may be, for pages on which people give them.',
  family: privateFamily,
  table: feedbackDefinitionOperations,
  kinds: [feedbackDefinitionKind],
  needs: { storage: storageOf('annotationQueues', 'feedbackDefinitions'), clock: Clock, ids: Ids },
  handlers: ({ storage, clock, ids }) => {
    const { annotationQueues, feedbackDefinitions: definitions } = storage.stores;
    const remove = async (workspaceId: string, wanted: readonly string[]): Promise<undefined> => {
      const found = await oneByOne(definitions.find)(workspaceId, wanted);
      const used = await annotationQueues.findNameInUse(
        workspaceId,
        found.map(({ name }) => name),
      );
      if (used !== undefined)
        throw new Failure(
          'conflict',
          `feedback definition ${used.slice(0, 100)} is used by an annotation queue`,
        );
      await definitions.remove(workspaceId, wanted);
      return undefined;
    };
    return {
      async listFeedbackDefinitions({ query, workspace }) {
        const page = readPage(query);
        const { total, content } = await definitions.list({
          workspaceId: workspace.id,
          ...given({ name: query.name, type: query.type }),
          offset: (page.page - 1) * page.size,
          limit: page.size,
        });
        return { page: page.page, size: content.length, total, content: content.map(show) };
      },
      async createFeedbackDefinition({ body, workspace, caller }) {
        const id = body.id === undefined ? ids.next() : readId(body.id, 'feedback definition');
        await definitions.insert({
          workspaceId: workspace.id,
          id,
          name: body.name,
          description: body.description,
          type: body.type,
          details: readDetails(body.type, body.details),
          ...madeBy(clock, caller),
        });
        return { body: undefined, madeAt: `/v1/private/feedback-definitions/${id}` };
      },
      showFeedbackDefinition: async (call) => show(call.feedbackDefinition),
      async updateFeedbackDefinition({ body, feedbackDefinition: { workspaceId, id }, caller }) {
        const change = {
          name: body.name,
          description: body.description,
          type: body.type,
          details: readDetails(body.type, body.details),
          ...touchedBy(clock, caller),
        };
        if (!(await definitions.replace(workspaceId, id, change)))
          throw new Failure('absent', `feedback definition ${id} not found`);
        return undefined;
      },
      deleteFeedbackDefinition: ({ feedbackDefinition: { workspaceId, id } }) =>
        remove(workspaceId, [id]),
      deleteFeedbackDefinitions: ({ body, workspace }) => remove(workspace.id, readIds(body.ids)),
    };
  },
});
