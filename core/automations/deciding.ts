// Decides which rules score what was logged: those that are enabled, whose filters hold, and whose share it belongs to.
import type { FieldFilter } from '#ports/field-query';
import { scopeOfType, type AutomationRule, type AutomationRun } from '#ports/model/automations';
import type { Thread, Trace, TraceEntry } from '#ports/model/traces';
import { readFilters } from '../private-wire/filters.js';
import { entryFiltersOf } from '../traces/offers.js';
import { threadInactivityMs } from '../workspace-configuration/rules.js';
import { linesAbout, skipsPython, type RuleLog } from './logging.js';
import { judgeBy } from './judging.js';
import { mostTries, type RunningNeeds } from './needs.js';
import { isJudge } from './rules.js';
import { isSampled, leftOut } from './sampling.js';

/** How long something that is in the queue may take to be stored, and how long it may take to be finished. */
const [mostAbsentMs, mostUnfinishedMs] = [60_000, 15 * 60_000];
const [soonestMs, latestMs] = [500, 30_000];
/** The later the longer, so that what never ends costs little. */
const pauseAfter = (ageMs: number): number => Math.min(latestMs, Math.max(soonestMs, ageMs / 2));

/** A thing that may be scored, or how long to wait for it; nothing where it is gone. */
type Found = { readonly ready: true } | { readonly waitMs: number } | undefined;

const [noBodies, withoutInput] = [new Set(['input', 'output']), new Set(['input'])];

const onlyThis = ({ projectId, entityId }: AutomationRun) => ({
  projectId,
  fromId: entityId,
  toId: entityId,
  limit: 1,
});

/** An agent logs a trace when it begins, and what came of it when it ends. */
const isUnfinished = ({ partial, endTime, output }: TraceEntry): boolean =>
  partial || (endTime === undefined && output === undefined);

type ShortListing = ReturnType<typeof onlyThis> & {
  readonly filters: readonly FieldFilter[];
  readonly characters: number;
  readonly omitted: ReadonlySet<string>;
};

/** Most have an end, and are read without what was said, which costs the most. */
const readShort = async <T extends TraceEntry>(
  run: AutomationRun,
  list: (short: ShortListing) => Promise<readonly T[]>,
): Promise<T | undefined> => {
  const short = { ...onlyThis(run), filters: [], characters: 1, omitted: noBodies };
  const [entry] = await list(short);
  if (entry === undefined || !isUnfinished(entry)) return entry;
  return (await list({ ...short, omitted: withoutInput }))[0];
};

const whenFinished = (entry: TraceEntry | undefined, { ageMs }: AutomationRun): Found => {
  if (entry === undefined) return ageMs < mostAbsentMs ? { waitMs: pauseAfter(ageMs) } : undefined;
  if (isUnfinished(entry) && ageMs < mostUnfinishedMs) return { waitMs: pauseAfter(ageMs) };
  return { ready: true };
};

/** Since when a thread without a trace is inactive, in microseconds. */
const activeSince = async (
  { storage: { stores }, clock }: RunningNeeds,
  projectId: string,
): Promise<{ readonly inactivityMs: number; readonly at: number }> => {
  const project = await stores.projects.findById(projectId);
  const inactivityMs = threadInactivityMs(
    project && (await stores.workspaceConfigurations.find(project.workspaceId)),
  );
  return { inactivityMs, at: (clock.now() - inactivityMs) * 1000 };
};

const findThread = async (
  needs: RunningNeeds,
  run: AutomationRun,
  filters: readonly FieldFilter[] = [],
): Promise<{ readonly thread: Thread | undefined; readonly inactivityMs: number }> => {
  const { at, inactivityMs } = await activeSince(needs, run.projectId);
  const [thread] = await needs.storage.stores.threads.list({
    ...onlyThis(run),
    filters,
    activeSince: at,
  });
  return { thread, inactivityMs };
};

const leftMs = ({ clock }: RunningNeeds, { lastActivityAt }: Thread, inactivityMs: number) =>
  lastActivityAt / 1000 + inactivityMs - clock.now();

const findReady = async (needs: RunningNeeds, run: AutomationRun): Promise<Found> => {
  const { traces } = needs.storage.stores;
  if (run.kind === 'span')
    return whenFinished(await readShort(run, (short) => traces.listSpans(short)), run);
  if (run.kind === 'trace') {
    const trace = await readShort(run, (short) => traces.listTraces(short));
    if (trace !== undefined) await awaitThread(needs, trace);
    return whenFinished(trace, run);
  }
  const { thread, inactivityMs } = await findThread(needs, run);
  if (thread === undefined) return undefined;
  const left = leftMs(needs, thread, inactivityMs);
  return thread.closed || left <= 0 ? { ready: true } : { waitMs: Math.max(soonestMs, left) };
};

/** Lets the thread of a trace wait until it is inactive, anew with each of its traces. */
const awaitThread = async (needs: RunningNeeds, { projectId, threadId }: Trace): Promise<void> => {
  const { automationRuns, threads } = needs.storage.stores;
  if (threadId === undefined) return;
  const [thread] = await threads.find(projectId, [threadId]);
  if (thread === undefined) return;
  const { inactivityMs } = await activeSince(needs, projectId);
  const left = thread.closed ? 0 : leftMs(needs, thread, inactivityMs);
  await automationRuns.enqueue(projectId, 'thread', [thread.id], Math.max(0, left));
};

const isMatched = async (
  needs: RunningNeeds,
  { filters, type }: AutomationRule,
  run: AutomationRun,
): Promise<boolean> => {
  if (filters.length === 0) return true;
  const read = readFilters(filters, entryFiltersOf[scopeOfType[type]]);
  if (run.kind === 'thread') return (await findThread(needs, run, read)).thread !== undefined;
  return needs.storage.stores.traces.exist(run.kind, { ...onlyThis(run), filters: read });
};

const isChosen = async (
  needs: RunningNeeds,
  rule: AutomationRule,
  run: AutomationRun,
  log: RuleLog,
): Promise<boolean> => {
  const { id, name, samplingRate } = rule;
  if (!(await isMatched(needs, rule, run))) {
    log(
      'INFO',
      `The ${run.kind} ${run.entityId} was skipped by rule '${name}': its filters do not match`,
    );
    return false;
  }
  if (!isSampled(id, run.entityId, samplingRate)) {
    log('INFO', leftOut(run.kind, run.entityId, rule));
    return false;
  }
  if (!isJudge(rule.code) && !needs.metrics.isOn) {
    log('WARN', skipsPython(run, name));
    return false;
  }
  // Said once, however often it is tried.
  if (run.tries === 1)
    log(
      'INFO',
      `The ${run.kind} ${run.entityId} was sampled by rule '${name}' at the rate ${samplingRate}`,
    );
  return true;
};

/**
 * Puts the runs of the rules that score it in the place of what was claimed; what is not finished waits on. A single rule scores it at once, under the
 * same claim: should it fail, all of this is done again.
 */
export const decide = async (
  needs: RunningNeeds,
  run: AutomationRun,
  signal: AbortSignal,
): Promise<void> => {
  const { automationRuns, automations } = needs.storage.stores;
  const found = await findReady(needs, run);
  if (found === undefined) return automationRuns.finish(needs.holder, run.id);
  if ('waitMs' in found) return automationRuns.postpone(needs.holder, run.id, found.waitMs, false);
  const rules = await automations.listOfProject(run.projectId, run.kind);
  const lines = linesAbout(needs, run);
  const chosen: AutomationRule[] = [];
  for (const rule of rules)
    if (rule.enabled && (await isChosen(needs, rule, run, lines.of(rule.id)))) chosen.push(rule);
  const [only, ...others] = chosen;
  if (only !== undefined && others.length === 0) {
    await judgeBy(needs, only, run, lines, signal);
    return;
  }
  const ids = chosen.map(({ id }) => id);
  await automationRuns.choose(needs.holder, run, ids, lines.all);
};

/** Ends what processes died of, so that it does not end every one. */
export const giveUp = async (needs: RunningNeeds, run: AutomationRun): Promise<void> => {
  const rules = await needs.storage.stores.automations.listOfProject(run.projectId, run.kind);
  const isMeant = ({ id, enabled, samplingRate }: AutomationRule): boolean =>
    run.ruleId === undefined
      ? enabled && isSampled(id, run.entityId, samplingRate)
      : id === run.ruleId;
  const lines = linesAbout(needs, run);
  for (const { id } of rules.filter(isMeant))
    lines.of(id)('ERROR', `The ${run.kind} ${run.entityId} was given up after ${mostTries} tries`);
  await needs.storage.stores.automationRuns.finish(needs.holder, run.id, lines.all);
};
