// What the prompt-logging client sends: whole runs in one batch, answered one by one.
import { experiment } from '../model/experiments.js';
import { workspace } from '../model/workspaces.js';
import { eachAccessible, operations } from './operation.js';
import {
  anything,
  integer,
  list,
  map,
  object,
  optional,
  record,
  text,
  texts,
  shape,
  titled,
} from './schema.js';
import { write } from './tracking.js';

const run = shape('PromptRun', 'A run of a prompt.', {
  experimentKey: text({ pattern: '^[A-Za-z0-9]{32,50}$' }),
  createExperimentRequest: optional(
    object({
      workspaceName: optional(text()),
      projectName: optional(text()),
      type: optional(text()),
      experimentName: optional(text()),
    }),
  ),
  parameters: optional(list(record())),
  metrics: optional(list(record())),
  others: optional(list(record())),
  tags: optional(texts()),
  jsonAsset: optional(
    object({
      extension: optional(text()),
      type: optional(text()),
      fileName: optional(text()),
      file: anything(),
    }),
  ),
});

export const promptOperations = operations({
  logPrompts: {
    method: 'POST',
    path: write('/experiment/llm'),
    access: {
      needs: 'write',
      about: [
        eachAccessible(workspace, 'body.*.createExperimentRequest.workspaceName'),
        eachAccessible(experiment, 'body.*.experimentKey'),
      ],
    },
    summary: 'Log runs of prompts, each with its values and its document',
    body: list(run, { maxItems: 1000 }),
    replies: {
      200: map(titled('PromptRunResult', object({ status: integer(), content: record() }))),
    },
    fails: ['invalid'],
  },
});
