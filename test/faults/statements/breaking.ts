// Breaks a storage off at the n-th statement that changes anything, as the death of its process does, or the loss of one connection.
import type { SqlStorage } from '#adapters/storage/sql/storage';

/**
 * How it breaks off: the process dies before the statement is sent, or after the database carried it out and before the reply came; or one connection
 * is lost in that way, and the process goes on.
 */
export const manners = ['unsent', 'unanswered', 'cut'] as const;
export type Manner = (typeof manners)[number];

export interface Breaking {
  /** From now on, statements that change anything are counted, and the one of that number breaks: what ends before one that reads ends behind the change before it. */
  breakAt(number: number, manner: Manner): void;
  /** Lets everything through again. Answers the statement that broke. */
  mend(): string | undefined;
}

type Done = (fault: Error) => void;

interface Socket {
  destroy(): void;
}
/** A connection of one of the two drivers. */
interface Raw {
  query(...args: unknown[]): unknown;
  readonly stream?: Socket;
  readonly connection?: { readonly stream: Socket };
}

const close = ({ connection, stream }: Raw): void => {
  (connection?.stream ?? stream)?.destroy();
};

const died = (): Error => new Error('this process is no more');
const lost = (): Error =>
  Object.assign(new Error('the connection was lost'), { code: 'ECONNRESET' });

const textOf = ([first]: readonly unknown[]): string => {
  if (typeof first === 'string') return first;
  const { text, sql } = first as { readonly text?: string; readonly sql?: string }; // a statement of either driver
  return text ?? sql ?? 'a stream';
};

const changesNothing = /^\s*(?:select|begin|start|set|rollback|declare|fetch|close)\b/i;

/** Refuses a statement in the way in which its reply is waited for. */
const refuse = (args: readonly unknown[], fault: Error): unknown => {
  const done = args.at(-1);
  if (typeof done === 'function') {
    setImmediate(done as Done, fault);
    return undefined;
  }
  const refusal = Promise.reject(fault);
  refusal.catch(() => undefined);
  return refusal;
};

/** Sends a statement and, once it is answered, does something and says so instead of the answer. */
const sendThen = (
  query: (...args: unknown[]) => unknown,
  args: readonly unknown[],
  end: () => Error,
): unknown => {
  const done = args.at(-1);
  if (typeof done === 'function')
    return query(...args.slice(0, -1), () => {
      (done as Done)(end());
    });
  const ended = (query(...args) as Promise<unknown>).then(
    () => Promise.reject(end()),
    () => Promise.reject(end()),
  );
  ended.catch(() => undefined);
  return ended;
};

/** Watches the connections that a storage makes from now on. */
export const breakable = ({ connection }: SqlStorage): Breaking => {
  const client = connection.db.client as {
    acquireRawConnection(): Promise<Raw>;
  }; // knex's client, of which its types tell nothing
  const open = new Set<Raw>();
  let plan: { readonly number: number; readonly manner: Manner } | undefined;
  let [count, isDead] = [0, false];
  let broken: string | undefined;

  const die = (): Error => {
    isDead = true;
    for (const raw of open) close(raw);
    open.clear();
    return died();
  };
  const watch = (raw: Raw): Raw => {
    const query = raw.query.bind(raw);
    raw.query = (...args) => {
      if (isDead) return refuse(args, died());
      const text = textOf(args);
      if (plan === undefined || changesNothing.test(text) || ++count !== plan.number)
        return query(...args);
      broken = text;
      if (plan.manner === 'unsent') return refuse(args, die());
      // What else is asked for while the reply is on its way is not sent.
      isDead = plan.manner === 'unanswered';
      return sendThen(query, args, () => {
        if (plan?.manner === 'unanswered') return die();
        open.delete(raw);
        close(raw);
        return lost();
      });
    };
    open.add(raw);
    return raw;
  };
  const acquire = client.acquireRawConnection.bind(client);
  client.acquireRawConnection = async () => watch(await acquire());

  return {
    breakAt(number, manner) {
      plan = { number, manner };
      [count, broken, isDead] = [0, undefined, false];
    },
    mend() {
      [plan, isDead] = [undefined, false];
      return broken;
    },
  };
};
