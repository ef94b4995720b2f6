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

/** How long a figure is remembered for writes that bring little, and for uploads while there is much room, in ms. */
const rememberMs = 5000;
const mostRemembered = 10_000;
/** An upload that would leave less of the limit than this is judged by a fresh figure. */
const muchRoom = 0.1;

interface Held {
  readonly bytes: number;
  /** What had ended well here when the figure was asked for. */
  readonly settled: number;
  readonly until: number;
}
interface Traffic {
  /** Bytes of uploads that have arrived and whose rows are not there yet. */
  underWay: number;
  /** Bytes of uploads that have ended well since this process began to remember. */
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
const trafficOf = ({ traffic }: Memory, workspaceId: string): Traffic => {
  const known = traffic.get(workspaceId) ?? { underWay: 0, settled: 0 };
  traffic.set(workspaceId, known);
  return known;
};

/** Adds up what a workspace holds, which costs as much as it holds, and remembers it. */
const readHeld = async ({ workspaces, clock }: QuotaNeeds, workspaceId: string): Promise<Held> => {
  const memory = memoryOf(workspaces);
  const { settled } = trafficOf(memory, workspaceId);
  const until = clock.now() + rememberMs;
  const held = { bytes: (await workspaces.figures(workspaceId)).bytes, settled, until };
  if (memory.held.size >= mostRemembered) {
    memory.held.clear();
    for (const [id, { underWay }] of memory.traffic)
      if (underWay === 0 && id !== workspaceId) memory.traffic.delete(id);
  }
  memory.held.set(workspaceId, held);
  return held;
};

const findHeld = async (needs: QuotaNeeds, workspaceId: string): Promise<Held> => {
  const known = memoryOf(needs.workspaces).held.get(workspaceId);
  return known !== undefined && known.until > needs.clock.now()
    ? known
    : readHeld(needs, workspaceId);
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
  const { bytes } = await findHeld({ workspaces, clock }, workspaceId);
  if (bytes >= most) throw isFull(workspaceName, most);
};

/** Room for one upload, which is given back when its row is stored or it has failed. */
export interface Room {
  /** The same bytes. Rejects with `invalid` as soon as the workspace would hold more than it may with all that is under way. */
  count(source: ByteStream): ByteStream;
  /** Ends the upload; `stored` says whether its bytes are there to stay. */
  release(stored: boolean): void;
}
const unlimited: Room = { count: (source) => source, release: () => undefined };

/**
 * Begins an upload of the declared size. Rejects with `invalid` where there is no room for them. Nothing is refused by a figure that is remembered;
 * other processes may have stored up to a tenth of the limit since.
 */
export const takeRoom = async (
  needs: QuotaNeeds,
  { workspaceId, workspaceName, workspaceStorageLimit: most }: Limited,
  declared = 0,
): Promise<Room> => {
  if (most === undefined) return unlimited;
  const all = trafficOf(memoryOf(needs.workspaces), workspaceId);
  let held = await findHeld(needs, workspaceId);
  const leaves = (more: number) =>
    most - (held.bytes + all.settled - held.settled + all.underWay + more);
  const check = async (more: number, atLeast = 0): Promise<void> => {
    if (leaves(more) < atLeast) held = await readHeld(needs, workspaceId);
    if (leaves(more) < 0) throw isFull(workspaceName, most);
  };
  await check(Math.max(declared, 1), most * muchRoom);
  let mine = 0;
  return {
    async *count(source) {
      for await (const bytes of source) {
        // Counted before it is judged: of two that come at once, the second sees the first.
        mine += bytes.length;
        all.underWay += bytes.length;
        await check(0);
        yield bytes;
      }
    },
    release(stored) {
      all.underWay -= mine;
      if (stored) all.settled += mine;
      mine = 0;
    },
  };
};
