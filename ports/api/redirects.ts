// Links that SDKs of LLM observability print: each leads a browser to where the web UI shows what it names.
import {
  linkedDataset,
  linkedEvaluation,
  linkedOptimization,
  linkedTrace,
} from '../model/links.js';
import { one, operations, redirect } from './operation.js';
import { everywhere } from './private-wire.js';
import { object, optional, text } from './schema.js';

/** `path` is the address by which the client knows the server, in base64. */
const linked = { workspace_name: optional(text()), path: text({ min: 1 }) } as const;
const of = <const P extends string>(what: P) => everywhere(`/v1/session/redirect/${what}` as const);
/** Who has no session signs in first. */
const led = {
  method: 'GET',
  wire: { refusals: { unauthenticated: { status: 303 }, absent: { status: 404 } } },
  replies: { 303: redirect },
  fails: ['invalid', 'absent'],
} as const;

export const redirectOperations = operations({
  redirectToTrace: {
    ...led,
    path: of('projects'),
    access: { needs: 'read', about: one(linkedTrace, 'query.workspace_name/query.trace_id') },
    summary: 'Lead to where a trace is shown',
    query: object({ trace_id: text({ min: 1 }), ...linked }),
  },
  redirectToDataset: {
    ...led,
    path: of('datasets'),
    access: { needs: 'read', about: one(linkedDataset, 'query.workspace_name/query.dataset_id') },
    summary: 'Lead to where a dataset is shown',
    query: object({ dataset_id: text({ min: 1 }), ...linked }),
  },
  redirectToEvaluation: {
    ...led,
    path: of('experiments'),
    access: {
      needs: 'read',
      about: one(linkedEvaluation, 'query.workspace_name/query.experiment_id'),
    },
    summary: 'Lead to where an experiment over a dataset is shown',
    query: object({ experiment_id: text({ min: 1 }), dataset_id: optional(text()), ...linked }),
  },
  redirectToOptimization: {
    ...led,
    path: of('optimizations'),
    access: {
      needs: 'read',
      about: one(linkedOptimization, 'query.workspace_name/query.optimization_id'),
    },
    summary: 'Lead to where an optimization is shown',
    query: object({ optimization_id: text({ min: 1 }), dataset_id: optional(text()), ...linked }),
  },
});
