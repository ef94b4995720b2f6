import { v7 } from 'uuid';
import type { AreaFixtures, World } from '#test/api/fixtures';
import { traces } from './things.js';

const at = '2026-05-01T10:00:00.123456Z';
const trace = () => ({ id: v7(), start_time: at });
const span = () => ({ ...trace(), trace_id: v7() });

/** A project of any other workspace than that of the header is answered as an unknown one. */
const inWorkspace = 'is looked for in the workspace of the header alone';
const ofProject = { notOurs: { 'body.project_id': inWorkspace } };

export const fixtures: AreaFixtures = {
  areas: ['traces'],
  things: [traces],
  rows: {
    createTraces: {
      notOurs: { 'body.traces.*.project_id': inWorkspace },
      with: () => ({ 'body.traces': [trace()] }),
    },
    createTrace: { ...ofProject, with: () => ({ 'body.start_time': at }) },
    updateTrace: { ...ofProject, with: () => ({ 'params.id': v7() }) },
    showTrace: { with: (world: World) => ({ 'params.id': world.of(traces).traceId }) },
    searchTraces: { ...ofProject, with: () => ({ 'body.project_name': 'Default Project' }) },
    deleteTraces: { ...ofProject, with: () => ({ 'body.ids': [v7()] }) },
    createSpans: {
      notOurs: { 'body.spans.*.project_id': inWorkspace },
      with: () => ({ 'body.spans': [span()] }),
    },
    createSpan: { ...ofProject, with: () => ({ 'body.start_time': at }) },
    updateSpan: { ...ofProject, with: () => ({ 'params.id': v7(), 'body.trace_id': v7() }) },
    showSpan: { with: (world: World) => ({ 'params.id': world.of(traces).spanId }) },
    searchSpans: { ...ofProject, with: () => ({ 'body.project_name': 'Default Project' }) },
    isAlive: { open: 'tells no more than whether the server works' },
    showServerVersion: { open: 'tells the version, as another page does' },
  },
};
