// The spans of a trace without what they were given and gave: a few hundred bytes each, page after page.
import { useLayoutEffect, useState } from 'preact/hooks';
import type { TraceSpan } from '../../pure/trace-tree.js';
import { leftOfSpans, spanOfLine } from '../../pure/span-lines.js';
import { readLines } from '../../pure/trace-values.js';
import { saysFault } from '../request.js';
import { spansServer } from '../traces-server.js';

/** Spans of the first page, which is what one waits for, and of each after it. */
const [firstSize, pageSize] = [500, 2000];
/** A trace of more is shown by the newest of its spans, and says so. */
export const mostSpans = 50_000;
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
  useLayoutEffect(() => {
    if (projectId === undefined) return undefined;
    const leaving = new AbortController();
    const load = async () => {
      const spans: TraceSpan[] = [];
      let shown = 0;
      for (let last: string | undefined; ;) {
        const limit = last === undefined ? firstSize : Math.min(pageSize, mostSpans - spans.length);
        const body = {
          project_id: projectId,
          trace_id: traceId,
          exclude: [...leftOfSpans],
          limit,
        };
        const page = readLines(
          await spansServer.search(
            { body: last === undefined ? body : { ...body, last_retrieved_id: last } },
            leaving.signal,
          ),
        ).map(spanOfLine);
        spans.push(...page);
        last = page.at(-1)?.id;
        const more = page.length === limit;
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
