// Selections of spans that say something of their bodies: those are read frame by frame, the newest first, and what holds is selected by its id.
import type { FieldFilter } from '#ports/field-query';
import type { TraceSelection } from '#ports/storage/traces';
import type { Connection } from '../connection.js';
import { fragment, joined } from '../fragment.js';
import { createSemaphore } from '../semaphore.js';
import { bodyHolds, claimedPart } from './body-claims.js';
import { openFrames, type BodyPart, type OpenFrame } from './frames.js';
import { placeOf, type Row } from './rows.js';
import { foundInRow, selected, type Selection } from './selecting.js';

/** Rows of one look. */
const rowsAtOnce = 2000;
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

/** Whether what is asked of bodies holds for a row. */
const judging =
  (claims: readonly FieldFilter[], sought: string | undefined) =>
  (row: Row, frame: Frame): boolean => {
    const at = placeOf(row)?.at ?? 0;
    const bodies = { input: frame.input?.text(at), output: frame.output?.text(at) };
    const found = (text: string | undefined): boolean =>
      sought !== undefined && text?.toLowerCase().includes(sought) === true;
    return (
      claims.every((claim) => bodyHolds(claim, bodies)) &&
      (sought === undefined ||
        Number(row['found']) === 1 ||
        found(bodies.input) ||
        found(bodies.output))
    );
  };

type Judge = ReturnType<typeof judging>;
type Frame = Partial<Record<BodyPart, OpenFrame>>;

/** Rows of spans by id, the greatest first, from before an id on; `found` tells whether a text stands in what is no body. */
const look = async (
  { db, dialect }: Connection,
  { search, ...selection }: TraceSelection,
  before: string | undefined,
): Promise<readonly Row[]> => {
  const found =
    search === undefined
      ? '0'
      : joined('case when ', foundInRow({ dialect }, 'span', search), ' then 1 else 0 end');
  const { sql, bindings } = joined(
    'select x.id, x.frame_id, x.frame_at, ',
    found,
    ' as found from spans x where ',
    selected({ dialect }, { kind: 'span' }, selection),
    ...(before === undefined ? [] : [fragment(' and x.id < ?', before)]),
    fragment(' order by x.id desc limit ?', rowsAtOnce),
  );
  return (await dialect.run(db, sql, bindings)) as readonly Row[]; // the columns named
};

/** The ids of rows for which what is asked of bodies holds. */
const idsOf = async (
  connection: Connection,
  { projectId }: TraceSelection,
  rows: readonly Row[],
  { judge, wanted, holding, mayHold }: Judging,
): Promise<ReadonlySet<string>> => {
  const ids = new Set<string>();
  const judgeAll = (some: readonly Row[], frame: Frame): void => {
    for (const row of some) if (judge(row, frame)) ids.add(String(row['id']));
  };
  const byFrame = new Map<string, Row[]>();
  for (const row of rows) {
    const place = placeOf(row);
    if (place === undefined) judgeAll([row], {});
    else byFrame.set(place.frameId, [...(byFrame.get(place.frameId) ?? []), row]);
  }
  const isFound = (row: Row): boolean => Number(row['found']) === 1;
  const opened = new Set<string>();
  for await (const frames of openFrames(connection, projectId, [...byFrame.keys()], {
    ...{ wanted, holding },
  }))
    for (const [id, frame] of frames) {
      opened.add(id);
      const some = byFrame.get(id) ?? [];
      if (mayHold(frame) || some.some(isFound)) judgeAll(some, frame);
    }
  if (holding !== undefined)
    for (const [id, some] of byFrame) if (!opened.has(id)) judgeAll(some.filter(isFound), {});
  return ids;
};
interface Judging {
  readonly judge: Judge;
  readonly wanted: readonly BodyPart[];
  /** What is sought and nothing else, so that frames that do not hold it need not be opened. */
  readonly holding: string | undefined;
  /** Whether any body of a frame may hold what is sought, so that most frames are looked at once and as a whole. */
  mayHold(frame: Frame): boolean;
}

/** Whether a selection says something of bodies, or looks for a text, which may stand in one. */
export const asksForBodies = ({ filters, search }: TraceSelection): boolean =>
  search !== undefined || filters.some((filter) => claimedPart(filter) !== undefined);

/** The same selection without what it says of bodies, and the ids for which that holds. Traces, whose bodies lie in their rows, stay as they are. */
export const narrow = async (
  connection: Connection,
  kind: 'trace' | 'span',
  selection: TraceSelection,
  { enough = Infinity, beforeId }: Bounds = {},
): Promise<Selection> => {
  if (kind === 'trace' || !asksForBodies(selection)) return selection;
  const isClaim = (filter: FieldFilter): boolean => claimedPart(filter) !== undefined;
  const claims = selection.filters.filter(isClaim);
  const { search, ...rest } = {
    ...selection,
    filters: selection.filters.filter((filter) => !isClaim(filter)),
  };
  const sought = search?.toLowerCase();
  const how: Judging = {
    judge: judging(claims, sought),
    wanted:
      sought === undefined
        ? [...new Set(claims.map((claim) => claimedPart(claim) ?? 'input'))]
        : ['input', 'output'],
    holding: claims.length === 0 ? sought : undefined,
    mayHold: ({ input, output }) =>
      sought === undefined ||
      [input, output].some((part) => part?.all.toLowerCase().includes(sought) === true),
  };
  return scans.take(undefined, async () => {
    const among: string[] = [];
    let before = beforeId;
    do {
      const rows = await look(connection, { ...rest, search }, before);
      const ids = await idsOf(connection, selection, rows, how);
      among.push(...rows.map((row) => String(row['id'])).filter((id) => ids.has(id)));
      before = rows.length < rowsAtOnce ? undefined : String(rows.at(-1)?.['id']);
    } while (before !== undefined && among.length < enough);
    return { ...rest, among };
  });
};
