// Lines of output of which only those on the screen have elements, however many there are.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { listScale } from '../../pure/long-list.js';
import type { LineList, OutputLine } from './log-lines.js';

const lineHeight = 18;
const beyond = 10;

/** Lines that a key goes on by, of so many that are on the screen. */
const keyLines: Readonly<Record<string, (shown: number) => number>> = {
  ArrowDown: () => 1,
  ArrowUp: () => -1,
  PageDown: (shown) => shown - 1,
  PageUp: (shown) => 1 - shown,
  Home: () => -Infinity,
  End: () => Infinity,
};

/** How high an element is. */
const useRoom = (at: { readonly current: HTMLElement | null }): number => {
  const [room, setRoom] = useState(0);
  useLayoutEffect(() => {
    const element = at.current;
    if (element === null) return undefined;
    const measure = () => setRoom(element.clientHeight);
    measure();
    const size = new ResizeObserver(measure);
    size.observe(element);
    return () => size.disconnect();
  }, []);
  return room;
};

/** Which line stands at the top, by whatever the list is scrolled. Where a pixel is more than a line, wheel and keys go by lines all the same. */
const useTop = (count: number, pinned: boolean, goTo: { readonly line: number } | undefined) => {
  const scroller = useRef<HTMLDivElement>(null);
  const room = useRoom(scroller);
  const scale = listScale(count, lineHeight, room);
  const [top, setTop] = useState(0);
  const latest = useRef({ top, scale, set: 0, atEnd: true });
  latest.current.scale = scale;

  const moveTo = (line: number): void => {
    const { lastTop, perLine } = latest.current.scale;
    const next = Math.max(0, Math.min(lastTop, line));
    Object.assign(latest.current, { top: next, set: next * perLine, atEnd: next >= lastTop - 1 });
    if (scroller.current !== null) scroller.current.scrollTop = next * perLine;
    setTop(next);
  };

  useLayoutEffect(() => {
    const { top: now, atEnd } = latest.current;
    moveTo(pinned && atEnd ? Infinity : now);
  }, [count, room, pinned]);
  useEffect(() => {
    if (goTo !== undefined) moveTo(goTo.line - 1 - Math.floor(room / lineHeight / 3));
  }, [goTo]);
  useEffect(() => {
    const at = scroller.current;
    if (at === null) return undefined;
    let asked = 0;
    const look = () => {
      asked = 0;
      const { scale: now, set } = latest.current;
      if (Math.abs(at.scrollTop - set) < 2 && now.perLine < lineHeight) return;
      const line = Math.min(now.lastTop, at.scrollTop / now.perLine);
      Object.assign(latest.current, {
        top: line,
        set: at.scrollTop,
        atEnd: line >= now.lastTop - 1,
      });
      setTop(line);
    };
    const scrolled = () => {
      asked ||= requestAnimationFrame(look);
    };
    const isScaled = () => latest.current.scale.perLine < lineHeight;
    const wheeled = (event: WheelEvent) => {
      if (!isScaled() || event.deltaY === 0 || event.ctrlKey) return;
      event.preventDefault();
      moveTo(latest.current.top + event.deltaY / lineHeight);
    };
    const pressed = (event: KeyboardEvent) => {
      const by = keyLines[event.key]?.(Math.floor(at.clientHeight / lineHeight));
      if (by === undefined || !isScaled()) return;
      event.preventDefault();
      moveTo(latest.current.top + by);
    };
    at.addEventListener('scroll', scrolled, { passive: true });
    at.addEventListener('wheel', wheeled, { passive: false });
    at.addEventListener('keydown', pressed);
    return () => {
      cancelAnimationFrame(asked);
      at.removeEventListener('scroll', scrolled);
      at.removeEventListener('wheel', wheeled);
      at.removeEventListener('keydown', pressed);
    };
  }, []);
  return { scroller, room, scale, top };
};

export const LogList = ({
  list,
  pinned,
  goTo,
  show,
}: {
  list: LineList;
  /** Whether the end stays in sight as it grows, unless one has scrolled away from it. */
  pinned: boolean;
  /** A line to go to, whenever it is another one. */
  goTo?: { readonly line: number } | undefined;
  show: (line: OutputLine) => ComponentChildren;
}) => {
  const count = list.count ?? 0;
  const { scroller, room, scale, top } = useTop(count, pinned, goTo);
  const first = Math.max(0, Math.floor(top) - beyond);
  const last = Math.min(count - 1, Math.ceil(top + room / lineHeight) + beyond);
  useEffect(() => {
    if (last >= first) list.want(first, last);
  }, [first, last, count]);
  return (
    <div
      ref={scroller}
      class="output"
      tabIndex={0}
      role="log"
      aria-live="off"
      aria-label="Output"
      style={{ whiteSpace: 'pre', padding: 0 }}
    >
      <div style={{ height: `${scale.height}px` }}>
        <div
          style={{
            ...{ position: 'sticky', top: 0, height: `${Math.min(room, scale.height)}px` },
            overflowY: 'clip',
          }}
        >
          {Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => {
            const place = first + at;
            const line = list.at(place);
            return (
              <div
                key={place}
                style={{
                  ...{ position: 'absolute', top: `${(place - top) * lineHeight}px`, left: 0 },
                  ...{ height: `${lineHeight}px`, padding: '0 8px' },
                  boxShadow: line?.stderr === true ? 'inset 3px 0 var(--fault)' : undefined,
                }}
                title={line?.stderr === true ? 'standard error' : undefined}
              >
                {line === undefined ? <span class="faint">…</span> : show(line)}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
};
