// Rows that are on the screen, and no others: elements are kept and filled anew as the list is scrolled.

export interface RowPool {
  /** Says how many rows there are, and fills those on the screen again. */
  refresh(count: number): void;
  /** Goes over the rows on the screen without filling them. */
  each(mark: (row: HTMLElement) => void): void;
  /** Scrolls so far that a row is seen. */
  show(place: number): void;
  remove(): void;
}
export const rowHeight = 28;
const beyond = 6;

interface Pooled {
  readonly row: HTMLElement;
  /** Where it stands; -1 where it is to be filled. */
  place: number;
}

/** A list in `scroller`, whose `body` is as high as all rows together. `fill` is given a row and its place; `onEnd` is called as the last rows come near. */
export const rowPool = (
  scroller: HTMLElement,
  body: HTMLElement,
  make: () => HTMLElement,
  fill: (row: HTMLElement, place: number) => void,
  onEnd: () => void,
): RowPool => {
  const rows: Pooled[] = [];
  let count = 0;
  let asked = 0;
  let high = scroller.clientHeight;
  const hide = (one: Pooled) => {
    one.place = -1;
    if (!one.row.hidden) one.row.hidden = true;
  };
  const put = (one: Pooled, place: number) => {
    // A row keeps its element while it is on the screen, so that nothing but new rows is filled by scrolling.
    if (one.place === place) return;
    one.place = place;
    one.row.style.transform = `translateY(${place * rowHeight}px)`;
    one.row.ariaRowIndex = String(place + 2);
    fill(one.row, place);
    if (one.row.hidden) one.row.hidden = false;
  };
  const draw = () => {
    asked = 0;
    const first = Math.max(0, Math.floor(scroller.scrollTop / rowHeight) - beyond);
    const shown = Math.max(0, Math.min(count - first, Math.ceil(high / rowHeight) + 2 * beyond));
    while (rows.length < shown) {
      const row = make();
      rows.push({ row, place: -1 });
      body.append(row);
    }
    rows.forEach((one, at) => {
      const place = first + ((at - (first % rows.length) + rows.length) % rows.length);
      if (place >= first + shown) hide(one);
      else put(one, place);
    });
    if (first + shown > count - 50) onEnd();
  };
  const soon = () => {
    asked ||= requestAnimationFrame(draw);
  };
  scroller.addEventListener('scroll', soon, { passive: true });
  const size = new ResizeObserver(() => {
    high = scroller.clientHeight;
    soon();
  });
  size.observe(scroller);
  return {
    refresh(now) {
      count = now;
      body.style.height = `${now * rowHeight}px`;
      for (const one of rows) one.place = -1;
      // The first rows do not wait for a frame.
      if (rows.length === 0 && high > 0) draw();
      else soon();
    },
    each(mark) {
      for (const { row } of rows) mark(row);
    },
    show(place) {
      const [top, bottom] = [place * rowHeight, (place + 2) * rowHeight];
      if (top < scroller.scrollTop) scroller.scrollTop = top;
      else if (bottom > scroller.scrollTop + scroller.clientHeight)
        scroller.scrollTop = bottom - scroller.clientHeight;
    },
    remove() {
      cancelAnimationFrame(asked);
      size.disconnect();
      scroller.removeEventListener('scroll', soon);
      for (const { row } of rows) row.remove();
    },
  };
};
