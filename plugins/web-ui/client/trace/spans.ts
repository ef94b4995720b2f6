// The spans of a trace without what they were given and gave: a few hundred bytes each, page after page.
import { useEffect, useState } from 'preact/hooks';
import type { TraceSpan } from '../../pure/trace-tree.js';
import { readLines } from '../../pure/trace-values.js';
import { saysFault } from '../request.js';
import { spansServer, type ShownSpan } from '../traces-server.js';

const pageSize = 2000;
/** A trace of more is shown by the newest of its spans, and says so. */
export const mostSpans = 50_000;
const left = [
  'input',
  'output',
  'metadata',
  'comments',
  'tags',
  'feedback_scores',
  'created_by',
  'last_updated_by',
];

const spanOf = (line: Readonly<Record<string, unknown>>): TraceSpan => {
  const span = line as unknown as ShownSpan; // a line of this row is a span
  const start = Date.parse(span.start_time ?? '') || 0;
  const error = span.error_info;
  return {
    id: span.id,
    parent: span.parent_span_id,
    name: span.name ?? span.type ?? 'span',
    type: span.type ?? 'general',
    model: span.model,
    start,
    end: span.end_time === undefined ? undefined : Date.parse(span.end_time),
    cost: span.total_estimated_cost ?? 0,
    tokens: span.usage?.['total_tokens'] ?? 0,
    error:
      error === undefined ? undefined : `${error.exception_type}: ${error.message ?? ''}`.trim(),
  };
};

export interface LoadedSpans {
  readonly spans: readonly TraceSpan[];
  /** Whether more are on their way. */
  readonly busy: boolean;
  /** Whether there are more than are shown. */
  readonly cut: boolean;
  readonly fault: string | undefined;
}

/** Pages come one after another, each behind the last id of the one before; what is there is shown meanwhile. */
export const useSpans = (
  projectId: string | undefined,
  traceId: string,
  tick: number,
): LoadedSpans => {
  const [loaded, setLoaded] = useState<LoadedSpans>({
    ...{ spans: [], busy: true, cut: false, fault: undefined },
  });
  useEffect(() => {
    if (projectId === undefined) return undefined;
    const leaving = new AbortController();
    const load = async () => {
      const spans: TraceSpan[] = [];
      let shown = 0;
      for (let last: string | undefined; ;) {
        const body = { project_id: projectId, trace_id: traceId, exclude: left, limit: pageSize };
        const page = readLines(
          await spansServer.search(
            { body: last === undefined ? body : { ...body, last_retrieved_id: last } },
            leaving.signal,
          ),
        ).map(spanOf);
        spans.push(...page);
        last = page.at(-1)?.id;
        const more = page.length === pageSize;
        const cut = more && spans.length >= mostSpans;
        // The tree is made anew only when it has grown a lot; when it is asked for once more, what was there stays until all of it is.
        const shows = !more || cut || spans.length >= 2 * shown;
        if (shows) shown = spans.length;
        if (shows)
          setLoaded((before) =>
            more && !cut && before.spans.length > spans.length
              ? before
              : { spans: [...spans], busy: more && !cut, cut, fault: undefined },
          );
        if (!more || cut) return;
      }
    };
    load().catch((thrown: unknown) => {
      if (!leaving.signal.aborted)
        setLoaded((before) => ({ ...before, busy: false, fault: saysFault(thrown) }));
    });
    return () => leaving.abort();
  }, [projectId, traceId, tick]);
  return loaded;
};
