// Batches and files are read, checked and packed on a thread beside the one that answers requests, which only hands rows to the store.
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { ByteStream } from '#ports/bytes';
import { isFailure } from '#ports/failure';
import type { PluginTables } from '#ports/plugin-tables';
import type { Ingesting } from './ingesting.js';
import { layItems, liftItems, valuesIn } from './laid-items.js';
import { liftRows, type LaidRows } from './laid-rows.js';
import type { MonitoringNeeds } from './needs.js';
import { storeItems, type ItemStore, type Stored } from './storing.js';
import { Handed, Line, type Served } from './thread-line.js';
import { takeFile, type Fields, type Progress, type UploadOf } from './uploading.js';

type Needs = Pick<MonitoringNeeds, 'tables' | 'ids' | 'clock' | 'log' | 'traffic'>;

/** Batches of fewer values take no longer here than their way there and back. */
const leastValues = 2000;
/** How long the thread is kept without work, in ms. */
const keptMs = 30_000;
/** How long each step of a file waits for a moment in which nobody is answered, and how long it then does not, since there is always somebody; in ms. */
const [mostQuietMs, unquietMs] = [25, 100] as const;
/** While others ask, a file rests so many times as long as each of its portions took, up to this, in ms. */
const [restShare, mostRestMs] = [2, 500] as const;
/** Young objects of that thread, in MiB. */
const youngMb = 16;

/** What the thread may ask of tables, by their names. */
export type TableCall = Exclude<keyof PluginTables, 'transaction'>;

/** A file that the thread takes in. */
interface Open {
  readonly bytes: AsyncIterator<Uint8Array>;
  readonly reach: Ingesting['reach'];
  /** How many requests there had been when it rested last. */
  begun: number;
  /** How long its sender was waited for since then, in ms. */
  waitedMs: number;
  readonly tell: Progress;
}

/** The thread ended, and what it was asked to do with it. */
class Ended extends Error {}

/** What the thread asks for: its tables, by the transaction that it is in, and the bytes of files. */
const served = (
  { tables, clock, traffic }: Needs,
  files: ReadonlyMap<number, Open>,
  line: () => Line,
): Served => {
  const scopes = new Map<number, PluginTables>([[0, tables]]);
  let [last, unquietUntil] = [0, 0];
  const giveWay = async (): Promise<void> => {
    if (performance.now() < unquietUntil) return;
    if (!(await traffic.quiet(mostQuietMs))) unquietUntil = performance.now() + unquietMs;
  };
  const within = (scope: number): PluginTables => {
    const found = scopes.get(scope);
    if (found === undefined) throw new Error('the transaction is over');
    return found;
  };
  return {
    tables: (scope: number, call: TableCall, args: never[]) =>
      (within(scope)[call] as (...given: never[]) => unknown)(...args), // the thread gives each what it takes
    rows: (
      scope: number,
      call: 'insertAll' | 'upsertAll' | 'findAll',
      table: string,
      laid: LaidRows,
    ) => within(scope)[call](table, liftRows(laid)),
    transaction: (scope: number, run: number) =>
      within(scope).transaction(async (inside) => {
        const own = ++last;
        scopes.set(own, inside);
        try {
          return await line().call('run', run, own, clock.now());
        } finally {
          scopes.delete(own);
        }
      }),
    giveWay,
    // A portion keeps the engine and the processors busy even where it gives way: only while there is none, others are answered as without it.
    async rest(file: number, ms: number) {
      const open = files.get(file);
      if (open === undefined) return;
      // A sender that is slow keeps nothing busy.
      const worked = Math.max(0, ms - open.waitedMs);
      open.waitedMs = 0;
      if (open.begun === traffic.begun()) return;
      open.begun = traffic.begun();
      await wait(Math.min(restShare * worked, mostRestMs));
    },
    tell(file: number, rows: number) {
      files.get(file)?.tell(rows);
    },
    async next(file: number) {
      await giveWay();
      const open = files.get(file);
      const since = performance.now();
      const next = await open?.bytes.next();
      if (open !== undefined) open.waitedMs += performance.now() - since;
      if (next === undefined || next.done === true) return undefined;
      const own = new Uint8Array(next.value); // memory of its own, which can be handed over
      return new Handed(own, [own.buffer]);
    },
    async reach(file: number, workspaceName: string) {
      const found = await files.get(file)?.reach(workspaceName);
      return found && { id: found.id };
    },
  };
};

/** The thread beside, which is started when there is work for it, and ends when there is none for a while. */
export class Beside {
  readonly #needs: Needs;
  readonly #files = new Map<number, Open>();
  #thread: { readonly worker: Worker; readonly line: Line } | undefined;
  #working = 0;
  #idle: NodeJS.Timeout | undefined;
  #lastFile = 0;
  /** It does not start here: everything is done on this thread. */
  #isMissing = false;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  readonly store: ItemStore = async (model, items, ...how) => {
    if (this.#isMissing || valuesIn(items) < leastValues)
      return storeItems(this.#needs, model, items, ...how);
    const laid = await layItems(items);
    try {
      return (await this.#call('store', this.#needs.clock.now(), [model, laid, ...how])) as Stored; // what that one answers
    } catch (thrown) {
      if (!(thrown instanceof Ended)) throw thrown;
      return storeItems(this.#needs, model, liftItems(laid), ...how); // what is stored already counts once
    }
  };

  /** Takes in a CSV file. */
  async takeFile(
    ingesting: Ingesting,
    content: ByteStream,
    fields: Fields,
    of: UploadOf,
    tell: Progress = () => undefined,
  ): Promise<string> {
    if (this.#isMissing) return takeFile(ingesting, content, fields, of, tell);
    const bytes = content[Symbol.asyncIterator]();
    const file = ++this.#lastFile;
    const begun = this.#needs.traffic.begun();
    this.#files.set(file, { bytes, reach: ingesting.reach, tell, begun, waitedMs: 0 });
    try {
      return (await this.#call('takeFile', this.#needs.clock.now(), [
        file,
        fields,
        of,
        ingesting.dedupDays,
      ])) as string; // what that one answers
    } finally {
      this.#files.delete(file);
      await bytes.return?.();
    }
  }

  async #call(name: string, now: number, args: readonly unknown[]): Promise<unknown> {
    const { worker, line } = (this.#thread ??= this.#start());
    clearTimeout(this.#idle);
    this.#working++;
    worker.ref(); // who waits for it must be answered
    try {
      return await line.call(name, now, ...args);
    } finally {
      if (--this.#working === 0) this.#rest(worker);
    }
  }

  #rest(worker: Worker): void {
    worker.unref();
    this.#idle = setTimeout(() => {
      if (this.#thread?.worker === worker) this.#thread = undefined;
      void worker.terminate();
    }, keptMs).unref();
  }

  #start(): { readonly worker: Worker; readonly line: Line } {
    const worker = new Worker(new URL('./intake-thread.js', import.meta.url), {
      resourceLimits: { maxYoungGenerationSizeMb: youngMb },
    });
    const line: Line = new Line(
      worker,
      served(this.#needs, this.#files, () => line),
    );
    const end = (why: string): void => {
      if (this.#thread?.worker === worker) this.#thread = undefined;
      if (!line.isUp) this.#isMissing = true;
      line.end(new Ended(why));
    };
    worker.once('error', (thrown) => {
      this.#needs.log.warn('the thread that takes in monitored events ended', {
        error: isFailure(thrown) || thrown instanceof Error ? thrown.message : String(thrown),
      });
      end('the thread has failed');
    });
    worker.once('exit', () => {
      end('the thread has ended');
    });
    return { worker, line };
  }
}
