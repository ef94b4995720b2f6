// Plots of many runs that are no curves; loaded when one is asked for.
import { Bars } from './bars.js';
import { Boxes } from './boxes.js';
import { Parallel } from './parallel.js';
import type { PlotName, PlotProps } from './props.js';
import { Scatter } from './scatter.js';

const plots = { parallel: Parallel, scatter: Scatter, bars: Bars, boxes: Boxes } as const;
export const Plot = ({ name, ...props }: PlotProps & { readonly name: PlotName }) => {
  const Shown = plots[name];
  return <Shown {...props} />;
};
