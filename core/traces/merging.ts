// What becomes of an entry that is written several times, in any order. Pure.
import type { Span, Trace, TraceEntry } from '#ports/model/traces';

/** Members that an update may bring: of the others a stored entry keeps its own. */
export type Change<T extends TraceEntry> = Partial<
  Omit<T, 'id' | 'projectId' | 'startTime' | 'createdAt' | 'createdBy' | 'partial'>
> &
  Pick<T, 'lastUpdatedAt' | 'lastUpdatedBy'>;

/** The stored entry, or the fresh one where that wins: the later one; of two of the same moment, one that has ended. */
const laterOf = <T extends TraceEntry>(stored: T, fresh: T): T => {
  const wins =
    fresh.lastUpdatedAt > stored.lastUpdatedAt ||
    (fresh.lastUpdatedAt === stored.lastUpdatedAt &&
      fresh.endTime !== undefined &&
      stored.endTime === undefined);
  return wins ? { ...fresh, createdAt: stored.createdAt, createdBy: stored.createdBy } : stored;
};

/** What an update has brought wins, and the entry itself fills the gaps. */
const fillGaps = <T extends TraceEntry>(stored: T, fresh: T): T => ({
  ...fresh,
  ...withoutGaps(stored),
  startTime: fresh.startTime,
  lastUpdatedAt: Math.max(stored.lastUpdatedAt, fresh.lastUpdatedAt),
  partial: false,
});

const withoutGaps = <T extends object>(entry: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(entry).filter(([, value]) => value !== undefined),
  ) as Partial<T>; // the same members, fewer of them

/** The entry after a create of a batch: a whole one replaces a whole one, and completes one that only updates have made. */
export const mergeCreated = <T extends TraceEntry>(stored: T | undefined, fresh: T): T => {
  if (stored === undefined) return fresh;
  return stored.partial ? fillGaps(stored, fresh) : laterOf(stored, fresh);
};

/** The entry after an update: what is sent wins, whatever is stored. */
export const mergeUpdated = <T extends TraceEntry>(stored: T, change: Change<T>): T => ({
  ...stored,
  ...withoutGaps(change),
  lastUpdatedAt: Math.max(stored.lastUpdatedAt, change.lastUpdatedAt),
});

/** Of several of one id in a batch: the latest of those that say when they were changed, and all that do not, in their order. */
export const readBatch = <
  T extends { readonly id: string; readonly stamped: boolean; readonly entry: TraceEntry },
>(
  items: readonly T[],
): readonly T[] => {
  const latest = new Map<string, T>();
  for (const item of items) {
    const before = latest.get(item.id);
    if (
      item.stamped &&
      (before === undefined || item.entry.lastUpdatedAt >= before.entry.lastUpdatedAt)
    )
      latest.set(item.id, item);
  }
  return items.filter((item) => !item.stamped || latest.get(item.id) === item);
};

const emptyEntry = (id: string, projectId: string, at: number, by: string): TraceEntry => ({
  id,
  projectId,
  name: undefined,
  startTime: 0,
  endTime: undefined,
  input: undefined,
  output: undefined,
  metadata: undefined,
  tags: undefined,
  errorInfo: undefined,
  ttft: undefined,
  source: undefined,
  environment: undefined,
  createdAt: at,
  createdBy: by,
  lastUpdatedAt: at,
  lastUpdatedBy: by,
  partial: true,
});

/** What stands for a trace of which only an update has come; it began in 1970 until the trace says otherwise. */
export const partialTrace = (id: string, projectId: string, at: number, by: string): Trace => ({
  ...emptyEntry(id, projectId, at, by),
  threadId: undefined,
});

/** The same for a span. */
export const partialSpan = (
  id: string,
  projectId: string,
  at: number,
  by: string,
  { traceId, parentSpanId }: Pick<Span, 'traceId' | 'parentSpanId'>,
): Span => ({
  ...emptyEntry(id, projectId, at, by),
  traceId,
  parentSpanId,
  type: undefined,
  model: undefined,
  provider: undefined,
  usage: undefined,
  cost: undefined,
  costVersion: undefined,
});
