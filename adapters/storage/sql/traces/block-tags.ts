// What the rows of a block come to by single tags: of a tag that many rows have in lists that differ, this tells more with less. Pure.
import type { Cursor } from '../metrics/varints.js';
import {
  createWriter,
  groupsReader,
  readBytes,
  writeGroups,
  type Groups,
  type RowSums,
} from './block-groups.js';
import { filterBytes, gramsOf, isOdd } from './grams.js';
import type { Row } from './rows.js';

/** Where a block keeps what its rows come to by single tags. */
export const tagsColumn = 'by_tag';
/** Tags of one block of which it is kept, and rows that such a tag must have: of others it is known alone what may stand in them. */
const [mostTags, leastRows] = [48, 16];

/** A row with its texts by their columns. */
interface Tagged {
  readonly texts: Row;
}
type Bits = readonly { readonly byte: number; readonly mask: number }[];

/** The tags of a row, each once. */
const tagsIn = ({ texts: { tags } }: Tagged): ReadonlySet<string> =>
  new Set(typeof tags === 'string' ? (JSON.parse(tags) as readonly string[]) : []); // lists of texts alone are stored there

const bitsOf = (tags: readonly string[]): Uint8Array => {
  if (tags.length === 0) return new Uint8Array();
  if (isOdd(tags)) return new Uint8Array(filterBytes).fill(0xff);
  return gramsOf(Buffer.from(tags.map((tag) => JSON.stringify(tag)).join('\n')), 0);
};

/** What rows come to by their tags, as a block keeps it; nothing where that is too much to be of use. */
export const writeTags = <T extends Tagged>(
  rows: readonly T[],
  addRows: (rows: readonly T[]) => RowSums,
): Uint8Array => {
  const rowsOf = new Map<string, T[]>();
  for (const row of rows)
    for (const tag of tagsIn(row)) {
      const others = rowsOf.get(tag);
      if (others === undefined) rowsOf.set(tag, [row]);
      else others.push(row);
    }
  const byRows = [...rowsOf].sort(([, one], [, other]) => other.length - one.length);
  const common = byRows.slice(0, mostTags).filter(([, some]) => some.length >= leastRows);
  if (common.length === 0) return new Uint8Array();
  const groups = writeGroups(
    new Map(common.map(([tag, some]): [string, RowSums] => [tag, addRows(some)])),
  );
  if (groups.length === 0) return groups;
  const into = createWriter();
  into.bytes(bitsOf(byRows.slice(common.length).map(([tag]) => tag)));
  return Buffer.concat([into.take(), groups]);
};

export interface Tags {
  /** Of tags that many rows have; a row may be in several groups. */
  readonly groups: Groups;
  /** Whether a tag beside those may have these bits. */
  mayHoldElsewhere(bits: Bits): boolean;
}

/** Reads tags of many blocks, one after the other. */
export const tagsReader = (): ((bytes: Uint8Array) => Tags) => {
  const readGroups = groupsReader();
  return (bytes) => {
    const cursor: Cursor = { at: 0 };
    const others = readBytes(bytes, cursor);
    return {
      groups: readGroups(bytes.subarray(cursor.at)),
      mayHoldElsewhere: (bits) =>
        others.length > 0 && bits.every(({ byte, mask }) => ((others[byte] ?? 0) & mask) > 0),
    };
  };
};
