// The points of metrics as the wire lists them. There may be millions in one reply, so each is put together from what does not change and a few numbers.
import type { StoredPoint } from '#ports/storage/metrics';
import { listAfter } from '../json-list.js';

/** Texts that JSON has as they are: every number, and the words for those that are not finite. */
const isPlain = /^[\w+.-]*$/;

/** The points of one metric as items of a list, in UTF-8. */
const writePoints = (before: string, name: string, points: readonly StoredPoint[]): Buffer => {
  const start = `{"metricName":${JSON.stringify(name)},"metricValue":`;
  let ascii = isPlain.test(name);
  let [context, end]: [string | undefined, string] = [undefined, ',"runContext":null}'];
  let written = before;
  for (const point of points) {
    const plain = isPlain.test(point.text);
    ascii &&= plain;
    if (point.context !== context) {
      context = point.context;
      end = `,"runContext":${JSON.stringify(context ?? null)}}`;
      ascii &&= isPlain.test(context ?? '');
    }
    if (written !== before) written += ',';
    written += `${start}${plain ? `"${point.text}"` : JSON.stringify(point.text)},"timestamp":${point.timestamp},"step":${point.step ?? null},"epoch":${point.epoch ?? null}${end}`;
  }
  // The same bytes; the second takes twice the time.
  return Buffer.from(written, ascii ? 'latin1' : 'utf8');
};

/** The document that lists points under `metrics`, piece by piece as they are read. */
export async function* writeMetrics(
  pieces: AsyncIterable<{ readonly name: string; readonly points: readonly StoredPoint[] }>,
): AsyncIterable<Uint8Array> {
  const { open, close } = listAfter({}, 'metrics');
  let before = open;
  for await (const { name, points } of pieces) {
    if (points.length === 0) continue;
    yield writePoints(before, name, points);
    before = ',';
  }
  yield Buffer.from(before === ',' ? close : `${open}${close}`);
}
