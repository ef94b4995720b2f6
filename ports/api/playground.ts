// Prompts that people try: over a dataset, each answer an item of an evaluation, and for further items of a dataset.
import { dataset } from '../model/datasets.js';
import { projectTarget } from '../model/projects.js';
import { modelFails, modelRefusals } from './chat-completions.js';
import { maybe, one, operations } from './operation.js';
import { everywhere } from './private-wire.js';
import { anything, integer, list, object, optional, record, shape, text, texts } from './schema.js';

const promptVersions = list(
  shape('TriedPromptVersion', 'A version of a prompt that is tried; its id counts.', {
    id: text(),
    commit: optional(text()),
    prompt_id: optional(text()),
    prompt_name: optional(text()),
  }),
  { maxItems: 100 },
);
const prompt = shape(
  'TriedPrompt',
  'A model and messages, in which `{{name}}` stands for a member of an item.',
  {
    model: text({ min: 1, max: 500, pattern: String.raw`\S` }),
    messages: list(object({ role: text({ min: 1, max: 50 }), content: anything() }), {
      minItems: 1,
      maxItems: 100,
    }),
    configs: optional(record()),
    prompt_versions: optional(promptVersions),
    experiment_name: optional(text({ max: 500 })),
  },
);

export const playgroundOperations = operations({
  runPrompts: {
    method: 'POST',
    path: everywhere('/v1/private/experiments/execute'),
    access: {
      needs: 'write',
      about: [
        maybe(projectTarget, 'body.project_id', 'header.comet-workspace/body.project_name'),
        one(dataset, 'header.comet-workspace/body.dataset_id'),
      ],
      beyondProject: true,
    },
    summary:
      'Run prompts over the items of a dataset: an evaluation is made for each at once, and gets its items as the models answer',
    body: object({
      dataset_name: optional(text()),
      dataset_id: text(),
      dataset_version_id: optional(text()),
      version_hash: optional(text()),
      project_id: optional(text()),
      project_name: optional(text()),
      prompts: list(prompt, { minItems: 1, maxItems: 20 }),
      prompt_versions: optional(promptVersions),
      selected_rule_ids: optional(texts()),
      filters: optional(text()),
    }),
    replies: {
      202: object({
        experiments: list(object({ experiment_id: text(), prompt_index: integer() })),
        total_items: integer(),
      }),
    },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict', 'tooLarge'],
  },
  expandDataset: {
    method: 'POST',
    path: everywhere('/v1/private/datasets/{id}/expansions'),
    params: object({ id: text() }),
    access: {
      needs: 'write',
      about: one(dataset, 'header.comet-workspace/params.id'),
      beyondProject: true,
    },
    summary:
      'Have a model write further items after the newest ones of a dataset; they are answered and not stored',
    body: object({
      model: text({ min: 1, max: 500, pattern: String.raw`\S` }),
      sample_count: optional(integer({ minimum: 1, maximum: 200 })),
      preserve_fields: optional(texts()),
      variation_instructions: optional(text({ max: 10_000 })),
      custom_prompt: optional(text({ max: 100_000 })),
      max_completion_tokens: optional(integer({ minimum: 1 })),
    }),
    replies: {
      200: object({
        generated_samples: list(object({ id: text(), source: text(), data: record() })),
        model: text(),
        total_generated: integer(),
        generation_time: text(),
      }),
      ...modelRefusals,
    },
    fails: modelFails,
  },
});
