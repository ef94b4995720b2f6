import type { Sketch } from '#plugins/monitoring/sketches';

/** A sketch with lists of numbers, in whatever they lie. */
export const plainSketch = (sketch: Sketch): Sketch => ({
  ...sketch,
  means: [...sketch.means],
  weights: [...sketch.weights],
});
