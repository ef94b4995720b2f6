// One engine for one statement, in a process of its own: what ends the engine ends that process, and nothing else.
import { spawn, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { Failure } from '#ports/failure';
import { macros } from './macros.js';
import { program } from './program.js';

/** What the engine keeps of rows at most, and what the process has at most with all else, in bytes. */
const engineMemory = '512MB';
const residentBytes = 900 * 1024 * 1024;

export interface Ran {
  readonly columns?: readonly string[];
  readonly types?: readonly ('number' | 'text')[];
  readonly rows?: readonly (readonly (string | null)[])[];
  readonly over?: 'rows' | 'bytes';
}

/** The engine's own refusal of a statement; its sentence is for logs alone. */
export class EngineFault extends Error {}
/** The process ended before it answered. */
export class EngineEnded extends Error {}

interface Answer {
  readonly id: number;
  readonly answer?: unknown;
  readonly fault?: string;
}

/** Columns as they are sent: one value where all are the same. */
const packed = ({ columns, ...rows }: Rows) => ({
  ...rows,
  columns: columns.map((values) => {
    const [first] = values;
    const isOne = typeof first !== 'object' && values.every((value) => value === first);
    return isOne ? { all: first } : values;
  }),
});

/** Rows as columns, with the type of each. */
export interface Rows {
  readonly kinds: readonly string[];
  readonly columns: readonly (readonly unknown[])[];
  readonly count: number;
}

export interface Engine {
  /** The statement's tree as JSON text. */
  parse(statement: string): Promise<string>;
  create(statements: readonly string[]): Promise<void>;
  append(table: string, rows: Rows): Promise<void>;
  run(statement: string, limits: { readonly rows: number; readonly bytes: number }): Promise<Ran>;
  /** Whether the process has not ended. */
  isThere(): boolean;
  /** Ends the process, whatever it does. */
  end(): void;
  /** Resolves once the process has ended. */
  readonly gone: Promise<void>;
}

const absentEngine = (cause: unknown) =>
  new Failure('unsupported', 'this server has no engine for analytic queries installed', {
    cause,
  });

/** Where the engine's package is installed. Throws `unsupported` where it is not. */
export const libraryPath = (): string => {
  try {
    return createRequire(import.meta.url).resolve('@duckdb/node-api');
  } catch (cause) {
    throw absentEngine(cause);
  }
};

const asking = (child: ChildProcess) => {
  const waiting = new Map<
    number,
    { readonly done: (answer: unknown) => void; readonly failed: (why: Error) => void }
  >();
  let [last, ended] = [0, false];
  const gone = () => {
    ended = true;
    for (const { failed } of waiting.values()) failed(new EngineEnded('the engine ended'));
    waiting.clear();
  };
  child.once('exit', gone).once('error', gone);
  child.on('message', (message) => {
    const { id, answer, fault } = message as Answer; // the program sends nothing else
    const one = waiting.get(id);
    waiting.delete(id);
    if (fault === undefined) one?.done(answer);
    else one?.failed(new EngineFault(fault));
  });
  return (ask: string, given: object): Promise<unknown> =>
    new Promise((done, failed) => {
      if (ended) {
        failed(new EngineEnded('the engine ended'));
        return;
      }
      const id = ++last;
      waiting.set(id, { done, failed });
      child.send({ id, ask, ...given }, (fault) => {
        if (fault !== null) failed(new EngineEnded('the engine ended'));
      });
    });
};

/** An engine with a file of its own, the database `kept`, which nobody else can open meanwhile. */
export interface KeepingEngine extends Engine {
  /** Runs statements of ours on the file, beside those that are asked; a transaction may go over several calls. */
  keep(statements: readonly string[]): Promise<void>;
  /** The rows of a statement of ours. */
  look(statement: string): Promise<readonly (readonly (string | null)[])[]>;
  /** Adds rows to a table of the file: they are there once `keep` was called. */
  put(table: string, rows: Rows): Promise<void>;
}

/** Rejects with `unsupported` where the package does not load, and with `EngineFault` where the file cannot be opened. */
export const startEngine = async (library: string, file?: string): Promise<KeepingEngine> => {
  const set = { memory: engineMemory, resident: residentBytes, setUp: macros };
  const child = spawn(
    process.execPath,
    ['--max-old-space-size=256', '-e', program, library, JSON.stringify(set)],
    { env: {}, serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] },
  );
  const ask = asking(child);
  const gone = new Promise<void>((resolve) => {
    child
      .once('exit', () => {
        resolve();
      })
      .once('error', () => {
        resolve();
      });
  });
  const engine: KeepingEngine = {
    parse: async (statement) => String(await ask('parse', { statement })),
    async create(statements) {
      await ask('create', { statements });
    },
    async append(table, rows) {
      await ask('append', { table, ...packed(rows) });
    },
    async keep(statements) {
      await ask('keep', { statements });
    },
    look: async (statement) =>
      (await ask('look', { statement })) as readonly (readonly (string | null)[])[], // what the program answers
    async put(table, rows) {
      await ask('put', { table, ...packed(rows) });
    },
    run: async (statement, limits) => (await ask('run', { statement, ...limits })) as Ran, // what the program answers
    isThere: () => child.exitCode === null && child.signalCode === null && !child.killed,
    end() {
      child.kill('SIGKILL');
    },
    gone,
  };
  try {
    await ask('open', { file });
  } catch (cause) {
    engine.end();
    throw file !== undefined && cause instanceof EngineFault ? cause : absentEngine(cause);
  }
  return engine;
};
