import type { FieldFilter } from '../field-query.js';

/** A prompt as somebody tries it: a model, messages with placeholders for members of an item's data, and settings of the model. */
export interface TriedPrompt {
  readonly model: string;
  /** Each has a `role` and a `content`, which is a text or a list of parts. */
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  /** As a client names them: `temperature`, `max_completion_tokens`, … */
  readonly configs: Readonly<Record<string, unknown>>;
}

/** The running of a prompt over the items of a dataset, whose answers become the items of an evaluation. */
export interface PromptRun {
  readonly workspaceId: string;
  readonly evaluationId: string;
  /** Where the traces of the answers go. */
  readonly projectId: string;
  readonly datasetId: string;
  /** Number of the version of the dataset. */
  readonly version: number;
  /** Which items of that version: as `DatasetItemStore` lists them. */
  readonly filters: readonly FieldFilter[];
  readonly prompt: TriedPrompt;
  /** Place of the prompt in its request, from 0 on. */
  readonly promptIndex: number;
  /** Rules that score the answers besides those that would anyhow. */
  readonly ruleIds: readonly string[];
  /** In whose name. */
  readonly userName: string;
  /** Items from this one on are done: the greatest id comes first. */
  readonly doneId: string | undefined;
}

/** A run that somebody works on. */
export interface ClaimedPromptRun extends PromptRun {
  /** How often it was claimed since it last went on, this time included. */
  readonly tries: number;
}
