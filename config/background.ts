// What the server does without being asked: jobs that one process does for all, and what each process does for itself.
import { setTimeout as wait } from 'node:timers/promises';
import { insightsJobs } from '#core/agent-insights/running';
import { insightsSettings } from '#core/agent-insights/settings';
import { automationJobs } from '#core/automations/running';
import { playgroundJobs } from '#core/playground/running';
import { alertJobs } from '#core/alerts/jobs';
import { alertSettings } from '#core/alerts/settings';
import { auditSettings } from '#core/audit/settings';
import { optimizerSettings } from '#core/optimizer/settings';
import { dispatchDue, type EventHandlers, type Receiver } from '#core/events/dispatching';
import { experimentSettings } from '#core/experiments/settings';
import { oauthSettings } from '#core/oauth/settings';
import { registrySettings } from '#core/registry/settings';
import { retentionJobs } from '#core/retention/deleting';
import { copyJobs } from '#core/runs/copying';
import { runActionJobs } from '#core/run-actions/applying';
import { upkeepJobs } from '#core/upkeep/jobs';
import { traceSettings } from '#core/traces/settings';
import type { DeliveringNeeds } from '#core/webhooks/delivering';
import { fanOut } from '#core/webhooks/fan-out';
import { Gate } from '#ports/api/gate';
import { Audit } from '#ports/audit';
import { Auth } from '#ports/auth';
import { ChatModels } from '#ports/chat-model';
import { InsightAnalyser } from '#ports/insight-analyser';
import type { Job } from '#ports/jobs';
import { MetricRunner } from '#ports/metric-runner';
import { giveWay } from './background-throttle.js';
import type { Assembly, Bound } from './bind-ports.js';
import { resolveNeeds } from './bind.js';
import { deliveryJobs } from './deliveries.js';
import { recordTogether } from './delivery-results.js';
import { findForm, type Late } from './late.js';

/** Something that every process does for itself, again and again; a failure is waited out. */
export interface Beat {
  readonly everyMs: number;
  beat(): Promise<void>;
}

const dispatchEveryMs = 500;
/** How long a rule waits before it asks a model again that did not answer. */
const automationRetryMs = 15_000;
/** How long results of deliveries are gathered before they are written together. */
const gatherMs = 200;

/** What deliveries to webhooks and channels stand on. */
const deliveringNeeds = (
  { baseUrl, parts }: Assembly,
  { storage, sealer, notifiers, toggles, traffic }: Bound,
  late: Late,
): DeliveringNeeds => {
  const holder = parts.ids.next();
  const givingWay = giveWay(traffic);
  return {
    storage,
    baseUrl,
    ...parts,
    sealer,
    notifiers,
    toggles,
    forms: { find: (name) => findForm(late, name) },
    users: storage.stores.users,
    holder,
    giveWay: givingWay,
    recordAttempts: recordTogether(
      (attempts, given) => storage.stores.deliveries.recordAttempts(holder, attempts, given),
      async () => {
        await wait(gatherMs);
        await givingWay();
      },
    ),
  };
};

/** Who hears of events: webhooks, and the plugins that asked for some. */
const receiversOf = (delivering: DeliveringNeeds, { joined }: Late): readonly Receiver[] => {
  const webhooks: Receiver = {
    name: 'webhooks',
    on: { '*': (event) => fanOut(delivering)([event]) },
    together: fanOut(delivering),
  };
  const plugins = joined.flatMap(({ plugin, contribution }): readonly Receiver[] =>
    contribution.on === undefined
      ? []
      : [
          {
            name: `plugin:${plugin.plugin.name}`,
            on: contribution.on as unknown as EventHandlers, // an event of a name is told with the detail of that name
          },
        ],
  );
  return [webhooks, ...plugins];
};

/** The job that delivers events to their receivers. */
const dispatchJob = (
  { opened, parts: { ids, clock, log } }: Assembly,
  receivers: readonly Receiver[],
  givingWay: () => Promise<void>,
): Job => {
  const { events } = opened.storage.stores;
  const needs = { events, receivers, clock, log, holder: ids.next(), giveWay: givingWay };
  return {
    name: 'dispatch-events',
    everyMs: dispatchEveryMs,
    async run(signal) {
      while ((await dispatchDue(needs, signal)) > 0 && !signal.aborted);
    },
  };
};

/** Every job of the product and of its plugins. */
export const jobsOf = async (
  assembly: Assembly,
  bound: Bound,
  late: Late,
): Promise<readonly Job[]> => {
  const { parts, opened } = assembly;
  const { container, storage, toggles, blobs, sealer } = bound;
  const resolved = await resolveNeeds(container, {
    auth: Auth,
    audit: Audit,
    gate: Gate,
    models: ChatModels,
    metrics: MetricRunner,
    analyser: InsightAnalyser,
  });
  const settings = await resolveNeeds(container, {
    experiment: experimentSettings.port,
    oauth: oauthSettings.port,
    audit: auditSettings.port,
    optimizer: optimizerSettings.port,
    registry: registrySettings.port,
    traces: traceSettings.port,
    alerts: alertSettings.port,
    insights: insightsSettings.port,
  });
  const delivering = deliveringNeeds(assembly, bound, late);
  return [
    ...opened.storage.jobs,
    ...upkeepJobs(storage.stores, parts, blobs, {
      ...settings.oauth,
      ...settings.audit,
      ...settings.optimizer,
      ...settings.registry,
    }),
    dispatchJob(assembly, receiversOf(delivering, late), delivering.giveWay),
    ...runActionJobs({ ...parts, ...resolved, storage, toggles, settings: settings.experiment }),
    ...copyJobs({ ...parts, storage }),
    ...retentionJobs({ ...parts, storage }),
    ...automationJobs({
      ...{ ...parts, storage, sealer, models: resolved.models, metrics: resolved.metrics },
      prices: settings.traces.ORRERY_MODEL_PRICES,
      holder: parts.ids.next(),
      retryMs: automationRetryMs,
      pause: wait,
    }),
    ...playgroundJobs({
      ...{ ...parts, storage, sealer, models: resolved.models },
      prices: settings.traces.ORRERY_MODEL_PRICES,
      alerts: settings.alerts,
      holder: parts.ids.next(),
    }),
    ...alertJobs({
      ...parts,
      ...{ storage, baseUrl: assembly.baseUrl, leases: storage.stores.leases },
      ...{ notifiers: bound.notifiers, sealer: bound.sealer, settings: settings.alerts },
    }),
    ...insightsJobs(
      {
        ...{ ...parts, storage, toggles, analyser: resolved.analyser },
        hour: settings.insights.ORRERY_INSIGHTS_HOUR,
        deadline: (ms) => AbortSignal.timeout(ms),
      },
      settings.insights.ORRERY_INSIGHTS_SECONDS * 1000,
    ),
    ...deliveryJobs(delivering),
    ...late.joined.flatMap(({ plugin, contribution }) =>
      (contribution.jobs ?? []).map((job) => ({
        ...job,
        name: `${plugin.plugin.name}:${job.name}`,
      })),
    ),
  ];
};

/** Together they say how late a change is heard: a second at most, behind another process too. */
const [noteEveryMs, lookEveryMs] = [200, 400];

export const beatsOf = ({ processes, toggles, notes, hub, schema }: Bound): readonly Beat[] => [
  { everyMs: 5000, beat: () => processes.beat() },
  { everyMs: 2000, beat: () => toggles.refresh() },
  { everyMs: noteEveryMs, beat: () => notes.flush() },
  { everyMs: lookEveryMs, beat: () => hub.look() },
  {
    everyMs: 2000,
    async beat() {
      await schema.look();
    },
  },
];
