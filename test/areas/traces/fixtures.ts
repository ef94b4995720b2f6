import { v7 } from 'uuid';
import type { AreaFixtures, World } from '#test/api/fixtures';
import { traces } from './things.js';

const at = '2026-05-01T10:00:00.123456Z';
const trace = () => ({ id: v7(), start_time: at });
const span = () => ({ ...trace(), trace_id: v7() });

export const fixtures: AreaFixtures = {
  areas: ['traces'],
  rows: {
    createTraces: { with: () => ({ 'body.traces': [trace()] }) },
    createTrace: { with: () => ({ 'body.start_time': at }) },
    updateTrace: { with: () => ({ 'params.id': v7() }) },
    showTrace: { with: (world: World) => ({ 'params.id': world.of(traces).traceId }) },
    searchTraces: { with: () => ({ 'body.project_name': 'Default Project' }) },
    deleteTraces: { with: () => ({ 'body.ids': [v7()] }) },
    createSpans: { with: () => ({ 'body.spans': [span()] }) },
    createSpan: { with: () => ({ 'body.start_time': at }) },
    updateSpan: { with: () => ({ 'params.id': v7(), 'body.trace_id': v7() }) },
    showSpan: { with: (world: World) => ({ 'params.id': world.of(traces).spanId }) },
    searchSpans: { with: () => ({ 'body.project_name': 'Default Project' }) },
    isAlive: { open: 'tells no more than whether the server works' },
    showServerVersion: { open: 'tells the version, as another page does' },
  },
};
