// Pictures of runs side by side, zoomed and moved together, down to their own pixels.
import { useEffect, useRef, useState } from 'preact/hooks';
import { addressOf, type Media } from '../media/files.js';

export interface ZoomProps {
  readonly of: readonly Media[];
  readonly nameOf: (media: Media) => string;
}

const pane = 320;
const [step, finest] = [1.25, 64];

/** What all panes show: how many pixels of the screen a pixel of the first picture has, and the middle as parts of a picture. */
interface Look {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}
type Size = readonly [width: number, height: number];

const within = (value: number, least: number, most: number) =>
  Math.max(least, Math.min(most, value));

const keys: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-0.1, 0],
  ArrowRight: [0.1, 0],
  ArrowUp: [0, -0.1],
  ArrowDown: [0, 0.1],
};

export const ZoomedPictures = ({ of, nameOf }: ZoomProps) => {
  const [sizes, setSizes] = useState<ReadonlyMap<string, Size>>(new Map());
  const [look, setLook] = useState<Look>();
  const box = useRef<HTMLDivElement>(null);
  const first = sizes.get(of[0]?.id ?? '');
  const whole: Look = {
    scale: first === undefined ? 1 : pane / Math.max(...first),
    x: 0.5,
    y: 0.5,
  };
  const now = look ?? whole;
  const least = Math.min(1, whole.scale) / 2;
  const change = (next: Look) =>
    setLook({
      scale: within(next.scale, least, finest),
      x: within(next.x, 0, 1),
      y: within(next.y, 0, 1),
    });
  /** What is at a place of a pane stays there. */
  const zoomAt = (
    factor: number,
    [left, top]: readonly [number, number] = [pane / 2, pane / 2],
  ) => {
    if (first === undefined) return;
    const scale = within(now.scale * factor, least, finest);
    const moved = (away: number, length: number) =>
      ((away - pane / 2) / length) * (1 / now.scale - 1 / scale);
    change({ scale, x: now.x + moved(left, first[0]), y: now.y + moved(top, first[1]) });
  };
  const latest = useRef(zoomAt);
  latest.current = zoomAt;
  useEffect(() => {
    const at = box.current;
    const wheel = (event: WheelEvent) => {
      const under = event.target instanceof Element ? event.target.closest('.pane') : null;
      if (under === null) return;
      event.preventDefault();
      const { left, top, width } = under.getBoundingClientRect();
      const part = pane / width;
      latest.current(event.deltaY < 0 ? step : 1 / step, [
        (event.clientX - left) * part,
        (event.clientY - top) * part,
      ]);
    };
    // The page stays where it is, for which the browser must wait for this.
    at?.addEventListener('wheel', wheel, { passive: false });
    return () => at?.removeEventListener('wheel', wheel);
  }, []);
  const drag = (event: PointerEvent) => {
    if (event.buttons !== 1 || first === undefined) return;
    const by = (moved: number, length: number) => moved / (now.scale * length);
    const [x, y] = [by(event.movementX, first[0]), by(event.movementY, first[1])];
    change({ ...now, x: now.x - x, y: now.y - y });
  };
  const press = (event: KeyboardEvent) => {
    const way = keys[event.key];
    if (way !== undefined && first !== undefined) {
      const by = (part: number, length: number) => (part * pane) / (now.scale * length);
      change({ ...now, x: now.x + by(way[0], first[0]), y: now.y + by(way[1], first[1]) });
    } else if (event.key === '+' || event.key === '-') zoomAt(event.key === '+' ? step : 1 / step);
    else if (event.key === '0') setLook(undefined);
    else return;
    event.preventDefault();
  };
  return (
    <div ref={box}>
      <p class="controls">
        <button type="button" aria-pressed={look === undefined} onClick={() => setLook(undefined)}>
          whole
        </button>
        <button
          type="button"
          aria-pressed={now.scale === 1}
          title="A pixel of the picture is one of the screen"
          onClick={() => change({ ...now, scale: 1 })}
        >
          1 : 1
        </button>
        <button type="button" aria-label="Zoom in" onClick={() => zoomAt(step)}>
          +
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => zoomAt(1 / step)}>
          −
        </button>
        <span class="faint" role="status">
          {Math.round(now.scale * 100)} % · wheel, drag, + − 0 and arrows move all of them
        </span>
      </p>
      <div class="media">
        {of.map((one) => {
          const size = sizes.get(one.id);
          // Of other sizes the same parts are shown.
          const scale =
            size === undefined || first === undefined
              ? now.scale
              : (now.scale * first[0]) / size[0];
          const place =
            size === undefined
              ? undefined
              : `translate(${pane / 2 - now.x * size[0] * scale}px, ${pane / 2 - now.y * size[1] * scale}px) scale(${scale})`;
          return (
            <figure key={one.id}>
              <div
                class="pane"
                role="group"
                tabIndex={0}
                aria-label={`${one.name} of ${nameOf(one)}, zoomed with the others`}
                style={{
                  ...{ width: `${pane}px`, height: `${pane}px`, overflow: 'hidden' },
                  ...{ outline: '1px solid var(--line)', cursor: 'grab', touchAction: 'none' },
                }}
                onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
                onPointerMove={drag}
                onKeyDown={press}
                onDblClick={() => setLook(undefined)}
              >
                <img
                  src={addressOf(one)}
                  alt={`${one.name} of ${nameOf(one)}`}
                  draggable={false}
                  style={{
                    ...{ width: 'auto', maxWidth: 'none', aspectRatio: 'auto', border: 0 },
                    ...{ borderRadius: 0, transformOrigin: '0 0', display: 'block' },
                    ...{ imageRendering: scale >= 2 ? 'pixelated' : 'auto' },
                    ...(place === undefined ? { visibility: 'hidden' } : { transform: place }),
                  }}
                  onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
                    setSizes((before) =>
                      new Map(before).set(one.id, [naturalWidth || 1, naturalHeight || 1]),
                    )
                  }
                />
              </div>
              <figcaption>
                {nameOf(one)} {size === undefined ? '' : `· ${size[0]} × ${size[1]}`}
              </figcaption>
            </figure>
          );
        })}
      </div>
    </div>
  );
};
