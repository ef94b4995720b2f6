import type { ByteStream } from './bytes.js';
import { port } from './port.js';

/** What is decoded at most: a picture beyond it is refused before it is. */
export const imageBounds = { bytes: 64 * 1024 * 1024, pixels: 100_000_000 } as const;

export interface SmallPicture {
  readonly bytes: Uint8Array;
  /** Its media type. */
  readonly type: string;
}

/** The letters that a drawing has at most. */
export const mostDrawingLetters = 4_000_000;

/** Pictures made smaller, and drawings made pictures, apart from what serves requests: a picture that ends the decoder ends nothing else. */
export interface Images {
  /**
   * The picture within a square of so many pixels, upright and never enlarged; the first frame where it moves. PNG, JPEG, GIF and WebP are read,
   * and nothing else, whatever its name. `open` is called once its turn comes, so that what waits holds no bytes. Rejects with `unprocessable` for
   * what is no such picture, is damaged, is beyond `imageBounds` or takes too long; with `unavailable` when too many wait; with `unsupported` where
   * there is no decoder for this platform. May be repeated.
   */
  shrink(open: () => Promise<ByteStream>, edge: number): Promise<SmallPicture>;
  /**
   * A drawing that this server made, in SVG, as PNG, twice as fine as it is drawn. Rejects like `shrink`, also for a drawing of more than
   * `mostDrawingLetters`. May be repeated.
   */
  draw(svg: string): Promise<SmallPicture>;
}
export const Images = port<Images>('images');
