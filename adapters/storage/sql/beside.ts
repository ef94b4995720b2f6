// Work on a thread beside: it is started with the first piece, does one after the other, and ends when it had nothing to do for a while.
import { parentPort, Worker } from 'node:worker_threads';

/** How long a thread is kept without work, in ms. */
const keptMs = 30_000;

interface Order<Given> {
  readonly id: number;
  readonly given: Given;
}
type Answer<Made> =
  { readonly id: number; readonly made: Made } | { readonly id: number; readonly fault: string };

interface Waiting<Made> {
  readonly done: (made: Made) => void;
  readonly failed: (why: Error) => void;
}

/** Gives a piece of work to the thread, with memory that is needed here no more. Rejects where the work failed, and with `ThreadEnded` where the thread did. */
export type Beside<Given, Made> = (given: Given, memory: readonly ArrayBuffer[]) => Promise<Made>;

export class ThreadEnded extends Error {}

const start = <Given, Made>(file: URL, youngMb: number, onEnd: () => void): Beside<Given, Made> => {
  const thread = new Worker(file, { resourceLimits: { maxYoungGenerationSizeMb: youngMb } });
  thread.unref();
  const waiting = new Map<number, Waiting<Made>>();
  let last = 0;
  let idle: NodeJS.Timeout | undefined;
  const rest = () => {
    idle = setTimeout(() => {
      onEnd();
      void thread.terminate();
    }, keptMs).unref();
  };
  const end = (why: string) => {
    onEnd();
    clearTimeout(idle);
    for (const { failed } of waiting.values()) failed(new ThreadEnded(why));
    waiting.clear();
  };
  thread.on('message', (answer: Answer<Made>) => {
    const one = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('fault' in answer) one?.failed(new Error(answer.fault));
    else one?.done(answer.made);
    if (waiting.size > 0) return;
    thread.unref();
    rest();
  });
  thread.once('error', ({ message }) => {
    end(message);
  });
  thread.once('exit', () => {
    end('the thread beside has ended');
  });
  return (given, memory) =>
    new Promise((done, failed) => {
      clearTimeout(idle);
      thread.ref(); // what waits for it must be answered
      const id = ++last;
      waiting.set(id, { done, failed });
      const order: Order<Given> = { id, given };
      thread.postMessage(order, memory);
    });
};

/** A thread of a file that serves; it may have objects of `youngMb` MiB that are young. */
export const threadBeside = <Given, Made>(file: URL, youngMb: number): Beside<Given, Made> => {
  let running: Beside<Given, Made> | undefined;
  return (given, memory) => {
    const thread = (running ??= start<Given, Made>(file, youngMb, () => {
      if (running === thread) running = undefined;
    }));
    return thread(given, memory);
  };
};

/** Serves on the thread itself: `work` answers what was made, and the memory that is handed over with it. */
export const serveBeside = <Given, Made>(
  work: (given: Given) => { readonly made: Made; readonly memory: readonly ArrayBuffer[] },
): void => {
  parentPort?.on('message', ({ id, given }: Order<Given>) => {
    let answer: Answer<Made>;
    let handed: readonly ArrayBuffer[] = [];
    try {
      const { made, memory } = work(given);
      [answer, handed] = [{ id, made }, memory];
    } catch (thrown) {
      answer = { id, fault: thrown instanceof Error ? thrown.message : String(thrown) };
    }
    parentPort?.postMessage(answer, handed);
  });
};
