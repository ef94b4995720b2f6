// Lines of output as a list asks for them: all of them by their numbers, or those that were looked for, as far as they were found.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { runOutputOperations } from '#ports/api/run-output';
import type { Static } from '#ports/api/schema';
import { pagesMissing } from '../../pure/long-list.js';
import { outputChanged } from '../live.js';
import { useTurn } from '../loading.js';
import { saysFault } from '../request.js';
import { runServer } from '../server.js';

type Reply = Static<(typeof runOutputOperations)['readOutputLines']['replies'][200]>;
export type OutputLine = Reply['lines'][number];

/** Numbers of the first and the last line. */
type Range = readonly [from: number, to: number];

export interface LineList {
  /** How many lines the list has; `undefined` until that is known. */
  readonly count: number | undefined;
  /** Lines of the whole output. */
  readonly total: number | undefined;
  /** Whether there may be more than `count`. */
  readonly more: boolean;
  readonly fault: string | undefined;
  /** The line in a place, from 0 on; `undefined` until it is there. */
  at(place: number): OutputLine | undefined;
  /** Says which places are on the screen; what is not there is fetched. */
  want(from: number, to: number): void;
}

const [pageLines, tailLines, mostHeld] = [500, 500, 20_000];
/** A list that is scrolled past asks for nothing. */
const restMs = 40;

/** Goes up to draw again. */
const useAgain = () => {
  const [, set] = useState(0);
  return () => set((now) => now + 1);
};

const readPage = async (
  run: string,
  page: number,
  signal: AbortSignal,
): Promise<readonly OutputLine[]> => {
  const lines: OutputLine[] = [];
  const to = (page + 1) * pageLines;
  let from: number | null = page * pageLines + 1;
  while (from !== null && from <= to) {
    const query: { from: number; to: number; limit: number } = { from, to, limit: pageLines };
    const reply: Reply = await runServer.readOutputLines({ params: { run }, query }, signal);
    lines.push(...reply.lines);
    from = reply.next;
  }
  return lines;
};

interface Held {
  lines: Map<number, OutputLine>;
  total: number | undefined;
  fault: string | undefined;
  wanted: Range;
  asked: number | undefined;
  leaving: AbortController | undefined;
}

const noneHeld = (): Held => ({
  ...{ lines: new Map(), total: undefined, fault: undefined },
  ...{ wanted: [1, 0], asked: undefined, leaving: undefined },
});

/** Every line, of which those around the screen are there. With `follow`, the last ones come as they are written. */
export const useWholeOutput = (run: string, follow: boolean, wanted: boolean): LineList => {
  const again = useAgain();
  const ref = useRef(noneHeld());
  const held = ref.current;
  const turn = useTurn(held.fault !== undefined);
  const tick = wanted ? outputChanged.value : 0;

  const hold = (lines: readonly OutputLine[], fresh: boolean): void => {
    // Lines that came late move the numbers of others: what was read before may not go with what is read now.
    if (fresh || held.lines.size > mostHeld) held.lines = new Map();
    for (const line of lines) held.lines.set(line.number, line);
    held.fault = undefined;
    again();
  };
  const fail = (signal: AbortSignal) => (thrown: unknown) => {
    if (signal.aborted) return;
    held.fault = saysFault(thrown);
    again();
  };
  const fetchPages = async (pages: readonly number[], fresh: boolean): Promise<void> => {
    held.leaving?.abort();
    held.leaving = new AbortController();
    const { signal } = held.leaving;
    try {
      hold((await Promise.all(pages.map((page) => readPage(run, page, signal)))).flat(), fresh);
    } catch (thrown) {
      fail(signal)(thrown);
    }
  };

  useEffect(() => {
    Object.assign(held, noneHeld());
    return () => {
      clearTimeout(held.asked);
      held.leaving?.abort();
    };
  }, [run]);
  useEffect(() => {
    if (!wanted) return undefined;
    const leaving = new AbortController();
    const query = { tail: follow ? tailLines : 1 };
    runServer
      .readOutputLines({ params: { run }, query }, leaving.signal)
      .then(({ lines, total }) => {
        if (leaving.signal.aborted) return;
        const changed = held.total !== total;
        held.total = total;
        hold(lines, changed && follow);
        // What is on the screen is read anew where it changed; where it is asked for once more, what did not come.
        const afresh = changed && !follow;
        const pages = pagesMissing(
          held.wanted,
          pageLines,
          (line) => !afresh && held.lines.has(line),
        );
        if (afresh || (turn > 0 && pages.length > 0)) void fetchPages(pages, afresh);
      }, fail(leaving.signal));
    return () => leaving.abort();
  }, [run, follow, wanted, tick, turn]);

  return {
    count: held.total,
    total: held.total,
    more: false,
    fault: held.fault,
    at: (place) => held.lines.get(place + 1),
    want(from, to) {
      held.wanted = [from + 1, Math.min(to + 1, held.total ?? 0)];
      clearTimeout(held.asked);
      held.asked = setTimeout(() => {
        const pages = pagesMissing(held.wanted, pageLines, (line) => held.lines.has(line));
        if (pages.length > 0) void fetchPages(pages, false);
      }, restMs);
    },
  };
};

interface FoundLines {
  lines: readonly OutputLine[];
  total: number | undefined;
  /** From which line on nothing was looked at yet; `null` where all was. */
  next: number | null;
  fault: string | undefined;
  wanted: number;
  leaving: AbortController | undefined;
}

/** More lines than that are not held; the list says so. */
export const mostFound = 100_000;
const foundAtOnce = 1000;
/** How many are found before they are scrolled to. */
const ahead = 200;

const noneFound = (): FoundLines => ({
  ...{ lines: [], total: undefined, next: 1, fault: undefined, wanted: ahead, leaving: undefined },
});

/** Lines that hold a text, or those of standard error, or both; as far as the list was scrolled. */
export const useFoundOutput = (
  run: string,
  { search, stderr }: { readonly search: string; readonly stderr: boolean },
): LineList => {
  const again = useAgain();
  const ref = useRef(noneFound());
  const found = ref.current;
  const turn = useTurn(found.fault !== undefined);
  const wanted = search !== '' || stderr;
  const tick = wanted ? outputChanged.value : 0;

  const look = async (): Promise<void> => {
    if (found.leaving !== undefined) return;
    const { signal } = (found.leaving = new AbortController());
    try {
      while (found.next !== null && found.lines.length < Math.min(found.wanted, mostFound)) {
        const from: number = found.next;
        const query = {
          ...{ from, limit: foundAtOnce },
          ...(search === '' ? {} : { search, ignoreCase: true }),
          ...(stderr ? { stderr } : {}),
        };
        const reply: Reply = await runServer.readOutputLines({ params: { run }, query }, signal);
        const before = found.lines.filter(({ number }) => number < from);
        found.lines = [...before, ...reply.lines];
        found.total = reply.total;
        found.next = reply.next;
        found.fault = undefined;
        again();
      }
    } catch (thrown) {
      if (signal.aborted) return;
      found.fault = saysFault(thrown);
      again();
    } finally {
      if (!signal.aborted) found.leaving = undefined;
    }
  };

  useEffect(() => {
    found.leaving?.abort();
    Object.assign(found, noneFound());
    if (wanted) void look();
    return () => found.leaving?.abort();
  }, [run, search, stderr]);
  useEffect(() => {
    if (!wanted || found.next !== null || found.total === undefined) return;
    // The last line may have gone on since.
    found.next = Math.max(1, found.total);
    found.wanted = Math.max(found.wanted, found.lines.length + ahead);
    void look();
  }, [tick]);
  useEffect(() => {
    if (wanted && turn > 0) void look();
  }, [turn]);

  return {
    count: found.total === undefined ? undefined : found.lines.length,
    total: found.total,
    more: found.next !== null,
    fault: found.fault,
    at: (place) => found.lines[place],
    want(_, to) {
      found.wanted = Math.max(found.wanted, to + ahead);
      void look();
    },
  };
};
