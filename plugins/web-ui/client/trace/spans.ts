// The spans of a trace without what they were given and gave: a few hundred bytes each, page after page.
import { useLayoutEffect, useState } from 'preact/hooks';
import type { TraceSpan } from '../../pure/trace-tree.js';
import { firstSpans, mostSpans, nextSpans, spanOfLine } from '../../pure/span-lines.js';
import { readLines } from '../../pure/trace-values.js';
import { spansId } from '../../pure/asking.js';
import { useTurn } from '../loading.js';
import { takeBytes } from '../replies.js';
import { saysFault } from '../request.js';
import { spansServer } from '../traces-server.js';

export interface LoadedSpans {
  readonly spans: readonly TraceSpan[];
  /** Whether more are on their way. */
  readonly busy: boolean;
  /** Whether they are being asked for, also once more. */
  readonly asking: boolean;
  /** Whether there are more than are shown. */
  readonly cut: boolean;
  readonly fault: string | undefined;
}

type SpansRequest = ReturnType<typeof firstSpans>;

/** The reply to the first request where the page brings it, else as the server answers. */
const askFirst = async (body: SpansRequest, signal: AbortSignal): Promise<ArrayBuffer> => {
  const came = takeBytes(spansId);
  const isSame = came !== undefined && JSON.stringify(came.body) === JSON.stringify(body);
  return (isSame ? await came.bytes : undefined) ?? spansServer.search({ body }, signal);
};

/** Pages come one after another, each behind the last id of the one before; what is there is shown meanwhile. */
export const useSpans = (
  projectId: string | undefined,
  traceId: string,
  tick: number,
): LoadedSpans => {
  const [loaded, setLoaded] = useState<LoadedSpans>({
    ...{ spans: [], busy: true, asking: true, cut: false, fault: undefined },
  });
  const turn = useTurn(loaded.fault !== undefined);
  useLayoutEffect(() => {
    if (projectId === undefined) return undefined;
    const leaving = new AbortController();
    setLoaded((before) => (before.asking ? before : { ...before, asking: true }));
    const load = async () => {
      const spans: TraceSpan[] = [];
      let shown = 0;
      const first = firstSpans(projectId, traceId);
      for (let body: SpansRequest = first; ;) {
        const bytes = await (body === first
          ? askFirst(body, leaving.signal)
          : spansServer.search({ body }, leaving.signal));
        const page = readLines(bytes).map(spanOfLine);
        for (const one of page) spans.push(one);
        const last = page.at(-1)?.id;
        const more = last !== undefined && page.length === body.limit;
        const cut = more && spans.length >= mostSpans;
        // The tree is made anew only when it has grown a lot; when it is asked for once more, what was there stays until all of it is.
        const shows = !more || cut || spans.length >= 2 * shown;
        if (shows) shown = spans.length;
        if (shows)
          setLoaded((before) =>
            more && !cut && before.spans.length > spans.length
              ? before
              : {
                  ...{ spans: [...spans], cut, fault: undefined },
                  ...{ busy: more && !cut, asking: more && !cut },
                },
          );
        if (!more || cut || leaving.signal.aborted) return;
        body = nextSpans(first, last, spans.length);
      }
    };
    load().catch((thrown: unknown) => {
      if (!leaving.signal.aborted)
        setLoaded((before) => ({
          ...before,
          busy: false,
          asking: false,
          fault: saysFault(thrown),
        }));
    });
    return () => leaving.abort();
  }, [projectId, traceId, tick, turn]);
  return loaded;
};
