// Evaluations as rows.
import type {
  EvaluatedPrompt,
  Evaluation,
  EvaluationMethod,
  EvaluationScore,
  EvaluationStatus,
  EvaluationType,
} from '#ports/model/evaluations';
import {
  authorshipColumns,
  authorshipRow,
  jsonIn,
  jsonText,
  textIn,
  toAuthorship,
  wholeIn,
  type Row,
} from './authorship.js';
import { keyOf } from './connection.js';

export const evaluationColumns = [
  'workspace_id',
  'id',
  'project_id',
  'dataset_id',
  'dataset_version_id',
  'optimization_id',
  'name',
  'metadata',
  'tags',
  'type',
  'method',
  'status',
  'scores',
  'finished_at',
  ...authorshipColumns,
];

/** Names that differ by case alone are found together. */
export const nameKey = (name: string): string => keyOf(name.toLowerCase());

/** Scores are kept by their name in lower case, by which they are asked for: `{"accuracy": ["Accuracy", 0.5]}`. */
type KeptScores = Readonly<Record<string, readonly [string, number]>>;

export const scoresText = (scores: readonly EvaluationScore[] | undefined): string | null =>
  scores === undefined
    ? null
    : jsonText(
        Object.fromEntries(
          scores.map(({ name, value }): [string, KeptScores[string]] => [
            name.toLowerCase(),
            [name, value],
          ]),
        ),
      );
const toScores = (kept: KeptScores | undefined): readonly EvaluationScore[] | undefined =>
  kept === undefined ? undefined : Object.values(kept).map(([name, value]) => ({ name, value }));

export const toEvaluation = (row: Row, prompts: readonly EvaluatedPrompt[]): Evaluation => ({
  workspaceId: String(row['workspace_id']),
  id: String(row['id']),
  projectId: textIn(row, 'project_id'),
  datasetId: textIn(row, 'dataset_id'),
  datasetVersionId: textIn(row, 'dataset_version_id'),
  optimizationId: textIn(row, 'optimization_id'),
  name: String(row['name']),
  metadata: textIn(row, 'metadata'),
  tags: jsonIn<readonly string[]>(row, 'tags'),
  type: String(row['type']) as EvaluationType, // as it was written, and the next two
  method: String(row['method']) as EvaluationMethod,
  status: textIn(row, 'status') as EvaluationStatus | undefined,
  scores: toScores(jsonIn<KeptScores>(row, 'scores')),
  finishedAt: wholeIn(row, 'finished_at'),
  prompts,
  ...toAuthorship(row),
});

export const evaluationRow = (evaluation: Evaluation): Row => ({
  workspace_id: evaluation.workspaceId,
  id: evaluation.id,
  project_id: evaluation.projectId ?? null,
  dataset_id: evaluation.datasetId ?? null,
  dataset_version_id: evaluation.datasetVersionId ?? null,
  optimization_id: evaluation.optimizationId ?? null,
  name: evaluation.name,
  name_key: nameKey(evaluation.name),
  metadata: evaluation.metadata ?? null,
  tags: jsonText(evaluation.tags),
  type: evaluation.type,
  method: evaluation.method,
  status: evaluation.status ?? null,
  scores: scoresText(evaluation.scores),
  finished_at: evaluation.finishedAt ?? null,
  ...authorshipRow(evaluation),
});
