// Evaluations and their items as the private wire shows them. Pure.
import type { DatasetVersion } from '#ports/model/datasets';
import type {
  AssertionResult,
  EvaluatedPrompt,
  Evaluation,
  EvaluationItem,
} from '#ports/model/evaluations';
import type { LibraryPrompt, LibraryPromptVersion } from '#ports/model/library-prompts';
import type { TraceFacts } from '#ports/storage/evaluation-items';
import type { EvaluationFigures } from '#ports/storage/evaluations';
import { showVersionSummary } from '../datasets/rules.js';
import { showAuthorship } from '../private-wire/authorship.js';
import { showInstant } from '../private-wire/instants.js';
import { hasPassed } from './rules.js';

/** A long member that was cut comes as the beginning of its JSON text. */
const shownCharacters = 10_001;

export const showJson = (text: string | undefined, truncate = false): unknown => {
  if (text === undefined) return undefined;
  return truncate && text.length > shownCharacters
    ? text.slice(0, shownCharacters)
    : (JSON.parse(text) as unknown);
};
const showPolicy = (text: string | undefined) =>
  showJson(text) as Readonly<Record<string, unknown>> | undefined; // as the row's shape let it through

/** What an evaluation refers to, as far as it is there. */
export interface Around {
  readonly datasetName: string | undefined;
  readonly projectName: string | undefined;
  readonly version: DatasetVersion | undefined;
  versionOf(id: string): LibraryPromptVersion | undefined;
  promptOf(id: string): LibraryPrompt | undefined;
}

const showLink = ({ versionId, promptId }: EvaluatedPrompt, around: Around) => ({
  id: versionId,
  prompt_version_id: versionId,
  prompt_id: promptId,
  prompt_name: around.promptOf(promptId)?.name,
  commit: around.versionOf(versionId)?.commit,
});

const showJudged = ({ judged, assertions }: EvaluationFigures) => {
  if (judged.length === 0) return {};
  const passed = judged.filter(hasPassed).length;
  return {
    pass_rate: passed / judged.length,
    passed_count: passed,
    total_count: judged.length,
    assertion_scores: [...assertions],
  };
};

export const showEvaluation = (
  evaluation: Evaluation,
  figures: EvaluationFigures,
  around: Around,
) => {
  const links = evaluation.prompts.map((one) => showLink(one, around));
  return {
    id: evaluation.id,
    name: evaluation.name,
    dataset_id: evaluation.datasetId,
    dataset_name: around.datasetName,
    project_id: evaluation.projectId,
    project_name: around.projectName,
    metadata: showJson(evaluation.metadata),
    tags: evaluation.tags && [...evaluation.tags],
    type: evaluation.type,
    evaluation_method: evaluation.method,
    optimization_id: evaluation.optimizationId,
    status: evaluation.status,
    finished_at:
      evaluation.finishedAt === undefined ? undefined : showInstant(evaluation.finishedAt),
    trace_count: figures.traces,
    dataset_item_count: figures.items,
    duration: figures.durations,
    total_estimated_cost: figures.cost,
    total_estimated_cost_avg: figures.averageCost,
    usage: figures.usage,
    feedback_scores: [...figures.scores],
    experiment_scores: evaluation.scores && [...evaluation.scores],
    ...showJudged(figures),
    prompt_version: links[0],
    prompt_versions: links.length === 0 ? undefined : links,
    dataset_version_id: evaluation.datasetVersionId,
    dataset_version_summary: around.version && showVersionSummary(around.version),
    ...showAuthorship(evaluation),
  };
};

export const showPlainItem = (item: EvaluationItem, facts?: TraceFacts) => ({
  id: item.id,
  experiment_id: item.evaluationId,
  dataset_item_id: item.datasetItemId,
  trace_id: item.traceId,
  project_id: item.projectId ?? facts?.projectId,
  execution_policy: showPolicy(item.executionPolicy),
  ...showAuthorship(item),
});

/** Whether a run passed: all of its assertions did; `undefined` for one without any. */
export const statusOf = (results: readonly AssertionResult[]): 'passed' | 'failed' | undefined => {
  if (results.length === 0) return undefined;
  return results.every(({ passed }) => passed) ? 'passed' : 'failed';
};

/** What is known of the trace of an item. */
export interface RunFacts {
  readonly trace: TraceFacts | undefined;
  readonly results: readonly AssertionResult[];
  readonly scores: readonly object[];
  readonly comments: readonly object[];
  readonly projectName: string | undefined;
  /** Of the item of the dataset. */
  readonly description: string | undefined;
}

const orNone = <T>(list: readonly T[]): T[] | undefined =>
  list.length === 0 ? undefined : [...list];

export const showRun = (item: EvaluationItem, facts: RunFacts, truncate: boolean) => ({
  ...showPlainItem(item, facts.trace),
  project_name: facts.projectName,
  input: showJson(facts.trace?.input, truncate),
  output: showJson(facts.trace?.output, truncate),
  trace_metadata: showJson(facts.trace?.metadata, truncate),
  duration: facts.trace?.duration,
  total_estimated_cost: facts.trace?.cost,
  usage: facts.trace?.usage,
  feedback_scores: orNone(facts.scores),
  comments: orNone(facts.comments),
  assertion_results: orNone(
    facts.results.map(({ name, passed, reason }) => ({ value: name, passed, reason })),
  ),
  status: statusOf(facts.results),
  description: facts.description,
  trace_visibility_mode: facts.trace === undefined ? undefined : 'default',
});

/** By evaluation: how many runs of an item passed, for those that have assertions. */
export const summarizeRuns = (
  runs: readonly { readonly item: EvaluationItem; readonly results: readonly AssertionResult[] }[],
) => {
  const byEvaluation = new Map<string, { passedRuns: number; runs: number; policy?: string }>();
  for (const { item, results } of runs) {
    const status = statusOf(results);
    if (status === undefined) continue;
    const sum = byEvaluation.get(item.evaluationId) ?? { passedRuns: 0, runs: 0 };
    sum.runs++;
    if (status === 'passed') sum.passedRuns++;
    if (item.executionPolicy !== undefined) sum.policy = item.executionPolicy;
    byEvaluation.set(item.evaluationId, sum);
  }
  if (byEvaluation.size === 0) return undefined;
  return Object.fromEntries(
    [...byEvaluation].map(([id, { passedRuns, runs: total, policy }]) => [
      id,
      {
        passed_runs: passedRuns,
        total_runs: total,
        status: hasPassed({ passedRuns, executionPolicy: policy }) ? 'passed' : 'failed',
      },
    ]),
  );
};
