// What a widget shows while it has nothing to show, and what all of them are given.
import type { ComponentChildren } from 'preact';
import type { Widget } from '../../pure/boards.js';
import type { Loaded } from '../loading.js';

export interface OfWidget {
  readonly boardId: string;
  readonly widget: Widget;
  /** The project that it is about; nothing where neither it nor the board names one. */
  readonly projectId: string | undefined;
  /** Milliseconds; nothing is open. */
  readonly time: { readonly from: number | undefined; readonly to: number | undefined };
  /** Counts up when everything is to be asked for again. */
  readonly tick: number;
}

/** Loading, refused with a way to ask again, empty, or what is there. */
export const Shown = <T,>({
  of,
  again,
  isEmpty,
  empty,
  children,
}: {
  of: Loaded<T>;
  again: () => void;
  isEmpty: (value: T) => boolean;
  empty: string;
  children: (value: T) => ComponentChildren;
}) => {
  if (of.fault !== undefined)
    return (
      <div class="widget-says">
        <p class="fault" role="alert">
          {of.fault}
        </p>
        <button type="button" onClick={again}>
          Ask again
        </button>
      </div>
    );
  if (of.value === undefined) return <p class="faint widget-says">loading …</p>;
  if (isEmpty(of.value)) return <p class="faint widget-says">{empty}</p>;
  return <>{children(of.value)}</>;
};

export const NoProject = () => (
  <p class="faint widget-says">This widget names no project; edit it to choose one.</p>
);
