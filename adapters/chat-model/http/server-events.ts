// The data of server-sent events (HTML standard, 9.2.6), as bytes come. Names and ids of events do not matter here.

/** The data of each event. What comes behind the last blank line belongs to no event, except where a provider leaves the blank line out at its end. */
export async function* dataOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let lines: string[] = [];
  let rest = '';
  const take = (line: string): string | undefined => {
    if (line === '') {
      const data = lines.length === 0 ? undefined : lines.join('\n');
      lines = [];
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
  rest = waiting.join('') + decoder.decode();
  take(rest);
  if (lines.length > 0) yield lines.join('\n');
}
