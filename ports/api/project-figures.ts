// What the traces of a project come to, as two areas tell it.
import { integer, list, map, number, object, optional, text } from './schema.js';

const average = object({ name: text(), value: number() });
const percentiles = object({ p50: number(), p90: number(), p99: number() });

export const projectFigures = {
  feedback_scores: optional(list(average)),
  duration: optional(percentiles),
  total_estimated_cost: optional(number()),
  total_estimated_cost_sum: optional(number()),
  usage: optional(map(number())),
  trace_count: integer(),
  thread_count: integer(),
  guardrails_failed_count: integer(),
  error_count: object({
    count: integer(),
    deviation: integer(),
    deviation_percentage: optional(number()),
  }),
} as const;
