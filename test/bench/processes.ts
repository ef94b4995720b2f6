// What the machine says of processes: who began whom, and what they took so far.
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

interface Reading {
  readonly parent: number;
  readonly usedMs: number;
  /** Of those that it began and that have ended. */
  readonly endedMs: number;
}

const readProcess = (pid: number): Reading => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const ms = (...places: readonly number[]): number =>
    (places.reduce((sum, at) => sum + Number(fields[at]), 0) * 1000) / ticksPerSecond;
  return { parent: Number(fields[1]), usedMs: ms(11, 12), endedMs: ms(13, 14) };
};

/** All that a process began, and what those began. */
export const listBelow = (pid: number): readonly number[] => {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc'))
    if (/^\d+$/.test(name))
      try {
        parents.set(Number(name), readProcess(Number(name)).parent);
      } catch {
        /* it ended between the two readings */
      }
  const isBelow = (one: number): boolean => {
    const parent = parents.get(one);
    return parent !== undefined && (parent === pid || isBelow(parent));
  };
  return [...parents.keys()].filter(isBelow);
};

/** Processor time of one process so far, in ms; 0 once it has ended. */
export const usedBy = (pid: number): number => {
  try {
    return readProcess(pid).usedMs;
  } catch {
    return 0;
  }
};

/** Processor time of a process and of all below it so far, in ms, those that have ended among them. */
export const usedWithin = (pid: number): number =>
  [pid, ...listBelow(pid)].reduce((sum, one) => {
    try {
      const { usedMs, endedMs } = readProcess(one);
      return sum + usedMs + endedMs;
    } catch {
      return sum;
    }
  }, 0);

/** Memory of a process and of all below it, in MB, what they share counted once. */
export const memoryWithin = (pid: number): number =>
  [pid, ...listBelow(pid)].reduce((sum, one) => {
    try {
      const rollup = readFileSync(`/proc/${one}/smaps_rollup`, 'utf8');
      return sum + Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024;
    } catch {
      return sum;
    }
  }, 0);
