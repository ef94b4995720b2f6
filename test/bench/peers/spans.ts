// A batch of spans as an exporter of OpenTelemetry sends it, in protobuf.
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import type { Prepared } from '../batches.js';
import { makeSpan } from '../spans.js';
import { mark, type StartedPeer } from './peer.js';

/** Stands in every trace id, where the number of the request goes: digits and a dash as bytes. */
const place = '00000000-0000';
const traceId = Buffer.from(place.padEnd(16, 'x')).toString('hex');

/** So many spans of one trace with what spans of Orrery's own bench have. */
const packSpans = async (first: number, count: number): Promise<Uint8Array> => {
  let spanId = 0;
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
    idGenerator: {
      generateTraceId: () => traceId,
      generateSpanId: () => (++spanId).toString(16).padStart(16, '0'),
    },
  });
  const tracer = provider.getTracer('bench');
  for (let at = 0; at < count; at++) {
    const { name, input, output, metadata, model } = makeSpan(first + at, '', '', '');
    tracer
      .startSpan(name, {
        attributes: {
          'mlflow.spanInputs': JSON.stringify(input),
          'mlflow.spanOutputs': JSON.stringify(output),
          'mlflow.spanType': JSON.stringify('LLM'),
          'gen_ai.request.model': model,
          metadata: JSON.stringify(metadata),
        },
      })
      .end();
  }
  await provider.forceFlush();
  return ProtobufTraceSerializer.serializeRequest(exporter.getFinishedSpans()) ?? new Uint8Array();
};

/** Such a batch as a request, whose spans are of another trace each time it is sent. */
export const prepareOtlp = async (
  { headers }: Pick<StartedPeer, 'headers'>,
  path: string,
  { first, count }: { readonly first: number; readonly count: number },
): Promise<Prepared> => {
  const content = await packSpans(first, count);
  const own = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${own.join('')}Content-Type: application/x-protobuf\r\nX-Number: ${mark}\r\nContent-Length: ${content.length}\r\n\r\n`;
  const bytes = Buffer.concat([Buffer.from(head), content]);
  const idsAt: number[] = [];
  for (let at = bytes.indexOf(place); at !== -1; at = bytes.indexOf(place, at + 1)) idsAt.push(at);
  return { bytes, markAt: head.indexOf(mark), idsAt };
};
