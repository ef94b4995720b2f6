// What assertions about traces and spans came to.
import { projectTarget } from '../model/projects.js';
import { eachOf, operations } from './operation.js';
import { everywhere } from './private-wire.js';
import { list, object, optional, text, word } from './schema.js';

export const assertionResultOperations = operations({
  putAssertionResults: {
    method: 'PUT',
    path: everywhere('/v1/private/assertion-results'),
    access: {
      needs: 'write',
      about: eachOf(projectTarget, 'body.assertion_results.*', 'project_id', 'project_name'),
    },
    summary: 'Store what assertions about traces or spans came to; the last one by each name stays',
    body: object({
      entity_type: word('TRACE', 'SPAN', 'THREAD'),
      assertion_results: list(
        object({
          entity_id: text(),
          project_name: optional(text({ pattern: String.raw`\S` })),
          project_id: optional(text()),
          name: text({ min: 1, pattern: String.raw`\S` }),
          status: word('passed', 'failed'),
          reason: optional(text()),
          source: word('ui', 'sdk', 'online_scoring'),
        }),
        { maxItems: 1000 },
      ),
    }),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden'],
  },
});
