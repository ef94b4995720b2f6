// What a model answered for an item, as it is stored: a trace with one span, and an item of the evaluation. Pure.
import type { ChatAnswer, ChatMessage, ChatUsage } from '#ports/chat-model';
import { jsonTextOf } from '#ports/json-text';
import { KeptJson } from '#ports/kept-json';
import type { DatasetItem } from '#ports/model/datasets';
import type { PromptRun } from '#ports/model/prompt-runs';
import type { SentRecord } from '../evaluations/offers.js';
import { showInstant } from '../private-wire/instants.js';

/** One try at an item. Times are microseconds. */
export interface Answered {
  readonly item: DatasetItem;
  readonly messages: readonly ChatMessage[];
  /** By whom the model is; `undefined` where none was asked. */
  readonly provider: string | undefined;
  readonly answer: ChatAnswer;
  readonly startedAt: number;
  readonly endedAt: number;
}

const kept = (value: unknown) => new KeptJson(jsonTextOf(value));

const countsOf = (usage: ChatUsage | undefined): Readonly<Record<string, unknown>> | undefined =>
  usage && {
    prompt_tokens: usage.prompt_tokens,
    completion_tokens: usage.completion_tokens,
    total_tokens: usage.total_tokens,
    'original_usage.prompt_tokens_details.cached_tokens':
      usage.prompt_tokens_details?.cached_tokens,
    'original_usage.completion_tokens_details.reasoning_tokens':
      usage.completion_tokens_details?.reasoning_tokens,
  };

/** As an upload of an evaluation has it. */
export const recordOf = (
  { prompt, promptIndex, datasetId }: PromptRun,
  { item, messages, provider, answer, startedAt, endedAt }: Answered,
): SentRecord => {
  const said = 'completion' in answer ? answer.completion.choices[0]?.message : undefined;
  const name = 'chat_completion';
  const entry = {
    name,
    start_time: showInstant(startedAt),
    end_time: showInstant(endedAt),
    input: kept({ messages }),
    tags: ['playground'],
    metadata: kept({
      ...{ dataset_id: datasetId, dataset_item_id: item.id, prompt_index: promptIndex },
      ...{ model: prompt.model, provider, model_config: prompt.configs },
    }),
    ...('fault' in answer
      ? {
          error_info: {
            exception_type: 'ModelError',
            message: answer.fault.message,
            traceback: answer.fault.message,
          },
        }
      : {
          output: kept(
            said?.tool_calls === undefined
              ? { output: said?.content ?? '' }
              : { output: said.content ?? '', tool_calls: said.tool_calls },
          ),
        }),
  };
  return {
    dataset_item_id: item.id,
    trace: { ...entry, source: 'playground' },
    spans: [
      {
        ...entry,
        ...{ type: 'llm', source: 'playground', provider },
        model: 'completion' in answer ? answer.completion.model : prompt.model,
        usage: 'completion' in answer ? countsOf(answer.completion.usage) : undefined,
      },
    ],
  };
};
