// One process serves a data folder. Its lock file names the holder and is touched every few seconds, since a pid means nothing on another
// host, after a restart of the machine, or in another container: there only the beat tells whether the holder lives.
import { readFileSync, readlinkSync } from 'node:fs';
import { link, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '#ports/failure';
import { readBeginning } from './processes.js';

export interface FolderLock {
  /** Settles when the lock turns out to be another process's, as after a long suspension; never after `release`. */
  readonly lost: Promise<void>;
  /** Removes the lock file, unless another process has taken it over. May be repeated. */
  release(): Promise<void>;
}

export interface LockOptions {
  /** How often the holder touches its lock, in ms. */
  readonly beatMs?: number;
  /** How long the lock of a holder that cannot be looked at is respected without a beat, in ms. */
  readonly staleMs?: number;
  /** Told once when a lock is being watched for a beat. */
  readonly onWait?: (holder: string, ms: number) => void;
  /** Who this process is; read from the system when left out. */
  readonly self?: LockHolder;
}

/** Who holds a lock. Two holders with equal `place` can look at each other's pids. */
export interface LockHolder {
  readonly pid: number;
  /** Tells a process from a later one of the same pid. */
  readonly beginning: string;
  readonly host: string;
  /** Host, boot and pid namespace: within it a pid names one process. */
  readonly place: string;
}

const readOr = (read: () => string): string => {
  try {
    return read().trim();
  } catch {
    return '';
  }
};

/** This process as a lock names it. Elsewhere than on Linux, the host alone makes the place. */
export const describeSelf = (): LockHolder => ({
  pid: process.pid,
  beginning: readBeginning(process.pid),
  host: hostname(),
  place: [
    hostname(),
    readOr(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    readOr(() => readlinkSync('/proc/self/ns/pid')),
  ].join(' '),
});

const defaults = { beatMs: 5_000, staleMs: 30_000 };

/** Locks of this very process: the file cannot tell two of its own servers apart. */
const taken = new Set<string>();

/**
 * Takes the lock at `path`, also from a holder that is gone: at once where its pid can be looked at, else after `staleMs` without a beat.
 * Rejects with `conflict`, naming the holder, when another process holds it; the holder's lock is left as it is.
 */
export const takeLock = async (path: string, options: LockOptions = {}): Promise<FolderLock> => {
  const { beatMs, staleMs } = { ...defaults, ...options };
  const self = options.self ?? describeSelf();
  const own = JSON.stringify(self);
  if (taken.has(path)) throw held(path, self, self);
  taken.add(path);
  try {
    while (!(await claim(path, own)))
      await breakStale(path, { self, staleMs, onWait: options.onWait });
  } catch (error) {
    taken.delete(path);
    throw error;
  }
  return keepBeating(path, own, beatMs);
};

const keepBeating = (path: string, own: string, beatMs: number): FolderLock => {
  let tellLost: () => void = () => undefined;
  const lost = new Promise<void>((resolve) => {
    tellLost = resolve;
  });
  const beat = async (): Promise<void> => {
    if ((await touch(path, own)) || (await claim(path, own))) return;
    clearInterval(timer);
    tellLost();
  };
  const timer = setInterval(() => {
    beat().catch(() => undefined);
  }, beatMs).unref(); // a folder that is away for a moment is tried again
  return {
    lost,
    release: async () => {
      clearInterval(timer);
      if (!taken.delete(path)) return;
      if ((await read(path)) === own) await rm(path, { force: true });
    },
  };
};

/** Writes the lock over itself, so that the file system notes its own time; `false` where it is not, or no longer, this one. */
const touch = async (path: string, own: string): Promise<boolean> => {
  const file = await open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (file === undefined) return false;
  try {
    if ((await file.readFile('utf8')) !== own) return false;
    await file.write(own, 0);
    return true;
  } finally {
    await file.close();
  }
};

const held = (path: string, holder: LockHolder, self: LockHolder): Failure => {
  const where = holder.place === self.place ? '' : ` on ${holder.host}`;
  return new Failure(
    'conflict',
    `another Orrery (pid ${String(holder.pid)}${where}) already serves ${path.replace(/\/lock$/, '')}`,
  );
};

/** A link is made with its content whole, and only where none is. */
const claim = async (path: string, own: string): Promise<boolean> => {
  const draft = draftOf(path, 'new');
  await writeFile(draft, own, { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false; // rejections of node:fs carry a code
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
};

/** A name that no other process uses, not even one of the same pid on another host. */
const draftOf = (path: string, what: string): string =>
  `${path}.${hostname().slice(0, 60)}.${String(process.pid)}.${what}`;

interface BreakOptions {
  readonly self: LockHolder;
  readonly staleMs: number;
  readonly onWait: LockOptions['onWait'];
}

/** Removes a lock whose holder is gone; rejects with `conflict` when it lives. */
const breakStale = async (path: string, { self, staleMs, onWait }: BreakOptions): Promise<void> => {
  const seen = await read(path);
  if (seen === undefined) return;
  const holder = parse(seen);
  if (holder?.place === self.place) {
    if (holder.beginning === readBeginning(holder.pid)) throw held(path, holder, self);
  } else if (
    await beats(path, staleMs, (ms) =>
      onWait?.(
        holder === undefined ? 'an unreadable lock' : `pid ${String(holder.pid)} on ${holder.host}`,
        ms,
      ),
    )
  ) {
    throw held(path, holder ?? self, self);
  }
  const aside = draftOf(path, 'stale');
  await rename(path, aside).catch(() => undefined); // another start may have been quicker
  // what was moved may be the quicker one's fresh lock: then it goes back
  if ((await read(aside)) !== seen) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
};

/** Whether a lock is touched before it has gone `staleMs` without; judged by the clock of the file system alone, since hosts differ. */
const beats = async (
  path: string,
  staleMs: number,
  onWait: (ms: number) => void,
): Promise<boolean> => {
  const first = await touchedAt(path);
  if (first === undefined) return false;
  const waitMs = staleMs - ((await fileSystemNow(path)) - first);
  if (waitMs <= 0) return false;
  onWait(waitMs);
  const until = performance.now() + waitMs;
  while (performance.now() < until) {
    await pause(Math.max(1, Math.min(500, staleMs / 20, until - performance.now())));
    const now = await touchedAt(path);
    if (now === undefined) return false;
    if (now !== first) return true;
  }
  return false;
};

const touchedAt = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );

const fileSystemNow = async (path: string): Promise<number> => {
  const probe = draftOf(path, 'probe');
  await writeFile(probe, '');
  try {
    return (await stat(probe)).mtimeMs;
  } finally {
    await rm(probe, { force: true });
  }
};

/** `undefined` for what no release of this kind has written. */
const parse = (text: string): LockHolder | undefined => {
  try {
    const { pid, beginning, host, place } = JSON.parse(text) as Partial<
      Record<keyof LockHolder, unknown>
    >; // every member is checked
    return typeof pid === 'number' &&
      typeof beginning === 'string' &&
      typeof host === 'string' &&
      typeof place === 'string'
      ? { pid, beginning, host, place }
      : undefined;
  } catch {
    return undefined;
  }
};

const read = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch(() => undefined);
