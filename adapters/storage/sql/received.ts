// Requests that were stored within the hour, so that one that is sent again is known.
import { idOf, type Connection } from './connection.js';

/** The id under which a request is noted, from its digest: half of a hash in half of its digits, since a row and two entries of indexes are written with every request. */
export const requestIdOf = <D extends string | undefined>(digest: D): D | string =>
  digest === undefined ? digest : idOf(digest);

/** A request that is told apart from others of its experiment. */
export interface Marked {
  readonly experimentId: string;
  readonly digest: string | undefined;
  readonly receivedAt: number;
}

export const digestOf = ({
  experimentId,
  digest,
}: Pick<Marked, 'experimentId' | 'digest'>): string => `${experimentId}${digest ?? ''}`;

/** Digests among these that were stored within the hour. */
export const findStored = async (
  { db, dialect }: Connection,
  marked: readonly Marked[],
): Promise<Set<string>> => {
  const rows = (await dialect.run(
    db,
    `select experiment_id, request_id from received_requests where ${dialect.anyOf('experiment_id', 'id')} and ${dialect.anyOf('request_id', 'id')}`,
    [[...new Set(marked.map((one) => one.experimentId))], marked.map((one) => one.digest)],
  )) as readonly { readonly experiment_id: string; readonly request_id: string }[]; // the columns named
  return new Set(
    rows.map((row) => digestOf({ experimentId: row.experiment_id, digest: row.request_id })),
  );
};

/** Notes them as rows. The statement fails where any of them was stored within the hour. */
export const noteDigests = (
  { db, dialect }: Connection,
  marked: readonly Marked[],
): Promise<void> =>
  dialect.insertColumns(db, 'received_requests', [
    { name: 'experiment_id', kind: 'id', values: marked.map((one) => one.experimentId) },
    { name: 'request_id', kind: 'id', values: marked.map((one) => one.digest) },
    { name: 'at', kind: 'whole', values: marked.map((one) => one.receivedAt) },
  ]);
