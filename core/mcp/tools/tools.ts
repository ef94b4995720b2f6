import type { Tool } from '../tool.js';
import { modelTools } from './models.js';
import { datasetTools, promptTools } from './prompts-and-datasets.js';
import { runTools } from './runs.js';
import { traceTools } from './traces.js';

/** Every tool, in the order in which clients list them. */
export const tools: readonly Tool[] = [
  ...runTools,
  ...modelTools,
  ...traceTools,
  ...promptTools,
  ...datasetTools,
];
