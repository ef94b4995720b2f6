// What exporters of OpenTelemetry send.
import { projectTarget } from '../model/projects.js';
import { bytes, maybe, operations, wholeBody } from './operation.js';
import { everywhere } from './private-wire.js';

export const otelOperations = operations({
  exportTraces: {
    method: 'POST',
    path: everywhere('/v1/private/otel/v1/traces'),
    access: {
      needs: 'write',
      about: maybe(projectTarget, 'header.comet-workspace/header.projectname'),
    },
    metered: { events: 'otlpSpans' },
    summary:
      'Take spans of an OpenTelemetry exporter (OTLP over HTTP, protobuf or JSON); the header projectName names the project',
    body: wholeBody('application/x-protobuf'),
    replies: { 200: bytes('application/x-protobuf') },
    fails: ['invalid'],
  },
});
