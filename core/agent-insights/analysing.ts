// The analyser that is always there: it compares and counts, and asks nobody.
import type { InsightAnalyser, InsightTask } from '#ports/insight-analyser';
import type { ReportedIssue } from '#ports/model/agent-insights';
import type { Secrets } from '#ports/secrets';
import type { Stores } from '#ports/storage/storage';
import {
  findErrors,
  findFallenScores,
  findGuardrails,
  findOutliers,
  type Finding,
} from './finding.js';
import { gatherFacts, gatherTraces, type TraceFacts } from './gathering.js';
import { dayMs } from './runs.js';

export interface AnalysingNeeds {
  readonly stores: Pick<Stores, 'guardrails' | 'traceFigures' | 'traces'>;
  readonly secrets: Pick<Secrets, 'hash'>;
}

/** How long before a period things are compared with, in microseconds. */
const beforeMicros = 7 * dayMs * 1000;
const [mostIssues, mostExamples] = [200, 5];

/** One finding of one project has one id for ever: a UUID of version 8, which is made of a hash. */
const idOf = (secrets: Pick<Secrets, 'hash'>, projectId: string, key: string): string => {
  const hex = secrets.hash(`${projectId} ${key}`);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

const usersOf = (traces: readonly TraceFacts[]): number =>
  new Set(traces.flatMap(({ threadId }) => threadId ?? [])).size;

/** What an analyser found, and what it found it in. */
export interface Found {
  readonly finding: Finding;
  readonly issue: ReportedIssue;
}

/** Everything that the comparisons find, the most frequent first. */
export const findIssues = async (
  { stores, secrets }: AnalysingNeeds,
  { projectId, from, to }: InsightTask,
  signal: AbortSignal,
): Promise<readonly Found[]> => {
  const facts = await gatherFacts(stores, projectId, [from, to], signal);
  const before = await gatherTraces(stores, projectId, [from - beforeMicros, from], signal);
  const sums = (begin: number, end: number) =>
    stores.traceFigures.sumScores([projectId], {
      ...{ width: end - begin, offset: begin, from: begin, to: end },
    });
  const findings = [
    ...findErrors(facts),
    ...findOutliers(facts.traces, before),
    ...findGuardrails(facts),
    ...findFallenScores(await sums(from, to), await sums(from - beforeMicros, from)),
  ];
  const byId = new Map(facts.traces.map((trace) => [trace.id, trace]));
  const totalUsers = usersOf(facts.traces);
  return [...findings]
    .sort((one, other) => other.count - one.count)
    .slice(0, mostIssues)
    .map((finding) => ({
      finding,
      issue: {
        id: idOf(secrets, projectId, finding.key),
        name: finding.name.slice(0, 255),
        description: finding.description,
        cause: finding.cause,
        suggestedFix: finding.suggestedFix,
        severity: finding.severity,
        tracesQuery: JSON.stringify(finding.filters),
        count: finding.count,
        total: facts.total,
        usersImpacted: usersOf(finding.traceIds.flatMap((id) => byId.get(id) ?? [])),
        totalUsers,
        metadata: JSON.stringify({
          trace_ids: finding.traceIds.slice(0, mostExamples),
          traces_compared: facts.traces.length,
        }),
      },
    }));
};

/** Groups errors, and compares durations, costs and scores with the seven days before. */
export const ownAnalyser = (needs: AnalysingNeeds): InsightAnalyser => ({
  async analyse(task, signal) {
    const found = await findIssues(needs, task, signal);
    return { issues: found.map(({ issue }) => issue) };
  },
});
