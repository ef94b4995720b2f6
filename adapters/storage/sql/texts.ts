import { Failure } from '#ports/failure';
import type { NewText, TextStore } from '#ports/storage/texts';
import type { Connection } from './connection.js';
import { changeExperiment, takeDigest } from './experiment-lock.js';
import { requestIdOf } from './received.js';
import { appendLines } from './output.js';
import { queueOutputPacking } from './output-packing.js';
import { measureFrom, readLines, readPiecesFrom } from './output-reading.js';
import { appendPieces, readHead, readPieces, replacePieces } from './text-pieces.js';

const toBytes = (content: NewText['content']): Buffer =>
  typeof content === 'string'
    ? Buffer.from(content, 'utf8')
    : Buffer.from(content.buffer, content.byteOffset, content.byteLength);

const checkRoom = ({ kind, limitBytes }: NewText, bytes: number): void => {
  if (limitBytes !== undefined && bytes > limitBytes)
    throw new Failure(
      'invalid',
      `the ${kind} of an experiment must be at most ${limitBytes} bytes`,
    );
};

export const textStore = (connection: Connection): TextStore => ({
  replace: (text) =>
    changeExperiment(connection, text.experimentId, async (inside) => {
      const content = toBytes(text.content);
      checkRoom(text, content.length);
      await replacePieces(inside, text.experimentId, text.kind, content);
    }),
  append: (text) =>
    changeExperiment(connection, text.experimentId, async (inside) => {
      const content = toBytes(text.content);
      const head = await readHead(inside.db, text.experimentId, text.kind);
      checkRoom(text, (head?.bytes ?? 0) + content.length);
      await appendPieces(inside, text.experimentId, text.kind, content, head);
    }),
  read: (experimentId, kind) => readPieces(connection.db, experimentId, kind),
  appendOutput: (batch) =>
    changeExperiment(connection, batch.experimentId, async (inside) => {
      if (
        !(await takeDigest(inside, batch.experimentId, requestIdOf(batch.digest), batch.receivedAt))
      )
        return { outcome: 'duplicate', full: false };
      return { outcome: 'stored', full: await appendLines(inside, batch) };
    }),
  readOutput: (experimentId) => readLines(connection, experimentId),
  readOutputFrom: (experimentId, after) => readPiecesFrom(connection, experimentId, after),
  measureOutputFrom: (experimentId, after) => measureFrom(connection, experimentId, after),
  async outputSize(experimentId) {
    const head = await readHead(connection.db, experimentId, 'output');
    return { bytes: head?.bytes ?? 0, pieces: head?.pieces ?? 0 };
  },
  async findLastOffset(experimentId) {
    return (await readHead(connection.db, experimentId, 'output'))?.lastOffset;
  },
  queuePacking: (experimentIds) => queueOutputPacking(connection, experimentIds),
});
