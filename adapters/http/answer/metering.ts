// How often somebody may call, where the installation limits it: counted once a request is let in, and told in headers of every reply.
import type { Context } from 'koa';
import type { Metered, RateKind } from '#ports/api/operation';
import { Failure } from '#ports/failure';
import { otlpFormOf, type Otlp } from '#ports/otlp';
import type { Allowance, Counted } from '#ports/rate-limits';
import { namedBy, type Incoming, type StepMaker } from './incoming.js';

/** How clients know each limit: by a word in the names of headers, and by a name that they show. */
const shownAs: Readonly<
  Record<RateKind, { readonly header: string; readonly name: string; readonly words: string }>
> = {
  userEvents: { header: 'User', name: 'general_events', words: 'events of a user' },
  workspaceEvents: {
    header: 'Workspace',
    name: 'workspace_events',
    words: 'events of a workspace',
  },
  singleWrites: {
    header: 'Single-Tracing-Ops',
    name: 'Single-Tracing-Ops',
    words: 'traces and spans one by one',
  },
  spanReads: { header: 'Get-Span-Id', name: 'Get-Span-Id', words: 'single spans' },
  traceLists: { header: 'getTraces', name: 'getTraces', words: 'lists of traces' },
  traceStreams: { header: 'searchTraces', name: 'searchTraces', words: 'searches of traces' },
  traceStatistics: {
    header: 'getTraceStats',
    name: 'getTraceStats',
    words: 'statistics of traces',
  },
};

/** A body that is read as it came. */
interface WholeBody {
  readonly bytes: Uint8Array;
  readonly type: string;
}

/** What is in no form of such a request is refused later, and counts for nothing. */
const spansIn = ({ bytes, type }: WholeBody, otlp: Pick<Otlp, 'count'>): number => {
  const form = otlpFormOf(type);
  return form === undefined ? 0 : otlp.count(bytes, form);
};

const eventsIn = (events: Metered['events'], body: unknown, otlp: Pick<Otlp, 'count'>): number => {
  if (events === undefined) return 0;
  if (events === 'one') return 1;
  if (events === 'otlpSpans') return spansIn(body as WholeBody, otlp); // the row reads its body whole
  const list = (body as Readonly<Record<string, unknown>> | undefined)?.[events.listed]; // the row describes the body
  return Array.isArray(list) ? list.length : 1;
};

const tell = (ctx: Context, { kind, left, fullInMs }: Allowance): void => {
  const { header, name } = shownAs[kind];
  ctx.set(`Opik-${header}-Limit`, name);
  ctx.set(`Opik-${header}-Remaining-Limit`, String(left));
  ctx.set(`Opik-${header}-Remaining-Limit-TTL-Millis`, String(fullInMs));
};

interface Writing {
  readonly amount: number;
  readonly user: string;
  readonly workspace: string | undefined;
}

const countedFor = (
  as: Metered['as'],
  { amount, user, workspace }: Writing,
): readonly Counted[] => {
  const all = [
    { kind: 'userEvents', of: user, amount },
    { kind: 'workspaceEvents', of: workspace ?? '', amount },
  ] as const;
  return [
    ...(amount === 0 ? [] : all),
    ...(as === undefined ? [] : [{ kind: as, of: user, amount: 1 }]),
  ];
};

/** Refuses calls beyond what is left of a limit. One that is judged again while its reply goes on has counted. */
export const meterCall: StepMaker = ({ operation }, { rates, gate, otlp }) => {
  const { metered } = operation;
  if (metered === undefined || !rates.isOn) return undefined;
  return async (incoming: Incoming) => {
    const { ctx, caller, body, admitted, again } = incoming;
    if (caller === undefined || again) return;
    const workspace =
      metered.events === undefined
        ? undefined
        : await gate.workspaceOf(operation, namedBy(incoming), caller, admitted);
    const { retryAfter, allowances } = rates.take(
      countedFor(metered.as, {
        ...{ amount: eventsIn(metered.events, body, otlp), user: caller.userId, workspace },
      }),
    );
    for (const one of allowances) tell(ctx, one);
    const short = allowances.find(({ isShort }) => isShort);
    if (short === undefined) return;
    const { words } = shownAs[short.kind];
    throw new Failure(
      'throttled',
      `Too Many Requests: at most ${short.perMinute} ${words} a minute are allowed`,
      { retryAfter: Math.max(1, Math.ceil(retryAfter)) },
    );
  };
};
