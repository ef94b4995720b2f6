// The output of a run by lines, and the HTML that it logged, for pages that show them.
import { experiment } from '../model/experiments.js';
import { bytes, one, operations } from './operation.js';
import { flag, integer, list, nullable, object, optional, shape, text } from './schema.js';

const line = shape(
  'OutputLine',
  'A line of output; `cut` where only its beginning is told, `stderr` where some of it was printed to standard error.',
  {
    number: integer(),
    text: text(),
    cut: optional(flag()),
    stderr: optional(flag()),
  },
);

export const runOutputOperations = operations({
  showHtml: {
    method: 'GET',
    path: '/v1/private/ui/runs/{run}/html',
    access: { needs: 'read', about: one(experiment, 'params.run') },
    summary: 'The HTML of a run as a page that runs nothing, for a frame of a page of this server',
    params: object({ run: text() }),
    replies: { 200: bytes('text/html') },
    fails: ['absent'],
  },
  readOutputLines: {
    method: 'GET',
    path: '/v1/private/ui/runs/{run}/output',
    access: { needs: 'read', about: one(experiment, 'params.run') },
    summary:
      'Lines of output by their numbers, the last ones, those that hold a text, or with `stderr` those of standard error alone. Lines end with a newline and count from 1. `next` is the line from which the same request goes on, null where nothing follows',
    params: object({ run: text() }),
    query: object({
      from: optional(integer()),
      to: optional(integer()),
      tail: optional(integer()),
      search: optional(text({ min: 1, max: 500 })),
      ignoreCase: optional(flag()),
      stderr: optional(flag()),
      limit: optional(integer()),
    }),
    replies: {
      200: object({ lines: list(line), total: integer(), next: nullable(integer()) }),
    },
    fails: ['invalid', 'absent'],
  },
});
