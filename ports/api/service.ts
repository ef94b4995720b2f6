// What the server says of itself: health, figures, its page, its description, its version.
import { bytes, detailed, operations, page, redirect } from './operation.js';
import { anything, integer, map, nullable, object, text, shape } from './schema.js';

const health = shape('Health', 'The state of the server.', {
  status: text(),
  reason: nullable(text()),
  version: text(),
});

export const serviceOperations = operations({
  showPage: {
    method: 'GET',
    path: '/',
    access: { needs: 'public' },
    summary: 'A page that says what this is and how to point a script at it',
    replies: { 200: page },
  },
  showStyle: {
    method: 'GET',
    path: '/pages-1.css',
    access: { needs: 'public' },
    summary: 'The look of the pages',
    replies: { 200: detailed(bytes('text/css')) },
  },
  isLive: {
    method: 'GET',
    path: '/health/live',
    access: { needs: 'public' },
    summary: 'Whether the process answers',
    replies: { 200: health },
  },
  isReady: {
    method: 'GET',
    path: '/health/ready',
    access: { needs: 'public' },
    summary: 'Whether the server can do its work',
    replies: { 200: health, 503: health },
  },
  showMetrics: {
    method: 'GET',
    path: '/metrics',
    access: { needs: 'public' },
    summary:
      'Figures in the Prometheus text format; where ORRERY_METRICS_TOKEN is set, for who brings it as a bearer token',
    replies: { 200: bytes('text/plain; version=0.0.4') },
    fails: ['unauthenticated'],
  },
  describe: {
    method: 'GET',
    path: '/openapi.json',
    access: { needs: 'public' },
    summary: 'This description, as OpenAPI 3.1',
    replies: { 200: map(anything()) },
  },
});

export const swaggerOperations = operations({
  showSwagger: {
    method: 'GET',
    path: '/swagger',
    access: { needs: 'public' },
    summary: 'The description as a page',
    replies: { 302: redirect },
  },
  showSwaggerFile: {
    method: 'GET',
    path: '/swagger/{file}',
    access: { needs: 'public' },
    summary: 'A file of that page',
    params: object({ file: text({ pattern: '^[a-z-]+\\.(html|css|js|png)$' }) }),
    replies: { 200: bytes('text/html') },
    fails: ['absent', 'invalid'],
  },
});

export const versionOperations = operations({
  probeVersion: {
    method: 'GET',
    path: ['/clientlib/isAlive/ver', '/api/isAlive/ver'],
    access: { needs: 'public' },
    summary: 'The version by which clients switch features on',
    replies: {
      200: object({
        msg: text(),
        code: integer(),
        data: nullable(text()),
        sdk_error_code: integer(),
        version: text(),
      }),
    },
  },
  ping: {
    method: 'GET',
    path: '/clientlib/health/ping',
    access: { needs: 'public' },
    summary: 'Whether the connection still stands',
    replies: {
      200: object({
        msg: text(),
        code: integer(),
        data: nullable(text()),
        sdk_error_code: integer(),
      }),
    },
  },
});
