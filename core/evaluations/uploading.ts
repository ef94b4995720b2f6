// Evaluations that come whole: items with their traces, spans and scores in one request.
import { jsonTextOf } from '#ports/json-text';
import { KeptJson } from '#ports/kept-json';
import type { Caller } from '#ports/model/identity';
import type { Dataset } from '#ports/model/datasets';
import type { EvaluationItem } from '#ports/model/evaluations';
import type { Score, Span, Trace } from '#ports/model/traces';
import type { Stores } from '#ports/storage/storage';
import { Failure } from '#ports/failure';
import { awaitRules } from '../automations/offers.js';
import { showInstant } from '../private-wire/instants.js';
import { readId } from '../private-wire/ids.js';
import {
  mergeWhole,
  readWhole,
  type SentSpan,
  type SentTrace,
  type WholeWriting,
} from '../traces/rules.js';
import { withValues } from './rules.js';

const mostBeside = 100;

export interface SentRecord {
  readonly dataset_item_id: string;
  readonly evaluate_task_result?: unknown;
  readonly trace?: SentTrace | undefined;
  readonly spans?: readonly SentSpan[] | undefined;
  readonly feedback_scores?:
    | readonly {
        readonly name: string;
        readonly value?: number | undefined;
        readonly reason?: string | undefined;
        readonly category_name?: string | undefined;
        readonly source?: string | undefined;
      }[]
    | undefined;
}

/** Ids of what a request brings without any, the same when it is sent again: of version 7, from the digest of its body and the evaluation's id. */
export const derivedIds = (evaluationId: string, digest: string): (() => string) => {
  const hex = digest.padEnd(32, '0');
  const start = BigInt(`0x${hex.slice(16, 28)}`);
  let n = 0n;
  return () => {
    const tail = ((start + n++) % (1n << 48n)).toString(16).padStart(12, '0');
    return `${evaluationId.slice(0, 13)}-7${hex.slice(0, 3)}-a${hex.slice(3, 6)}-${tail}`;
  };
};

/** What is stored of a request. */
export interface Upload {
  readonly traces: readonly Trace[];
  readonly spans: readonly Span[];
  readonly scores: readonly Score[];
  readonly items: readonly EvaluationItem[];
}

const checkRecord = (sent: SentRecord): void => {
  if (sent.trace !== undefined && sent.evaluate_task_result !== undefined)
    throw new Failure('invalid', 'an item has either evaluate_task_result or trace, not both');
  for (const [name, list] of Object.entries({
    spans: sent.spans ?? [],
    feedback_scores: sent.feedback_scores ?? [],
  }))
    if (list.length > mostBeside)
      throw new Failure('unprocessable', `${name} size must be between 0 and ${mostBeside}`);
};

const jsonOr = (value: unknown): KeptJson | undefined =>
  value === undefined || value === null ? undefined : new KeptJson(jsonTextOf(value));

/** Reads everything before anything is stored. */
export const readUpload = (
  sent: readonly SentRecord[],
  of: { readonly workspaceId: string; readonly evaluationId: string; readonly projectId: string },
  writing: WholeWriting,
  { userName }: Pick<Caller, 'userName'>,
): Upload => {
  const { workspaceId, evaluationId, projectId } = of;
  const made = {
    createdAt: writing.now,
    createdBy: userName,
    lastUpdatedAt: writing.now,
    lastUpdatedBy: userName,
  };
  const upload = {
    traces: [] as Trace[],
    spans: [] as Span[],
    scores: [] as Score[],
    items: [] as EvaluationItem[],
  };
  for (const record of sent) {
    checkRecord(record);
    const now = showInstant(writing.now);
    const { trace, spans, scores } = readWhole(
      {
        trace:
          record.trace === undefined
            ? {
                name: 'evaluation_task',
                start_time: now,
                end_time: now,
                output: jsonOr(record.evaluate_task_result),
                source: 'experiment',
              }
            : { source: 'experiment', ...record.trace },
        spans: (record.spans ?? []).map((span) => ({ source: 'experiment', ...span })),
        scores: withValues(record.feedback_scores ?? []).map((score) => ({
          ...score,
          source: score.source ?? 'sdk',
        })),
      },
      projectId,
      writing,
    );
    upload.traces.push(trace);
    upload.spans.push(...spans);
    upload.scores.push(...scores);
    upload.items.push({
      workspaceId,
      id: writing.newId(),
      evaluationId,
      datasetItemId: readId(record.dataset_item_id, 'dataset item'),
      traceId: trace.id,
      projectId,
      executionPolicy: undefined,
      ...made,
    });
  }
  return upload;
};

/**
 * Stores it, traces first; sent again it changes nothing. In a transaction for each step, since one that comes at the same time is only waited for
 * there: what breaks off in between is completed when the client sends it again.
 */
export const storeUpload = async (
  stores: Pick<Stores, 'automationRuns' | 'evaluationItems' | 'feedback' | 'traces'>,
  projectId: string,
  { traces, spans, scores, items }: Upload,
): Promise<void> => {
  const byId = <T extends { readonly id: string }>(all: readonly T[]) =>
    new Map(all.map((one) => [one.id, one]));
  const [tracesById, spansById] = [byId(traces), byId(spans)];
  await awaitRules(stores, projectId, 'trace', [...tracesById.keys()]);
  await stores.traces.changeTraces(projectId, [...tracesById.keys()], (id, stored) => {
    const fresh = tracesById.get(id);
    return fresh === undefined ? stored : mergeWhole(stored, fresh);
  });
  if (spans.length > 0) {
    await awaitRules(stores, projectId, 'span', [...spansById.keys()]);
    await stores.traces.changeSpans(projectId, [...spansById.keys()], (id, stored) => {
      const fresh = spansById.get(id);
      return fresh === undefined ? stored : mergeWhole(stored, fresh);
    });
  }
  if (scores.length > 0) await stores.feedback.putScores(scores);
  await stores.evaluationItems.add(items);
};

/** Whether an evaluation is of this dataset and name. */
export const goesWith = (
  evaluation: { readonly datasetId: string | undefined; readonly name: string },
  dataset: Pick<Dataset, 'id'>,
  name: string,
): boolean => evaluation.datasetId === dataset.id && evaluation.name === name;
