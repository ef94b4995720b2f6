// Texts of points that are asked for again and again: of a metric that several look at, or that a script fetches anew in each round.
import { createHash } from 'node:crypto';
import { createCache } from '../cache.js';

/** Chunks of a series as they are stored; of each, how many of its first points are left out. */
export interface Source {
  readonly name: string;
  readonly context: string | undefined;
  readonly chunks: readonly { readonly points: Uint8Array; readonly skip: number }[];
}

/** Texts that are kept come to so many bytes at most: those of a quarter of a million points. */
const mostBytes = 32 * 1024 * 1024;
/** Pieces of which it is known that they were asked for once. */
const mostSeen = 4096;
/** How long all of them are kept when nobody asks, in ms. */
const keptMs = 60_000;

/** What the text of chunks depends on, and nothing else: whoever logs other points in their place has another one. */
export const textKey = ({ name, context, chunks }: Source): string => {
  const hash = createHash('sha256').update(JSON.stringify([name, context ?? null]));
  for (const { points, skip } of chunks) hash.update(`${skip}/${points.length}/`).update(points);
  return hash.digest('base64');
};

const emptyTexts = () => createCache<Uint8Array>(mostBytes, ({ byteLength }) => byteLength);

/** Keeps a text from the second time on that it is made, so that who reads everything once leaves nothing behind. */
export class KeptTexts {
  #texts = emptyTexts();
  readonly #seen = new Set<string>();
  #forget: NodeJS.Timeout | undefined;

  async of(chunks: Source, write: () => Uint8Array | Promise<Uint8Array>): Promise<Uint8Array> {
    const key = textKey(chunks);
    this.#stay();
    const found = this.#texts.find(key);
    if (found !== undefined) return found;
    const isAgain = this.#seen.delete(key);
    const text = await write();
    if (isAgain) this.#texts.keep(key, text);
    else this.#note(key);
    return text;
  }

  #note(key: string): void {
    this.#seen.add(key);
    for (const oldest of this.#seen) {
      if (this.#seen.size <= mostSeen) return;
      this.#seen.delete(oldest);
    }
  }

  #stay(): void {
    this.#forget ??= setTimeout(() => {
      this.#forget = undefined;
      this.#texts = emptyTexts();
      this.#seen.clear();
    }, keptMs).unref();
    this.#forget.refresh();
  }
}
