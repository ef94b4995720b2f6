// The unmodified exporters of OpenTelemetry, for JavaScript by protobuf and by JSON, and for Python.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SpanStatusCode, trace, type Span } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  BasicTracerProvider,
  SimpleSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { expect } from 'chai';
import { freshName } from '#test/contract/storage/builders';
import { pendingUnlessAll } from '#test/pending';
import { cacheFolder } from '#test/servers/launch';
import { goThrough, journeyLimitMs } from '../journeys.js';
import { startServer, triedStorages, type StartedServer } from '../server.js';

type Json = Readonly<Record<string, unknown>>;
const clients = join(
  dirname(fileURLToPath(import.meta.url)),
  ...Array<string>(4).fill('..'),
  'test/clients',
);
const python = process.env['ORRERY_TEST_PYTHON'] ?? join(cacheFolder(), 'python', 'bin', 'python');

for (const storage of triedStorages) {
  describe(`exporters of OpenTelemetry on ${storage} storage`, () => {
    let server: StartedServer | undefined;
    let missing: string | undefined;
    before(async () => {
      const started = await startServer({ storage });
      if ('missing' in started) missing = started.missing;
      else server = started;
    });
    after(() => server?.stop());

    const search = async (
      { url, apiKey }: StartedServer,
      what: 'traces' | 'spans',
      project_name: string,
    ): Promise<readonly Json[]> => {
      const reply = await fetch(`${url}/api/v1/private/${what}/search`, {
        method: 'POST',
        headers: { Authorization: apiKey, 'Content-Type': 'application/json' },
        body: JSON.stringify({ project_name, truncate: false }),
      });
      const text = await reply.text();
      return text
        .split('\r\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Json);
    };

    /** An agent that calls a model and a tool, each span sent in a request of its own, the root last. */
    const runAgent = async (exporter: SpanExporter): Promise<void> => {
      const provider = new BasicTracerProvider({
        spanProcessors: [new SimpleSpanProcessor(exporter)],
      });
      const tracer = provider.getTracer('my-agent');
      const root = tracer.startSpan(
        'agent',
        { attributes: { 'gen_ai.conversation.id': 'talk 7', 'input.value': '{"ask":"weather"}' } },
        ROOT_CONTEXT,
      );
      const inside = (parent: Span) => trace.setSpan(ROOT_CONTEXT, parent);
      const llm = tracer.startSpan('chat', {}, inside(root));
      llm.setAttributes({
        'gen_ai.system': 'openai',
        'gen_ai.request.model': 'gpt-4o-mini',
        'gen_ai.usage.input_tokens': 12,
        'gen_ai.usage.output_tokens': 3,
        'gen_ai.prompt': 'What is the weather?',
        'gen_ai.completion': 'Sunny',
        'gen_ai.request.temperature': 0.5,
      });
      const tool = tracer.startSpan('lookup', {}, inside(llm));
      tool.setAttribute('gen_ai.tool.call.arguments', '{"city":"Bern"}');
      tool.recordException(new TypeError('no such city'));
      tool.setStatus({ code: SpanStatusCode.ERROR, message: 'failed' });
      tool.end();
      llm.end();
      await provider.forceFlush();
      root.end();
      await provider.shutdown();
    };

    const check = async (started: StartedServer, project: string): Promise<void> => {
      const [traced, ...others] = await search(started, 'traces', project);
      expect(others).to.deep.equal([]);
      expect(traced).to.deep.include({
        ...{ name: 'agent', thread_id: 'talk 7', input: { 'input.value': { ask: 'weather' } } },
        ...{ span_count: 3, llm_span_count: 1, has_tool_spans: true, providers: ['openai'] },
        usage: { completion_tokens: 3, prompt_tokens: 12, total_tokens: 15 },
      });
      const spans = await search(started, 'spans', project);
      const named = (name: string) => spans.find((span) => span['name'] === name);
      const [root, llm, tool] = [named('agent'), named('chat'), named('lookup')];
      expect(root).not.to.have.property('parent_span_id');
      expect(llm).to.include({
        ...{ type: 'llm', model: 'gpt-4o-mini', provider: 'openai' },
        parent_span_id: root?.['id'],
      });
      expect(llm).to.deep.include({
        input: { 'gen_ai.prompt': 'What is the weather?' },
        output: { 'gen_ai.completion': 'Sunny' },
        metadata: { 'gen_ai.request.temperature': 0.5, integration: 'my-agent' },
      });
      expect(llm?.['total_estimated_cost']).to.be.greaterThan(0);
      expect(tool).to.include({ type: 'tool', parent_span_id: llm?.['id'] });
      expect(tool).to.deep.nested.include({
        ...{ 'input.gen_ai\\.tool\\.call\\.arguments': { city: 'Bern' } },
        ...{ 'error_info.exception_type': 'TypeError', 'error_info.message': 'no such city' },
      });
      for (const span of spans) expect(span['trace_id']).to.equal(traced?.['id']);
    };

    const exporters = {
      protobuf: ProtobufExporter,
      JSON: JsonExporter,
    } as const;
    for (const [form, Exporter] of Object.entries(exporters))
      it(`send a trace in several requests by ${form}, which is one trace here`, async function () {
        if (server === undefined) return pendingUnlessAll(this, missing ?? 'no server');
        this.timeout(60_000);
        const project = freshName('otel');
        await runAgent(
          new Exporter({
            url: `${server.url}/api/v1/private/otel/v1/traces`,
            headers: {
              Authorization: server.apiKey,
              'Comet-Workspace': server.workspace,
              projectName: project,
            },
            compression: 'gzip' as never, // the option's enumeration is of a package that is not imported here
          }),
        );
        await check(server, project);
      });

    it('send packed protobuf from Python', async function () {
      if (server === undefined) return pendingUnlessAll(this, missing ?? 'no server');
      if (!existsSync(python))
        return pendingUnlessAll(
          this,
          `no Python: python3 -m venv ${join(cacheFolder(), 'python')}, then pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http into it`,
        );
      this.timeout(journeyLimitMs);
      const project = freshName('otel');
      const { broken } = await goThrough(python, join(clients, 'opentelemetry', 'exporting.py'), {
        PYTHONPATH: join(clients, 'python', 'journeys'),
        OTEL_EXPORTER_OTLP_ENDPOINT: `${server.url}/opik/api/v1/private/otel`,
        OTEL_EXPORTER_OTLP_HEADERS: `Authorization=${server.apiKey},Comet-Workspace=${server.workspace},projectName=${project}`,
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      });
      expect(broken.join('\n')).to.equal('');
      await check(server, project);
    });
  });
}
