// The data of server-sent events (HTML standard, 9.2.6), as bytes come. Names and ids of events do not matter here.
import { Failure } from '#ports/failure';

/**
 * The data of each event. Providers leave the blank line behind the last one out. Rejects with `unavailable` for an event that is longer than `most`
 * characters.
 */
export async function* dataOf(
  pieces: AsyncIterable<Uint8Array>,
  most: number,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let [lines, size]: [string[], number] = [[], 0];
  /** The data of the event that a line ends. */
  const take = (line: string): string | undefined => {
    if (line === '') {
      const data = lines.length === 0 ? undefined : lines.join('\n');
      [lines, size] = [[], 0];
      return data;
    }
    if (line.startsWith('data:')) lines.push(line.slice(line[5] === ' ' ? 6 : 5));
    return undefined;
  };
  // Parts of a line wait in a list: added to one text each, a long line would cost the square of its length.
  let waiting: string[] = [];
  for await (const piece of pieces) {
    const text = decoder.decode(piece, { stream: true });
    const last = text.lastIndexOf('\n');
    size += text.length;
    if (size > most)
      throw new Failure('unavailable', `the target sent an event of more than ${most} characters`);
    if (last === -1) {
      waiting.push(text);
      continue;
    }
    const whole = `${waiting.join('')}${text.slice(0, last)}`;
    waiting = [text.slice(last + 1)];
    for (const line of whole.split('\n')) {
      const data = take(line.endsWith('\r') ? line.slice(0, -1) : line);
      if (data !== undefined) yield data;
    }
  }
  take(waiting.join('') + decoder.decode());
  if (lines.length > 0) yield lines.join('\n');
}
