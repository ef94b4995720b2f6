// Points and boxes in space, turned by dragging or by the arrow keys. Clients send them in no order, so that the first are a fair part of all.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatCount } from '../../pure/format.js';
import { readScene, turned, turnedLines, type Scene } from '../../pure/space.js';
import type { assetMatrixOperations } from '#ports/api/asset-matrix';
import { row } from '../request.js';
import { useLoaded } from '../loading.js';
import { isDark } from '../state.js';
import { loadText, type Media } from './files.js';
import { Odd, Wait } from './waiting.js';

const most = { points: 20_000, boxes: 1000 } as const;
const listParts = row<(typeof assetMatrixOperations)['listAssetParts']>(
  'GET',
  '/v1/private/ui/runs/{run}/asset-parts',
);
const side = 360;

const draw = (
  canvas: HTMLCanvasElement,
  { points, boxes }: Scene,
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
  pen.lineWidth = 2;
  pen.font = '20px system-ui';
  for (const box of boxes) {
    const ink = box.colour ?? (dark ? '#e7e8ec' : '#17181c');
    pen.strokeStyle = ink;
    pen.beginPath();
    const lines = turnedLines(box, around, up).map((line) =>
      line.map(({ x, y }) => [side + x * side * 0.95, side - y * side * 0.95] as const),
    );
    for (const line of lines)
      line.forEach(([x, y], at) => (at === 0 ? pen.moveTo(x, y) : pen.lineTo(x, y)));
    pen.stroke();
    const [corner] = lines[0] ?? [];
    pen.fillStyle = ink;
    if (corner !== undefined) pen.fillText(box.name.slice(0, 24), corner[0] + 6, corner[1] - 6);
  }
};

const sayCount = (count: number, bound: number, what: string): string =>
  count === 0 ? '' : `${count === bound ? 'the first' : 'all'} ${formatCount(count)} ${what}`;

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

const Cloud = ({ scene, name }: { scene: Scene; name: string }) => {
  const { points, boxes } = scene;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [turn, setTurn] = useState<Turn>({ around: 0.6, up: 0.4 });
  const dark = isDark.value;
  useEffect(() => {
    if (canvas.current !== null) draw(canvas.current, scene, turn, dark);
  }, [scene, turn, dark]);
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
        aria-label={`${points.length} points${boxes.length === 0 ? '' : ` and ${boxes.length} boxes`} of ${name}; the arrow keys turn them`}
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
        {[
          sayCount(points.length, most.points, 'points'),
          sayCount(boxes.length, most.boxes, 'boxes'),
        ]
          .filter((one) => one !== '')
          .join(' · ')}
      </p>
    </>
  );
};

/** The points and boxes are parts of the picture, each of which may be missing. */
const loadParts = async (of: Media, signal: AbortSignal) => {
  const { parts } = await listParts({ params: { run: of.run }, query: { asset: of.id } }, signal);
  const textOf = (type: string) => {
    const part = parts.find((one) => one.type === type);
    return part === undefined ? '' : loadText({ ...of, id: part.asset, size: part.size }, signal);
  };
  const [points, boxes] = await Promise.all([textOf('3d-points'), textOf('3d-boxes')]);
  return { points, boxes };
};

export const Space = ({ of }: { of: Media }) => {
  const { value, fault } = useLoaded((signal) => loadParts(of, signal), [of.run, of.id]);
  const scene = useMemo(() => (value === undefined ? undefined : readScene(value, most)), [value]);
  if (scene === undefined) return <Wait fault={fault} />;
  return scene.points.length + scene.boxes.length === 0 ? (
    <Odd of={of} />
  ) : (
    <Cloud scene={scene} name={of.name} />
  );
};
