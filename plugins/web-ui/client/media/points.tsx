// Points in space, turned by dragging or by the arrow keys. Clients send them in no order, so that the first are a fair part of all.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatCount } from '../../pure/format.js';
import { readSpace, turned, type SpacePoint } from '../../pure/space.js';
import { useLoaded } from '../loading.js';
import { isDark } from '../state.js';
import { loadText, type Media } from './files.js';
import { Odd, Wait } from './waiting.js';

const most = 20_000;
const side = 360;

const draw = (
  canvas: HTMLCanvasElement,
  points: readonly SpacePoint[],
  { around, up }: Turn,
  dark: boolean,
): void => {
  const pen = canvas.getContext('2d');
  if (pen === null) return;
  pen.clearRect(0, 0, side * 2, side * 2);
  for (const { colour, x, y } of turned(points, around, up)) {
    pen.fillStyle = colour ?? (dark ? '#a79bff' : '#5746c9');
    pen.fillRect(side + x * side * 0.95, side - y * side * 0.95, 3, 3);
  }
};

interface Turn {
  readonly around: number;
  readonly up: number;
}

const steps: Readonly<Record<string, Turn>> = {
  ArrowLeft: { around: -0.15, up: 0 },
  ArrowRight: { around: 0.15, up: 0 },
  ArrowUp: { around: 0, up: 0.15 },
  ArrowDown: { around: 0, up: -0.15 },
};

const Cloud = ({ points, name }: { points: readonly SpacePoint[]; name: string }) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [turn, setTurn] = useState<Turn>({ around: 0.6, up: 0.4 });
  const dark = isDark.value;
  useEffect(() => {
    if (canvas.current !== null) draw(canvas.current, points, turn, dark);
  }, [points, turn, dark]);
  const by = (step: Turn) => setTurn({ around: turn.around + step.around, up: turn.up + step.up });
  return (
    <>
      <canvas
        ref={canvas}
        class="cloud"
        width={side * 2}
        height={side * 2}
        tabIndex={0}
        role="img"
        aria-label={`${points.length} points of ${name}; the arrow keys turn them`}
        onKeyDown={(event) => {
          const step = steps[event.key];
          if (step === undefined) return;
          event.preventDefault();
          by(step);
        }}
        onPointerMove={(event) => {
          if (event.buttons === 1) by({ around: event.movementX / 120, up: event.movementY / 120 });
        }}
      />
      <p class="faint">
        {points.length === most
          ? `the first ${formatCount(most)} points`
          : `all ${formatCount(points.length)} points`}
      </p>
    </>
  );
};

export const Space = ({ of }: { of: Media }) => {
  const { value, fault } = useLoaded(
    // The points are a part of the picture, named by it.
    (signal) => loadText({ ...of, id: `${of.id.slice(0, 120)}-points` }, signal),
    [of.run, of.id],
  );
  const points = useMemo(() => readSpace(value ?? '', most), [value]);
  if (value === undefined) return <Wait fault={fault} />;
  return points.length === 0 ? <Odd of={of} /> : <Cloud points={points} name={of.name} />;
};
