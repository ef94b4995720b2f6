// One connection to a directory: encrypted before anything is said, and ended after a time whatever the server does.
import { isIP } from 'node:net';
import { Client, type SearchOptions } from 'ldapts';
import { Failure, isFailure } from '#ports/failure';

export interface DirectoryAddress {
  /** `ldap://` or `ldaps://`, with a host and perhaps a port. */
  readonly url: string;
  /** Encrypts an `ldap://` connection before anything else is said on it. */
  readonly startTls: boolean;
  /** Certificates in PEM by which the server's own is judged; those of the system when absent. */
  readonly ca: string | undefined;
  /** For the whole of a sign-in. */
  readonly timeoutMs: number;
}

/** An entry as the directory gives it. */
export type Entry = Awaited<ReturnType<Client['search']>>['searchEntries'][number];

export interface Connection {
  /** Rejects with what the library throws, so that the caller can tell a wrong password from the rest. */
  bind(name: string, password: string): Promise<void>;
  search(base: string, options: SearchOptions): Promise<readonly Entry[]>;
}

const unanswered = (cause: unknown) =>
  new Failure('unavailable', 'the directory does not answer; try again later', {
    cause,
    retryAfter: 10,
  });

const open = async ({
  url,
  startTls,
  ca,
  timeoutMs,
}: DirectoryAddress): Promise<{
  readonly client: Client;
  readonly secure: () => Promise<void>;
}> => {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
  const tlsOptions = {
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
  };
  const client = new Client({
    url,
    timeout: timeoutMs,
    connectTimeout: timeoutMs,
    ...(url.startsWith('ldaps:') ? { tlsOptions } : {}),
  });
  return { client, secure: async () => (startTls ? client.startTLS(tlsOptions) : undefined) };
};

/** Rejects after a time. */
const deadline = (ms: number): { readonly passed: Promise<never>; readonly clear: () => void } => {
  let clear = (): void => undefined;
  const passed = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`no answer within ${String(ms)} ms`));
    }, ms);
    clear = () => {
      clearTimeout(timer);
    };
  });
  return { passed, clear };
};

/** Does something on a connection of its own. Rejects with `unavailable` when the directory cannot be reached, or fails on the way. */
export const withConnection = async <T>(
  address: DirectoryAddress,
  work: (connection: Connection) => Promise<T>,
): Promise<T> => {
  const { client, secure } = await open(address);
  // The library connects again by itself where a connection broke; after StartTLS the next word would go out in the clear.
  const requireSame = (): void => {
    if (address.startTls && !client.isConnected) throw new Error('the connection broke');
  };
  const connection: Connection = {
    bind(name, password) {
      requireSame();
      return client.bind(name, password);
    },
    async search(base, options) {
      requireSame();
      return (await client.search(base, options)).searchEntries;
    },
  };
  const { passed, clear } = deadline(address.timeoutMs);
  try {
    return await Promise.race([secure().then(() => work(connection)), passed]);
  } catch (thrown) {
    throw isFailure(thrown) ? thrown : unanswered(thrown);
  } finally {
    clear();
    client.unbind().catch(() => undefined); // the answer is there; nobody waits for the farewell
  }
};
