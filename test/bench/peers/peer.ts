// Another product that takes what Orrery takes, installed and started as its users do, and what it is asked.
import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import type { Prepared } from '../batches.js';
import { cacheFolder, findProgram, runHere } from '#test/servers/launch';

/** Work that every product is given. Writes go out from prepared bytes; reads are asked by address. */
export type Work =
  | 'create a run'
  | 'one point'
  | '10 metrics in a batch'
  | '500 metrics in a batch'
  | '10 parameters'
  | '100 parameters'
  | '1,000 points of a metric in a batch'
  | '100 spans in a batch'
  | 'search of 5,000 runs, first 100'
  | 'first 100 of 5,000 runs with their values'
  | 'all points of a metric of 100,000';

export interface Asked {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
}

export interface Given {
  /** The requests of each client, which it sends in turn. */
  readonly writes?: readonly (readonly Prepared[])[];
  /** What answers the question, in as many requests as it takes; each client asks all of them again and again. */
  readonly reads?: readonly Asked[];
}

export interface StartedPeer {
  readonly version: string;
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Makes what the work stands on, and the requests; `undefined` where the product has no such thing. */
  prepare(work: Work, clients: number): Promise<Given | undefined>;
  /** Processor time of the server and its database so far, in ms. */
  usedMs(): number;
  /** Memory of the server and its database, in MB. */
  memoryMb(): number;
  stop(): Promise<void>;
}

export interface Peer {
  readonly name: string;
  /** Installs it where it is not yet, and starts it on empty storage. */
  start(): Promise<StartedPeer>;
}

/** A Python environment of its own with these packages, kept between runs; gives its folder of programs. */
export const environmentWith = async (
  name: string,
  packages: readonly string[],
): Promise<string> => {
  const python = findProgram('python3');
  if (python === undefined) throw new Error(`${name} needs python3 with venv`);
  const folder = join(cacheFolder(), 'peers', name);
  const bin = join(folder, 'bin');
  if (!existsSync(join(folder, 'complete'))) {
    await runHere(python, ['-m', 'venv', '--clear', folder]);
    await runHere(join(bin, 'python'), ['-m', 'pip', 'install', '--quiet', ...packages]);
    await runHere('/bin/sh', ['-c', 'touch "$0"', join(folder, 'complete')]);
  }
  return bin;
};

/** Asks once; rejects with what was said when the reply is no success. */
export const askOnce = async (
  peer: Pick<StartedPeer, 'port' | 'headers'>,
  asked: Asked,
): Promise<unknown> => {
  const { method, path, body } = asked;
  const reply = await fetch(`http://127.0.0.1:${peer.port}${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...peer.headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${asked.path} answered ${reply.status}: ${text.slice(0, 300)}`);
  return text === '' ? undefined : (JSON.parse(text) as unknown);
};

const connections = new Agent({ keepAlive: true });

/**
 * Takes a whole reply without looking into it, and without keeping it: the client has the same two processors as the server, and what is measured is the
 * server.
 */
export const takeOnce = (
  { port, headers }: Pick<StartedPeer, 'port' | 'headers'>,
  { method, path, body }: Asked,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const content = body === undefined ? undefined : JSON.stringify(body);
    const asked = request(
      {
        agent: connections,
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: {
          'Content-Type': 'application/json',
          ...headers,
          ...(content === undefined ? {} : { 'Content-Length': Buffer.byteLength(content) }),
        },
      },
      (reply) => {
        let bytes = 0;
        reply.on('data', (piece: Buffer) => {
          bytes += piece.length;
        });
        reply.once('error', reject);
        reply.once('end', () => {
          if (reply.statusCode === 200 && bytes > 0 && reply.complete) resolve();
          else reject(new Error(`${path} answered ${reply.statusCode}`));
        });
      },
    );
    asked.once('error', reject);
    asked.end(content);
  });

/** Asks many, a few at a time: one of the peers has 15 connections to its database, and refuses who waits for long. */
export const askAll = async (
  peer: Pick<StartedPeer, 'port' | 'headers'>,
  all: readonly Asked[],
  atOnce = 8,
): Promise<readonly unknown[]> => {
  const replies: unknown[] = [];
  for (let i = 0; i < all.length; i += atOnce)
    replies.push(...(await Promise.all(all.slice(i, i + atOnce).map((one) => askOnce(peer, one)))));
  return replies;
};

/** A number in each request's place keeps apart what would be the same. */
export const mark = '000000000000';

/** A POST as it goes over the wire; where the body holds `mark`, its own number goes. */
export const prepareFor = (
  { headers }: Pick<StartedPeer, 'headers'>,
  path: string,
  body: unknown,
): Prepared => {
  const content = Buffer.from(JSON.stringify(body));
  const own = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${own.join('')}Content-Type: application/json\r\nX-Number: ${mark}\r\nContent-Length: ${content.length}\r\n\r\n`;
  const bytes = Buffer.concat([Buffer.from(head), content]);
  return { bytes, markAt: bytes.lastIndexOf(mark) };
};

/** A training curve's value at a step, the same for every product. */
export const curve = (series: number, step: number): number =>
  Math.exp(-step / 5000) * (1 + series / 10) + Math.sin(step * 12.9898 + series * 78.233) * 0.05;

/** Makes it when it is first asked for, and keeps it. */
export const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
};
