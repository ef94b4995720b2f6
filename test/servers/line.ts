// A line to a server that can be cut: for clients of a database that is away for a while.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Line {
  /** The server's address by way of this line. */
  readonly url: string;
  /** Ends every connection, and takes none until it is mended. */
  cut(): void;
  mend(): void;
  stop(): Promise<void>;
}

/** Opens a line to the server behind a URL of a database. */
export const openLine = async (to: string): Promise<Line> => {
  const target = new URL(to);
  const ends = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.once('close', () => {
        ends.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = new URL(to);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port); // it listens on a port
  const end = (): void => {
    for (const one of ends) one.destroy();
  };
  return {
    url: url.href,
    cut() {
      isCut = true;
      end();
    },
    mend() {
      isCut = false;
    },
    async stop() {
      end();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
