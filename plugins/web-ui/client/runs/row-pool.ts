// Rows that are on the screen, and no others: elements are kept and filled anew as the list is scrolled.

export interface RowPool {
  /** Says how many rows there are, and fills those on the screen again. */
  refresh(count: number): void;
  /** Scrolls so far that a row is seen. */
  show(place: number): void;
  remove(): void;
}
export const rowHeight = 28;
const beyond = 6;

/** A list in `scroller`, whose `body` is as high as all rows together. `fill` is given a row and its place; `onEnd` is called as the last rows come near. */
export const rowPool = (
  scroller: HTMLElement,
  body: HTMLElement,
  make: () => HTMLElement,
  fill: (row: HTMLElement, place: number) => void,
  onEnd: () => void,
): RowPool => {
  const rows: HTMLElement[] = [];
  let count = 0;
  let asked = 0;
  const draw = () => {
    asked = 0;
    const first = Math.max(0, Math.floor(scroller.scrollTop / rowHeight) - beyond);
    const shown = Math.min(
      count - first,
      Math.ceil(scroller.clientHeight / rowHeight) + 2 * beyond,
    );
    while (rows.length < shown) {
      const row = make();
      rows.push(row);
      body.append(row);
    }
    rows.forEach((row, at) => {
      row.hidden = at >= shown;
      if (row.hidden) return;
      // A row keeps its element while it is on the screen, so that nothing but new rows is filled by scrolling.
      const place = first + ((at - (first % rows.length) + rows.length) % rows.length);
      if (place >= count) {
        row.hidden = true;
        return;
      }
      row.style.transform = `translateY(${place * rowHeight}px)`;
      row.ariaRowIndex = String(place + 2);
      fill(row, place);
    });
    if (first + shown > count - 50) onEnd();
  };
  const soon = () => {
    asked ||= requestAnimationFrame(draw);
  };
  scroller.addEventListener('scroll', soon, { passive: true });
  const size = new ResizeObserver(soon);
  size.observe(scroller);
  return {
    refresh(now) {
      count = now;
      body.style.height = `${now * rowHeight}px`;
      soon();
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
      for (const row of rows) row.remove();
    },
  };
};
