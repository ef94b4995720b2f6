// Ranges of the ids of traces or spans, which tell of nothing but where rows are: all that is read is an index.
import type { TraceSelection } from '#ports/storage/traces';
import type { Connection } from '../connection.js';
import { fragment } from '../fragment.js';
import { asId } from '../ids.js';
import { run } from './reads.js';
import { selected, type Selection } from './selecting.js';

type Whole = Pick<Selection, 'projectId' | 'traceId' | 'fromId' | 'toId' | 'beforeId'>;

/** The id of a row so many rows behind the first one of a selection of whole ranges, whatever else is asked; `undefined` where there are fewer. */
export const idBehind = async (
  connection: Connection,
  kind: 'trace' | 'span',
  { projectId, traceId, fromId, toId, beforeId }: Whole,
  rows: number,
): Promise<string | undefined> => {
  const [row] = await run(
    connection,
    `select x.id from ${kind}s x where `,
    selected(connection, { kind }, { projectId, filters: [], traceId, fromId, toId, beforeId }),
    fragment(' order by x.id desc limit 1 offset ?', rows - 1),
  );
  return row && String(row['id']);
};

/** The later one of two bounds. */
export const laterOf = (
  one: TraceSelection['fromId'],
  other: TraceSelection['fromId'],
): string | undefined => (one === undefined || (other !== undefined && other > one) ? other : one);

const numberOf = (id: string): bigint => BigInt(`0x${id.replaceAll('-', '')}`);
const idOf = (number: bigint): string => asId(number.toString(16).padStart(32, '0'));

/** The greatest id before another one. */
export const idBefore = (id: string): string => idOf(numberOf(id) - 1n);

/** An id so many times as far behind a first one as another is. */
export const idFurther = (first: string, other: string, times: number): string => {
  const from = numberOf(first);
  const found = from - (from - numberOf(other)) * BigInt(times);
  return idOf(found < 0n ? 0n : found);
};
