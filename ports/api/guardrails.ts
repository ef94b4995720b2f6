// What guardrails found in traces.
import { projectTarget } from '../model/projects.js';
import { eachOf, operations } from './operation.js';
import { everywhere } from './private-wire.js';
import { anything, list, object, optional, text, word } from './schema.js';

export const guardrailOperations = operations({
  putGuardrails: {
    method: 'POST',
    path: everywhere('/v1/private/guardrails'),
    access: {
      needs: 'write',
      about: eachOf(projectTarget, 'body.guardrails.*', 'project_id', 'project_name'),
    },
    summary: 'Store what guardrails found in traces; the last result by each name stays',
    body: object({
      guardrails: list(
        object({
          id: optional(text()),
          entity_id: text(),
          secondary_id: text(),
          project_name: optional(text()),
          project_id: optional(text()),
          name: word('TOPIC', 'PII', 'LLM_JUDGE', 'PROMPT_INJECTION', 'CUSTOM_CLASSIFIER'),
          result: word('passed', 'failed'),
          config: optional(anything()),
          details: optional(anything()),
        }),
        { maxItems: 1000 },
      ),
    }),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden'],
  },
});
