// How a widget is moved and made larger or smaller: by pointer, by buttons and by keys.
import { useState } from 'preact/hooks';
import {
  directions,
  gridColumns,
  movedTo,
  resized,
  stepped,
  type Direction,
  type Placed,
} from '../../pure/boards.js';
import { Menu } from '../shell/menu.js';

type How = (all: readonly Placed[]) => readonly Placed[];

interface Grip {
  readonly onPointerDown: (event: PointerEvent & { readonly currentTarget: Element }) => void;
  readonly onPointerMove: (event: PointerEvent) => void;
  readonly onPointerUp: () => void;
  readonly onPointerCancel: () => void;
}
interface Drag {
  readonly id: string;
  readonly from: { readonly left: number; readonly top: number };
  readonly at: { readonly x: number; readonly y: number };
}

/** How high a row of the grid is, with the gap below it; as in the style of boards. */
const rowHigh = 64;

/** Where widgets stand while one of them is dragged, and what the grip of each listens to. */
export const useDrag = (
  grid: { readonly current: HTMLElement | null },
  all: readonly Placed[],
  onPlace: (id: string, how: How) => void,
) => {
  const [drag, setDrag] = useState<Drag>();
  const placed =
    (of: Drag): How =>
    (places) =>
      movedTo(places, of.id, of.at);
  const grip = (id: string): Grip => ({
    onPointerDown(event) {
      if (event.button !== 0) return;
      const box = all.find((one) => one.id === id);
      if (box === undefined) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      setDrag({
        id,
        from: { left: event.clientX, top: event.clientY },
        at: { x: box.x, y: box.y },
      });
    },
    onPointerMove(event) {
      const box = all.find((one) => one.id === id);
      if (drag?.id !== id || box === undefined || grid.current === null) return;
      const wide = grid.current.clientWidth / gridColumns;
      const x = box.x + Math.round((event.clientX - drag.from.left) / wide);
      const y = box.y + Math.round((event.clientY - drag.from.top) / rowHigh);
      const at = {
        x: Math.max(0, Math.min(gridColumns - box.w, x)),
        y: Math.max(0, y),
      };
      if (at.x !== drag.at.x || at.y !== drag.at.y) setDrag({ ...drag, at });
    },
    onPointerUp() {
      if (drag?.id !== id) return;
      const box = all.find((one) => one.id === id);
      setDrag(undefined);
      if (box !== undefined && (box.x !== drag.at.x || box.y !== drag.at.y))
        onPlace(id, placed(drag));
    },
    onPointerCancel: () => setDrag(undefined),
  });
  return { places: drag === undefined ? all : placed(drag)(all), grip };
};

const arrows: Readonly<Record<string, Direction | undefined>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};
const sizeBy: Readonly<Record<Direction, { readonly w?: number; readonly h?: number }>> = {
  left: { w: -1 },
  right: { w: 1 },
  up: { h: -1 },
  down: { h: 1 },
};
const sizeWords: Readonly<Record<Direction, string>> = {
  left: 'Narrower',
  right: 'Wider',
  up: 'Lower',
  down: 'Higher',
};

export const Arrange = ({
  id,
  label,
  grip,
  onPlace,
  onEdit,
  onRemove,
  elsewhere,
}: {
  id: string;
  label: string;
  grip: Grip;
  onPlace: (how: How) => void;
  onEdit: () => void;
  onRemove: () => void;
  /** Other sections, and what takes it there. */
  elsewhere: readonly (readonly [title: string, go: () => void])[];
}) => {
  const [at, setAt] = useState<Element>();
  const step = (direction: Direction) => onPlace((all) => stepped(all, id, direction));
  const size = (direction: Direction) => onPlace((all) => resized(all, id, sizeBy[direction]));
  return (
    <span class="acts">
      <button
        type="button"
        class="widget-grip"
        aria-label={`Move ${label}`}
        title="Drag, or move it by the arrows; with shift they change its size"
        {...grip}
        onKeyDown={(event) => {
          const direction = arrows[event.key];
          if (direction === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
          event.preventDefault();
          if (event.shiftKey) size(direction);
          else step(direction);
        }}
      >
        ⠿
      </button>
      <button type="button" aria-label={`Edit ${label}`} onClick={onEdit}>
        edit
      </button>
      <button
        type="button"
        aria-label={`Arrange ${label}`}
        aria-haspopup="menu"
        onClick={({ currentTarget }) => setAt(currentTarget)}
      >
        ⋯
      </button>
      <button type="button" aria-label={`Remove ${label}`} onClick={onRemove}>
        ×
      </button>
      {at === undefined ? null : (
        <Menu
          at={at}
          label={`Arrange ${label}`}
          entries={[
            ...directions.map((one) => [`Move ${one}`, () => step(one)] as const),
            ...directions.map((one) => [sizeWords[one], () => size(one)] as const),
            ...elsewhere.map(([title, go]) => [`To the section ${title}`, go] as const),
          ]}
          onClose={() => setAt(undefined)}
        />
      )}
    </span>
  );
};
