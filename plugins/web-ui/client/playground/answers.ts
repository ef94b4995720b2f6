// Asks models for one answer each, which shows as it comes.
import { useEffect, useRef, useState } from 'preact/hooks';
import {
  chatRequest,
  noAnswer,
  pieceReader,
  withPiece,
  type Draft,
  type ModelAnswer,
  type Variant,
} from '../../pure/playground.js';
import { chatPath } from '../evaluating-server.js';
import { pieces, saysFault } from '../request.js';

export interface Answering {
  readonly answer: ModelAnswer;
  readonly fault: string | undefined;
  readonly busy: boolean;
  readonly tookMs: number | undefined;
}

const ask = async (
  variant: Variant,
  values: Draft['values'],
  signal: AbortSignal,
  onAnswer: (answer: ModelAnswer) => void,
): Promise<void> => {
  const read = pieceReader();
  let answer = noAnswer;
  for await (const text of pieces(chatPath, chatRequest(variant, values), signal)) {
    for (const piece of read(text)) answer = withPiece(answer, piece);
    onAnswer(answer);
  }
};

/** Answers by the key of their variant. A variant that is asked again gives its answer so far up. */
export const useAnswers = () => {
  const [all, setAll] = useState<ReadonlyMap<number, Answering>>(new Map());
  const going = useRef(new Map<number, AbortController>());
  const stop = () => {
    for (const one of going.current.values()) one.abort();
    going.current.clear();
  };
  useEffect(() => stop, []);
  const put = (key: number, change: Partial<Answering>) =>
    setAll((now) => {
      const before = now.get(key) ?? {
        ...{ answer: noAnswer, fault: undefined, busy: true, tookMs: undefined },
      };
      return new Map([...now, [key, { ...before, ...change }]]);
    });
  const run = (variant: Variant, values: Draft['values']) => {
    const { key } = variant;
    going.current.get(key)?.abort();
    const leaving = new AbortController();
    going.current.set(key, leaving);
    const began = performance.now();
    put(key, { answer: noAnswer, fault: undefined, busy: true, tookMs: undefined });
    const end = (change: Partial<Answering>) => {
      // One that was asked again meanwhile has its own end.
      if (going.current.get(key) !== leaving && going.current.has(key)) return;
      going.current.delete(key);
      put(key, { ...change, busy: false });
    };
    ask(variant, values, leaving.signal, (answer) => put(key, { answer })).then(
      () => end({ tookMs: performance.now() - began }),
      (thrown: unknown) => end({ fault: leaving.signal.aborted ? 'stopped' : saysFault(thrown) }),
    );
  };
  return { all, run, stop, busy: [...all.values()].some((one) => one.busy) };
};
