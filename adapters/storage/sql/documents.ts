import type { DocumentStore } from '#ports/storage/documents';
import type { Connection } from './connection.js';
import { changeExperiment } from './experiment-lock.js';
import { readPieces, replacePieces } from './text-pieces.js';

export const documentStore = (connection: Connection): DocumentStore => {
  const readText = async (
    { db }: Connection,
    experimentId: string,
    kind: Parameters<DocumentStore['read']>[1],
  ) => {
    const pieces = await readPieces(db, experimentId, kind);
    return pieces === undefined ? undefined : Buffer.concat(pieces).toString('utf8');
  };
  return {
    read: (experimentId, kind) => readText(connection, experimentId, kind),
    change: (experimentId, kind, change) =>
      changeExperiment(connection, experimentId, async (inside) => {
        const before = await readText(inside, experimentId, kind);
        const after = change(before);
        if (after !== before)
          await replacePieces(inside, experimentId, kind, Buffer.from(after, 'utf8'));
      }),
  };
};
