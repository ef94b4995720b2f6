// Figures of several serving processes: a scrape reaches any one of them, and the primary adds up what all of them count.
import cluster from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';

const kind = 'orrery:figures';
const waitMs = 6000;

interface Message {
  readonly kind: typeof kind;
  readonly number: number;
  /** Absent in a question, and in the answer where the figures could not be gathered. */
  readonly text?: string;
}
const isMessage = (given: unknown): given is Message =>
  typeof given === 'object' &&
  given !== null &&
  (given as { readonly kind?: unknown }).kind === kind; // any object can be asked for a member

let asked = 0;
const waiting = new Map<number, (text: string | undefined) => void>();
let listens = false;

const listen = (): void => {
  if (listens) return;
  listens = true;
  new AggregatorRegistry(); // answers the primary's question for the figures of this process
  process.on('message', (message: unknown) => {
    if (!isMessage(message)) return;
    waiting.get(message.number)?.(message.text);
    waiting.delete(message.number);
  });
};

/** The figures of all serving processes together; nothing where this process is the only one, or the primary does not answer in time. */
export const askPrimary = (): Promise<string | undefined> => {
  const send = process.send?.bind(process);
  if (!cluster.isWorker || send === undefined) return Promise.resolve(undefined);
  listen();
  const number = ++asked;
  return new Promise((resolve) => {
    const late = setTimeout(() => {
      waiting.delete(number);
      resolve(undefined);
    }, waitMs);
    waiting.set(number, (text) => {
      clearTimeout(late);
      resolve(text);
    });
    send({ kind, number } satisfies Message);
  });
};

/** Makes a worker ready to tell its figures, whoever asks first. */
export const tellFigures = (): void => {
  if (cluster.isWorker) listen();
};

/** Adds up the figures of all workers whenever one of them asks; for the primary. */
export const gatherFigures = (): void => {
  const gathered = new AggregatorRegistry();
  cluster.on('message', (worker, message: unknown) => {
    if (!isMessage(message)) return;
    const answer = (text?: string): void => {
      if (worker.isConnected())
        worker.send({
          kind,
          number: message.number,
          ...(text === undefined ? {} : { text }),
        } satisfies Message);
    };
    gathered.clusterMetrics().then(answer, () => {
      answer();
    });
  });
};
