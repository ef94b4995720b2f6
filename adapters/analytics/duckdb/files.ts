// The files in which rows are kept, one of each workspace and of each process that has it open at once: within a number of bytes together, those that
// were used last.
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineFault, startEngine, type KeepingEngine } from './engine.js';

/** Counted up when what stands in a file changes. */
const layout = 3;
/** Processes that have the rows of one workspace open at once. */
const mostSlots = 16;
/** For how long a file is kept that nobody uses, in ms. */
const keptMs = 7 * 24 * 3_600_000;

const name = /^([0-9a-f-]{36})-v(\d+)-\d+\.duckdb$/;
const isWorkspace = (id: string): boolean => /^[0-9a-f-]{36}$/.test(id);

export interface Files {
  /** Whether there is a file of a workspace. */
  has(workspaceId: string): boolean;
  /** Opens a file of a workspace, an empty one where no free one can be read; `undefined` where all are in use. */
  open(
    workspaceId: string,
  ): Promise<{ readonly engine: KeepingEngine; readonly file: string } | undefined>;
  /** Notes that a file is used. */
  touch(file: string): Promise<void>;
  /** Removes a file that nobody has open. */
  remove(file: string): Promise<void>;
  bytesOf(file: string): Promise<number>;
  /** Removes what was not used for long, and what was used longest ago until the others fit; but none that somebody has open. */
  makeRoom(open: ReadonlySet<string>): Promise<void>;
}

const isLocked = (thrown: unknown): boolean =>
  thrown instanceof EngineFault && /lock/i.test(thrown.message);
const parts = (file: string): readonly string[] => [file, `${file}.wal`];

export const createFiles = (folder: string, mostBytes: number, library: () => string): Files => {
  const fileOf = (workspaceId: string, slot: number) =>
    join(folder, `${workspaceId}-v${layout}-${slot}.duckdb`);
  // The log first: a file without its log is an older state of it, a log without its file is nothing.
  const remove = async (file: string) => {
    for (const part of [...parts(file)].reverse()) await rm(part, { force: true });
  };
  const bytesOf = async (file: string): Promise<number> => {
    const sizes = await Promise.all(
      parts(file).map((part) =>
        stat(part).then(
          ({ size }) => size,
          () => 0, // it is not there
        ),
      ),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  };
  /** Removes a file while holding it, so that nobody begins to use it meanwhile. Tells whether it is gone. */
  const evict = async (file: string): Promise<boolean> => {
    try {
      const engine = await startEngine(library(), file);
      await remove(file);
      engine.end();
      await engine.gone;
      return true;
    } catch (thrown) {
      if (!(thrown instanceof EngineFault)) throw thrown;
      if (isLocked(thrown)) return false;
      await remove(file); // nobody can read it
      return true;
    }
  };
  return {
    has: (workspaceId) => isWorkspace(workspaceId) && existsSync(fileOf(workspaceId, 0)),
    async open(workspaceId) {
      if (!isWorkspace(workspaceId)) return undefined;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      for (let slot = 0; slot < mostSlots; slot++) {
        const file = fileOf(workspaceId, slot);
        try {
          return { engine: await startEngine(library(), file), file };
        } catch (thrown) {
          if (!(thrown instanceof EngineFault)) throw thrown;
          if (isLocked(thrown)) continue;
          await remove(file); // another release of the engine wrote it, or it is damaged
          return { engine: await startEngine(library(), file), file };
        }
      }
      return undefined;
    },
    async touch(file) {
      const now = new Date();
      await utimes(file, now, now);
    },
    remove,
    bytesOf,
    async makeRoom(open) {
      const found = (await readdir(folder)).filter((one) => name.test(one));
      const files = await Promise.all(
        found.map(async (one) => {
          const file = join(folder, one);
          const usedAt = await stat(file).then(
            ({ mtimeMs }) => mtimeMs,
            () => 0, // somebody else has removed it
          );
          const isOld = Number(name.exec(one)?.[2]) !== layout;
          return { file, usedAt: isOld ? 0 : usedAt, bytes: await bytesOf(file) };
        }),
      );
      let bytes = files.reduce((sum, one) => sum + one.bytes, 0);
      for (const one of files.sort((a, b) => a.usedAt - b.usedAt)) {
        const isDue = bytes > mostBytes || one.usedAt < Date.now() - keptMs;
        if (isDue && !open.has(one.file) && (await evict(one.file))) bytes -= one.bytes;
      }
    },
  };
};
