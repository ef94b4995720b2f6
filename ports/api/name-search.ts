// Finding things of every kind by part of their name, as a page offers it from anywhere.
import { mostNamesLookedAt, namedKinds } from '../storage/names.js';
import { operations } from './operation.js';
import { integer, list, nullable, object, optional, shape, text, word } from './schema.js';

const thing = shape('NamedThing', 'Something that was found by its name.', {
  kind: word(...namedKinds),
  id: text(),
  name: text(),
  key: nullable(text()),
  workspace: text(),
  projectId: nullable(text()),
  projectName: nullable(text()),
});

export const nameSearchOperations = operations({
  searchNames: {
    method: 'GET',
    path: '/v1/private/ui/search',
    access: { needs: 'caller', about: 'caller' },
    summary: `Projects, runs, models and artifacts by part of their name, among the newest ${mostNamesLookedAt} of each kind that the caller may read`,
    query: object({
      q: text({ min: 1, max: 200 }),
      workspace: optional(text()),
      limit: optional(integer({ minimum: 1, maximum: 50 })),
    }),
    replies: {
      200: object({ things: list(thing), more: list(word(...namedKinds)) }),
    },
    fails: ['invalid', 'absent'],
  },
});
