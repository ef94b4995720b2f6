// Selections of spans that say something of their bodies: those are read frame by frame, the newest first, and what holds is selected by its id.
import type { FieldFilter } from '#ports/field-query';
import type { Fragment } from '#ports/sql-dialect';
import type { TraceSelection } from '#ports/storage/traces';
import type { Connection } from '../connection.js';
import { either, fragment, joined } from '../fragment.js';
import { lowered } from '../lower-case.js';
import { createSemaphore } from '../semaphore.js';
import { bodyHolds, claimedPart, textsWithin } from './body-claims.js';
import { framesHolding, openFrames, type BodyPart, type OpenFrame } from './frames.js';
import { idBehind, laterOf } from './ranges.js';
import { run } from './reads.js';
import { placeOf, type Row } from './rows.js';
import { foundInRow, selected, type Selection } from './selecting.js';

/** Rows of the first look, and how many times as many each further one is of: a page of what stands in many is full soon. */
const [rowsFirst, growth] = [4000, 5];
/** Rows of a look at most: as many are held at once. */
const rowsMost = 100_000;
/** Few at a time: each may read everything a project has. */
const scans = createSemaphore({
  ...{ running: 2, waiting: 100 },
  busy: 'too many searches of inputs and outputs at the moment',
});

interface Bounds {
  /** As many as are wanted, the newest ones; all when left out. */
  readonly enough?: number;
  readonly beforeId?: string | undefined;
}

/** What is asked of bodies, and of whatever is no body where a text is sought. */
interface Asked {
  readonly claims: readonly FieldFilter[];
  readonly search: string | undefined;
  /** The same in lower case. */
  readonly sought: string | undefined;
}

type Frame = Partial<Record<BodyPart, OpenFrame>>;

/** Whether what is asked of bodies holds for a row. */
const judging =
  ({ claims, sought }: Asked) =>
  (row: Row, frame: Frame): boolean => {
    const at = placeOf(row)?.at ?? 0;
    const bodies = { input: frame.input?.text(at), output: frame.output?.text(at) };
    const found = (text: string | undefined): boolean =>
      sought !== undefined && text !== undefined && lowered(text).includes(sought);
    return (
      claims.every((claim) => bodyHolds(claim, bodies)) &&
      (sought === undefined || isFound(row) || found(bodies.input) || found(bodies.output))
    );
  };

/** Whether a text stands in what is no body of a row. */
const isFound = (row: Row): boolean => Number(row['found']) === 1;

const foundColumn = (
  { dialect }: Pick<Connection, 'dialect'>,
  { search }: Asked,
): string | Fragment =>
  search === undefined
    ? '0 as found'
    : joined('case when ', foundInRow({ dialect }, 'span', search), ' then 1 else 0 end as found');

/** The frames that selected rows lead to, of which there are few beside the rows, and whether a text stands in a row of each. */
interface Frames {
  readonly frames: ReadonlyMap<string, boolean>;
  /** The same of rows that lead to none; `undefined` where there is no such row. */
  readonly without: boolean | undefined;
}
const listFrames = async (
  connection: Connection,
  selection: Selection,
  asked: Asked,
): Promise<Frames> => {
  const rows = await run(
    connection,
    'select q.frame_id, max(q.found) as found from (select x.frame_id, ',
    foundColumn(connection, asked),
    ' from spans x where ',
    selected(connection, { kind: 'span' }, selection),
    ') q group by q.frame_id',
  );
  const frames = new Map<string, boolean>();
  let without: boolean | undefined;
  for (const row of rows)
    if (typeof row['frame_id'] === 'string') frames.set(row['frame_id'], isFound(row));
    else without = isFound(row);
  return { frames, without };
};

/** Those frames of which no part tells that a claim or a text does not hold in it. */
const framesFor = async (
  connection: Connection,
  projectId: string,
  frames: readonly string[],
  { claims, sought }: Asked,
): Promise<{ readonly claimed: readonly string[]; readonly sought: readonly string[] }> => {
  let claimed = frames;
  for (const claim of claims)
    for (const text of textsWithin(claim))
      claimed = await framesHolding(connection, projectId, claimed, {
        ...{ text, part: claimedPart(claim) },
      });
  return {
    claimed,
    sought:
      sought === undefined
        ? claimed
        : await framesHolding(connection, projectId, claimed, { text: sought }),
  };
};

/** The ids of selected spans for which what is asked of bodies holds, the greatest first. */
const spansIn = async (
  connection: Connection,
  selection: Selection,
  asked: Asked,
): Promise<readonly string[]> => {
  const { projectId } = selection;
  const { claims, sought } = asked;
  const { frames, without } = await listFrames(connection, selection, asked);
  const held = await framesFor(connection, projectId, [...frames.keys()], asked);
  const toOpen = new Set(held.sought);
  /** Without a claim, a row in which the text was found need not be opened. */
  const foundAlone = held.claimed.filter((id) => !toOpen.has(id) && frames.get(id) === true);
  const all = [...held.sought, ...foundAlone];
  const bare = without === true || (without === false && sought === undefined);
  if (all.length === 0 && !bare) return [];
  const rows = await run(
    connection,
    'select x.id, x.frame_id, x.frame_at, ',
    foundColumn(connection, asked),
    ' from spans x where ',
    selected(connection, { kind: 'span' }, selection),
    ' and ',
    either(
      ...(bare ? [fragment('x.frame_id is null')] : []),
      ...(all.length > 0 ? [fragment(connection.dialect.anyOf('x.frame_id', 'id'), all)] : []),
    ),
    ' order by x.id desc',
  );
  const judge = judging(asked);
  const ids = new Set<string>();
  const judgeAll = (some: readonly Row[], frame: Frame): void => {
    for (const row of some) if (judge(row, frame)) ids.add(String(row['id']));
  };
  const byFrame = new Map<string, Row[]>();
  for (const row of rows) {
    const place = placeOf(row);
    if (place === undefined) judgeAll([row], {});
    else if (!toOpen.has(place.frameId) && claims.length === 0) {
      if (isFound(row)) ids.add(String(row['id']));
    } else {
      const others = byFrame.get(place.frameId);
      if (others === undefined) byFrame.set(place.frameId, [row]);
      else others.push(row);
    }
  }
  const wanted: readonly BodyPart[] =
    sought === undefined
      ? [...new Set(claims.map((claim) => claimedPart(claim) ?? 'input'))]
      : ['input', 'output'];
  /** Most frames that were opened hold the text nowhere, which is told by one look at them as a whole. */
  const mayHold = ({ input, output }: Frame): boolean =>
    sought === undefined ||
    [input, output].some((part) => part !== undefined && lowered(part.all).includes(sought));
  for await (const opened of openFrames(connection, projectId, [...byFrame.keys()], wanted))
    for (const [id, frame] of opened) {
      const some = byFrame.get(id) ?? [];
      judgeAll(mayHold(frame) ? some : some.filter(isFound), frame);
    }
  return rows.map((row) => String(row['id'])).filter((id) => ids.has(id));
};

/** Whether a selection says something of bodies, or looks for a text, which may stand in one. */
export const asksForBodies = ({ filters, search }: TraceSelection): boolean =>
  search !== undefined || filters.some((filter) => claimedPart(filter) !== undefined);

/** The ids of traces in which a text stands, the greatest first: without an order asked of the engine, it looks for them with more than one process. */
const tracesIn = async (
  connection: Connection,
  selection: Selection,
): Promise<readonly string[]> => {
  const rows = await run(
    connection,
    'select x.id from traces x where ',
    selected(connection, { kind: 'trace' }, selection),
  );
  return rows
    .map((row) => String(row['id']))
    .sort()
    .reverse();
};

/**
 * The same selection without what it says of bodies, and the ids for which that holds: as many as there are, or the newest ones. Claims about bodies
 * of traces stay as they are, since those lie in their rows.
 */
export const narrow = async (
  connection: Connection,
  kind: 'trace' | 'span',
  selection: TraceSelection,
  { enough = Infinity, beforeId }: Bounds = {},
): Promise<Selection> => {
  const isClaim = (filter: FieldFilter): boolean =>
    kind === 'span' && claimedPart(filter) !== undefined;
  const claims = selection.filters.filter(isClaim);
  if (claims.length === 0 && selection.search === undefined) return selection;
  const { search, ...rest } = {
    ...selection,
    filters: selection.filters.filter((filter) => !isClaim(filter)),
  };
  const asked: Asked = {
    claims,
    search,
    sought: search === undefined ? undefined : lowered(search),
  };
  const idsIn = (those: Selection): Promise<readonly string[]> =>
    kind === 'span'
      ? spansIn(connection, those, asked)
      : tracesIn(connection, { ...those, search });
  return scans.take(undefined, async () => {
    const among: string[] = [];
    let before = beforeId;
    let rows = enough === Infinity ? rowsMost : rowsFirst;
    for (; ; rows = Math.min(rows * growth, rowsMost)) {
      const those: Selection = { ...rest, beforeId: before };
      const last = await idBehind(connection, kind, those, rows);
      for (const id of await idsIn({ ...those, fromId: laterOf(rest.fromId, last) }))
        among.push(id);
      if (last === undefined) return { ...rest, among };
      if (among.length >= enough) return { ...rest, among, more: true };
      before = last;
    }
  });
};
