// The trials of a search for a better prompt: what each came to, and the best so far. Pure.

interface Scored {
  readonly name: string;
  readonly value: number;
}
export interface Trial {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly created_at: string;
  readonly metadata?: unknown;
  readonly feedback_scores: readonly Scored[];
  readonly experiment_scores?: readonly Scored[] | undefined;
}

/** What a trial came to: its own score of that name, else the mean over its items. */
export const objectiveOf = (trial: Trial, objective: string): number | undefined =>
  [...(trial.experiment_scores ?? []), ...trial.feedback_scores].find(
    ({ name }) => name === objective,
  )?.value;

export interface RankedTrial<T extends Trial> {
  readonly trial: T;
  /** From 1, in the order in which they were made. */
  readonly number: number;
  readonly value: number | undefined;
  /** The greatest value up to here. */
  readonly best: number | undefined;
  /** Whether it is better than all before it. */
  readonly leads: boolean;
}

/** Trials in the order in which they were made, each with the best up to it; `skipped` of them came before these. */
export const rankedTrials = <T extends Trial>(
  trials: readonly T[],
  objective: string,
  skipped = 0,
): readonly RankedTrial<T>[] => {
  let best: number | undefined;
  return [...trials]
    .sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at) || (a.id < b.id ? -1 : 1))
    .map((trial, at) => {
      const value = objectiveOf(trial, objective);
      const leads = value !== undefined && (best === undefined || value > best);
      if (leads) best = value;
      return { trial, number: skipped + at + 1, value, best, leads };
    });
};

/** By how much a value is above another, in parts of a hundred of it; nothing where that is none. */
export const gainText = (base: number | undefined, best: number | undefined): string => {
  if (base === undefined || best === undefined || base === best) return '';
  if (base === 0) return '';
  const part = ((best - base) / Math.abs(base)) * 100;
  return `${part > 0 ? '+' : '−'}${Math.abs(part).toFixed(Math.abs(part) < 10 ? 1 : 0)} %`;
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The prompt that a trial tried, as its optimizer wrote it into the metadata; nothing where it did not. */
export const promptOf = ({ metadata }: Trial): unknown => {
  if (!isRecord(metadata)) return undefined;
  const configuration = isRecord(metadata['configuration']) ? metadata['configuration'] : {};
  return (
    configuration['prompt'] ??
    metadata['prompt'] ??
    configuration['messages'] ??
    metadata['prompts'] ??
    undefined
  );
};

/** A prompt as text: of messages a line of who says what for each. */
export const promptText = (prompt: unknown): string => {
  if (typeof prompt === 'string') return prompt;
  if (Array.isArray(prompt) && prompt.every(isRecord))
    return prompt
      .map((one) => {
        const content = one['content'];
        return `${String(one['role'] ?? 'message')}: ${typeof content === 'string' ? content : JSON.stringify(content ?? null)}`;
      })
      .join('\n');
  return JSON.stringify(prompt ?? null, null, 1);
};
