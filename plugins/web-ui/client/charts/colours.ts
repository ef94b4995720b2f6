// Which colour each run or group has that is drawn at the moment: in charts, plots and the table the same.
import { computed, signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { Stroke } from '../../pure/markers.js';
import { ownPlace, paletteColour, placesOf, strokeOf } from '../../pure/colours.js';

const places = signal<ReadonlyMap<string, number>>(new Map());

/** What stands for a run in place of itself where runs are coloured by a value: a key of its own, or, of a number, a colour. */
export interface Painted {
  readonly key?: string;
  readonly light?: string;
  readonly dark?: string;
}
const painted = signal<ReadonlyMap<string, Painted> | undefined>(undefined);

/** The stroke and mark of each run where they are chosen. */
const strokes = signal<ReadonlyMap<string, Stroke> | undefined>(undefined);

/** Goes up when colours or strokes change. */
export const coloursChanged = computed(() => [places.value, painted.value, strokes.value]);

/** Gives runs strokes and marks, or none of their own. */
export const useStrokes = (by: ReadonlyMap<string, Stroke> | undefined): void =>
  useLayoutEffect(() => {
    strokes.value = by;
    return () => {
      strokes.value = undefined;
    };
  }, [by]);
export const chosenStroke = (key: string): Stroke | undefined => strokes.value?.get(key);

/** Gives each of what is drawn together a colour of its own; with `by`, the colour of its value. */
export const useColours = (keys: readonly string[], by?: ReadonlyMap<string, Painted>): void => {
  const named = by === undefined ? keys : keys.map((key) => by.get(key)?.key ?? key);
  useLayoutEffect(() => {
    places.value = placesOf(named, places.peek());
    painted.value = by;
  }, [JSON.stringify(named), by]);
};

const standsFor = (key: string): string => painted.value?.get(key)?.key ?? key;

/** The colour of a run, group or value; of what is not drawn, the one that it would have alone. */
export const colourOf = (key: string, dark: boolean): string => {
  const of = painted.value?.get(key);
  const own = dark ? of?.dark : of?.light;
  return own ?? paletteColour(places.value.get(standsFor(key)) ?? ownPlace(key), dark);
};

/** Whether the run, or the value that it is coloured by, has a place among what is drawn. */
export const isDrawn = (key: string): boolean => places.value.has(standsFor(key));

export const placeOf = (key: string): number => places.value.get(standsFor(key)) ?? 0;
export const dashOf = (key: string): readonly number[] | undefined => strokeOf(placeOf(key));
