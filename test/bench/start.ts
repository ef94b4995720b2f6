// How long a start takes, and what an idle server holds.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { atMost, median, round, type Line } from './line.js';
import { startServer } from './server.js';

export const startLine: Line = {
  name: 'start',
  async run({ quick }) {
    const [cold, warm, resident]: [number[], number[], number[]] = [[], [], []];
    const folders: string[] = [];
    try {
      for (let i = 0; i < (quick ? 2 : 5); i++) {
        const folder = await mkdtemp(join(tmpdir(), 'orrery-bench-'));
        folders.push(folder);
        for (const times of [cold, warm]) {
          const server = await startServer({ folder, env: { ORRERY_CONFIG: '' } });
          times.push(server.startedInMs);
          if (times === warm) {
            await wait(2000);
            resident.push(server.residentMb());
          }
          await server.stop();
        }
      }
    } finally {
      // Not in between: a file system that has just removed a thousand files is slow to make others, and no start comes after a removal.
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
    }
    const told = (times: readonly number[]) => times.map((ms) => round(ms / 1000)).join(', ');
    return [
      {
        what: 'first start to ready, s',
        value: round(median(cold) / 1000),
        sides: told(cold),
        held: atMost(2.5, median(cold) / 1000),
      },
      {
        what: 'later start to ready, s',
        value: round(median(warm) / 1000),
        sides: told(warm),
        held: atMost(0.7, median(warm) / 1000),
      },
      {
        what: 'idle server process, MB resident',
        value: round(median(resident), 0),
        sides: resident.map((mb) => round(mb, 0)).join(', '),
        held: atMost(110, median(resident)),
      },
    ];
  },
};
