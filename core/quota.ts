// How many bytes a workspace may hold, where it has a limit: what it holds, and what is under way to it here.
import type { Clock } from '#ports/clock';
import type { ByteStream } from '#ports/bytes';
import { Failure } from '#ports/failure';
import type { Experiment } from '#ports/model/experiments';
import type { WorkspaceStore } from '#ports/storage/workspaces';

export interface QuotaNeeds {
  readonly workspaces: Pick<WorkspaceStore, 'figures'>;
  readonly clock: Clock;
}
type Limited = Pick<Experiment, 'workspaceId' | 'workspaceName' | 'workspaceStorageLimit'>;

/** How long a figure is remembered for writes that bring little, in ms. */
const rememberMs = 5000;
const mostRemembered = 10_000;

interface Held {
  readonly bytes: number;
  readonly until: number;
}
interface Traffic {
  /** Bytes of uploads that have arrived and whose rows are not there yet. */
  underWay: number;
  /** Bytes of uploads that have ended well since this process began. */
  settled: number;
}
interface Memory {
  readonly held: Map<string, Held>;
  readonly traffic: Map<string, Traffic>;
}
const memories = new WeakMap<object, Memory>();
const memoryOf = (workspaces: object): Memory => {
  const known = memories.get(workspaces) ?? { held: new Map(), traffic: new Map() };
  memories.set(workspaces, known);
  return known;
};

const isFull = (name: string, most: number) =>
  new Failure(
    'invalid',
    `workspace ${name} may hold at most ${Math.floor(most / (1024 * 1024))} MiB, and would hold more`,
    { reason: 'storageLimit' },
  );

/** Refuses a write to a workspace that holds as much as it may. The figure may be some seconds old, so it is exceeded by what arrives meanwhile, and no more. */
export const checkQuota = async (
  { workspaces, clock }: QuotaNeeds,
  { workspaceId, workspaceName, workspaceStorageLimit: most }: Limited,
): Promise<void> => {
  if (most === undefined) return;
  const { held } = memoryOf(workspaces);
  const now = clock.now();
  let known = held.get(workspaceId);
  if (known === undefined || known.until <= now) {
    known = { bytes: (await workspaces.figures(workspaceId)).bytes, until: now + rememberMs };
    if (held.size >= mostRemembered) held.clear();
    held.set(workspaceId, known);
  }
  if (known.bytes >= most) throw isFull(workspaceName, most);
};

/** Room for one upload, which is given back when its row is stored or it has failed. */
export interface Room {
  /** The same bytes. Rejects with `invalid` as soon as the workspace would hold more than it may with all that is under way. */
  count(source: ByteStream): ByteStream;
  /** Ends the upload; `stored` says whether its bytes are there to stay. */
  release(stored: boolean): void;
}
const unlimited: Room = { count: (source) => source, release: () => undefined };

/** Begins an upload of the declared size. Rejects with `invalid` where there is no room for them. */
export const takeRoom = async (
  { workspaces }: Pick<QuotaNeeds, 'workspaces'>,
  { workspaceId, workspaceName, workspaceStorageLimit: most }: Limited,
  declared = 0,
): Promise<Room> => {
  if (most === undefined) return unlimited;
  const { traffic } = memoryOf(workspaces);
  const all = traffic.get(workspaceId) ?? { underWay: 0, settled: 0 };
  traffic.set(workspaceId, all);
  const settledBefore = all.settled;
  const before = (await workspaces.figures(workspaceId)).bytes;
  const check = (more: number): void => {
    if (before + all.settled - settledBefore + all.underWay + more > most)
      throw isFull(workspaceName, most);
  };
  check(Math.max(declared, 1));
  let mine = 0;
  return {
    async *count(source) {
      for await (const bytes of source) {
        check(bytes.length);
        mine += bytes.length;
        all.underWay += bytes.length;
        yield bytes;
      }
    },
    release(stored) {
      all.underWay -= mine;
      if (stored) all.settled += mine;
      mine = 0;
      if (all.underWay === 0) traffic.delete(workspaceId);
    },
  };
};
