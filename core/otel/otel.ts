import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { otelOperations } from '#ports/api/otel';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import { Otlp, otlpFormOf, type OtlpForm, type OtlpSpan } from '#ports/otlp';
import { storageOf } from '#ports/storage/storage';
import { requireTarget } from '../private-wire/targets.js';
import { storeEntries } from '../traces/offers.js';
import { traceSettings } from '../traces/settings.js';
import { traceIdOf } from './identity.js';
import { mapSpans } from './mapping.js';

/** How long the id of a trace is remembered after its last span came. */
const rememberMs = 3 * 3600 * 1000;

const types: Readonly<Record<OtlpForm, string>> = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
};
const formOf = (type: string): OtlpForm => {
  const form = otlpFormOf(type);
  if (form === undefined)
    throw new Failure('unsupported', 'the body must be application/x-protobuf or application/json');
  return form;
};

/** Exporters of some languages send an id of zeros for a parent that is not there. */
const withoutNoParent = (span: OtlpSpan): OtlpSpan =>
  /^0+$/.test(span.parentSpanId) ? { ...span, parentSpanId: '' } : span;

const isWhole = ({ traceId, spanId }: OtlpSpan): boolean =>
  /^(?!0{32})[0-9a-f]{32}$/.test(traceId) && /^(?!0{16})[0-9a-f]{16}$/.test(spanId);

/** When each trace begins, as far as these spans tell. */
const beginnings = (spans: readonly OtlpSpan[]): ReadonlyMap<string, number> => {
  const first = new Map<string, number>();
  for (const { traceId, startTime } of spans)
    first.set(traceId, Math.min(first.get(traceId) ?? startTime, startTime));
  return first;
};

export const otelArea = area({
  name: 'otel',
  summary: 'Traces of OpenTelemetry exporters.',
  family: privateFamily,
  table: otelOperations,
  needs: {
    storage: storageOf('automationRuns', 'projects', 'threads', 'traces', 'workspaces'),
    clock: Clock,
    ids: Ids,
    otlp: Otlp,
    prices: traceSettings.port,
  },
  handlers: ({ storage, clock, ids, otlp, prices }) => ({
    async exportTraces({ body, projectTarget, caller }) {
      const form = formOf(body.type);
      const spans = otlp.read(body.bytes, form);
      const whole = spans.filter(isWhole).map(withoutNoParent);
      if (whole.length > 0) {
        const project = await requireTarget(storage, { clock, ids }, projectTarget, caller);
        const hash = (id: string) => otlp.digest(id);
        const proposed = new Map(
          [...beginnings(whole)].map(([id, start]) => [id, traceIdOf(id, start, hash)]),
        );
        const now = clock.now();
        const traceIds = await storage.stores.traces.mapOtelTraces(project.id, proposed, {
          now,
          forgetBefore: now - rememberMs,
        });
        await storeEntries(
          { storage, prices: prices.ORRERY_MODEL_PRICES },
          { projectId: project.id, by: caller.userName, at: now * 1000 },
          mapSpans(whole, traceIds, hash),
        );
      }
      const rejected = spans.length - whole.length;
      const answer = otlp.answer(rejected, 'spans without a trace id or a span id', form);
      return {
        type: types[form],
        open: async function* () {
          yield answer;
        },
      };
    },
  }),
});
