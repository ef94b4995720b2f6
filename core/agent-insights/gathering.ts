// Reads of the traces of a project what its issues are found by: a bounded part of them, and of each only what is compared.
import { idsBetween } from '#ports/id-time';
import type { TraceSelection } from '#ports/storage/traces';
import type { Stores } from '#ports/storage/storage';
import { readError, type ErrorSign } from './errors.js';

/** A trace as it is compared with others. */
export interface TraceFacts {
  readonly id: string;
  readonly name: string;
  /** Stands for the user: one conversation is somebody's. */
  readonly threadId: string | undefined;
  /** In ms; `undefined` while it goes on. */
  readonly durationMs: number | undefined;
  /** US dollars. */
  readonly cost: number | undefined;
  readonly error: ErrorSign | undefined;
}
/** An error of a span. */
export interface SpanError {
  readonly traceId: string;
  readonly error: ErrorSign;
}
export interface Facts {
  /** The newest ones. */
  readonly traces: readonly TraceFacts[];
  /** How many there are. */
  readonly total: number;
  readonly spanErrors: readonly SpanError[];
  /** Traces that a guardrail did not let pass, by its name. */
  readonly guardrails: ReadonlyMap<string, ReadonlySet<string>>;
}

export type Reading = Pick<Stores, 'guardrails' | 'traceFigures' | 'traces'>;

const [mostTraces, mostSpans, atOnce] = [5000, 2000, 500];
const bodies = new Set(['input', 'output', 'metadata']);
const failed = [{ field: 'error_info', is: 'presence', operator: 'isNotEmpty' }] as const;
const mostBytes = 16_000_000;

const unnamed = '(unnamed)';

const readTraces = async (
  { traces }: Reading,
  selection: TraceSelection,
  signal: AbortSignal,
): Promise<readonly TraceFacts[]> => {
  const all: TraceFacts[] = [];
  let beforeId: string | undefined;
  while (all.length < mostTraces && !signal.aborted) {
    const page = await traces.listTraces({
      ...{ ...selection, omitted: bodies, limit: atOnce, mostBytes },
      ...(beforeId === undefined ? {} : { beforeId }),
    });
    const last = page.at(-1);
    if (last === undefined) break;
    beforeId = last.id;
    const sums = await traces.sumSpans(
      selection.projectId,
      page.map(({ id }) => id),
    );
    for (const trace of page) {
      const name = trace.name ?? unnamed;
      all.push({
        ...{ id: trace.id, name, threadId: trace.threadId },
        durationMs:
          trace.endTime === undefined ? undefined : (trace.endTime - trace.startTime) / 1000,
        cost: sums.get(trace.id)?.cost,
        error: trace.errorInfo === undefined ? undefined : readError(trace.errorInfo, name),
      });
    }
  }
  return all;
};

const readSpanErrors = async (
  { traces }: Reading,
  selection: TraceSelection,
  signal: AbortSignal,
): Promise<readonly SpanError[]> => {
  const all: SpanError[] = [];
  let beforeId: string | undefined;
  while (all.length < mostSpans && !signal.aborted) {
    const page = await traces.listSpans({
      ...{ ...selection, filters: failed, omitted: bodies, limit: atOnce, mostBytes },
      ...(beforeId === undefined ? {} : { beforeId }),
    });
    const last = page.at(-1);
    if (last === undefined) break;
    beforeId = last.id;
    for (const { traceId, errorInfo, name } of page)
      if (errorInfo !== undefined)
        all.push({ traceId, error: readError(errorInfo, name ?? unnamed) });
  }
  return all;
};

const readGuardrails = async (
  { guardrails }: Reading,
  projectId: string,
  traces: readonly TraceFacts[],
): Promise<Facts['guardrails']> => {
  const found = new Map<string, Set<string>>();
  for (let from = 0; from < traces.length; from += atOnce) {
    const ids = traces.slice(from, from + atOnce).map(({ id }) => id);
    for (const { name, passed, traceId } of await guardrails.list(projectId, ids))
      if (!passed) found.set(name, (found.get(name) ?? new Set()).add(traceId));
  }
  return found;
};

/** The facts of a period, in microseconds; its end is no part of it. */
export const gatherFacts = async (
  stores: Reading,
  projectId: string,
  [from, to]: readonly [number, number],
  signal: AbortSignal,
): Promise<Facts> => {
  const selection = { projectId, filters: [], ...idsBetween(from, to) };
  const traces = await readTraces(stores, selection, signal);
  const { count } = await stores.traceFigures.totalTraces(selection);
  return {
    traces,
    total: Math.max(count, traces.length),
    spanErrors: await readSpanErrors(stores, selection, signal),
    guardrails: await readGuardrails(stores, projectId, traces),
  };
};

/** The traces of a period alone, for comparison. */
export const gatherTraces = (
  stores: Reading,
  projectId: string,
  [from, to]: readonly [number, number],
  signal: AbortSignal,
): Promise<readonly TraceFacts[]> =>
  readTraces(stores, { projectId, filters: [], ...idsBetween(from, to) }, signal);
