// Lists longer than a browser lets an element be high: where one stands in them is a line, not a pixel. Pure.

/** No browser cuts an element that is as high. */
export const mostHigh = 8_000_000;

export interface ListScale {
  /** How high the list is on the page. */
  readonly height: number;
  /** Pixels that are scrolled for a line: those of a line itself, unless the list would be too high. */
  readonly perLine: number;
  /** The last line that can stand at the top. */
  readonly lastTop: number;
}

/** How a list of so many lines stands in a room of some height. */
export const listScale = (lines: number, lineHeight: number, room: number): ListScale => {
  const whole = lines * lineHeight;
  const lastTop = Math.max(0, lines - room / lineHeight);
  const height = Math.min(whole, Math.max(mostHigh, room));
  return {
    height,
    lastTop,
    perLine: whole <= height || lastTop === 0 ? lineHeight : (height - room) / lastTop,
  };
};

/** The numbers of the pages, from 0 on, that hold the lines from one to another and are not there yet. */
export const pagesMissing = (
  [from, to]: readonly [number, number],
  pageLines: number,
  has: (line: number) => boolean,
): readonly number[] => {
  const pages = new Set<number>();
  for (let line = from; line <= to; line++)
    if (!has(line)) pages.add(Math.floor((line - 1) / pageLines));
  return [...pages];
};
